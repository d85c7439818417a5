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
// W * rate, and b - W (rate * mean).
// CHECK: func.func @scaler
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}2.000000e+00, 1.000000e+00], [6.000000e+00, 2.000000e+00]]>
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}-3.500000e+00], [-1.050000e+01]]>
// CHECK-NEXT: %X_1 = tdsl.reshape %X
// CHECK-NEXT: %p = tdsl.matmul %W, %X_1
// CHECK-NEXT: %y = tdsl.add %p, %b
// CHECK-NEXT: func.return %y

// -----

// A layer without a bias gets one; constants on the left of a subtraction and on the right of a product count, too.
func.func @turned(%X: tensor<1x2xf32>) -> tensor<1x1xf32> {
  %c = tdsl.const dense<1.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %W = tdsl.const dense<[[1.0], [3.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %rest = tdsl.sub %c, %X : tensor<1x1xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  %y = tdsl.matmul %rest, %W : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK: func.func @turned
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}-1.000000e+00], [-3.000000e+00]]>
// CHECK-NEXT: %y = tdsl.matmul %X, %W
// CHECK-NEXT: %bias = tdsl.const dense<4.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: tdsl.add %y, %bias

// -----

// A sparse matrix stays sparse.
func.func @sparse(%X: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %rate = tdsl.const dense<[[2.0], [4.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %S = tdsl.const dense<[[0.0, 3.0], [5.0, 0.0]]> : tensor<2x2xf32> -> tensor<2x2xf32, #tdsl.csr>
  %scaled = tdsl.mul %rate, %X : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %y = tdsl.spmv %S, %scaled : tensor<2x2xf32, #tdsl.csr>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}
// CHECK: func.func @sparse
// CHECK-NEXT: %S = tdsl.const dense<{{\[\[}}0.000000e+00, 1.200000e+01], [1.000000e+01, 0.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32, #tdsl.csr>
// CHECK-NEXT: %y = tdsl.spmv %S, %X

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
// CHECK: func.func @networks
// CHECK-NEXT: %F = tdsl.const dense<{{\[\[\[\[}}6.000000e+00]]], {{\[\[\[}}2.000000e+01]]]]>
// CHECK-NEXT: %y = tdsl.conv2d %F, %image
// CHECK-NEXT: %bias = tdsl.const dense<[3.000000e+00, -5.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: tdsl.add %y, %bias
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}2.000000e+00, 3.000000e+00, 5.000000e+00]]>
// CHECK-NEXT: %s = tdsl.matmul %w, %X

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
// CHECK: func.func @forest
// CHECK: %b = tdsl.mul %Y
// CHECK-NEXT: %y = tdsl.forest %X, %votes {{.*}}thresholds = dense<2.500000e-01>
// CHECK-NEXT: %z = tdsl.forest %b, %votes

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
// CHECK: func.func @others
// CHECK: %read = tdsl.mul %X, %c
// CHECK: tdsl.matmul %V, %read
// CHECK: tdsl.matmul %W, %columns
// CHECK: tdsl.matmul %up, %few
