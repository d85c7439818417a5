// RUN: tinyml-opt %s -p convolve-rows --split-input-file | filecheck %s

// Rows are the pixels of an image of one line, and columns of the constant are filters. The proof still holds.
func.func @rows(%X: tensor<2x3x!fixed.q<8, 7>>) -> tensor<2x2x!fixed.q<16, 12>> {
  %W = tdsl.const dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> -> tensor<3x2x!fixed.q<8, 4>>
  %p = tdsl.matmul %X, %W {acc = !fixed.acc<32, 11>, bound = array<i64: -1536, 1536>} : tensor<2x3x!fixed.q<8, 7>>, tensor<3x2x!fixed.q<8, 4>> -> tensor<2x2x!fixed.q<16, 12>>
  func.return %p : tensor<2x2x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @rows(%X: tensor<2x3x!fixed.q<8, 7>>) -> tensor<2x2x!fixed.q<16, 12>> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}{{\[\[}}1, 3, 5]]], {{\[\[}}[2, 4, 6]]]]> : tensor<2x1x1x3xi8> -> tensor<2x1x1x3x!fixed.q<8, 4>>
// CHECK-NEXT: [[vX_1:%.*]] = tdsl.reshape %X : tensor<2x3x!fixed.q<8, 7>> -> tensor<1x1x2x3x!fixed.q<8, 7>>
// CHECK-NEXT: %p = tdsl.conv2d %W, [[vX_1]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, acc = !fixed.acc<32, 11>, bound = array<i64: -1536, 1536>} : tensor<2x1x1x3x!fixed.q<8, 4>>, tensor<1x1x2x3x!fixed.q<8, 7>> -> tensor<1x1x2x2x!fixed.q<16, 12>>
// CHECK-NEXT: [[vp_1:%.*]] = tdsl.reshape %p : tensor<1x1x2x2x!fixed.q<16, 12>> -> tensor<2x2x!fixed.q<16, 12>>
// CHECK-NEXT: func.return [[vp_1]] : tensor<2x2x!fixed.q<16, 12>>

// -----

// One row, sums of two products, and a constant that is also read from the left stay.
func.func @kept(%X: tensor<1x3xf32>, %Y: tensor<3x2xf32>, %Z: tensor<3x3xf32>) -> (tensor<1x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) {
  %W = tdsl.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32> -> tensor<3x3xf32>
  %V = tdsl.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> -> tensor<2x3xf32>
  %U = tdsl.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 0.0]]> : tensor<3x3xf32> -> tensor<3x3xf32>
  %p = tdsl.matmul %X, %W : tensor<1x3xf32>, tensor<3x3xf32> -> tensor<1x3xf32>
  %q = tdsl.matmul %Y, %V : tensor<3x2xf32>, tensor<2x3xf32> -> tensor<3x3xf32>
  %r = tdsl.matmul %Z, %U : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
  %s = tdsl.matmul %U, %Z : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
  func.return %p, %q, %r, %s : tensor<1x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>
}
// CHECK-LABEL: func.func @kept(%X: tensor<1x3xf32>, %Y: tensor<3x2xf32>, %Z: tensor<3x3xf32>) -> (tensor<1x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00, 9.000000e+00]]> : tensor<3x3xf32> -> tensor<3x3xf32>
// CHECK-NEXT: %V = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00]]> : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %U = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00, 0.000000e+00]]> : tensor<3x3xf32> -> tensor<3x3xf32>
// CHECK-NEXT: %p = tdsl.matmul %X, %W : tensor<1x3xf32>, tensor<3x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %q = tdsl.matmul %Y, %V : tensor<3x2xf32>, tensor<2x3xf32> -> tensor<3x3xf32>
// CHECK-NEXT: %r = tdsl.matmul %Z, %U : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
// CHECK-NEXT: %s = tdsl.matmul %U, %Z : tensor<3x3xf32>, tensor<3x3xf32> -> tensor<3x3xf32>
// CHECK-NEXT: func.return %p, %q, %r, %s : tensor<1x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>

// -----

// A transposed matrix is read as it stands, also where a reshape drops an axis of extent 1; others are not moved.
func.func @transposed(%X: tensor<2x4xf32>, %Y: tensor<1x3x4xf32>, %Z: tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %t = tdsl.transpose %Y {permutation = array<i64: 0, 2, 1>} : tensor<1x3x4xf32> -> tensor<1x4x3xf32>
  %m = tdsl.reshape %t : tensor<1x4x3xf32> -> tensor<4x3xf32>
  %p = tdsl.matmul %X, %m : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  %q = tdsl.matmul %X, %Z : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  func.return %p, %q : tensor<2x3xf32>, tensor<2x3xf32>
}
// CHECK-LABEL: func.func @transposed(%X: tensor<2x4xf32>, %Y: tensor<1x3x4xf32>, %Z: tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
// CHECK-NEXT: [[vY_1:%.*]] = tdsl.reshape %Y : tensor<1x3x4xf32> -> tensor<3x1x1x4xf32>
// CHECK-NEXT: [[vX_1:%.*]] = tdsl.reshape %X : tensor<2x4xf32> -> tensor<1x1x2x4xf32>
// CHECK-NEXT: %p = tdsl.conv2d [[vY_1]], [[vX_1]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x1x1x4xf32>, tensor<1x1x2x4xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: [[vp_1:%.*]] = tdsl.reshape %p : tensor<1x1x2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %q = tdsl.matmul %X, %Z : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: func.return [[vp_1]], %q : tensor<2x3xf32>, tensor<2x3xf32>

// -----

// A transposition of other axes is not that of the matrix, and one that something else reads stays beside the filters.
func.func @axes(%X: tensor<2x4xf32>, %Y: tensor<2x2x3xf32>, %Z: tensor<3x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<4x3xf32>) {
  %t = tdsl.transpose %Y {permutation = array<i64: 1, 0, 2>} : tensor<2x2x3xf32> -> tensor<2x2x3xf32>
  %m = tdsl.reshape %t : tensor<2x2x3xf32> -> tensor<4x3xf32>
  %p = tdsl.matmul %X, %m : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  %u = tdsl.transpose %Z {permutation = array<i64: 1, 0>} : tensor<3x4xf32> -> tensor<4x3xf32>
  %q = tdsl.matmul %X, %u : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  func.return %p, %q, %u : tensor<2x3xf32>, tensor<2x3xf32>, tensor<4x3xf32>
}
// CHECK-LABEL: func.func @axes(%X: tensor<2x4xf32>, %Y: tensor<2x2x3xf32>, %Z: tensor<3x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<4x3xf32>) {
// CHECK-NEXT: %t = tdsl.transpose %Y {permutation = array<i64: 1, 0, 2>} : tensor<2x2x3xf32> -> tensor<2x2x3xf32>
// CHECK-NEXT: %m = tdsl.reshape %t : tensor<2x2x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT: %p = tdsl.matmul %X, %m : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %u = tdsl.transpose %Z {permutation = array<i64: 1, 0>} : tensor<3x4xf32> -> tensor<4x3xf32>
// CHECK-NEXT: [[vZ_1:%.*]] = tdsl.reshape %Z : tensor<3x4xf32> -> tensor<3x1x1x4xf32>
// CHECK-NEXT: [[vX_1:%.*]] = tdsl.reshape %X : tensor<2x4xf32> -> tensor<1x1x2x4xf32>
// CHECK-NEXT: %q = tdsl.conv2d [[vZ_1]], [[vX_1]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x1x1x4xf32>, tensor<1x1x2x4xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: [[vq_1:%.*]] = tdsl.reshape %q : tensor<1x1x2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: func.return %p, [[vq_1]], %u : tensor<2x3xf32>, tensor<2x3xf32>, tensor<4x3xf32>

// -----

// Rows with shift amounts of their own, and rows that share scales in groups, stay.
func.func @scales(%X: tensor<2x3x!fixed.q<8, 7>>) -> (tensor<2x2x!fixed.q<16, 12>>, tensor<2x2x!fixed.q<8, 6>>) {
  %W = tdsl.const dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> -> tensor<3x2x!fixed.q<8, 4>>
  %p = tdsl.matmul %X, %W {row_shifts = array<i8: 0, 1>} : tensor<2x3x!fixed.q<8, 7>>, tensor<3x2x!fixed.q<8, 4>> -> tensor<2x2x!fixed.q<16, 12>>
  %Y = tdsl.const dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8> -> tensor<2x3x!mxint.b<4, 2, 3 of 3, [0, 0]>>
  %V = tdsl.const dense<[[1, 2], [3, 4], [5, 7]]> : tensor<3x2xi8> -> tensor<3x2x!fixed.q<8, 4>>
  %q = tdsl.matmul %Y, %V : tensor<2x3x!mxint.b<4, 2, 3 of 3, [0, 0]>>, tensor<3x2x!fixed.q<8, 4>> -> tensor<2x2x!fixed.q<8, 6>>
  func.return %p, %q : tensor<2x2x!fixed.q<16, 12>>, tensor<2x2x!fixed.q<8, 6>>
}
// CHECK-LABEL: func.func @scales(%X: tensor<2x3x!fixed.q<8, 7>>) -> (tensor<2x2x!fixed.q<16, 12>>, tensor<2x2x!fixed.q<8, 6>>) {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> -> tensor<3x2x!fixed.q<8, 4>>
// CHECK-NEXT: %p = tdsl.matmul %X, %W {row_shifts = array<i8: 0, 1>} : tensor<2x3x!fixed.q<8, 7>>, tensor<3x2x!fixed.q<8, 4>> -> tensor<2x2x!fixed.q<16, 12>>
// CHECK-NEXT: %Y = tdsl.const dense<{{\[\[}}1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8> -> tensor<2x3x!mxint.b<4, 2, 3 of 3, [0, 0]>>
// CHECK-NEXT: %V = tdsl.const dense<{{\[\[}}1, 2], [3, 4], [5, 7]]> : tensor<3x2xi8> -> tensor<3x2x!fixed.q<8, 4>>
// CHECK-NEXT: %q = tdsl.matmul %Y, %V : tensor<2x3x!mxint.b<4, 2, 3 of 3, [0, 0]>>, tensor<3x2x!fixed.q<8, 4>> -> tensor<2x2x!fixed.q<8, 6>>
// CHECK-NEXT: func.return %p, %q : tensor<2x2x!fixed.q<16, 12>>, tensor<2x2x!fixed.q<8, 6>>

// -----

// A bound that follows only from the constant on the left: parts of it have no proof.
func.func @both() -> tensor<2x2x!fixed.q<16, 12>> {
  %X = tdsl.const dense<[[1, 2, 1], [1, 1, 2]]> : tensor<2x3xi8> -> tensor<2x3x!fixed.q<8, 7>>
  %W = tdsl.const dense<[[100, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> -> tensor<3x2x!fixed.q<8, 4>>
  %p = tdsl.matmul %X, %W {acc = !fixed.acc<32, 11>, bound = array<i64: -300, 300>} : tensor<2x3x!fixed.q<8, 7>>, tensor<3x2x!fixed.q<8, 4>> -> tensor<2x2x!fixed.q<16, 12>>
  func.return %p : tensor<2x2x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @both() -> tensor<2x2x!fixed.q<16, 12>> {
// CHECK-NEXT: %X = tdsl.const dense<{{\[\[}}1, 2, 1], [1, 1, 2]]> : tensor<2x3xi8> -> tensor<2x3x!fixed.q<8, 7>>
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}100, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> -> tensor<3x2x!fixed.q<8, 4>>
// CHECK-NEXT: %p = tdsl.matmul %X, %W {acc = !fixed.acc<32, 11>, bound = array<i64: -300, 300>} : tensor<2x3x!fixed.q<8, 7>>, tensor<3x2x!fixed.q<8, 4>> -> tensor<2x2x!fixed.q<16, 12>>
// CHECK-NEXT: func.return %p : tensor<2x2x!fixed.q<16, 12>>

// -----

// Factors of published sums are shifted each by its own: their accumulator is that of the exchanged factors.
func.func @published(%X: tensor<2x3x!shiftry.q<8, 7>>) -> tensor<2x2x!shiftry.q<8, 5>> {
  %W = tdsl.const dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi8> -> tensor<3x2x!shiftry.q<8, 4>>
  %p = tdsl.matmul %X, %W {acc = !shiftry.acc<32, 10, [1, 0, 0], 0>} : tensor<2x3x!shiftry.q<8, 7>>, tensor<3x2x!shiftry.q<8, 4>> -> tensor<2x2x!shiftry.q<8, 5>>
  func.return %p : tensor<2x2x!shiftry.q<8, 5>>
}
// CHECK-LABEL: func.func @published
// CHECK: tdsl.conv2d %W, {{.*}}acc = !shiftry.acc<32, 10, [0, 1, 0], 0>

// -----

// A residual sum is one of pixels, so that it can run in the loops of the convolution.
func.func @residual(%X: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %W = tdsl.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32> -> tensor<3x3xf32>
  %p = tdsl.matmul %X, %W : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
  %s = tdsl.add %X, %p : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  func.return %s : tensor<2x3xf32>
}
// CHECK-LABEL: func.func @residual(%X: tensor<2x3xf32>) -> tensor<2x3xf32> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}{{\[\[}}1.000000e+00, 4.000000e+00, 7.000000e+00]]], {{\[\[}}[2.000000e+00, 5.000000e+00, 8.000000e+00]]], {{\[\[}}[3.000000e+00, 6.000000e+00, 9.000000e+00]]]]> : tensor<3x1x1x3xf32> -> tensor<3x1x1x3xf32>
// CHECK-NEXT: [[vX_1:%.*]] = tdsl.reshape %X : tensor<2x3xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: %p = tdsl.conv2d %W, [[vX_1]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x1x1x3xf32>, tensor<1x1x2x3xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: [[vp_1:%.*]] = tdsl.reshape %p : tensor<1x1x2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: [[vX_2:%.*]] = tdsl.reshape %X : tensor<2x3xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: [[vp_2:%.*]] = tdsl.reshape [[vp_1]] : tensor<2x3xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: %s = tdsl.add [[vX_2]], [[vp_2]] : tensor<1x1x2x3xf32>, tensor<1x1x2x3xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: [[vs_1:%.*]] = tdsl.reshape %s : tensor<1x1x2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: func.return [[vs_1]] : tensor<2x3xf32>

// -----

// Ops on rows stay: with a single tensor, after rows that something else reads, with channels that are not the last
// axis, and with a number for each row.
func.func @rows_stay(%X: tensor<2x3xf32>, %R: tensor<2x1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<2x3xf32>) {
  %b = tdsl.const dense<[1.0, 2.0, 3.0]> : tensor<3xf32> -> tensor<3xf32>
  %W = tdsl.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32> -> tensor<3x3xf32>
  %p = tdsl.matmul %X, %W : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
  %a = tdsl.add %p, %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  %q = tdsl.matmul %X, %W : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
  %c = tdsl.add %q, %X : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %r = tdsl.matmul %X, %W : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
  %f = tdsl.reshape %r : tensor<2x3xf32> -> tensor<6xf32>
  %x = tdsl.reshape %X : tensor<2x3xf32> -> tensor<6xf32>
  %d = tdsl.add %f, %x : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
  %t = tdsl.matmul %X, %W : tensor<2x3xf32>, tensor<3x3xf32> -> tensor<2x3xf32>
  %u = tdsl.add %t, %R : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
  func.return %a, %q, %c, %d, %u : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<2x3xf32>
}
// CHECK-LABEL: func.func @rows_stay(%X: tensor<2x3xf32>, %R: tensor<2x1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<2x3xf32>) {
// CHECK-NEXT: %b = tdsl.const dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32> -> tensor<3xf32>
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}{{\[\[}}1.000000e+00, 4.000000e+00, 7.000000e+00]]], {{\[\[}}[2.000000e+00, 5.000000e+00, 8.000000e+00]]], {{\[\[}}[3.000000e+00, 6.000000e+00, 9.000000e+00]]]]> : tensor<3x1x1x3xf32> -> tensor<3x1x1x3xf32>
// CHECK-NEXT: [[vW_1:%.*]] = tdsl.const dense<{{\[\[}}{{\[\[}}1.000000e+00, 4.000000e+00, 7.000000e+00]]], {{\[\[}}[2.000000e+00, 5.000000e+00, 8.000000e+00]]], {{\[\[}}[3.000000e+00, 6.000000e+00, 9.000000e+00]]]]> : tensor<3x1x1x3xf32> -> tensor<3x1x1x3xf32>
// CHECK-NEXT: [[vW_2:%.*]] = tdsl.const dense<{{\[\[}}{{\[\[}}1.000000e+00, 4.000000e+00, 7.000000e+00]]], {{\[\[}}[2.000000e+00, 5.000000e+00, 8.000000e+00]]], {{\[\[}}[3.000000e+00, 6.000000e+00, 9.000000e+00]]]]> : tensor<3x1x1x3xf32> -> tensor<3x1x1x3xf32>
// CHECK-NEXT: [[vW_3:%.*]] = tdsl.const dense<{{\[\[}}{{\[\[}}1.000000e+00, 4.000000e+00, 7.000000e+00]]], {{\[\[}}[2.000000e+00, 5.000000e+00, 8.000000e+00]]], {{\[\[}}[3.000000e+00, 6.000000e+00, 9.000000e+00]]]]> : tensor<3x1x1x3xf32> -> tensor<3x1x1x3xf32>
// CHECK-NEXT: [[vX_1:%.*]] = tdsl.reshape %X : tensor<2x3xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: %p = tdsl.conv2d %W, [[vX_1]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x1x1x3xf32>, tensor<1x1x2x3xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: [[vp_1:%.*]] = tdsl.reshape %p : tensor<1x1x2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %a = tdsl.add [[vp_1]], %b : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: [[vX_2:%.*]] = tdsl.reshape %X : tensor<2x3xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: %q = tdsl.conv2d [[vW_1]], [[vX_2]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x1x1x3xf32>, tensor<1x1x2x3xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: [[vq_1:%.*]] = tdsl.reshape %q : tensor<1x1x2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %c = tdsl.add [[vq_1]], %X : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: [[vX_3:%.*]] = tdsl.reshape %X : tensor<2x3xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: %r = tdsl.conv2d [[vW_2]], [[vX_3]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x1x1x3xf32>, tensor<1x1x2x3xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: [[vr_1:%.*]] = tdsl.reshape %r : tensor<1x1x2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %f = tdsl.reshape [[vr_1]] : tensor<2x3xf32> -> tensor<6xf32>
// CHECK-NEXT: %x = tdsl.reshape %X : tensor<2x3xf32> -> tensor<6xf32>
// CHECK-NEXT: %d = tdsl.add %f, %x : tensor<6xf32>, tensor<6xf32> -> tensor<6xf32>
// CHECK-NEXT: [[vX_4:%.*]] = tdsl.reshape %X : tensor<2x3xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: %t = tdsl.conv2d [[vW_3]], [[vX_4]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x1x1x3xf32>, tensor<1x1x2x3xf32> -> tensor<1x1x2x3xf32>
// CHECK-NEXT: [[vt_1:%.*]] = tdsl.reshape %t : tensor<1x1x2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %u = tdsl.add [[vt_1]], %R : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
// CHECK-NEXT: func.return %a, [[vq_1]], %c, %d, %u : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<6xf32>, tensor<2x3xf32>

// -----

// Rows that no convolution has computed stay, also where the reshape to rows changes nothing.
func.func @no_convolution(%x: tensor<1x1x4x2xf32>, %y: tensor<4x2xf32>, %z: tensor<1x1x4x2xf32>) -> (tensor<4x2xf32>, tensor<1x1x4x2xf32>) {
  %e = tdsl.exp %x : tensor<1x1x4x2xf32> -> tensor<1x1x4x2xf32>
  %r = tdsl.reshape %e : tensor<1x1x4x2xf32> -> tensor<4x2xf32>
  %s = tdsl.add %r, %y : tensor<4x2xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  %f = tdsl.exp %x : tensor<1x1x4x2xf32> -> tensor<1x1x4x2xf32>
  %same = tdsl.reshape %f : tensor<1x1x4x2xf32> -> tensor<1x1x4x2xf32>
  %t = tdsl.add %same, %z : tensor<1x1x4x2xf32>, tensor<1x1x4x2xf32> -> tensor<1x1x4x2xf32>
  func.return %s, %t : tensor<4x2xf32>, tensor<1x1x4x2xf32>
}
// CHECK-LABEL: func.func @no_convolution
// CHECK-NEXT: %e = tdsl.exp %x
// CHECK-NEXT: %r = tdsl.reshape %e
// CHECK-NEXT: %s = tdsl.add %r, %y
// CHECK-NEXT: %f = tdsl.exp %x
// CHECK-NEXT: %same = tdsl.reshape %f
// CHECK-NEXT: %t = tdsl.add %same, %z
// CHECK-NEXT: func.return %s, %t

// -----

// The pixels of a convolution in a reshape that changes nothing are combined once.
func.func @unchanged(%x: tensor<1x1x4x2xf32>, %w: tensor<2x1x1x2xf32>, %y: tensor<1x1x4x2xf32>) -> tensor<1x1x4x2xf32> {
  %e = tdsl.conv2d %w, %x {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x2xf32>, tensor<1x1x4x2xf32> -> tensor<1x1x4x2xf32>
  %r = tdsl.reshape %e : tensor<1x1x4x2xf32> -> tensor<1x1x4x2xf32>
  %s = tdsl.add %r, %y : tensor<1x1x4x2xf32>, tensor<1x1x4x2xf32> -> tensor<1x1x4x2xf32>
  func.return %s : tensor<1x1x4x2xf32>
}
// CHECK-LABEL: func.func @unchanged
// CHECK-NEXT: %e = tdsl.conv2d
// CHECK-NEXT: %r = tdsl.reshape %e
// CHECK-NEXT: [[vr_1:%.*]] = tdsl.reshape %r
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.reshape %y
// CHECK-NEXT: %s = tdsl.add [[vr_1]], [[vy_1]]
// CHECK-NEXT: [[vs_1:%.*]] = tdsl.reshape %s
// CHECK-NEXT: func.return [[vs_1]]
