// RUN: tinyml-opt %s -p 'choose-votes{votes=hard}' --split-input-file --verify-diagnostics 2>&1 | filecheck %s

func.func @boosted(%x: tensor<1x2xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[0.1], [-0.15]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK: hard votes need leaves with shares of several classes

// -----

func.func @none(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  func.return %x : tensor<1x2xf32>
}
// CHECK: hard votes need a forest, the program has none

// -----

func.func @one_class(%x: tensor<1x2xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[0.1], [0.2]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK: hard votes need leaves with shares of several classes

// -----

func.func @negative(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %votes = tdsl.const dense<[[0.1, 0.2], [0.3, -0.1]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums : tensor<1x2xf32>
}
// CHECK: hard votes need leaves with shares of several classes

// -----

func.func @empty(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %votes = tdsl.const dense<[[0.1, 0.2], [0.0, 0.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums : tensor<1x2xf32>
}
// CHECK: hard votes need leaves with shares of several classes
