// RUN: tinyml-opt %s -p 'stream-over-time{axis=1}' --split-input-file --verify-diagnostics | filecheck %s

func.func @vector(%X: tensor<8x1x!fixed.q<8, 4>>) -> tensor<8x1x!fixed.q<8, 4>> {
  %y = tdsl.relu %X : tensor<8x1x!fixed.q<8, 4>> -> tensor<8x1x!fixed.q<8, 4>>
  func.return %y : tensor<8x1x!fixed.q<8, 4>>
}
// CHECK: a program that streams reads a sequence step by step or frame by frame in one loop, or an image 1xTxWxC row by row, got 8x1

// -----

func.func @one(%X: tensor<1x1x4x1x!fixed.q<8, 4>>) -> tensor<1x1x4x1x!fixed.q<8, 4>> {
  %y = tdsl.relu %X : tensor<1x1x4x1x!fixed.q<8, 4>> -> tensor<1x1x4x1x!fixed.q<8, 4>>
  func.return %y : tensor<1x1x4x1x!fixed.q<8, 4>>
}
// CHECK: a sequence of 1 step does not stream: time is the first axis of an input 1x1x4x1

// -----

func.func @whole(%X: tensor<1x4x2x1x!fixed.q<8, 4>>) -> tensor<3x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<1> : tensor<3x8xi8> -> tensor<3x8x!fixed.q<8, 3>>
  %v = tdsl.reshape %X : tensor<1x4x2x1x!fixed.q<8, 4>> -> tensor<8x1x!fixed.q<8, 4>>
  %y = tdsl.matmul %W, %v : tensor<3x8x!fixed.q<8, 3>>, tensor<8x1x!fixed.q<8, 4>> -> tensor<3x1x!fixed.q<8, 4>>
  func.return %y : tensor<3x1x!fixed.q<8, 4>>
}
// CHECK: the program does not stream: the op that reads its input needs all rows of it at once

// -----

// Frames of a signal have one axis; here each has two.
func.func @planes(%X: tensor<1x4x2x!fixed.q<8, 4>>) -> tensor<1x1x2x!fixed.q<8, 4>> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %empty = tensor.empty() : tensor<1x1x2x!fixed.q<8, 4>>
  %y = scf.for %t = %zero to %four step %one iter_args(%h = %empty) -> (tensor<1x1x2x!fixed.q<8, 4>>) {
    %x = tdsl.slice %X[%zero, %t, %zero] : tensor<1x4x2x!fixed.q<8, 4>> -> tensor<1x1x2x!fixed.q<8, 4>>
    scf.yield %x : tensor<1x1x2x!fixed.q<8, 4>>
  }
  func.return %y : tensor<1x1x2x!fixed.q<8, 4>>
}
// CHECK: a program that streams reads a sequence step by step or frame by frame in one loop, or an image 1xTxWxC row by row, got 1x4x2

// -----

// Steps of a sequence must all be read.
func.func @some(%X: tensor<4x2x!fixed.q<8, 4>>) -> tensor<2x!fixed.q<8, 4>> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %empty = tensor.empty() : tensor<2x!fixed.q<8, 4>>
  %y = scf.for %t = %zero to %three step %one iter_args(%h = %empty) -> (tensor<2x!fixed.q<8, 4>>) {
    %x = tdsl.index %X[%t] : tensor<4x2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
    scf.yield %x : tensor<2x!fixed.q<8, 4>>
  }
  func.return %y : tensor<2x!fixed.q<8, 4>>
}
// CHECK: a program that streams reads a sequence step by step or frame by frame in one loop, or an image 1xTxWxC row by row, got 4x2
