// What the verifiers of memories say.

// RUN: %invalid

%w = rtl.memory dense<[1, 2, 3]> : tensor<3xi8> : !rtl.memory<1, 16>
// CHECK: 3 elements of 8 bits are no content of !rtl.memory<1, 16>

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
