// The types of SeeDot's arithmetic read what they print.

// RUN: %roundtrip
// RUN: %generic

func.func @types(%a: !seedot.q<8, 4>, %b: !seedot.q<32, -31>, %t: tensor<2x3x!seedot.q<16, 12>>, %s: !seedot.acc<16, 9, [4, 4, 0], 3>, %u: !seedot.acc<8, -2, [4, 4, 2], 0>) {
  func.return
}
// CHECK: @types(%a: !seedot.q<8, 4>, %b: !seedot.q<32, -31>, %t: tensor<2x3x!seedot.q<16, 12>>, %s: !seedot.acc<16, 9, [4, 4, 0], 3>, %u: !seedot.acc<8, -2, [4, 4, 2], 0>)
// GENERIC: function_type = (!seedot.q<8, 4>, !seedot.q<32, -31>, tensor<2x3x!seedot.q<16, 12>>, !seedot.acc<16, 9, [4, 4, 0], 3>, !seedot.acc<8, -2, [4, 4, 2], 0>) -> ()
