// RUN: tinyml-opt %s -p round-sums,accumulate-sums | filecheck %s

// Four sums of 16 bits in place of accumulators of 32.
func.func @sums(%X: tensor<4x1x!fixed.q<16, 14>>) -> tensor<4x1x!fixed.q<16, 11>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %w = tdsl.const dense<[[[1], [2], [3], [4]], [[5], [6], [7], [8]]]> : tensor<2x4x1xi16> -> tensor<2x4x1x!fixed.q<16, 12>>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<4x1x!fixed.q<16, 11>>
  %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %zero) -> (tensor<4x1x!fixed.q<16, 11>>) {
    %row = tdsl.index %w[%i] : tensor<2x4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 12>>
    %p = tdsl.mul %row, %X : tensor<4x1x!fixed.q<16, 12>>, tensor<4x1x!fixed.q<16, 14>> -> tensor<4x1x!fixed.q<16, 11>>
    %t = tdsl.add %s, %p : tensor<4x1x!fixed.q<16, 11>>, tensor<4x1x!fixed.q<16, 11>> -> tensor<4x1x!fixed.q<16, 11>>
    scf.yield %t : tensor<4x1x!fixed.q<16, 11>>
  }
  func.return %sum : tensor<4x1x!fixed.q<16, 11>>
}
// CHECK: func.func @sums
// CHECK-SAME: attributes {tdsl.round_sums}
// CHECK-NOT: tdsl.mac
// CHECK: tdsl.add
