// RUN: not tinyml-opt %s -p lift-to-reals 2>&1 | filecheck %s

// A sum in an accumulator with an initial value is no tensor.
func.func @f(%x: tensor<2x1x!fixed.q<8, 4>>, %y: tensor<2x1x!fixed.q<8, 4>>) -> tensor<2x1x!fixed.acc<32, 8>> {
  %start = tdsl.start %x : tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.acc<32, 8>>
  func.return %start : tensor<2x1x!fixed.acc<32, 8>>
}
// CHECK: lift_to_reals_invalid.mlir:5:3: pass 'lift-to-reals': 'tdsl.start' sums in an accumulator: its program cannot go back to reals
