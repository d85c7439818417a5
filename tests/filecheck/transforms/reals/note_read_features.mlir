// RUN: tinyml-opt %s -p "note-read-features" --split-input-file | filecheck %s

// Two of four features are read, in another shape.
func.func @few(%X: tensor<4x1xf32>) -> tensor<1x1xf32> {
  %row = tdsl.reshape %X : tensor<4x1xf32> -> tensor<1x4xf32>
  %votes = tdsl.const dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32> -> tensor<3x1xf32>
  %sums = tdsl.forest %row, %votes {features = dense<[3, 1]> : tensor<2xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x4xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @few(%X: tensor<4x1xf32>) -> tensor<1x1xf32> attributes {tdsl.interface = #tdsl.interface<input = <read = [1, 3]>>} {
// CHECK-NEXT: %row = tdsl.reshape %X : tensor<4x1xf32> -> tensor<1x4xf32>
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}1.000000e+00], [2.000000e+00], [3.000000e+00]]> : tensor<3x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %sums = tdsl.forest %row, %votes {features = dense<[3, 1]> : tensor<2xi32>, thresholds = dense<[5.000000e-01, 1.000000e+00]> : tensor<2xf64>, children = dense<{{\[\[}}1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x4xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %sums : tensor<1x1xf32>

// -----

// All features are read, the last by another op.
func.func @all(%X: tensor<1x4xf32>) -> (tensor<1x1xf32>, tensor<1x4xf32>) {
  %votes = tdsl.const dense<[[1.0], [2.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %X, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x4xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %y = tdsl.tanh %X : tensor<1x4xf32> -> tensor<1x4xf32>
  func.return %sums, %y : tensor<1x1xf32>, tensor<1x4xf32>
}
// CHECK-LABEL: func.func @all(%X: tensor<1x4xf32>) -> (tensor<1x1xf32>, tensor<1x4xf32>) {
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}1.000000e+00], [2.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %sums = tdsl.forest %X, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<5.000000e-01> : tensor<1xf64>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x4xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %y = tdsl.tanh %X : tensor<1x4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: func.return %sums, %y : tensor<1x1xf32>, tensor<1x4xf32>

// -----

// Three of four features are three quarters, for which no table pays; five of seven are fewer.
func.func @most(%X: tensor<1x4xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[1.0], [2.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %X, %votes {features = dense<[2, 0, 1]> : tensor<3xi32>, thresholds = dense<0.5> : tensor<3xf64>, children = dense<[[1, -1], [2, -1], [-1, -2]]> : tensor<3x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x4xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @most(%X: tensor<1x4xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}1.000000e+00], [2.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %sums = tdsl.forest %X, %votes {features = dense<[2, 0, 1]> : tensor<3xi32>, thresholds = dense<5.000000e-01> : tensor<3xf64>, children = dense<{{\[\[}}1, -1], [2, -1], [-1, -2]]> : tensor<3x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x4xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %sums : tensor<1x1xf32>

// -----

func.func @fewer(%X: tensor<1x7xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[1.0], [2.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %X, %votes {features = dense<[6, 0, 1, 3, 4]> : tensor<5xi32>, thresholds = dense<0.5> : tensor<5xf64>, children = dense<[[1, -1], [2, -1], [3, -1], [4, -1], [-1, -2]]> : tensor<5x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x7xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @fewer(%X: tensor<1x7xf32>) -> tensor<1x1xf32> attributes {tdsl.interface = #tdsl.interface<input = <read = [0, 1, 3, 4, 6]>>} {
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}1.000000e+00], [2.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %sums = tdsl.forest %X, %votes {features = dense<[6, 0, 1, 3, 4]> : tensor<5xi32>, thresholds = dense<5.000000e-01> : tensor<5xf64>, children = dense<{{\[\[}}1, -1], [2, -1], [3, -1], [4, -1], [-1, -2]]> : tensor<5x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x7xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %sums : tensor<1x1xf32>

// -----

// One of four features is read.
func.func @one(%X: tensor<1x4xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[1.0], [2.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %X, %votes {features = dense<2> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x4xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @one(%X: tensor<1x4xf32>) -> tensor<1x1xf32> attributes {tdsl.interface = #tdsl.interface<input = <read = [2]>>} {
