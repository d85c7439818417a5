// RUN: tinyml-opt %s -p "compare-floats" | filecheck %s

// Forests on elements that have a format already go on comparing these.
func.func @formats(%X: tensor<1x3x!fixed.q<8, 7>>) -> tensor<1x2x!fixed.q<8, 7>> {
  %votes = tdsl.const dense<[[1, 0], [0, 1]]> : tensor<2x2xi8> -> tensor<2x2x!fixed.q<8, 7>>
  %sums = tdsl.forest %X, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x3x!fixed.q<8, 7>>, tensor<2x2x!fixed.q<8, 7>> -> tensor<1x2x!fixed.q<8, 7>>
  func.return %sums : tensor<1x2x!fixed.q<8, 7>>
}
// CHECK-LABEL: func.func @formats(%X: tensor<1x3x!fixed.q<8, 7>>) -> tensor<1x2x!fixed.q<8, 7>> {
