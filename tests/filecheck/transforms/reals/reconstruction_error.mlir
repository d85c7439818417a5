// RUN: tinyml-opt %s -p 'reconstruction-error{false_alarms=0.1}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p reconstruction-error --split-input-file | filecheck %s --check-prefix=NONE

// Minus the mean square of four differences: each of their two factors takes the root of 1 / 4.
// CHECK-LABEL: func.func @auto(
// CHECK-SAME: -> tensor<1x1xf32>
// CHECK-DAG: %[[A:.*]] = tdsl.reshape %X : tensor<1x4xf32> -> tensor<1x4xf32>
// CHECK-DAG: %[[B:.*]] = tdsl.reshape %z : tensor<1x4xf32> -> tensor<1x4xf32>
// CHECK-DAG: %[[root:.*]] = tdsl.const dense<5.000000e-01> : tensor<1x1xf32>
// CHECK: %[[D:.*]] = tdsl.sub %[[A]], %[[B]]
// CHECK-NEXT: %[[S:.*]] = tdsl.mul %[[D]], %[[root]]
// CHECK-NEXT: %[[T:.*]] = tdsl.reshape %[[S]]
// CHECK-NEXT: %[[Q:.*]] = tdsl.matmul %[[S]], %[[T]] : tensor<1x4xf32>, tensor<4x1xf32>
// CHECK-NEXT: %score = tdsl.neg %[[Q]]
// CHECK-NEXT: func.return %score : tensor<1x1xf32>
// NONE-LABEL: func.func @auto(
// NONE-NOT: tdsl.sub
// NONE-LABEL: func.func @longer(
func.func @auto(%X: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %z = tdsl.tanh %X : tensor<1x4xf32> -> tensor<1x4xf32>
  func.return %z : tensor<1x4xf32>
}

// -----

// A result of another length reconstructs nothing.
// CHECK-LABEL: func.func @longer(
// CHECK-NOT: tdsl.sub
func.func @longer(%X: tensor<1x4xf32>) -> tensor<1x3xf32> {
  %c = tdsl.const dense<[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]> : tensor<4x3xf32> -> tensor<4x3xf32>
  %y = tdsl.matmul %X, %c : tensor<1x4xf32>, tensor<4x3xf32> -> tensor<1x3xf32>
  func.return %y : tensor<1x3xf32>
}

// -----

// A column is the same vector as a row.
// CHECK-LABEL: func.func @column(
// CHECK: tdsl.sub
// NONE-LABEL: func.func @column(
func.func @column(%X: tensor<1x4xf32>) -> tensor<4x1xf32> {
  %z = tdsl.tanh %X : tensor<1x4xf32> -> tensor<1x4xf32>
  %c = tdsl.reshape %z : tensor<1x4xf32> -> tensor<4x1xf32>
  func.return %c : tensor<4x1xf32>
}

// -----

// Two vectors of three are no vector of three.
// CHECK-LABEL: func.func @two(
// CHECK-NOT: tdsl.sub
// CHECK: func.return
// NONE-LABEL: func.func @two(
func.func @two(%X: tensor<2x3xf32>) -> tensor<1x3xf32> {
  %c = tdsl.const dense<1.0> : tensor<1x2xf32> -> tensor<1x2xf32>
  %y = tdsl.matmul %c, %X : tensor<1x2xf32>, tensor<2x3xf32> -> tensor<1x3xf32>
  func.return %y : tensor<1x3xf32>
}

// -----

// A name of the result does not name its score.
// CHECK-LABEL: func.func @named(
// CHECK-SAME: -> (tensor<1x1xf32>) {
// NONE-LABEL: func.func @named(
// NONE-SAME: other.name = "y"
func.func @named(%X: tensor<2x1xf32>) -> (tensor<2x1xf32> {other.name = "y"}) {
  %z = tdsl.tanh %X : tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %z : tensor<2x1xf32>
}

// -----

// One number is a regressor's answer, and neither two results nor a class are an autoencoder's.
// CHECK-LABEL: func.func @one(
// CHECK-NOT: tdsl.sub
// CHECK: func.return
// NONE-LABEL: func.func @one(
func.func @one(%X: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %z = tdsl.tanh %X : tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %z : tensor<1x1xf32>
}

// -----

// CHECK-LABEL: func.func @results(
// CHECK-NOT: tdsl.sub
// CHECK: func.return
// NONE-LABEL: func.func @results(
func.func @results(%X: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %z = tdsl.tanh %X : tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %z, %X : tensor<2x1xf32>, tensor<2x1xf32>
}

// -----

// CHECK-LABEL: func.func @class(
// CHECK-NOT: tdsl.sub
// CHECK: func.return
// NONE-LABEL: func.func @class(
func.func @class(%X: tensor<2x1xf32>) -> index {
  %l = tdsl.argmax %X : tensor<2x1xf32>
  func.return %l : index
}
