// RUN: not tinyml-opt %s -p 'reconstruction-error{false_alarms=0.1}' 2>&1 | filecheck %s
// RUN: tinyml-opt %s -p reconstruction-error | filecheck %s --check-prefix=NONE

// CHECK: the error of a reconstruction is not computed in the model's own formats: --quantization anew
// NONE: tdsl.tanh
func.func @auto(%X: tensor<4x1x!fixed.q<8, 7>>) -> tensor<4x1x!fixed.q<8, 7>> {
  %z = tdsl.tanh %X : tensor<4x1x!fixed.q<8, 7>> -> tensor<4x1x!fixed.q<8, 7>>
  func.return %z : tensor<4x1x!fixed.q<8, 7>>
}
