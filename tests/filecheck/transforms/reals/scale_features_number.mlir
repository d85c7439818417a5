// RUN: tinyml-opt %s -p "scale-features{data=%S/../Inputs/number.npz}" | filecheck %s

// An input that is a single number has a scale.
func.func @number(%X: tensor<f32>) -> tensor<f32> {
  %w = tdsl.const dense<4.0> : tensor<f32> -> tensor<f32>
  %y = tdsl.mul %X, %w : tensor<f32>, tensor<f32> -> tensor<f32>
  %z = tdsl.tanh %y : tensor<f32> -> tensor<f32>
  func.return %z : tensor<f32>
}
// CHECK-LABEL: func.func @number(%X: tensor<f32>) -> tensor<f32> attributes {tdsl.interface = #tdsl.interface<input = <scales = [0.25], offsets = [0.0]>>} {
// CHECK-NEXT: %z = tdsl.tanh %X : tensor<f32> -> tensor<f32>
// CHECK-NEXT: func.return %z : tensor<f32>
// CHECK-NEXT: }
