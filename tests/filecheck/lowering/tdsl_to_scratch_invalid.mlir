// RUN: tinyml-opt %s -p lower-tdsl-to-scratch --split-input-file --verify-diagnostics | filecheck %s

func.func @f(%X: tensor<2xf32>, %c: i1) -> tensor<2xf32> {
  %y = scf.if %c -> (tensor<2xf32>) {
    scf.yield %X : tensor<2xf32>
  } else {
    scf.yield %X : tensor<2xf32>
  }
  func.return %y : tensor<2xf32>
}
// CHECK: scf.if is not supported yet: it has no lowering

// -----

func.func @caller(%X: tensor<1x2x3x3xf32>) -> tensor<1x3x3x2xf32> {
  %y = tdsl.transpose %X {permutation = array<i64: 0, 2, 3, 1>, in_place} : tensor<1x2x3x3xf32> -> tensor<1x3x3x2xf32>
  func.return %y : tensor<1x3x3x2xf32>
}
// CHECK: only a buffer of the arena can be transposed in place
