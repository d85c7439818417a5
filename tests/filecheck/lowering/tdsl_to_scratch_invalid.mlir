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
