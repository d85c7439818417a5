// RUN: tinyml-opt %s -p canonicalize --split-input-file | filecheck %s

// What moves elements and moves them back is gone, also through several ops.
func.func @moves(%X: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = tdsl.reshape %X : tensor<2x3xf32> -> tensor<6xf32>
  %b = tdsl.reshape %a : tensor<6xf32> -> tensor<2x3xf32>
  %c = tdsl.transpose %b {permutation = array<i64: 1, 0>} : tensor<2x3xf32> -> tensor<3x2xf32>
  %d = tdsl.transpose %c {permutation = array<i64: 1, 0>} : tensor<3x2xf32> -> tensor<2x3xf32>
  %e = tdsl.reverse %d {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
  %f = tdsl.reverse %e {axis = 1 : i64} : tensor<2x3xf32> -> tensor<2x3xf32>
  %g = tdsl.neg %f : tensor<2x3xf32> -> tensor<2x3xf32>
  %h = tdsl.neg %g : tensor<2x3xf32> -> tensor<2x3xf32>
  %i = tdsl.cast %h : tensor<2x3xf32> -> tensor<2x3xf32>
  %c0 = arith.constant 0 : index
  %j = tdsl.slice %i[%c0, %c0] : tensor<2x3xf32> -> tensor<2x3xf32>
  %k = tdsl.insert_slice %j, %X[%c0, %c0] : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  func.return %k : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @moves
// CHECK-NEXT: func.return %X

// -----

// A transpose from column to row moves nothing; two permutations are one; another axis reverses something else.
func.func @composed(%X: tensor<3x1xf32>, %Y: tensor<2x3x4xf32>) -> (tensor<1x3xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>) {
  %a = tdsl.transpose %X {permutation = array<i64: 1, 0>} : tensor<3x1xf32> -> tensor<1x3xf32>
  %b = tdsl.transpose %Y {permutation = array<i64: 1, 2, 0>} : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %c = tdsl.transpose %b {permutation = array<i64: 1, 2, 0>} : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  %d = tdsl.reverse %Y {axis = 1 : i64} : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  %e = tdsl.reverse %d {axis = 0 : i64} : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  func.return %a, %c, %e : tensor<1x3xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>
}
// CHECK-LABEL: func.func @composed(%X: tensor<3x1xf32>, %Y: tensor<2x3x4xf32>) -> (tensor<1x3xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>) {
// CHECK-NEXT: %a = tdsl.reshape %X : tensor<3x1xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %c = tdsl.transpose %Y {permutation = array<i64: 2, 0, 1>} : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT: %d = tdsl.reverse %Y {axis = 1 : i64} : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %e = tdsl.reverse %d {axis = 0 : i64} : tensor<2x3x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: func.return %a, %c, %e : tensor<1x3xf32>, tensor<4x2x3xf32>, tensor<2x3x4xf32>

// -----

// Clamping again and choosing by a constant change nothing. A format's negation need be no involution.
func.func @values(%X: tensor<2x!fixed.q<8, 4>>) -> (tensor<2x!fixed.q<8, 4>>, tensor<2x!fixed.q<8, 4>>, tensor<2x!fixed.q<8, 4>>) {
  %a = tdsl.relu6 %X : tensor<2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
  %b = tdsl.relu %a : tensor<2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
  %true = arith.constant true
  %c = tdsl.select %true, %b, %X : tensor<2x!fixed.q<8, 4>>, tensor<2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
  %d = tdsl.relu %X : tensor<2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
  %e = tdsl.relu6 %d : tensor<2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
  %f = tdsl.neg %X : tensor<2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
  %g = tdsl.neg %f : tensor<2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
  func.return %c, %e, %g : tensor<2x!fixed.q<8, 4>>, tensor<2x!fixed.q<8, 4>>, tensor<2x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @values(%X: tensor<2x!fixed.q<8, 4>>) -> (tensor<2x!fixed.q<8, 4>>, tensor<2x!fixed.q<8, 4>>, tensor<2x!fixed.q<8, 4>>) {
// CHECK-NEXT: %a = tdsl.relu6 %X : tensor<2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
// CHECK-NEXT: %d = tdsl.relu %X : tensor<2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
// CHECK-NEXT: %e = tdsl.relu6 %d : tensor<2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
// CHECK-NEXT: %f = tdsl.neg %X : tensor<2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
// CHECK-NEXT: %g = tdsl.neg %f : tensor<2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %a, %e, %g : tensor<2x!fixed.q<8, 4>>, tensor<2x!fixed.q<8, 4>>, tensor<2x!fixed.q<8, 4>>

// -----

// Constants are moved by the compiler, raw bits unchanged, and take the profile of what they replace.
func.func @constants() -> (tensor<3x2x!fixed.q<8, 4>>, tensor<2x3x!fixed.q<8, 4>>, tensor<6x!fixed.q<8, 4>>) {
  %W = tdsl.const dense<[[1, 2, 3], [4, 5, -127]]> : tensor<2x3xi8> -> tensor<2x3x!fixed.q<8, 4>>
  %a = tdsl.transpose %W {permutation = array<i64: 1, 0>, tdsl.profile = [#tdsl.profile<-8.0, 0.5, [-8.0, -8.0, 0.0, 0.5, 0.5]>]} : tensor<2x3x!fixed.q<8, 4>> -> tensor<3x2x!fixed.q<8, 4>>
  %b = tdsl.reverse %W {axis = 1 : i64} : tensor<2x3x!fixed.q<8, 4>> -> tensor<2x3x!fixed.q<8, 4>>
  %V = tdsl.const dense<[[6, 5], [4, 3], [2, 1]]> : tensor<3x2xi8> -> tensor<3x2x!fixed.q<8, 4>>
  %c = tdsl.reshape %V : tensor<3x2x!fixed.q<8, 4>> -> tensor<6x!fixed.q<8, 4>>
  func.return %a, %b, %c : tensor<3x2x!fixed.q<8, 4>>, tensor<2x3x!fixed.q<8, 4>>, tensor<6x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @constants() -> (tensor<3x2x!fixed.q<8, 4>>, tensor<2x3x!fixed.q<8, 4>>, tensor<6x!fixed.q<8, 4>>) {
// CHECK-NEXT: %a = tdsl.const dense<{{\[\[}}1, 4], [2, 5], [3, -127]]> : tensor<3x2xi8> {tdsl.profile = [#tdsl.profile<-8.0, 0.5, [-8.0, -8.0, 0.0, 0.5, 0.5]>]} -> tensor<3x2x!fixed.q<8, 4>>
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}3, 2, 1], [-127, 5, 4]]> : tensor<2x3xi8> -> tensor<2x3x!fixed.q<8, 4>>
// CHECK-NEXT: %c = tdsl.const dense<[6, 5, 4, 3, 2, 1]> : tensor<6xi8> -> tensor<6x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %a, %b, %c : tensor<3x2x!fixed.q<8, 4>>, tensor<2x3x!fixed.q<8, 4>>, tensor<6x!fixed.q<8, 4>>

// -----

// Only reals are negated by the compiler. A constant that others read in its own shape stays one constant.
func.func @kept(%X: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<2x!fixed.q<8, 4>>, tensor<3x2xf32>, tensor<6xf32>) {
  %r = tdsl.const dense<[1.0, -2.0]> : tensor<2xf32> -> tensor<2xf32>
  %a = tdsl.neg %r : tensor<2xf32> -> tensor<2xf32>
  %q = tdsl.const dense<[1, -127]> : tensor<2xi8> -> tensor<2x!fixed.q<8, 4>>
  %b = tdsl.neg %q : tensor<2x!fixed.q<8, 4>> -> tensor<2x!fixed.q<8, 4>>
  %W = tdsl.const dense<1.0> : tensor<3x2xf32> -> tensor<3x2xf32>
  %c = tdsl.add %X, %W : tensor<3x2xf32>, tensor<3x2xf32> -> tensor<3x2xf32>
  %d = tdsl.reshape %W : tensor<3x2xf32> -> tensor<6xf32>
  func.return %a, %b, %c, %d : tensor<2xf32>, tensor<2x!fixed.q<8, 4>>, tensor<3x2xf32>, tensor<6xf32>
}
// CHECK-LABEL: func.func @kept
// CHECK-NEXT: %a = tdsl.const dense<[-1.000000e+00, 2.000000e+00]>
// CHECK-NEXT: %q = tdsl.const
// CHECK-NEXT: %b = tdsl.neg %q
// CHECK-NEXT: %W = tdsl.const
// CHECK-NEXT: %c = tdsl.add
// CHECK-NEXT: %d = tdsl.reshape %W

// -----

// A row times a constant matrix walks through the rows of the transposed matrix. The proof still holds.
func.func @row(%X: tensor<3x1x!fixed.q<8, 7>>) -> tensor<1x2x!fixed.q<16, 12>> {
  %W = tdsl.const dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> -> tensor<3x2x!fixed.q<8, 4>>
  %r = tdsl.transpose %X {permutation = array<i64: 1, 0>} : tensor<3x1x!fixed.q<8, 7>> -> tensor<1x3x!fixed.q<8, 7>>
  %p = tdsl.matmul %r, %W {acc = !fixed.acc<32, 11>, bound = array<i64: -1536, 1536>, tdsl.profile = [#tdsl.profile<-1.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x3x!fixed.q<8, 7>>, tensor<3x2x!fixed.q<8, 4>> -> tensor<1x2x!fixed.q<16, 12>>
  func.return %p : tensor<1x2x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @row(%X: tensor<3x1x!fixed.q<8, 7>>) -> tensor<1x2x!fixed.q<16, 12>> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1, 3, 5], [2, 4, 6]]> : tensor<2x3xi8> -> tensor<2x3x!fixed.q<8, 4>>
// CHECK-NEXT: %p = tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<-1.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>], acc = !fixed.acc<32, 11>, bound = array<i64: -1536, 1536>} : tensor<2x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 7>> -> tensor<2x1x!fixed.q<16, 12>>
// CHECK-NEXT: [[vp_1:%.*]] = tdsl.reshape %p {tdsl.profile = [#tdsl.profile<-1.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<2x1x!fixed.q<16, 12>> -> tensor<1x2x!fixed.q<16, 12>>
// CHECK-NEXT: func.return [[vp_1]] : tensor<1x2x!fixed.q<16, 12>>

// -----

// Not where the matrix is also read as it stands, or is not a constant itself.
func.func @row_kept(%X: tensor<1x2xf32>, %Y: tensor<2x1xf32>, %i: index) -> (tensor<1x2xf32>, tensor<2x1xf32>, tensor<1x2xf32>) {
  %W = tdsl.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %p = tdsl.matmul %X, %W : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  %q = tdsl.matmul %W, %Y : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %Z = tdsl.const dense<1.0> : tensor<4x2x2xf32> -> tensor<4x2x2xf32>
  %z = tdsl.index %Z[%i] : tensor<4x2x2xf32> -> tensor<2x2xf32>
  %r = tdsl.matmul %X, %z : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %p, %q, %r : tensor<1x2xf32>, tensor<2x1xf32>, tensor<1x2xf32>
}
// CHECK-LABEL: func.func @row_kept
// CHECK: %p = tdsl.matmul %X, %W
// CHECK: %r = tdsl.matmul %X, %z

// -----

// Nor where the row shares scales in groups, which are along rows of weights.
func.func @row_of_groups() -> tensor<1x2x!fixed.q<8, 6>> {
  %X = tdsl.const dense<[[1, 2, 3]]> : tensor<1x3xi8> -> tensor<1x3x!mxint.b<4, 2, 3 of 3, [0]>>
  %W = tdsl.const dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> -> tensor<3x2x!fixed.q<8, 4>>
  %p = tdsl.matmul %X, %W : tensor<1x3x!mxint.b<4, 2, 3 of 3, [0]>>, tensor<3x2x!fixed.q<8, 4>> -> tensor<1x2x!fixed.q<8, 6>>
  func.return %p : tensor<1x2x!fixed.q<8, 6>>
}
// CHECK-LABEL: func.func @row_of_groups
// CHECK: %p = tdsl.matmul %X, %W

// -----

// Ops on memrefs do something even where their result would be the operand.
func.func @buffers(%X: memref<2x3xf32>, %Y: memref<2x3xf32>) {
  tdsl.reshape %X : memref<2x3xf32> into %Y : memref<2x3xf32>
  tdsl.transpose %Y {permutation = array<i64: 0, 1>} : memref<2x3xf32> into %X : memref<2x3xf32>
  func.return
}
// CHECK-LABEL: func.func @buffers
// CHECK-NEXT: tdsl.reshape
// CHECK-NEXT: tdsl.transpose
