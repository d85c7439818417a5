// RUN: tinyml-opt %s -p 'stream-over-time{axis=1}' --split-input-file | filecheck %s

// Of 6 rows 3 are kept; the last tick, below the image, runs in the call for the answer.
func.func @net(%X: tensor<1x6x4x1x!fixed.q<8, 4>>) -> tensor<1x1x1x2x!fixed.q<8, 4>> {
  %F = tdsl.const dense<3> : tensor<2x3x3x1xi8> -> tensor<2x3x3x1x!fixed.q<8, 3>>
  %p = tdsl.pad %X {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x6x4x1x!fixed.q<8, 4>> -> tensor<1x8x6x1x!fixed.q<8, 4>>
  %s = tdsl.conv2d %F, %p {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x3x1x!fixed.q<8, 3>>, tensor<1x8x6x1x!fixed.q<8, 4>> -> tensor<1x6x4x2x!fixed.q<8, 4>>
  %m = tdsl.mean %s {axes = array<i64: 1, 2>} : tensor<1x6x4x2x!fixed.q<8, 4>> -> tensor<1x1x1x2x!fixed.q<8, 4>>
  func.return %m : tensor<1x1x1x2x!fixed.q<8, 4>>
}
// Rows of the convolution pass to the mean: no state.
// CHECK-LABEL: func.func @net(%X: tensor<1x4x!fixed.q<8, 4>>, %t: index, %X_1: tensor<1x3x4x1x!fixed.q<8, 4>>, %{{.*}}: tensor<1x1x1x2xi32>) -> {{.*}}#tdsl.interface<input = <reused, pushed = [4, 4, 6, 6]>, calls = 7>
// CHECK: tdsl.no_total
// CHECK: scf.for
// CHECK: tdsl.calls = 7 : i64

// -----

// Each frame has 8 samples, 4 of which are those of the frame before: the input is a state.
func.func @frames(%X: tensor<1x16x!fixed.q<8, 4>>) -> tensor<3x1x!fixed.q<8, 4>> {
  %whole = tdsl.fill {value = 0.0 : f64} -> tensor<3x1x!fixed.q<8, 4>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %r = scf.for %i = %zero to %three step %one iter_args(%w = %whole) -> (tensor<3x1x!fixed.q<8, 4>>) {
    %first = arith.muli %i, %four : index
    %frame = tdsl.slice %X[%zero, %first] : tensor<1x16x!fixed.q<8, 4>> -> tensor<1x8x!fixed.q<8, 4>>
    %m = tdsl.mean %frame {axes = array<i64: 1>} : tensor<1x8x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
    %n = tdsl.insert_slice %m, %w[%i, %zero] : tensor<1x1x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<3x1x!fixed.q<8, 4>>
    scf.yield %n : tensor<3x1x!fixed.q<8, 4>>
  }
  func.return %r : tensor<3x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @frames(%X: tensor<1x8x!fixed.q<8, 4>>, %t: index, %w: tensor<3x1x!fixed.q<8, 4>>) -> {{.*}}#tdsl.interface<input = <reused, pushed = [8, 4, 3, 3]>, calls = 4>

// -----

// A single channel that comes first is no axis of time: the network streams along the height of the image.
func.func @channel(%X: tensor<1x1x6x4x!fixed.q<8, 4>>) -> tensor<1x4x2x2x!fixed.q<8, 4>> {
  %x = tdsl.reshape %X : tensor<1x1x6x4x!fixed.q<8, 4>> -> tensor<1x6x4x1x!fixed.q<8, 4>>
  %F = tdsl.const dense<3> : tensor<2x3x3x1xi8> -> tensor<2x3x3x1x!fixed.q<8, 3>>
  %s = tdsl.conv2d %F, %x {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x3x1x!fixed.q<8, 3>>, tensor<1x6x4x1x!fixed.q<8, 4>> -> tensor<1x4x2x2x!fixed.q<8, 4>>
  func.return %s : tensor<1x4x2x2x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @channel(%X: tensor<1x4x!fixed.q<8, 4>>
// CHECK-SAME: pushed = [4, 4, 6, 6]
