// RUN: python -c "import numpy as np; np.savez('%t.npz', x=np.array([[0.25], [0.75]]))"
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{width=16 data=%t.npz}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{width=8 data=%t.npz}' --split-input-file | filecheck %s --check-prefix=NARROW
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{width=6 data=%t.npz}' --split-input-file | filecheck %s --check-prefix=SIX
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{width=16 weights="fixed:12" data=%t.npz}' --split-input-file | filecheck %s --check-prefix=WEIGHTS
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{width=16}' --split-input-file | filecheck %s --check-prefix=UNKNOWN

// The votes of forests get 8 bits, of which these need 7, where no answer changes.
func.func @equal(%x: tensor<1x1xf32>) -> index {
  %votes = tdsl.const dense<[[0.3, 0.7], [0.7, 0.3]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x1xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  %label = tdsl.argmax %sums : tensor<1x2xf32>
  func.return %label : index
}
// CHECK-LABEL: func.func @equal
// CHECK: tdsl.const {{.*}} -> tensor<2x2x!fixed.q<7,
// NARROW-LABEL: func.func @equal
// NARROW: tdsl.const {{.*}} -> tensor<2x2x!fixed.q<7,
// NARROW-LABEL: func.func @tie(
// Votes of fewer bits stay so.
// SIX-LABEL: func.func @equal
// SIX: tdsl.const {{.*}} -> tensor<2x2x!fixed.q<5,
// SIX-LABEL: func.func @tie(
// What is asked for is not narrowed, nor is anything without data.
// WEIGHTS-LABEL: func.func @equal
// WEIGHTS: tdsl.const {{.*}} -> tensor<2x2x!fixed.q<1{{[0-9]}},
// WEIGHTS-LABEL: func.func @tie(
// UNKNOWN-LABEL: func.func @equal
// UNKNOWN: tdsl.const {{.*}} -> tensor<2x2x!fixed.q<1{{[0-9]}},
// UNKNOWN-LABEL: func.func @tie(

// -----

// Two votes that differ by less than a unit of 8 bits would tie, and the first class win.
func.func @tie(%x: tensor<1x1xf32>) -> index {
  %votes = tdsl.const dense<[[0.5, 0.501], [0.501, 0.5]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %sums = tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x1xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  %label = tdsl.argmax %sums : tensor<1x2xf32>
  func.return %label : index
}
// CHECK-LABEL: func.func @tie
// CHECK: tdsl.const {{.*}} -> tensor<2x2x!fixed.q<16,

// -----

// A number may change by one step of the result, 2^-15: 8 bits round 2^-8 + 2^-15 to 2^-8.
func.func @within(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[0.003936767578125], [0.48828125]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x1xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @within
// CHECK: tdsl.const {{.*}} -> tensor<2x1x!fixed.q<8,

// -----

// Three steps are too many.
func.func @beyond(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[0.003997802734375], [0.48828125]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x1xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @beyond
// CHECK: tdsl.const {{.*}} -> tensor<2x1x!fixed.q<15,
