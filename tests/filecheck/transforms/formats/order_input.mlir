// RUN: tinyml-opt %s -p order-input --split-input-file | filecheck %s --check-prefix=FILE
// RUN: tinyml-opt %s -p 'order-input{input-order=channels-last},order-input{input-order=file}' --split-input-file | filecheck %s --check-prefix=LAST
// RUN: tinyml-opt %s -p 'order-input{input=callback}' --split-input-file | filecheck %s --check-prefix=ROWS
// RUN: not tinyml-opt %s -p 'order-input{input-order=first}' --split-input-file 2>&1 | filecheck %s --check-prefix=UNKNOWN

func.func @image(%X: tensor<1x3x4x5xf32>) -> tensor<1x4x5x3xf32> {
  %t = tdsl.transpose %X {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x3x4x5xf32> -> tensor<1x4x5x3xf32>
  %y = tdsl.relu %t : tensor<1x4x5x3xf32> -> tensor<1x4x5x3xf32>
  func.return %y : tensor<1x4x5x3xf32>
}
// FILE-LABEL: func.func @image(%X: tensor<1x3x4x5xf32>) -> {{.*}}#tdsl.interface<input = <order = [0, 1, 2, 3]>>
// FILE: %t = tdsl.transpose %X {permutation = array<i64: 0, 2, 3, 1>}
// LAST-LABEL: func.func @image(%X: tensor<1x4x5x3xf32>) -> {{.*}}#tdsl.interface<input = <order = [0, 2, 3, 1]>>
// LAST-NEXT: tdsl.relu %X
// A row has one row of each channel.
// ROWS-LABEL: func.func @image(%X: tensor<1x4x3x5xf32>) -> {{.*}}#tdsl.interface<input = <order = [0, 2, 1, 3]>>
// ROWS-NEXT: [[T:%.*]] = tdsl.transpose %X {permutation = array<i64: 0, 1, 3, 2>}
// ROWS-NEXT: tdsl.relu [[T]]
// UNKNOWN: unknown order of the input 'first' (one of file, channels-last)

// -----

// A reader of the file's order gets it from a copy; a sequence has two axes.
func.func @sequence(%X: tensor<1x3x7xf32>) -> (tensor<1x7x3xf32>, tensor<1x3x7xf32>) {
  %t = tdsl.transpose %X {permutation = array<i64: 0, 2, 1>} : tensor<1x3x7xf32> -> tensor<1x7x3xf32>
  %y = tdsl.relu %X : tensor<1x3x7xf32> -> tensor<1x3x7xf32>
  func.return %t, %y : tensor<1x7x3xf32>, tensor<1x3x7xf32>
}
// LAST-LABEL: func.func @sequence(%X: tensor<1x7x3xf32>) -> {{.*}}#tdsl.interface<input = <order = [0, 2, 1]>>
// LAST-NEXT: [[F:%.*]] = tdsl.transpose %X {permutation = array<i64: 0, 2, 1>}
// LAST-NEXT: [[Y:%.*]] = tdsl.relu [[F]]
// LAST-NEXT: return %X, [[Y]]
// ROWS: @sequence(%X: tensor<1x3x7xf32>) -> {{.*}}#tdsl.interface<input = <order = [0, 1, 2]>>

// -----

// A single channel has the same order everywhere.
func.func @grey(%X: tensor<1x1x4x5xf32>) -> tensor<1x4x5x1xf32> {
  %t = tdsl.transpose %X {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x1x4x5xf32> -> tensor<1x4x5x1xf32>
  %z = tdsl.pad %t {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 0, 0>} : tensor<1x4x5x1xf32> -> tensor<1x4x5x1xf32>
  func.return %z : tensor<1x4x5x1xf32>
}
// LAST: @grey(%X: tensor<1x1x4x5xf32>)

// -----

// Two readers of the file's order share a copy; what else they read stays.
func.func @readers(%X: tensor<1x3x7xf32>) -> (tensor<1x7x3xf32>, tensor<1x3x7xf32>, tensor<1x3x7xf32>) {
  %two = tdsl.const dense<2.0> : tensor<1x3x7xf32> -> tensor<1x3x7xf32>
  %t = tdsl.transpose %X {permutation = array<i64: 0, 2, 1>} : tensor<1x3x7xf32> -> tensor<1x7x3xf32>
  %y = tdsl.mul %X, %two : tensor<1x3x7xf32>, tensor<1x3x7xf32> -> tensor<1x3x7xf32>
  %z = tdsl.exp %X : tensor<1x3x7xf32> -> tensor<1x3x7xf32>
  func.return %t, %y, %z : tensor<1x7x3xf32>, tensor<1x3x7xf32>, tensor<1x3x7xf32>
}
// LAST-LABEL: func.func @readers(%X: tensor<1x7x3xf32>)
// LAST-NEXT: [[file:%.*]] = tdsl.transpose %X
// LAST-NEXT: %two = tdsl.const
// LAST-NEXT: %y = tdsl.mul [[file]], %two
// LAST-NEXT: %z = tdsl.exp [[file]]
