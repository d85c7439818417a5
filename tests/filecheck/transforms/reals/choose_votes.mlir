// RUN: tinyml-opt %s -p 'choose-votes{votes=hard}' | filecheck %s
// RUN: tinyml-opt %s -p choose-votes | filecheck %s --check-prefix=SOFT
// RUN: not tinyml-opt %s -p 'choose-votes{votes=loud}' 2>&1 | filecheck %s --check-prefix=LOUD

// LOUD: votes are soft or hard, got 'loud'

// A vote of three trees is 1/4, that of a leaf with equal shares for its first class.
func.func @forest(%x: tensor<1x2xf32>) -> tensor<1x3xf32> {
  %votes = tdsl.const dense<[[0.1, 0.2, 0.0], [0.15, 0.15, 0.0]]> : tensor<2x3xf32> -> tensor<2x3xf32>
  %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<[0, -1, -2]> : tensor<3xi32>} : tensor<1x2xf32>, tensor<2x3xf32> -> tensor<1x3xf32>
  func.return %sums : tensor<1x3xf32>
}
// CHECK-LABEL: func.func @forest(%x: tensor<1x2xf32>) -> tensor<1x3xf32> {
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}0.000000e+00, 2.500000e-01, 0.000000e+00], [2.500000e-01, 0.000000e+00, 0.000000e+00]]> : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<5.000000e-01> : tensor<1xf64>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<[0, -1, -2]> : tensor<3xi32>} : tensor<1x2xf32>, tensor<2x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: func.return %sums : tensor<1x3xf32>
// SOFT: tdsl.const dense<{{\[\[}}1.000000e-01, 2.000000e-01, 0.000000e+00], [1.500000e-01, 1.500000e-01, 0.000000e+00]]>

// Votes are the greatest power of two of which those of all trees are at most 1: 1 of a tree, 1/4 of four, 1/8 of five.
func.func @one(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %votes = tdsl.const dense<[[0.1, 0.2], [0.15, 0.15]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @one(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}0.000000e+00, 1.000000e+00], [1.000000e+00, 0.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<5.000000e-01> : tensor<1xf64>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: func.return %sums : tensor<1x2xf32>

func.func @four(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %votes = tdsl.const dense<[[0.1, 0.2], [0.15, 0.15]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<[0, -1, -2, -1]> : tensor<4xi32>} : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @four(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}0.000000e+00, 2.500000e-01], [2.500000e-01, 0.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<5.000000e-01> : tensor<1xf64>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<[0, -1, -2, -1]> : tensor<4xi32>} : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: func.return %sums : tensor<1x2xf32>

func.func @five(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %votes = tdsl.const dense<[[0.1, 0.2], [0.15, 0.15]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<[0, -1, -2, -1, -1]> : tensor<5xi32>} : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @five(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}0.000000e+00, 1.250000e-01], [1.250000e-01, 0.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<5.000000e-01> : tensor<1xf64>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<[0, -1, -2, -1, -1]> : tensor<5xi32>} : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: func.return %sums : tensor<1x2xf32>

// Shares that something else returns as well stay beside the votes.
func.func @read(%x: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<2x2xf32>) {
  %votes = tdsl.const dense<[[0.1, 0.2], [0.15, 0.15]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums, %votes : tensor<1x2xf32>, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @read(%x: tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<2x2xf32>) {
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}0.000000e+00, 1.000000e+00], [1.000000e+00, 0.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: [[vvotes_1:%.*]] = tdsl.const dense<{{\[\[}}1.000000e-01, 2.000000e-01], [1.500000e-01, 1.500000e-01]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<5.000000e-01> : tensor<1xf64>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: func.return %sums, [[vvotes_1]] : tensor<1x2xf32>, tensor<2x2xf32>
