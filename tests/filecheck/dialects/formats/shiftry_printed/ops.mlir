// The type of Shiftry's arithmetic with the temporaries of its figure 5 reads what it prints.

// RUN: %roundtrip
// RUN: %generic

func.func @types(%a: !shiftry_printed.q<8, 4>, %t: tensor<2x3x!shiftry_printed.q<16, 12>>, %s: !shiftry.acc<64, 9, [0, 0, 0], 0>) {
  func.return
}
// CHECK: @types(%a: !shiftry_printed.q<8, 4>, %t: tensor<2x3x!shiftry_printed.q<16, 12>>, %s: !shiftry.acc<64, 9, [0, 0, 0], 0>)
// GENERIC: function_type = (!shiftry_printed.q<8, 4>, tensor<2x3x!shiftry_printed.q<16, 12>>, !shiftry.acc<64, 9, [0, 0, 0], 0>) -> ()
