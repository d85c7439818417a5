// RUN: tinyml-opt %s -p 'assign-format{width=8 zooms="X:1","y:-2"}' | filecheck %s
// RUN: not tinyml-opt %s -p 'assign-format{zooms="z:1"}' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not tinyml-opt %s -p 'assign-format{zooms="y:wide"}' 2>&1 | filecheck %s --check-prefix=NUMBER

// The range of X is halved, that of y four times as wide as profiled.
func.func @dense(%X: tensor<2x1xf32> {tdsl.profile = #tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<2x1xf32> {
  %W = tdsl.const dense<[[0.5, -0.25], [0.01, 0.7]]> : tensor<2x2xf32> {tdsl.profile = [#tdsl.profile<-0.25, 0.7, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<2x2xf32>
  %y = tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @dense(%X: tensor<2x1x!fixed.q<8, 8>>
// CHECK: %W = tdsl.const {{.*}} -> tensor<2x2x!fixed.q<8, 7>>
// CHECK: %y = tdsl.matmul {{.*}} -> tensor<2x1x!fixed.q<8, 5>>
// UNKNOWN: pass 'assign-format': expected TENSOR:N with one of the tensors X, W, y, got 'z:1'
// NUMBER: pass 'assign-format': expected y:N with an integer N, got 'y:wide'
