// RUN: tinyml-opt %s -p fold-affine --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p fold-affine,fold-affine --split-input-file | filecheck %s

// A scaler, (x - mean) * rate, changes the weights and joins the bias, also through a change of shape.
func.func @scaler(%X: tensor<1x2xf32>) -> tensor<2x1xf32> {
  %mean = tdsl.const dense<[[1.0, 2.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %rate = tdsl.const dense<[[2.0, 0.5]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %W = tdsl.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %b = tdsl.const dense<[[0.5], [-0.5]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %centred = tdsl.sub %X, %mean : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  %scaled = tdsl.mul %centred, %rate : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  %column = tdsl.reshape %scaled : tensor<1x2xf32> -> tensor<2x1xf32>
  %p = tdsl.matmul %W, %column : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %y = tdsl.add %p, %b : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @scaler(%X: tensor<1x2xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}2.000000e+00, 1.000000e+00], [6.000000e+00, 2.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}-3.500000e+00], [-1.050000e+01]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[vX_1:%.*]] = tdsl.reshape %X : tensor<1x2xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %p = tdsl.matmul %W, [[vX_1]] : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.add %p, %b : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %y : tensor<2x1xf32>
// W * rate, and b - W (rate * mean).

// -----

// A layer without a bias gets one; constants on the left of a subtraction and on the right of a product count, too.
func.func @turned(%X: tensor<1x2xf32>) -> tensor<1x1xf32> {
  %c = tdsl.const dense<1.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %W = tdsl.const dense<[[1.0], [3.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %rest = tdsl.sub %c, %X : tensor<1x1xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  %y = tdsl.matmul %rest, %W : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @turned(%X: tensor<1x2xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}-1.000000e+00], [-3.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.matmul %X, %W : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %bias = tdsl.const dense<4.000000e+00> : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.add %y, %bias : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return [[vy_1]] : tensor<1x1xf32>

// -----

// A sparse matrix stays sparse.
func.func @sparse(%X: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %rate = tdsl.const dense<[[2.0], [4.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %S = tdsl.const dense<[[0.0, 3.0], [5.0, 0.0]]> : tensor<2x2xf32> -> tensor<2x2xf32, #tdsl.csr>
  %scaled = tdsl.mul %rate, %X : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %y = tdsl.spmv %S, %scaled : tensor<2x2xf32, #tdsl.csr>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @sparse(%X: tensor<2x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %S = tdsl.const dense<{{\[\[}}0.000000e+00, 1.200000e+01], [1.000000e+01, 0.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32, #tdsl.csr>
// CHECK-NEXT: %y = tdsl.spmv %S, %X : tensor<2x2xf32, #tdsl.csr>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %y : tensor<2x1xf32>

// -----

// A batch normalisation before a convolution in two groups; a projection and a linear model are one product.
func.func @networks(%image: tensor<1x1x1x2xf32>, %X: tensor<3x1xf32>) -> (tensor<1x1x1x2xf32>, tensor<1x1xf32>) {
  %rate = tdsl.const dense<[2.0, 4.0]> : tensor<2xf32> -> tensor<2xf32>
  %offset = tdsl.const dense<[1.0, -1.0]> : tensor<2xf32> -> tensor<2xf32>
  %F = tdsl.const dense<[[[[3.0]]], [[[5.0]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %scaled = tdsl.mul %image, %rate : tensor<1x1x1x2xf32>, tensor<2xf32> -> tensor<1x1x1x2xf32>
  %moved = tdsl.add %scaled, %offset : tensor<1x1x1x2xf32>, tensor<2xf32> -> tensor<1x1x1x2xf32>
  %y = tdsl.conv2d %F, %moved {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x1x1x1xf32>, tensor<1x1x1x2xf32> -> tensor<1x1x1x2xf32>
  %P = tdsl.const dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]> : tensor<2x3xf32> -> tensor<2x3xf32>
  %w = tdsl.const dense<[[2.0, 3.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %p = tdsl.matmul %P, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %s = tdsl.matmul %w, %p : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %y, %s : tensor<1x1x1x2xf32>, tensor<1x1xf32>
}
// CHECK-LABEL: func.func @networks(%image: tensor<1x1x1x2xf32>, %X: tensor<3x1xf32>) -> (tensor<1x1x1x2xf32>, tensor<1x1xf32>) {
// CHECK-NEXT: %F = tdsl.const dense<{{\[\[}}{{\[\[}}6.000000e+00]]], {{\[\[}}[2.000000e+01]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
// CHECK-NEXT: %y = tdsl.conv2d %F, %image {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x1x1x1xf32>, tensor<1x1x1x2xf32> -> tensor<1x1x1x2xf32>
// CHECK-NEXT: %bias = tdsl.const dense<[3.000000e+00, -5.000000e+00]> : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.add %y, %bias : tensor<1x1x1x2xf32>, tensor<2xf32> -> tensor<1x1x1x2xf32>
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}2.000000e+00, 3.000000e+00, 5.000000e+00]]> : tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %s = tdsl.matmul %w, %X : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return [[vy_1]], %s : tensor<1x1x1x2xf32>, tensor<1x1xf32>

// -----

// A scaler before trees moves their thresholds, if it keeps the order of every feature that they compare.
func.func @forest(%X: tensor<1x2xf32>, %Y: tensor<1x2xf32>, %votes: tensor<2x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %rate = tdsl.const dense<[[2.0, -4.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %a = tdsl.mul %X, %rate : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  %b = tdsl.mul %Y, %rate : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  %y = tdsl.forest %a, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %z = tdsl.forest %b, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %y, %z : tensor<1x1xf32>, tensor<1x1xf32>
}
// CHECK-LABEL: func.func @forest(%X: tensor<1x2xf32>, %Y: tensor<1x2xf32>, %votes: tensor<2x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
// CHECK-NEXT: %rate = tdsl.const dense<{{\[\[}}2.000000e+00, -4.000000e+00]]> : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %b = tdsl.mul %Y, %rate : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %y = tdsl.forest %X, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<2.500000e-01> : tensor<1xf64>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %z = tdsl.forest %b, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<5.000000e-01> : tensor<1xf64>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %y, %z : tensor<1x1xf32>, tensor<1x1xf32>

// -----

// Nothing is folded where something else reads the values or the weights, where an op does not absorb the function,
// and where one product would take more multiplications than two.
func.func @others(%X: tensor<2x1xf32>, %Y: tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<3x1xf32>) {
  %c = tdsl.const dense<[[2.0], [3.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %W = tdsl.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %read = tdsl.mul %X, %c : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %tanh = tdsl.tanh %read : tensor<2x1xf32> -> tensor<2x1xf32>
  %V = tdsl.const dense<[[1.0, 2.0], [3.0, 5.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %p = tdsl.matmul %V, %read : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %row = tdsl.const dense<[[2.0, 3.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %columns = tdsl.mul %Y, %row : tensor<2x2xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
  %q = tdsl.matmul %W, %columns : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %down = tdsl.const dense<[[1.0, 2.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %up = tdsl.const dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32> -> tensor<3x1xf32>
  %few = tdsl.matmul %down, %X : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %many = tdsl.matmul %up, %few : tensor<3x1xf32>, tensor<1x1xf32> -> tensor<3x1xf32>
  func.return %tanh, %p, %q, %many : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<3x1xf32>
}
// CHECK-LABEL: func.func @others(%X: tensor<2x1xf32>, %Y: tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<3x1xf32>) {
// CHECK-NEXT: %c = tdsl.const dense<{{\[\[}}2.000000e+00], [3.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %read = tdsl.mul %X, %c : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %tanh = tdsl.tanh %read : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %V = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 5.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %p = tdsl.matmul %V, %read : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %row = tdsl.const dense<{{\[\[}}2.000000e+00, 3.000000e+00]]> : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %columns = tdsl.mul %Y, %row : tensor<2x2xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %q = tdsl.matmul %W, %columns : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %down = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00]]> : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %up = tdsl.const dense<{{\[\[}}1.000000e+00], [2.000000e+00], [3.000000e+00]]> : tensor<3x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %few = tdsl.matmul %down, %X : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %many = tdsl.matmul %up, %few : tensor<3x1xf32>, tensor<1x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: func.return %tanh, %p, %q, %many : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<3x1xf32>

// -----

// Two products become one of as many multiplications, 2 * 2 for 2 + 2, and of fewer.
func.func @equal(%X: tensor<2x1xf32>, %Y: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<1x1xf32>) {
  %down = tdsl.const dense<[[1.0, 2.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %up = tdsl.const dense<[[3.0], [5.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %one = tdsl.matmul %down, %X : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %y = tdsl.matmul %up, %one : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
  %first = tdsl.const dense<[[1.0, 2.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %scale = tdsl.const dense<[[7.0]]> : tensor<1x1xf32> -> tensor<1x1xf32>
  %p = tdsl.matmul %first, %Y : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %column = tdsl.reshape %p : tensor<1x1xf32> -> tensor<1x1xf32>
  %z = tdsl.matmul %scale, %column : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %y, %z : tensor<2x1xf32>, tensor<1x1xf32>
}
// CHECK-LABEL: func.func @equal(%X: tensor<2x1xf32>, %Y: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<1x1xf32>) {
// CHECK-NEXT: %up = tdsl.const dense<{{\[\[}}3.000000e+00, 6.000000e+00], [5.000000e+00, 1.000000e+01]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %y = tdsl.matmul %up, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %scale = tdsl.const dense<{{\[\[}}7.000000e+00, 1.400000e+01]]> : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %z = tdsl.matmul %scale, %Y : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %y, %z : tensor<2x1xf32>, tensor<1x1xf32>

// -----

// Nor is a product that something else reads, one whose weights something else reads, the first or the second, one of
// several columns, and one that a program reads on the left.
func.func @shared(%X: tensor<2x1xf32>, %Y: tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %A = tdsl.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<[[1.0, 0.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %C = tdsl.const dense<[[5.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %D = tdsl.const dense<[[6.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %E = tdsl.const dense<[[7.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %F = tdsl.const dense<[[8.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %a = tdsl.matmul %A, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %b = tdsl.matmul %B, %a : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %c = tdsl.matmul %C, %b : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %again = tdsl.matmul %C, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.matmul %D, %again : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %e = tdsl.matmul %E, %Y : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %f = tdsl.matmul %F, %e : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  func.return %b, %c, %d, %f, %e : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @shared(%X: tensor<2x1xf32>, %Y: tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
// CHECK-NEXT: %B = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00], [1.500000e+01, 2.200000e+01]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %C = tdsl.const dense<{{\[\[}}5.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %D = tdsl.const dense<{{\[\[}}6.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %E = tdsl.const dense<{{\[\[}}7.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %F = tdsl.const dense<{{\[\[}}8.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %b = tdsl.matmul %B, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %c = tdsl.matmul %C, %b : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %again = tdsl.matmul %C, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %d = tdsl.matmul %D, %again : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %e = tdsl.matmul %E, %Y : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %f = tdsl.matmul %F, %e : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: func.return %b, %c, %d, %f, %e : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x2xf32>

// -----

// Columns are no one vector, also where each matrix is read once; a matrix that is computed stays.
func.func @columns(%X: tensor<2x2xf32>, %M: tensor<2x2xf32>, %V: tensor<2x1xf32>) -> (tensor<2x2xf32>, tensor<2x1xf32>, tensor<1x2xf32>) {
  %A = tdsl.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<[[1.0, 0.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %C = tdsl.const dense<[[1.0, 0.0], [3.0, 5.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %D = tdsl.const dense<[[1.0, 0.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %E = tdsl.const dense<[[1.0, 0.0], [3.0, 6.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %a = tdsl.matmul %A, %X : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %b = tdsl.matmul %B, %a : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %m = tdsl.matmul %M, %V : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %c = tdsl.matmul %C, %m : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.matmul %D, %X : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  %e = tdsl.matmul %d, %E : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %b, %c, %e : tensor<2x2xf32>, tensor<2x1xf32>, tensor<1x2xf32>
}
// CHECK-LABEL: func.func @columns(%X: tensor<2x2xf32>, %M: tensor<2x2xf32>, %V: tensor<2x1xf32>) -> (tensor<2x2xf32>, tensor<2x1xf32>, tensor<1x2xf32>) {
// CHECK-NEXT: %A = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %B = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %C = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00], [3.000000e+00, 5.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %D = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00]]> : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %E = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %a = tdsl.matmul %A, %X : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %b = tdsl.matmul %B, %a : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %m = tdsl.matmul %M, %V : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %c = tdsl.matmul %C, %m : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %d = tdsl.matmul %D, %X : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %e = tdsl.matmul %d, %E : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: func.return %b, %c, %e : tensor<2x2xf32>, tensor<2x1xf32>, tensor<1x2xf32>

// -----

// Products stay where the inner one is read twice, as it is or in another shape, or is no column, before or behind a change
// of shape, or where a matrix has another reader.
func.func @products(%X: tensor<3x1xf32>, %Z: tensor<3x2xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x2xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x2xf32>, tensor<1x1xf32>, tensor<1x2xf32>) {
  %P = tdsl.const dense<[[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]> : tensor<2x3xf32> -> tensor<2x3xf32>
  %Q = tdsl.const dense<[[1.0, 0.0, 2.0], [0.0, 1.0, 2.0]]> : tensor<2x3xf32> -> tensor<2x3xf32>
  %R = tdsl.const dense<[[1.0, 0.0, 3.0], [0.0, 1.0, 3.0]]> : tensor<2x3xf32> -> tensor<2x3xf32>
  %S = tdsl.const dense<[[1.0, 0.0, 4.0], [0.0, 1.0, 4.0], [2.0, 2.0, 2.0], [3.0, 3.0, 3.0]]> : tensor<4x3xf32> -> tensor<4x3xf32>
  %T = tdsl.const dense<[[1.0, 0.0, 5.0], [0.0, 1.0, 5.0]]> : tensor<2x3xf32> -> tensor<2x3xf32>
  %a = tdsl.const dense<[[2.0, 3.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %b = tdsl.const dense<[[4.0, 5.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %c = tdsl.const dense<[[2.0, 3.0, 4.0, 5.0]]> : tensor<1x4xf32> -> tensor<1x4xf32>
  %d = tdsl.const dense<[[6.0, 7.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %e = tdsl.const dense<[[8.0, 9.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %f = tdsl.const dense<[[5.0, 9.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %p = tdsl.matmul %P, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %ap = tdsl.matmul %a, %p : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %fp = tdsl.matmul %f, %p : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %q = tdsl.matmul %Q, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %row = tdsl.reshape %q : tensor<2x1xf32> -> tensor<1x2xf32>
  %column = tdsl.reshape %q : tensor<2x1xf32> -> tensor<2x1xf32>
  %bq = tdsl.matmul %b, %column : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %r = tdsl.matmul %R, %Z : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>
  %flat = tdsl.reshape %r : tensor<2x2xf32> -> tensor<4x1xf32>
  %cr = tdsl.matmul %c, %flat : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  %s = tdsl.matmul %S, %X : tensor<4x3xf32>, tensor<3x1xf32> -> tensor<4x1xf32>
  %square = tdsl.reshape %s : tensor<4x1xf32> -> tensor<2x2xf32>
  %ds = tdsl.matmul %d, %square : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  %t = tdsl.matmul %T, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %et = tdsl.matmul %e, %t : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %fp, %ap, %row, %bq, %cr, %ds, %et, %e : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x2xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x2xf32>, tensor<1x1xf32>, tensor<1x2xf32>
}
// CHECK-LABEL: func.func @products
// CHECK: %ap = tdsl.matmul %a, %p
// CHECK-NEXT: %fp = tdsl.matmul %f, %p
// CHECK: %bq = tdsl.matmul %b, %column
// CHECK: %cr = tdsl.matmul %c, %flat
// CHECK: %ds = tdsl.matmul %d, %square
// CHECK: %et = tdsl.matmul %e, %t

// -----

// Numbers in formats are rounded where they are, and a sum of two variables is no function of one.
func.func @formats(%X: tensor<3x1x!fixed.q<8, 4>>, %Y: tensor<2x1xf32>, %Z: tensor<2x1xf32>) -> (tensor<1x1x!fixed.q<8, 4>>, tensor<2x1xf32>) {
  %o = tdsl.const dense<[[1], [2], [3]]> : tensor<3x1xi8> -> tensor<3x1x!fixed.q<8, 4>>
  %P = tdsl.const dense<[[1, 0, 1], [0, 1, 1]]> : tensor<2x3xi8> -> tensor<2x3x!fixed.q<8, 4>>
  %w = tdsl.const dense<[[2, 3]]> : tensor<1x2xi8> -> tensor<1x2x!fixed.q<8, 4>>
  %W = tdsl.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %m = tdsl.add %X, %o : tensor<3x1x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<3x1x!fixed.q<8, 4>>
  %p = tdsl.matmul %P, %m : tensor<2x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
  %s = tdsl.matmul %w, %p : tensor<1x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  %t = tdsl.add %Y, %Z : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %u = tdsl.matmul %W, %t : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %s, %u : tensor<1x1x!fixed.q<8, 4>>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @formats
// CHECK: %m = tdsl.add %X, %o
// CHECK-NEXT: %p = tdsl.matmul %P, %m
// CHECK-NEXT: %s = tdsl.matmul %w, %p
// CHECK-NEXT: %t = tdsl.add %Y, %Z
// CHECK-NEXT: %u = tdsl.matmul %W, %t

// -----

// A factor in a format, whose product is rounded, stays before trees, too.
func.func @trees(%X: tensor<1x2x!fixed.q<8, 4>>, %votes: tensor<2x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %rate = tdsl.const dense<[[32, 64]]> : tensor<1x2xi8> -> tensor<1x2x!fixed.q<8, 4>>
  %a = tdsl.mul %X, %rate : tensor<1x2x!fixed.q<8, 4>>, tensor<1x2x!fixed.q<8, 4>> -> tensor<1x2x!fixed.q<8, 4>>
  %y = tdsl.forest %a, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<8> : tensor<1xi8>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %y : tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @trees(%X: tensor<1x2x!fixed.q<8, 4>>, %votes: tensor<2x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
// CHECK-NEXT: %rate = tdsl.const dense<{{\[\[}}32, 64]]> : tensor<1x2xi8> -> tensor<1x2x!fixed.q<8, 4>>
// CHECK-NEXT: %a = tdsl.mul %X, %rate : tensor<1x2x!fixed.q<8, 4>>, tensor<1x2x!fixed.q<8, 4>> -> tensor<1x2x!fixed.q<8, 4>>
// CHECK-NEXT: %y = tdsl.forest %a, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<8> : tensor<1xi8>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %y : tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: }

// -----

// A map is an affine function only if its single op on numbers reads each argument once: a square, an op of another
// dialect, a map that ignores an input and one that returns an argument stay.
func.func @maps(%x: tensor<2x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>) {
  %w = tdsl.const dense<[[1.0, 2.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %c = tdsl.const dense<[[3.0], [4.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %square = tdsl.map %x : tensor<2x1xf32> -> tensor<2x1xf32> {
  ^bb0(%a: f32):
    %m = num.mul %a, %a : f32, f32 -> f32
    tdsl.yield %m : f32
  }
  %twice = tdsl.map %x : tensor<2x1xf32> -> tensor<2x1xf32> {
  ^bb0(%a: f32):
    %m = arith.addf %a, %a : f32
    tdsl.yield %m : f32
  }
  %ignored = tdsl.map %x, %c : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32> {
  ^bb0(%a: f32, %b: f32):
    %m = num.neg %b : f32 -> f32
    tdsl.yield %m : f32
  }
  %same = tdsl.map %x : tensor<2x1xf32> -> tensor<2x1xf32> {
  ^bb0(%a: f32):
    %m = num.neg %a : f32 -> f32
    tdsl.yield %a : f32
  }
  %scaled = tdsl.map %x, %c : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32> {
  ^bb0(%a: f32, %b: f32):
    %m = num.mul %b, %a : f32, f32 -> f32
    tdsl.yield %m : f32
  }
  %p = tdsl.matmul %w, %square : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %q = tdsl.matmul %w, %twice : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %r = tdsl.matmul %w, %ignored : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %s = tdsl.matmul %w, %same : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %v = tdsl.const dense<[[1.0, 2.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %t = tdsl.matmul %v, %scaled : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %p, %q, %r, %s, %t : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
}
// CHECK-LABEL: func.func @maps
// CHECK: %square = tdsl.map %x
// CHECK: %twice = tdsl.map %x
// CHECK: %ignored = tdsl.map %x, %c
// CHECK: %same = tdsl.map %x
// CHECK-NOT: tdsl.map
// CHECK: %p = tdsl.matmul %w, %square
// CHECK-NEXT: %q = tdsl.matmul %w, %twice
// CHECK-NEXT: %r = tdsl.matmul %w, %ignored
// CHECK-NEXT: %s = tdsl.matmul %w, %same
// CHECK-NEXT: %v = tdsl.const dense<{{\[\[}}3.000000e+00, 8.000000e+00]]>
// CHECK-NEXT: %t = tdsl.matmul %v, %x
