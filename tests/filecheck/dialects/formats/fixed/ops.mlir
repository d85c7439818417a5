// The types of fixed point read what they print, alone and inside other types.

// RUN: %roundtrip
// RUN: %generic

func.func @types(%a: !fixed.q<8, 4>, %b: !fixed.q<2, -31>, %c: !fixed.q<32, 62>, %d: !fixed.acc<16, -62>, %e: !fixed.acc<64, 124>, %t: tensor<2x3x!fixed.q<12, 8>>, %m: memref<4x!fixed.q<16, 12>, #scratch.flash>) -> f32 attributes {kept = !fixed.q<16, 0>} {
  %r = "test.op"() : () -> f32
  func.return %r : f32
}
// CHECK: @types(%a: !fixed.q<8, 4>, %b: !fixed.q<2, -31>, %c: !fixed.q<32, 62>, %d: !fixed.acc<16, -62>, %e: !fixed.acc<64, 124>, %t: tensor<2x3x!fixed.q<12, 8>>, %m: memref<4x!fixed.q<16, 12>, #scratch.flash>) -> f32 attributes {kept = !fixed.q<16, 0>}
// GENERIC: function_type = (!fixed.q<8, 4>, !fixed.q<2, -31>, !fixed.q<32, 62>, !fixed.acc<16, -62>, !fixed.acc<64, 124>, tensor<2x3x!fixed.q<12, 8>>, memref<4x!fixed.q<16, 12>, #scratch.flash>) -> f32

func.func @sensors(%s: !fixed.s<16, 14>, %u: !fixed.u<10, 0>, %b: !fixed.byte<8, 7>) {
  func.return
}
// CHECK: @sensors(%s: !fixed.s<16, 14>, %u: !fixed.u<10, 0>, %b: !fixed.byte<8, 7>)

// The word `even` states that halves are rounded to even.
func.func @even(%s: !fixed.s<16, 14, even>, %q: !fixed.q<8, -31, even>, %t: tensor<2x!fixed.s<2, 62, even>>) {
  func.return
}
// CHECK: @even(%s: !fixed.s<16, 14, even>, %q: !fixed.q<8, -31, even>, %t: tensor<2x!fixed.s<2, 62, even>>)
