// RUN: tinyml-opt %s -p "follow-missing{data=%S/../Inputs/missing.npz}" --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p "follow-missing{data=%S/../Inputs/features.npz}" --split-input-file | filecheck %s --check-prefix=COMPLETE
// RUN: tinyml-opt %s -p "follow-missing" --split-input-file | filecheck %s --check-prefix=UNKNOWN

// Trees that miss values compare floats, of which some are NaN; where the data miss none, numbers of any format do.
func.func @forest(%X: tensor<1x3xf32>) -> tensor<1x2xf32> attributes {tdsl.interface = #tdsl.interface<input = <missing>>} {
  %votes = tdsl.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %X, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, missing = dense<1> : tensor<1xi8>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @forest(%X: tensor<1x3xf32>) -> tensor<1x2xf32> attributes {tdsl.interface = #tdsl.interface<input = <format = f32, missing>>} {
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %sums = tdsl.forest %X, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<5.000000e-01> : tensor<1xf64>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, missing = dense<1> : tensor<1xi8>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: func.return %sums : tensor<1x2xf32>
// COMPLETE-LABEL: func.func @forest(%X: tensor<1x3xf32>) -> tensor<1x2xf32> {
// COMPLETE-NOT: missing = dense
// COMPLETE-LABEL: func.func @imputed(
// UNKNOWN: tdsl.interface = #tdsl.interface<input = <missing>>
// UNKNOWN: tdsl.forest
// UNKNOWN-SAME: missing = dense<1>

// -----

// What an imputer replaces is missing for no tree.
func.func @imputed(%X: tensor<1x3xf32>) -> tensor<1x2xf32> attributes {tdsl.interface = #tdsl.interface<input = <missing>>} {
  %votes = tdsl.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %known = tdsl.impute %X {values = array<f64: 0.5, 0.25, 0.0>} : tensor<1x3xf32> -> tensor<1x3xf32>
  %sums = tdsl.forest %known, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, missing = dense<1> : tensor<1xi8>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @imputed(%X: tensor<1x3xf32>) -> tensor<1x2xf32> attributes {tdsl.interface = #tdsl.interface<input = <missing>>} {
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %known = tdsl.impute %X {values = array<f64: 5.000000e-01, 2.500000e-01, 0.000000e+00>} : tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %sums = tdsl.forest %known, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<5.000000e-01> : tensor<1xf64>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: func.return %sums : tensor<1x2xf32>

// -----

// A caller whose features are never missing has none for trees; without trees, nothing changes.
func.func @whole(%X: tensor<1x3xf32>) -> tensor<1x2xf32> {
  %votes = tdsl.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %X, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, missing = dense<1> : tensor<1xi8>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @whole(%X: tensor<1x3xf32>) -> tensor<1x2xf32> {
// CHECK: tdsl.forest
// CHECK-NOT: missing = dense
// CHECK-LABEL: func.func @no_trees

// -----

func.func @no_trees(%X: tensor<1x3xf32>) -> tensor<1x3xf32> attributes {tdsl.interface = #tdsl.interface<input = <missing>>} {
  %y = tdsl.exp %X : tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %y : tensor<1x3xf32>
}
// CHECK-SAME: attributes {tdsl.interface = #tdsl.interface<input = <missing>>} {
