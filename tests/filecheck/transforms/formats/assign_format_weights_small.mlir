// RUN: tinyml-opt %s --pass-pipeline='builtin.module(assign-format{format=fixed width=16 weights="posit:8"})' | filecheck %s

// A constant of one element has the main format, one of two that of the weights.
func.func @small(%X: tensor<1x2xf32> {tdsl.profile = #tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x2xf32> {
  %two = tdsl.const dense<[[0.5, -0.25]]> : tensor<1x2xf32> {tdsl.profile = [#tdsl.profile<-0.25, 0.5, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<1x2xf32>
  %one = tdsl.const dense<[[0.5]]> : tensor<1x1xf32> {tdsl.profile = [#tdsl.profile<0.5, 0.5, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<1x1xf32>
  %y = tdsl.mul %two, %X {tdsl.profile = [#tdsl.profile<-1.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  %z = tdsl.matmul %one, %y {tdsl.profile = [#tdsl.profile<-1.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x1xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  func.return %z : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @small
// CHECK-NEXT: %two = tdsl.const {{.*}} -> tensor<1x2x!posit.p<8,
// CHECK-NEXT: %one = tdsl.const {{.*}} -> tensor<1x1x!fixed.q<16,
