// RUN: tinyml-opt %s -p compare-floats | filecheck %s

// Votes that are elements of the argument are not compared: the forest still reads its own input.
func.func @votes(%X: tensor<1x4xf32>) -> tensor<1x2xf32> {
  %votes = tdsl.reshape %X : tensor<1x4xf32> -> tensor<2x2xf32>
  %s = tdsl.exp %X : tensor<1x4xf32> -> tensor<1x4xf32>
  %sums = tdsl.forest %s, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x4xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @votes(%X: tensor<1x4xf32>) -> tensor<1x2xf32> {
// CHECK-NEXT: %votes = tdsl.reshape %X : tensor<1x4xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %s = tdsl.exp %X : tensor<1x4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: %sums = tdsl.forest %s, %votes
