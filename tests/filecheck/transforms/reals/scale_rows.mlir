// RUN: tinyml-opt %s -p scale-rows --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p scale-rows,scale-rows --split-input-file | filecheck %s

// Rows of greatest magnitudes 3 (below 4), 0.75 (below 1), 0 and 1.0 (below 2): 0, 2, 0 and 1 bits to spare.
func.func @dense(%X: tensor<2x1xf32>) -> tensor<4x1xf32> {
  %W = tdsl.const dense<[[3.0, 0.5], [0.25, -0.75], [0.0, 0.0], [1.0, 1.0]]> : tensor<4x2xf32> -> tensor<4x2xf32>
  %p = tdsl.matmul %W, %X : tensor<4x2xf32>, tensor<2x1xf32> -> tensor<4x1xf32>
  func.return %p : tensor<4x1xf32>
}
// CHECK-LABEL: func.func @dense(%X: tensor<2x1xf32>) -> tensor<4x1xf32> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}3.000000e+00, 5.000000e-01], [1.000000e+00, -3.000000e+00], [0.000000e+00, 0.000000e+00], [2.000000e+00, 2.000000e+00]]> : tensor<4x2xf32> -> tensor<4x2xf32>
// CHECK-NEXT: %p = tdsl.matmul %W, %X {row_shifts = array<i8: 0, 2, 0, 1>} : tensor<4x2xf32>, tensor<2x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: func.return %p : tensor<4x1xf32>

// Matrices of one constant have their shifts in common; a sparse one stays sparse.
func.func @indexed(%X: tensor<1x1xf32>, %i: index) -> tensor<2x1xf32> {
  %W = tdsl.const dense<[[[2.0], [0.25]], [[1.0], [0.5]]]> : tensor<2x2x1xf32> -> tensor<2x2x1xf32>
  %w = tdsl.index %W[%i] : tensor<2x2x1xf32> -> tensor<2x1xf32>
  %p = tdsl.matmul %w, %X : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
  %S = tdsl.const dense<[[0.5], [2.0]]> : tensor<2x1xf32> -> tensor<2x1xf32, #tdsl.csr>
  %s = tdsl.spmv %S, %X : tensor<2x1xf32, #tdsl.csr>, tensor<1x1xf32> -> tensor<2x1xf32>
  %q = tdsl.add %p, %s : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %q : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @indexed(%X: tensor<1x1xf32>, %i: index) -> tensor<2x1xf32> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}[2.000000e+00], [1.000000e+00]], {{\[\[}}1.000000e+00], [2.000000e+00]]]> : tensor<2x2x1xf32> -> tensor<2x2x1xf32>
// CHECK-NEXT: %w = tdsl.index %W[%i] : tensor<2x2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %p = tdsl.matmul %w, %X {row_shifts = array<i8: 0, 2>} : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %S = tdsl.const dense<2.000000e+00> : tensor<2x1xf32> -> tensor<2x1xf32, #tdsl.csr>
// CHECK-NEXT: %s = tdsl.spmv %S, %X {row_shifts = array<i8: 2, 0>} : tensor<2x1xf32, #tdsl.csr>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %q = tdsl.add %p, %s : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %q : tensor<2x1xf32>

// Not where somebody else reads the constant, or where it stands on the right.
func.func @others(%X: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %W = tdsl.const dense<[[2.0, 1.0], [0.25, 0.5]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %p = tdsl.matmul %W, %X : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %q = tdsl.mul %W, %X : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %V = tdsl.const dense<[[2.0, 1.0], [0.25, 0.75]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %r = tdsl.matmul %q, %V : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  func.return %p, %r : tensor<2x2xf32>, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @others(%X: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}2.000000e+00, 1.000000e+00], [2.500000e-01, 5.000000e-01]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %p = tdsl.matmul %W, %X : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %q = tdsl.mul %W, %X : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %V = tdsl.const dense<{{\[\[}}2.000000e+00, 1.000000e+00], [2.500000e-01, 7.500000e-01]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %r = tdsl.matmul %q, %V : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: func.return %p, %r : tensor<2x2xf32>, tensor<2x2xf32>

// Nor where it stands on both sides.
func.func @square(%X: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %W = tdsl.const dense<[[2.0, 1.0], [0.25, 0.5]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %p = tdsl.matmul %W, %W : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %q = tdsl.add %p, %X : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  func.return %q : tensor<2x2xf32>
}
// CHECK-LABEL: func.func @square(%X: tensor<2x2xf32>) -> tensor<2x2xf32> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}2.000000e+00, 1.000000e+00], [2.500000e-01, 5.000000e-01]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %p = tdsl.matmul %W, %W : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %q = tdsl.add %p, %X : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: func.return %q : tensor<2x2xf32>

// At most 15 bits, though a row has 16 to spare; rows below the same power of two have none.
func.func @most(%X: tensor<1x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %W = tdsl.const dense<[[65536.0], [1.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %V = tdsl.const dense<[[1.0], [1.5]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %p = tdsl.matmul %W, %X : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
  %q = tdsl.matmul %V, %X : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
  func.return %p, %q : tensor<2x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @most(%X: tensor<1x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}6.553600e+04], [3.276800e+04]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %V = tdsl.const dense<{{\[\[}}1.000000e+00], [1.500000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %p = tdsl.matmul %W, %X {row_shifts = array<i8: 0, 15>} : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %q = tdsl.matmul %V, %X : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %p, %q : tensor<2x1xf32>, tensor<2x1xf32>

// The rows of a filter are its output channels. What sums start from is multiplied by the same powers, where it has a
// number for each channel and no other use.
func.func @filters(%X: tensor<1x2x2x1xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) {
  %F = tdsl.const dense<[[[[2.0]]], [[[0.5]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %G = tdsl.const dense<[[[[2.0]]], [[[0.5]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %B = tdsl.const dense<[3.0, 0.25]> : tensor<2xf32> -> tensor<2xf32>
  %C = tdsl.const dense<3.0> : tensor<1xf32> -> tensor<1xf32>
  %y = tdsl.conv2d %F, %X from %B : tensor<2xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
  %z = tdsl.conv2d %G, %X from %C : tensor<1xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
  func.return %y, %z : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>
}
// CHECK-LABEL: func.func @filters(%X: tensor<1x2x2x1xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) {
// CHECK-NEXT: %F = tdsl.const dense<2.000000e+00> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
// CHECK-NEXT: %G = tdsl.const dense<{{\[\[}}{{\[\[}}2.000000e+00]]], {{\[\[}}[5.000000e-01]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
// CHECK-NEXT: %B = tdsl.const dense<[3.000000e+00, 1.000000e+00]> : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT: %C = tdsl.const dense<3.000000e+00> : tensor<1xf32> -> tensor<1xf32>
// CHECK-NEXT: %y = tdsl.conv2d %F, %X from %B : tensor<2xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, row_shifts = array<i8: 0, 2>} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
// CHECK-NEXT: %z = tdsl.conv2d %G, %X from %C : tensor<1xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
// CHECK-NEXT: func.return %y, %z : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>

// What two sums start from is not one's own, nor is what is computed.
func.func @starts(%X: tensor<1x2x2x1xf32>, %C: tensor<2xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) {
  %F = tdsl.const dense<[[[[2.0]]], [[[0.5]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %G = tdsl.const dense<[[[[4.0]]], [[[0.5]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %H = tdsl.const dense<[[[[8.0]]], [[[0.5]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %B = tdsl.const dense<[3.0, 0.25]> : tensor<2xf32> -> tensor<2xf32>
  %y = tdsl.conv2d %F, %X from %B : tensor<2xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
  %z = tdsl.conv2d %G, %X from %B : tensor<2xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
  %w = tdsl.conv2d %H, %X from %C : tensor<2xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
  func.return %y, %z, %w : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>
}
// CHECK-LABEL: func.func @starts
// CHECK-NOT: row_shifts

// What sums start from has no rows, and a filter that is computed no scales.
func.func @computed(%F: tensor<2x1x1x1xf32>, %X: tensor<1x2x2x1xf32>) -> tensor<1x2x2x2xf32> {
  %B = tdsl.const dense<[4.0, 0.25]> : tensor<2xf32> -> tensor<2xf32>
  %y = tdsl.conv2d %F, %X from %B : tensor<2xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
  func.return %y : tensor<1x2x2x2xf32>
}
// CHECK-LABEL: func.func @computed
// CHECK: %B = tdsl.const dense<[4.000000e+00, 2.500000e-01]>
// CHECK-NOT: row_shifts
// CHECK: func.return

// -----

// What is in a format stays as it was rounded.
func.func @formats(%X: tensor<2x1x!fixed.q<8, 4>>) -> tensor<2x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[100, 50], [1, 2]]> : tensor<2x2xi8> -> tensor<2x2x!fixed.q<8, 4>>
  %y = tdsl.matmul %W, %X : tensor<2x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
  func.return %y : tensor<2x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @formats
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}100, 50], [1, 2]]>
// CHECK-NEXT: %y = tdsl.matmul %W, %X : tensor<2x2x!fixed.q<8, 4>>

// -----

// A program of which a part has formats is unchanged.
func.func @mixed(%X: tensor<2x1x!fixed.q<8, 4>>) -> tensor<2x1xf32> {
  %x = tdsl.cast %X : tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1xf32>
  %W = tdsl.const dense<[[3.0, 0.5], [0.25, -0.75]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %y = tdsl.matmul %W, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @mixed
// CHECK: %y = tdsl.matmul %W, %x : tensor<2x2xf32>
