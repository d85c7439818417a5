// RUN: tinyml-opt %s -p lower-tdsl-to-scratch --split-input-file --verify-diagnostics | filecheck %s

func.func @f(%X: tensor<1x4x4x2xf32>, %F: tensor<1x3x3x2x5xf32>) -> tensor<1x2x2x5xf32> {
  %y = tdsl.conv2d %X, %F {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x4x4x2xf32>, tensor<1x3x3x2x5xf32> -> tensor<1x2x2x5xf32>
  func.return %y : tensor<1x2x2x5xf32>
}
// CHECK: tdsl.conv2d is not supported yet: it has no lowering

// -----

func.func @f(%X: tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> {
  %y = tdsl.maxpool %X {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : tensor<1x4x4x2xf32> -> tensor<1x2x2x2xf32>
  func.return %y : tensor<1x2x2x2xf32>
}
// CHECK: tdsl.maxpool is not supported yet: it has no lowering

// -----

func.func @f(%X: tensor<2xf32>, %c: i1) -> tensor<2xf32> {
  %y = scf.if %c -> (tensor<2xf32>) {
    scf.yield %X : tensor<2xf32>
  } else {
    scf.yield %X : tensor<2xf32>
  }
  func.return %y : tensor<2xf32>
}
// CHECK: scf.if is not supported yet: it has no lowering
