// RUN: tinyml-opt %s -p "follow-missing{data=%S/../Inputs/missing.npz}" --split-input-file --verify-diagnostics | filecheck %s

func.func @both(%X: tensor<1x3xf32>) -> (tensor<1x2xf32>, tensor<1x3xf32>) attributes {tdsl.interface = #tdsl.interface<input = <missing>>} {
  %votes = tdsl.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %X, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, missing = dense<1> : tensor<1xi8>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  %known = tdsl.impute %X {values = array<f64: 0.5, 0.25, 0.0>} : tensor<1x3xf32> -> tensor<1x3xf32>
  %y = tdsl.tanh %known : tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %sums, %y : tensor<1x2xf32>, tensor<1x3xf32>
}
// CHECK: missing values reach trees, which send them where training said, and other steps before or beside these, which do not: put a SimpleImputer() before the whole model

// -----

func.func @unit(%X: tensor<1x3xf32>) -> tensor<1x2xf32> attributes {tdsl.interface = #tdsl.interface<input = <unit = "int8", missing>>} {
  %votes = tdsl.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %X, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, missing = dense<1> : tensor<1xi8>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums : tensor<1x2xf32>
}
// CHECK: missing values are NaN, which no integer of a sensor is: leave out the unit of the input
