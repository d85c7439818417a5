// RUN: tinyml-opt %s -p fuse-products,canonicalize --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'fuse-products{several_products=false},canonicalize' --split-input-file | filecheck %s --check-prefix=SINGLE

// Two products and a bias, through changes of shape: the constant comes first, the products in their order.
func.func @sum(%X: tensor<3x1xf32>, %H: tensor<2x1xf32>) -> tensor<1x2xf32> {
  %W = tdsl.const dense<1.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %U = tdsl.const dense<2.0> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<[[3.0, 4.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %wx = tdsl.matmul %W, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %uh = tdsl.matmul %U, %H : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %a = tdsl.reshape %wx : tensor<2x1xf32> -> tensor<1x2xf32>
  %b = tdsl.reshape %uh : tensor<2x1xf32> -> tensor<1x2xf32>
  %c = tdsl.add %a, %b : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  %y = tdsl.add %c, %B : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  func.return %y : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @sum(%X: tensor<3x1xf32>, %H: tensor<2x1xf32>) -> tensor<1x2xf32> {
// CHECK-NEXT: %W = tdsl.const dense<1.000000e+00> : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %U = tdsl.const dense<2.000000e+00> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %B = tdsl.const dense<{{\[\[}}3.000000e+00], [4.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.matmul_sum %W, %X, %U, %H from %B : tensor<2x1xf32> : tensor<2x3xf32>, tensor<3x1xf32>, tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.reshape %y : tensor<2x1xf32> -> tensor<1x2xf32>
// CHECK-NEXT: func.return [[vy_1]] : tensor<1x2xf32>
// A format that adds only products of one scale takes one of them.
// SINGLE: func.func @sum
// SINGLE: tdsl.matmul %W, %X
// SINGLE: tdsl.matmul %U, %H
// SINGLE: tdsl.add
// SINGLE-LABEL: func.func @apart(

// -----

// A product that something else reads stays, and so does one outside of the loop in which it is added.
func.func @apart(%X: tensor<3x1xf32>, %H: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %W = tdsl.const dense<1.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %B = tdsl.const dense<3.0> : tensor<2x1xf32> -> tensor<2x1xf32>
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %step = arith.constant 1 : index
  %read = tdsl.matmul %W, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %y = tdsl.add %read, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %outside = tdsl.matmul %W, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %z = scf.for %i = %from to %to step %step iter_args(%h = %H) -> (tensor<2x1xf32>) {
    %next = tdsl.add %outside, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %both = tdsl.mul %next, %h : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    scf.yield %both : tensor<2x1xf32>
  }
  func.return %y, %z, %read : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @apart(%X: tensor<3x1xf32>, %H: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
// CHECK-NEXT: %W = tdsl.const dense<1.000000e+00> : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %B = tdsl.const dense<3.000000e+00> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %from = arith.constant 0 : index
// CHECK-NEXT: %to = arith.constant 3 : index
// CHECK-NEXT: %step = arith.constant 1 : index
// CHECK-NEXT: %read = tdsl.matmul %W, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.add %read, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %outside = tdsl.matmul %W, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %z = scf.for %i = %from to %to step %step iter_args(%h = %H) -> (tensor<2x1xf32>) {
// CHECK-NEXT: %next = tdsl.add %outside, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %both = tdsl.mul %next, %h : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: scf.yield %both : tensor<2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y, %z, %read : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>

// -----

// With formats chosen, each product is rounded as these say.
func.func @rounded(%x: tensor<4x1x!fixed.q<16, 11>>) -> tensor<4x1x!fixed.q<16, 9>> {
  %w = tdsl.const dense<3> : tensor<4x4xi16> -> tensor<4x4x!fixed.q<16, 12>>
  %b = tdsl.const dense<3> : tensor<4x1xi16> -> tensor<4x1x!fixed.q<16, 12>>
  %p = tdsl.matmul %w, %x : tensor<4x4x!fixed.q<16, 12>>, tensor<4x1x!fixed.q<16, 11>> -> tensor<4x1x!fixed.q<16, 10>>
  %del = tdsl.add %p, %b : tensor<4x1x!fixed.q<16, 10>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 9>>
  func.return %del : tensor<4x1x!fixed.q<16, 9>>
}
// CHECK-LABEL: func.func @rounded(%x: tensor<4x1x!fixed.q<16, 11>>) -> tensor<4x1x!fixed.q<16, 9>> {
// CHECK-NEXT: %w = tdsl.const dense<3> : tensor<4x4xi16> -> tensor<4x4x!fixed.q<16, 12>>
// CHECK-NEXT: %b = tdsl.const dense<3> : tensor<4x1xi16> -> tensor<4x1x!fixed.q<16, 12>>
// CHECK-NEXT: %p = tdsl.matmul %w, %x : tensor<4x4x!fixed.q<16, 12>>, tensor<4x1x!fixed.q<16, 11>> -> tensor<4x1x!fixed.q<16, 10>>
// CHECK-NEXT: %del = tdsl.add %p, %b : tensor<4x1x!fixed.q<16, 10>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<4x1x!fixed.q<16, 9>>
// CHECK-NEXT: func.return %del : tensor<4x1x!fixed.q<16, 9>>

// -----

// What is noted of the sum and of the constant stays with them.
func.func @noted(%X: tensor<2x1xf32>) -> tensor<1x2xf32> {
  %W = tdsl.const dense<1.0> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<[[3.0, 4.0]]> : tensor<1x2xf32> {of = "constant"} -> tensor<1x2xf32>
  %wx = tdsl.matmul %W, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %a = tdsl.reshape %wx : tensor<2x1xf32> -> tensor<1x2xf32>
  %y = tdsl.add %a, %B {of = "sum"} : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  func.return %y : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @noted(%X: tensor<2x1xf32>) -> tensor<1x2xf32> {
// CHECK-NEXT: %W = tdsl.const dense<1.000000e+00> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %B = tdsl.const dense<{{\[\[}}3.000000e+00], [4.000000e+00]]> : tensor<2x1xf32> {of = "constant"} -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.matmul_sum %W, %X from %B : tensor<2x1xf32> {of = "sum"} : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.reshape %y {of = "sum"} : tensor<2x1xf32> -> tensor<1x2xf32>
// CHECK-NEXT: func.return [[vy_1]] : tensor<1x2xf32>

// -----

// A bias, one number for each channel, becomes the start of a convolution, with the shifts of its rows; a constant of
// another shape does not, nor does a second one.
func.func @convolution(%X: tensor<1x2x2x1xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) {
  %F = tdsl.const dense<1.0> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %B = tdsl.const dense<[[[[1.0, 2.0]]]]> : tensor<1x1x1x2xf32> -> tensor<1x1x1x2xf32>
  %C = tdsl.const dense<3.0> : tensor<1x2x1x1xf32> -> tensor<1x2x1x1xf32>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, row_shifts = array<i8: 0, 3>} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
  %a = tdsl.add %B, %y : tensor<1x1x1x2xf32>, tensor<1x2x2x2xf32> -> tensor<1x2x2x2xf32>
  %b = tdsl.add %a, %B : tensor<1x2x2x2xf32>, tensor<1x1x1x2xf32> -> tensor<1x2x2x2xf32>
  %z = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
  %c = tdsl.add %z, %C : tensor<1x2x2x2xf32>, tensor<1x2x1x1xf32> -> tensor<1x2x2x2xf32>
  func.return %b, %c : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>
}
// CHECK-LABEL: func.func @convolution(%X: tensor<1x2x2x1xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) {
// CHECK-NEXT: %F = tdsl.const dense<1.000000e+00> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
// CHECK-NEXT: %B = tdsl.const dense<[1.000000e+00, 1.600000e+01]> : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT: [[vB_1:%.*]] = tdsl.const dense<{{\[\[}}{{\[\[}}1.000000e+00, 2.000000e+00]]]]> : tensor<1x1x1x2xf32> -> tensor<1x1x1x2xf32>
// CHECK-NEXT: %C = tdsl.const dense<3.000000e+00> : tensor<1x2x1x1xf32> -> tensor<1x2x1x1xf32>
// CHECK-NEXT: %a = tdsl.conv2d %F, %X from %B : tensor<2xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, row_shifts = array<i8: 0, 3>} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
// CHECK-NEXT: %b = tdsl.add %a, [[vB_1]] : tensor<1x2x2x2xf32>, tensor<1x1x1x2xf32> -> tensor<1x2x2x2xf32>
// CHECK-NEXT: %z = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
// CHECK-NEXT: %c = tdsl.add %z, %C : tensor<1x2x2x2xf32>, tensor<1x2x1x1xf32> -> tensor<1x2x2x2xf32>
// CHECK-NEXT: func.return %b, %c : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>

// -----

// Products whose rows have scales of their own are shifted to the greatest one of a row; a constant is added apart.
func.func @rows(%X: tensor<3x1xf32>) -> tensor<2x1xf32> {
  %W = tdsl.const dense<1.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %U = tdsl.const dense<2.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %B = tdsl.const dense<0.5> : tensor<2x1xf32> -> tensor<2x1xf32>
  %w = tdsl.matmul %W, %X {row_shifts = array<i8: 0, 3>} : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %u = tdsl.matmul %U, %X {row_shifts = array<i8: 2, 1>} : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %v = tdsl.matmul %U, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %s = tdsl.add %w, %u : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %t = tdsl.add %s, %v : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %y = tdsl.add %t, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @rows(%X: tensor<3x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %W = tdsl.const dense<1.000000e+00> : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %U = tdsl.const dense<2.000000e+00> : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %B = tdsl.const dense<5.000000e-01> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %t = tdsl.matmul_sum %W, %X, %U, %X, %U, %X {left_shifts = array<i8: 2, 0, 0, 2, 2, 3>, row_shifts = array<i8: 2, 3>} : tensor<2x3xf32>, tensor<3x1xf32>, tensor<2x3xf32>, tensor<3x1xf32>, tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.add %t, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %y : tensor<2x1xf32>

// -----

// Two constants, and a product whose start is one already, are added one after the other; so are a product and what is
// no product, and numbers that are added to all elements.
func.func @terms(%X: tensor<3x1xf32>, %H: tensor<2x1xf32>, %b: tensor<1x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %W = tdsl.const dense<1.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %U = tdsl.const dense<2.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %V = tdsl.const dense<3.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %B = tdsl.const dense<0.5> : tensor<2x1xf32> -> tensor<2x1xf32>
  %C = tdsl.const dense<0.25> : tensor<2x1xf32> -> tensor<2x1xf32>
  %one = tdsl.const dense<4.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %w = tdsl.matmul %W, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %started = tdsl.add %w, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %y = tdsl.add %started, %C : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %u = tdsl.matmul %U, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %z = tdsl.add %u, %H : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %v = tdsl.matmul %V, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %t = tdsl.add %v, %one : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
  func.return %y, %z, %t : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @terms(%X: tensor<3x1xf32>, %H: tensor<2x1xf32>, %b: tensor<1x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
// CHECK-NEXT: %W = tdsl.const dense<1.000000e+00> : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %U = tdsl.const dense<2.000000e+00> : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %V = tdsl.const dense<3.000000e+00> : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %B = tdsl.const dense<5.000000e-01> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %C = tdsl.const dense<2.500000e-01> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %one = tdsl.const dense<4.000000e+00> : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %started = tdsl.matmul_sum %W, %X from %B : tensor<2x1xf32> : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.add %started, %C : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %u = tdsl.matmul %U, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %z = tdsl.add %u, %H : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %v = tdsl.matmul %V, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %t = tdsl.add %v, %one : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %y, %z, %t : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>

// -----

// What differs from column to column is no bias, though its last axis is that of the channels; nor is what else is read.
func.func @columns(%X: tensor<1x2x2x1xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) {
  %F = tdsl.const dense<1.0> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %M = tdsl.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<[5.0, 6.0]> : tensor<2xf32> -> tensor<2xf32>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
  %a = tdsl.add %y, %M : tensor<1x2x2x2xf32>, tensor<2x2xf32> -> tensor<1x2x2x2xf32>
  %z = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
  %b = tdsl.add %z, %B : tensor<1x2x2x2xf32>, tensor<2xf32> -> tensor<1x2x2x2xf32>
  func.return %a, %b, %z : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>
}
// CHECK-LABEL: func.func @columns
// CHECK: %y = tdsl.conv2d %F, %X {
// CHECK: %a = tdsl.add %y, %M
// CHECK: %z = tdsl.conv2d %F, %X {
// CHECK: %b = tdsl.add %z, %B

// -----

// A bias joins a convolution through a change of shape that keeps the channels, and not through one that mixes them.
func.func @reshaped(%X: tensor<1x1x3x1xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  %F = tdsl.const dense<1.0> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %B = tdsl.const dense<[[5.0, 6.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %C = tdsl.const dense<[[5.0, 6.0, 7.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x1x3x1xf32> -> tensor<1x1x3x2xf32>
  %m = tdsl.reshape %y : tensor<1x1x3x2xf32> -> tensor<3x2xf32>
  %a = tdsl.add %m, %B : tensor<3x2xf32>, tensor<1x2xf32> -> tensor<3x2xf32>
  %z = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x1x3x1xf32> -> tensor<1x1x3x2xf32>
  %n = tdsl.reshape %z : tensor<1x1x3x2xf32> -> tensor<2x3xf32>
  %b = tdsl.add %n, %C : tensor<2x3xf32>, tensor<1x3xf32> -> tensor<2x3xf32>
  func.return %a, %b : tensor<3x2xf32>, tensor<2x3xf32>
}
// CHECK-LABEL: func.func @reshaped(%X: tensor<1x1x3x1xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
// CHECK-NEXT: %F = tdsl.const dense<1.000000e+00> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
// CHECK-NEXT: %B = tdsl.const dense<[5.000000e+00, 6.000000e+00]> : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT: %C = tdsl.const dense<{{\[\[}}5.000000e+00, 6.000000e+00, 7.000000e+00]]> : tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %a = tdsl.conv2d %F, %X from %B : tensor<2xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x1x3x1xf32> -> tensor<1x1x3x2xf32>
// CHECK-NEXT: [[va_1:%.*]] = tdsl.reshape %a : tensor<1x1x3x2xf32> -> tensor<3x2xf32>
// CHECK-NEXT: %z = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x1x3x1xf32> -> tensor<1x1x3x2xf32>
// CHECK-NEXT: %n = tdsl.reshape %z : tensor<1x1x3x2xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %b = tdsl.add %n, %C : tensor<2x3xf32>, tensor<1x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: func.return [[va_1]], %b : tensor<3x2xf32>, tensor<2x3xf32>

// -----

// Rows and columns are summed one after the other.
func.func @turned(%X: tensor<3x1xf32>, %Y: tensor<1x3xf32>) -> tensor<2x1xf32> {
  %W = tdsl.const dense<1.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %V = tdsl.const dense<2.0> : tensor<3x2xf32> -> tensor<3x2xf32>
  %w = tdsl.matmul %W, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %v = tdsl.matmul %Y, %V : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
  %r = tdsl.reshape %v : tensor<1x2xf32> -> tensor<2x1xf32>
  %y = tdsl.add %w, %r : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @turned
// CHECK: %y = tdsl.add %w, %v :
