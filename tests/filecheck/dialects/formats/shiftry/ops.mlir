// The types of Shiftry's arithmetic read what they print.

// RUN: %roundtrip
// RUN: %generic

func.func @types(%a: !shiftry.q<8, 4>, %b: !shiftry.q<16, -31>, %t: tensor<2x3x!shiftry.q<16, 12>>, %s: !shiftry.acc<16, 9, [4, 4, 0], 3>, %u: !shiftry.acc<32, -2, [0, 0, 2], 0>) {
  func.return
}
// CHECK: @types(%a: !shiftry.q<8, 4>, %b: !shiftry.q<16, -31>, %t: tensor<2x3x!shiftry.q<16, 12>>, %s: !shiftry.acc<16, 9, [4, 4, 0], 3>, %u: !shiftry.acc<32, -2, [0, 0, 2], 0>)
// GENERIC: function_type = (!shiftry.q<8, 4>, !shiftry.q<16, -31>, tensor<2x3x!shiftry.q<16, 12>>, !shiftry.acc<16, 9, [4, 4, 0], 3>, !shiftry.acc<32, -2, [0, 0, 2], 0>) -> ()
