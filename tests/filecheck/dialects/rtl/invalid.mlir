// What the verifiers of memories say.

// RUN: %invalid

%w = rtl.memory dense<[1, 2, 3]> : tensor<3xi8> : !rtl.memory<1, 16>
// CHECK: 3 elements of 8 bits are not content of !rtl.memory<1, 16>

// -----

%i = arith.constant 0 : index
%w = rtl.memory : !rtl.memory<1, 16>
%v = rtl.load %w[%i] : !rtl.memory<1, 16> -> i32
// CHECK: words of 16 bits do not hold elements of 32

// -----

%w = rtl.memory : !rtl.memory<0, 16>
// CHECK: a memory has at least one word of at least one bit

// -----

hw.module @empty(in %clock : !seq.clock, in %read : i1, out word : i16) {
  %rom = rtl.ram %clock, read %read if %read {depth = 2 : i64} : i1 -> i16
  hw.output %rom : i16
}
// CHECK: a memory that is not written has content

// -----

hw.module @lanes(in %clock : !seq.clock, in %read : i1, in %mask : i3, in %data : i16, out word : i16) {
  %ram = rtl.ram %clock, read %read if %read write %data at %read if %mask {depth = 2 : i64} : i1 -> i16, i1, i3, i16
  hw.output %ram : i16
}
// CHECK: words of 16 bits have no 3 equal lanes

// -----

hw.module @mask(in %clock : !seq.clock, in %read : i1, in %mask : i0, in %data : i16, out word : i16) {
  %ram = rtl.ram %clock, read %read if %read write %data at %read if %mask {depth = 2 : i64} : i1 -> i16, i1, i0, i16
  hw.output %ram : i16
}
// CHECK: words of 16 bits have no 0 equal lanes

// -----

hw.module @depth(in %clock : !seq.clock, in %read : i1, in %data : i16, out word : i16) {
  %ram = rtl.ram %clock, read %read if %read write %data at %read if %read {depth = 0 : i64} : i1 -> i16, i1, i1, i16
  hw.output %ram : i16
}
// CHECK: a memory has at least one word of at least one bit

// -----

%w = rtl.memory dense<1.0> : tensor<2xf32> : !rtl.memory<2, 32>
// CHECK: the content of a memory is integers of at most 64 bits, got f32

// -----

%i = arith.constant 0 : index
%w = rtl.memory : !rtl.memory<1, 16>
%v = rtl.load %w[%i] : !rtl.memory<1, 16> -> i0
// CHECK: words of 16 bits do not hold elements of 0

// -----

%i = arith.constant 0 : index
%w = rtl.memory : !rtl.memory<1, 24>
%v = rtl.load %w[%i] : !rtl.memory<1, 24> -> i8
// CHECK: words of 24 bits do not hold elements of 8

// -----

%v = arith.constant 0 : i8
rtl.send %v to -1 : i64 : i8
// CHECK: outputs are numbered from 0, got -1
