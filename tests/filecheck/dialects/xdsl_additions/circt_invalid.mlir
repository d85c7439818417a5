// What the verifiers of CIRCT's memories say.

// RUN: %invalid

%w = "seq.firmem"() <{readLatency = 0 : i32, writeLatency = 1 : i32, ruw = 0 : i32, wuw = 0 : i32}> : () -> !seq.firmem<0 x 8>
// CHECK: a memory has at least one word of at least one bit

// -----

%w = "seq.firmem"() <{readLatency = 0 : i32, writeLatency = 1 : i32, ruw = 0 : i32, wuw = 0 : i32}> : () -> !seq.firmem<4 x 8, mask 3>
// CHECK: words of 8 bits have no 3 equal parts

// -----

%clock, %address, %w = "test.op"() : () -> (!seq.clock, i3, !seq.firmem<4 x 8>)
%r = "seq.firmem.read_port"(%w, %address, %clock) : (!seq.firmem<4 x 8>, i3, !seq.clock) -> i8
// CHECK: !seq.firmem<4 x 8> has addresses of i2, got i3

// -----

%clock, %address, %w = "test.op"() : () -> (!seq.clock, i2, !seq.firmem<4 x 8>)
%r = "seq.firmem.read_port"(%w, %address, %clock) : (!seq.firmem<4 x 8>, i2, !seq.clock) -> i7
// CHECK: !seq.firmem<4 x 8> has words of i8, got i7

// -----

%clock, %address, %data, %mask, %w = "test.op"() : () -> (!seq.clock, i2, i8, i3, !seq.firmem<4 x 8, mask 2>)
"seq.firmem.write_port"(%w, %address, %clock, %data, %mask) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1>}> : (!seq.firmem<4 x 8, mask 2>, i2, !seq.clock, i8, i3) -> ()
// CHECK: masks of !seq.firmem<4 x 8, mask 2> have 2 bits, got i3

// -----

%w = "hw.aggregate_constant"() <{fields = [1 : i8, 2 : i8]}> : () -> !hw.array<3xi8>
// CHECK: expected 3 fields of i8
