// RUN: tinyml-opt %s -p "compare-floats" --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p "compare-floats,profile{data=%S/../Inputs/features.npz},assign-format{width=8}" --split-input-file | filecheck %s --check-prefix=FORMATS

// A forest alone reads the input: it compares the floats themselves, whatever the format of the votes.
func.func @forest(%X: tensor<3x1xf32>) -> tensor<1x2xf32> {
  %row = tdsl.reshape %X : tensor<3x1xf32> -> tensor<1x3xf32>
  %votes = tdsl.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %row, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @forest(%X: tensor<3x1xf32>) -> tensor<1x2xf32> attributes {tdsl.interface = #tdsl.interface<input = <format = f32>>} {
// CHECK-NEXT: %row = tdsl.reshape %X : tensor<3x1xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %sums = tdsl.forest %row, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<5.000000e-01> : tensor<1xf64>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: func.return %sums : tensor<1x2xf32>
// FORMATS-LABEL: func.func @forest(%X: tensor<3x1xf32>
// FORMATS-NOT: tdsl.cast
// FORMATS: tdsl.forest %row, %votes {{.*}} : tensor<1x3xf32>, tensor<2x2x!fixed.q<8, 7>> -> tensor<1x2x!fixed.q<8, 7>>
// FORMATS-LABEL: func.func @both(

// -----

// Another reader computes with the input.
func.func @both(%X: tensor<1x3xf32>) -> (tensor<1x2xf32>, tensor<1x3xf32>) {
  %votes = tdsl.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %X, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  %y = tdsl.tanh %X : tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %sums, %y : tensor<1x2xf32>, tensor<1x3xf32>
}
// CHECK-LABEL: func.func @both(%X: tensor<1x3xf32>) -> (tensor<1x2xf32>, tensor<1x3xf32>) {
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %sums = tdsl.forest %X, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<5.000000e-01> : tensor<1xf64>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %y = tdsl.tanh %X : tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: func.return %sums, %y : tensor<1x2xf32>, tensor<1x3xf32>

// -----

// Scales are decided already.
func.func @scaled(%X: tensor<1x3xf32>) -> tensor<1x2xf32> attributes {tdsl.interface = #tdsl.interface<input = <scales = [2.0], offsets = [0.0]>>} {
  %votes = tdsl.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %X, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @scaled(%X: tensor<1x3xf32>) -> tensor<1x2xf32> attributes {tdsl.interface = #tdsl.interface<input = <scales = [2.0], offsets = [0.0]>>} {
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %sums = tdsl.forest %X, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<5.000000e-01> : tensor<1xf64>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: func.return %sums : tensor<1x2xf32>

// -----

// An imputed feature goes where its value would go, and columns are read where they are.
func.func @imputed(%X: tensor<1x3xf32>) -> tensor<1x2xf32> attributes {tdsl.interface = #tdsl.interface<input = <missing>>} {
  %votes = tdsl.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %back = tdsl.reverse %X {axis = 1 : i64} : tensor<1x3xf32> -> tensor<1x3xf32>
  %known = tdsl.impute %back {values = array<f64: 0.75, 0.5, 0.25>} : tensor<1x3xf32> -> tensor<1x3xf32>
  %sums = tdsl.forest %known, %votes {features = dense<[0, 2]> : tensor<2xi32>, thresholds = dense<[0.5, 0.25]> : tensor<2xf64>, children = dense<[[1, -1], [-1, -2]]> : tensor<2x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @imputed(%X: tensor<1x3xf32>) -> tensor<1x2xf32> attributes {tdsl.interface = #tdsl.interface<input = <format = f32, missing>>} {
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %sums = tdsl.forest %X, %votes {features = dense<[2, 0]> : tensor<2xi32>, thresholds = dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf64>, children = dense<{{\[\[}}1, -1], [-1, -2]]> : tensor<2x2xi32>, roots = dense<0> : tensor<1xi32>, missing = dense<[0, 1]> : tensor<2xi8>} : tensor<1x3xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: func.return %sums : tensor<1x2xf32>
