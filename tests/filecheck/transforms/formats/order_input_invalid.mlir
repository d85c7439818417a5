// RUN: tinyml-opt %s -p 'order-input{input-order=channels-last}' --split-input-file --verify-diagnostics | filecheck %s
// RUN: tinyml-opt %s -p order-input --split-input-file | filecheck %s --check-prefix=FILE

func.func @dense(%X: tensor<1x3x4xf32>) -> tensor<12x1xf32> {
  %y = tdsl.reshape %X : tensor<1x3x4xf32> -> tensor<12x1xf32>
  func.return %y : tensor<12x1xf32>
}
// FILE: func.func @dense(%X: tensor<1x3x4xf32>) -> tensor<12x1xf32> {
// CHECK: nothing reads the input, 1x3x4, as an image or a sequence whose channels come first: leave out --input-order channels-last

// -----

// Of several samples, the first axis is no channel; other axes are turned; volumes have no order of their own.
func.func @samples(%X: tensor<2x3x7xf32>) -> tensor<2x7x3xf32> {
  %t = tdsl.transpose %X {permutation = array<i64: 0, 2, 1>} : tensor<2x3x7xf32> -> tensor<2x7x3xf32>
  func.return %t : tensor<2x7x3xf32>
}
// CHECK: nothing reads the input, 2x3x7,

// -----

func.func @turned(%X: tensor<1x3x4x5xf32>) -> tensor<1x3x5x4xf32> {
  %t = tdsl.transpose %X {permutation = array<i64: 0, 1, 3, 2>} : tensor<1x3x4x5xf32> -> tensor<1x3x5x4xf32>
  func.return %t : tensor<1x3x5x4xf32>
}
// CHECK: nothing reads the input, 1x3x4x5,

// -----

func.func @volume(%X: tensor<1x3x4x5x6xf32>) -> tensor<1x4x5x6x3xf32> {
  %t = tdsl.transpose %X {permutation = array<i64: 0, 2, 3, 4, 1>} : tensor<1x3x4x5x6xf32> -> tensor<1x4x5x6x3xf32>
  func.return %t : tensor<1x4x5x6x3xf32>
}
// CHECK: nothing reads the input, 1x3x4x5x6,
