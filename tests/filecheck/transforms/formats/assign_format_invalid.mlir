// RUN: tinyml-opt %s -p assign-format --split-input-file --verify-diagnostics | filecheck %s

func.func @no_profile(%X: tensor<2x1xf32>) -> tensor<2x1xf32> {
  func.return %X : tensor<2x1xf32>
}
// CHECK: %X has no profile: run the profile pass first

// -----

func.func @formats_already(%X: tensor<2x1x!fixed.q<16, 12>>) -> tensor<2x1x!fixed.q<16, 12>> {
  func.return %X : tensor<2x1x!fixed.q<16, 12>>
}
// CHECK: assign-format expects a program of f32 tensors, found tensor<2x1x!fixed.q<16, 12>>

// -----

func.func @no_cast_between(%x: tensor<2xf32>, %y: tensor<2xbf16>) -> tensor<2xf32> {
  %z = tdsl.add %x, %y : tensor<2xf32>, tensor<2xbf16> -> tensor<2xf32>
  func.return %z : tensor<2xf32>
}
// CHECK: 'tdsl.add' computes with f32 and another format: 'tdsl.cast' goes between them
