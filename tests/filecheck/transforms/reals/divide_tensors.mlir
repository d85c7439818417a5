// RUN: tinyml-opt %s -p divide-tensors --split-input-file | filecheck %s

// Each head has its own columns of the weights and its own biases, which the reshape to heads does not move.
func.func @heads(%X: tensor<3x2xf32>) -> (tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %W = tdsl.const dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32> -> tensor<2x4xf32>
  %b = tdsl.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> -> tensor<4xf32>
  %p = tdsl.matmul %X, %W : tensor<3x2xf32>, tensor<2x4xf32> -> tensor<3x4xf32>
  %q = tdsl.add %p, %b : tensor<3x4xf32>, tensor<4xf32> -> tensor<3x4xf32>
  %h = tdsl.reshape %q : tensor<3x4xf32> -> tensor<1x3x2x2xf32>
  %y = tdsl.slice %h[%c0, %c0, %c0, %c0] : tensor<1x3x2x2xf32> -> tensor<1x3x1x2xf32>
  %z = tdsl.slice %h[%c0, %c0, %c1, %c0] : tensor<1x3x2x2xf32> -> tensor<1x3x1x2xf32>
  func.return %y, %z : tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>
}
// CHECK-LABEL: func.func @heads(%X: tensor<3x2xf32>) -> (tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>) {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00], [5.000000e+00, 6.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: [[vW_1:%.*]] = tdsl.const dense<{{\[\[}}3.000000e+00, 4.000000e+00], [7.000000e+00, 8.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %b = tdsl.const dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT: [[vb_1:%.*]] = tdsl.const dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT: %p = tdsl.matmul %X, %W : tensor<3x2xf32>, tensor<2x2xf32> -> tensor<3x2xf32>
// CHECK-NEXT: %q = tdsl.add %p, %b : tensor<3x2xf32>, tensor<2xf32> -> tensor<3x2xf32>
// CHECK-NEXT: [[vp_1:%.*]] = tdsl.matmul %X, [[vW_1]] : tensor<3x2xf32>, tensor<2x2xf32> -> tensor<3x2xf32>
// CHECK-NEXT: [[vq_1:%.*]] = tdsl.add [[vp_1]], [[vb_1]] : tensor<3x2xf32>, tensor<2xf32> -> tensor<3x2xf32>
// CHECK-NEXT: %y = tdsl.reshape %q : tensor<3x2xf32> -> tensor<1x3x1x2xf32>
// CHECK-NEXT: %z = tdsl.reshape [[vq_1]] : tensor<3x2xf32> -> tensor<1x3x1x2xf32>
// CHECK-NEXT: func.return %y, %z : tensor<1x3x1x2xf32>, tensor<1x3x1x2xf32>

// -----

// Scores of several heads, concatenated for one softmax, need no concatenation; a mask is that of every head.
func.func @scores(%A: tensor<1x2x2xf32>, %B: tensor<1x2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tdsl.const dense<0.5> : tensor<f32> -> tensor<f32>
  %m = tdsl.const dense<[[1.0, 0.0], [1.0, 1.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %c = tdsl.concat %A, %B {axis = 0 : i64} : tensor<1x2x2xf32>, tensor<1x2x2xf32> -> tensor<2x2x2xf32>
  %d = tdsl.mul %c, %s : tensor<2x2x2xf32>, tensor<f32> -> tensor<2x2x2xf32>
  %p = tdsl.masked_softmax %d, %m : tensor<2x2x2xf32>, tensor<2x2xf32> -> tensor<2x2x2xf32>
  %y = tdsl.slice %p[%c0, %c0, %c0] : tensor<2x2x2xf32> -> tensor<1x2x2xf32>
  %z = tdsl.slice %p[%c1, %c0, %c0] : tensor<2x2x2xf32> -> tensor<1x2x2xf32>
  %y1 = tdsl.reshape %y : tensor<1x2x2xf32> -> tensor<2x2xf32>
  %z1 = tdsl.reshape %z : tensor<1x2x2xf32> -> tensor<2x2xf32>
  func.return %y1, %z1 : tensor<2x2xf32>, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @scores(%A: tensor<1x2x2xf32>, %B: tensor<1x2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
// CHECK-NEXT: %s = tdsl.const dense<5.000000e-01> : tensor<f32> -> tensor<f32>
// CHECK-NEXT: %m = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00], [1.000000e+00, 1.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %d = tdsl.mul %A, %s : tensor<1x2x2xf32>, tensor<f32> -> tensor<1x2x2xf32>
// CHECK-NEXT: %p = tdsl.masked_softmax %d, %m : tensor<1x2x2xf32>, tensor<2x2xf32> -> tensor<1x2x2xf32>
// CHECK-NEXT: [[vd_1:%.*]] = tdsl.mul %B, %s : tensor<1x2x2xf32>, tensor<f32> -> tensor<1x2x2xf32>
// CHECK-NEXT: [[vp_1:%.*]] = tdsl.masked_softmax [[vd_1]], %m : tensor<1x2x2xf32>, tensor<2x2xf32> -> tensor<1x2x2xf32>
// CHECK-NEXT: %y = tdsl.reshape %p : tensor<1x2x2xf32> -> tensor<1x2x2xf32>
// CHECK-NEXT: %z = tdsl.reshape [[vp_1]] : tensor<1x2x2xf32> -> tensor<1x2x2xf32>
// CHECK-NEXT: %y1 = tdsl.reshape %y : tensor<1x2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %z1 = tdsl.reshape %z : tensor<1x2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: func.return %y1, %z1 : tensor<2x2xf32>, tensor<2x2xf32>

// -----

// Slices of slices: queries and keys from one product, and the heads of the queries. A head that is read twice is
// computed once.
func.func @nested(%X: tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %W = tdsl.const dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32> -> tensor<2x4xf32>
  %p = tdsl.matmul %X, %W : tensor<2x2xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  %q = tdsl.slice %p[%c0, %c0] : tensor<2x4xf32> -> tensor<2x2xf32>
  %q0 = tdsl.slice %q[%c0, %c0] : tensor<2x2xf32> -> tensor<2x1xf32>
  %q1 = tdsl.slice %q[%c0, %c1] : tensor<2x2xf32> -> tensor<2x1xf32>
  %q2 = tdsl.slice %q[%c0, %c1] : tensor<2x2xf32> -> tensor<2x1xf32>
  %k = tdsl.slice %p[%c0, %c2] : tensor<2x4xf32> -> tensor<2x2xf32>
  func.return %q0, %q1, %q2, %k : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @nested(%X: tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>) {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1.000000e+00], [5.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[vW_1:%.*]] = tdsl.const dense<{{\[\[}}2.000000e+00], [6.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[vW_2:%.*]] = tdsl.const dense<{{\[\[}}3.000000e+00, 4.000000e+00], [7.000000e+00, 8.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %p = tdsl.matmul %X, %W : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[vp_1:%.*]] = tdsl.matmul %X, [[vW_1]] : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[vp_2:%.*]] = tdsl.matmul %X, [[vW_2]] : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %q0 = tdsl.reshape %p : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %q1 = tdsl.reshape [[vp_1]] : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %q2 = tdsl.reshape [[vp_1]] : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %k = tdsl.reshape [[vp_2]] : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: func.return %q0, %q1, %q2, %k : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>

// -----

// Unchanged: a column that nobody reads, overlapping slices, and a tensor that is also read as a whole.
func.func @parts(%X: tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %U = tdsl.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> -> tensor<2x3xf32>
  %V = tdsl.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]> : tensor<2x3xf32> -> tensor<2x3xf32>
  %W = tdsl.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 8.0]]> : tensor<2x3xf32> -> tensor<2x3xf32>
  %p = tdsl.matmul %X, %U : tensor<2x2xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %p0 = tdsl.slice %p[%c0, %c0] : tensor<2x3xf32> -> tensor<2x1xf32>
  %p1 = tdsl.slice %p[%c0, %c1] : tensor<2x3xf32> -> tensor<2x1xf32>
  %q = tdsl.matmul %X, %V : tensor<2x2xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %q0 = tdsl.slice %q[%c0, %c0] : tensor<2x3xf32> -> tensor<2x2xf32>
  %q1 = tdsl.slice %q[%c0, %c1] : tensor<2x3xf32> -> tensor<2x2xf32>
  %r = tdsl.matmul %X, %W : tensor<2x2xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %r0 = tdsl.slice %r[%c0, %c0] : tensor<2x3xf32> -> tensor<2x1xf32>
  %r1 = tdsl.slice %r[%c0, %c1] : tensor<2x3xf32> -> tensor<2x2xf32>
  func.return %p0, %p1, %q0, %q1, %r0, %r1, %r : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x3xf32>
}
// CHECK-LABEL: func.func @parts(%X: tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x3xf32>) {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %U = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00]]> : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %V = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 7.000000e+00]]> : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 8.000000e+00]]> : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %p = tdsl.matmul %X, %U : tensor<2x2xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %p0 = tdsl.slice %p[%c0, %c0] : tensor<2x3xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %p1 = tdsl.slice %p[%c0, %c1] : tensor<2x3xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %q = tdsl.matmul %X, %V : tensor<2x2xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %q0 = tdsl.slice %q[%c0, %c0] : tensor<2x3xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %q1 = tdsl.slice %q[%c0, %c1] : tensor<2x3xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %r = tdsl.matmul %X, %W : tensor<2x2xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %r0 = tdsl.slice %r[%c0, %c0] : tensor<2x3xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %r1 = tdsl.slice %r[%c0, %c1] : tensor<2x3xf32> -> tensor<2x2xf32>
// CHECK-NEXT: func.return %p0, %p1, %q0, %q1, %r0, %r1, %r : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x3xf32>

// -----

// Unchanged: slices along the axis of a softmax, a product of one row, and a computed right factor.
func.func @ops(%X: tensor<2x2xf32>, %x: tensor<1x2xf32>, %Y: tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %U = tdsl.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %V = tdsl.const dense<[[1.0, 2.0], [3.0, 5.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %p = tdsl.matmul %X, %U : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %s = tdsl.softmax %p : tensor<2x2xf32> -> tensor<2x2xf32>
  %s0 = tdsl.slice %s[%c0, %c0] : tensor<2x2xf32> -> tensor<2x1xf32>
  %s1 = tdsl.slice %s[%c0, %c1] : tensor<2x2xf32> -> tensor<2x1xf32>
  %q = tdsl.matmul %x, %V : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  %q0 = tdsl.slice %q[%c0, %c0] : tensor<1x2xf32> -> tensor<1x1xf32>
  %q1 = tdsl.slice %q[%c0, %c1] : tensor<1x2xf32> -> tensor<1x1xf32>
  %r = tdsl.matmul %X, %Y : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %r0 = tdsl.slice %r[%c0, %c0] : tensor<2x2xf32> -> tensor<2x1xf32>
  %r1 = tdsl.slice %r[%c0, %c1] : tensor<2x2xf32> -> tensor<2x1xf32>
  func.return %s0, %s1, %q0, %q1, %r0, %r1 : tensor<2x1xf32>, tensor<2x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @ops(%X: tensor<2x2xf32>, %x: tensor<1x2xf32>, %Y: tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %U = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %V = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 5.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %p = tdsl.matmul %X, %U : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %s = tdsl.softmax %p : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %s0 = tdsl.slice %s[%c0, %c0] : tensor<2x2xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %s1 = tdsl.slice %s[%c0, %c1] : tensor<2x2xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %q = tdsl.matmul %x, %V : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %q0 = tdsl.slice %q[%c0, %c0] : tensor<1x2xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %q1 = tdsl.slice %q[%c0, %c1] : tensor<1x2xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %r = tdsl.matmul %X, %Y : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %r0 = tdsl.slice %r[%c0, %c0] : tensor<2x2xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %r1 = tdsl.slice %r[%c0, %c1] : tensor<2x2xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %s0, %s1, %q0, %q1, %r0, %r1 : tensor<2x1xf32>, tensor<2x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>

// -----

// Heads are concatenated side by side instead of transposed. A transposition that also moves elements of a part stays.
func.func @transposed(%A: tensor<1x3x2xf32>, %B: tensor<1x3x2xf32>, %C: tensor<1x3x2xf32>) -> (tensor<3x4xf32>, tensor<2x2x3xf32>) {
  %c = tdsl.concat %A, %B {axis = 0 : i64} : tensor<1x3x2xf32>, tensor<1x3x2xf32> -> tensor<2x3x2xf32>
  %t = tdsl.transpose %c {permutation = array<i64: 1, 0, 2>} : tensor<2x3x2xf32> -> tensor<3x2x2xf32>
  %r = tdsl.reshape %t : tensor<3x2x2xf32> -> tensor<3x4xf32>
  %d = tdsl.concat %C, %C {axis = 0 : i64} : tensor<1x3x2xf32>, tensor<1x3x2xf32> -> tensor<2x3x2xf32>
  %u = tdsl.transpose %d {permutation = array<i64: 0, 2, 1>} : tensor<2x3x2xf32> -> tensor<2x2x3xf32>
  func.return %r, %u : tensor<3x4xf32>, tensor<2x2x3xf32>
}
// CHECK-LABEL: func.func @transposed(%A: tensor<1x3x2xf32>, %B: tensor<1x3x2xf32>, %C: tensor<1x3x2xf32>) -> (tensor<3x4xf32>, tensor<2x2x3xf32>) {
// CHECK-NEXT: %t = tdsl.reshape %A : tensor<1x3x2xf32> -> tensor<1x3x2xf32>
// CHECK-NEXT: [[vt_1:%.*]] = tdsl.reshape %B : tensor<1x3x2xf32> -> tensor<1x3x2xf32>
// CHECK-NEXT: [[vt_2:%.*]] = tdsl.transpose %t {permutation = array<i64: 1, 0, 2>} : tensor<1x3x2xf32> -> tensor<3x1x2xf32>
// CHECK-NEXT: [[vt_3:%.*]] = tdsl.transpose [[vt_1]] {permutation = array<i64: 1, 0, 2>} : tensor<1x3x2xf32> -> tensor<3x1x2xf32>
// CHECK-NEXT: [[vt_4:%.*]] = tdsl.concat [[vt_2]], [[vt_3]] {axis = 1 : i64} : tensor<3x1x2xf32>, tensor<3x1x2xf32> -> tensor<3x2x2xf32>
// CHECK-NEXT: %r = tdsl.reshape [[vt_4]] : tensor<3x2x2xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %d = tdsl.concat %C, %C {axis = 0 : i64} : tensor<1x3x2xf32>, tensor<1x3x2xf32> -> tensor<2x3x2xf32>
// CHECK-NEXT: %u = tdsl.transpose %d {permutation = array<i64: 0, 2, 1>} : tensor<2x3x2xf32> -> tensor<2x2x3xf32>
// CHECK-NEXT: func.return %r, %u : tensor<3x4xf32>, tensor<2x2x3xf32>

// -----

// Unchanged: the operand of the negation is also read as a whole.
func.func @shared(%X: tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %W = tdsl.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %p = tdsl.matmul %X, %W : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %y = tdsl.neg %p : tensor<2x2xf32> -> tensor<2x2xf32>
  %a = tdsl.slice %y[%c0, %c0] : tensor<2x2xf32> -> tensor<2x1xf32>
  %b = tdsl.slice %y[%c0, %c1] : tensor<2x2xf32> -> tensor<2x1xf32>
  func.return %a, %b, %p : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @shared
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %p = tdsl.matmul %X, %W : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %y = tdsl.neg %p : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %a = tdsl.slice %y[%c0, %c0] : tensor<2x2xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %b = tdsl.slice %y[%c0, %c1] : tensor<2x2xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %a, %b, %p : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>

// -----

// Unchanged: of three parts, only the first consists of whole rows of the transposed matrix.
func.func @halves(%A: tensor<2xf32>, %B: tensor<1xf32>, %C: tensor<1xf32>) -> tensor<2x2xf32> {
  %c = tdsl.concat %A, %B, %C {axis = 0 : i64} : tensor<2xf32>, tensor<1xf32>, tensor<1xf32> -> tensor<4xf32>
  %r = tdsl.reshape %c : tensor<4xf32> -> tensor<2x2xf32>
  %t = tdsl.transpose %r {permutation = array<i64: 1, 0>} : tensor<2x2xf32> -> tensor<2x2xf32>
  func.return %t : tensor<2x2xf32>
}
// CHECK-LABEL: func.func @halves(%A: tensor<2xf32>, %B: tensor<1xf32>, %C: tensor<1xf32>) -> tensor<2x2xf32> {
// CHECK-NEXT: %c = tdsl.concat %A, %B, %C {axis = 0 : i64} : tensor<2xf32>, tensor<1xf32>, tensor<1xf32> -> tensor<4xf32>
// CHECK-NEXT: %r = tdsl.reshape %c : tensor<4xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %t = tdsl.transpose %r {permutation = array<i64: 1, 0>} : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: func.return %t : tensor<2x2xf32>

// -----

// A slice with a stride is no contiguous part: both slices read column 2, and nothing is divided.
func.func @strided(%X: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %W = tdsl.const dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32> -> tensor<2x4xf32>
  %p = tdsl.matmul %X, %W : tensor<2x2xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
  %y = tdsl.slice %p[%c0, %c0] {strides = array<i64: 1, 2>} : tensor<2x4xf32> -> tensor<2x2xf32>
  %z = tdsl.slice %p[%c0, %c2] : tensor<2x4xf32> -> tensor<2x2xf32>
  func.return %y, %z : tensor<2x2xf32>, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @strided(%X: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00]]> : tensor<2x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %p = tdsl.matmul %X, %W : tensor<2x2xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %y = tdsl.slice %p[%c0, %c0] {strides = array<i64: 1, 2>} : tensor<2x4xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %z = tdsl.slice %p[%c0, %c2] : tensor<2x4xf32> -> tensor<2x2xf32>
// CHECK-NEXT: func.return %y, %z : tensor<2x2xf32>, tensor<2x2xf32>

// -----

// Queries and keys of two heads come from one product, which two transpositions order by kind and by head.
func.func @transposed_heads(%X: tensor<3x2xf32>) -> (tensor<3x1xf32>, tensor<3x1xf32>, tensor<1x3x2x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %W = tdsl.const dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32> -> tensor<2x4xf32>
  %p = tdsl.matmul %X, %W : tensor<3x2xf32>, tensor<2x4xf32> -> tensor<3x4xf32>
  %kinds = tdsl.reshape %p : tensor<3x4xf32> -> tensor<3x2x2xf32>
  %both = tdsl.transpose %kinds {permutation = array<i64: 1, 0, 2>} : tensor<3x2x2xf32> -> tensor<2x3x2xf32>
  %q = tdsl.slice %both[%c0, %c0, %c0] : tensor<2x3x2xf32> -> tensor<1x3x2xf32>
  %k = tdsl.slice %both[%c1, %c0, %c0] : tensor<2x3x2xf32> -> tensor<1x3x2xf32>
  %parts = tdsl.reshape %q : tensor<1x3x2xf32> -> tensor<3x2x1xf32>
  %heads = tdsl.transpose %parts {permutation = array<i64: 1, 0, 2>} : tensor<3x2x1xf32> -> tensor<2x3x1xf32>
  %first = tdsl.slice %heads[%c0, %c0, %c0] : tensor<2x3x1xf32> -> tensor<1x3x1xf32>
  %second = tdsl.slice %heads[%c1, %c0, %c0] : tensor<2x3x1xf32> -> tensor<1x3x1xf32>
  %q0 = tdsl.reshape %first : tensor<1x3x1xf32> -> tensor<3x1xf32>
  %q1 = tdsl.reshape %second : tensor<1x3x1xf32> -> tensor<3x1xf32>
  %ks = tdsl.reshape %k : tensor<1x3x2xf32> -> tensor<1x3x2x1xf32>
  func.return %q0, %q1, %ks : tensor<3x1xf32>, tensor<3x1xf32>, tensor<1x3x2x1xf32>
}
// CHECK-LABEL: func.func @transposed_heads
// CHECK-DAG: tdsl.const dense<{{\[\[}}1.000000e+00], [5.000000e+00]]> : tensor<2x1xf32>
// CHECK-DAG: tdsl.const dense<{{\[\[}}2.000000e+00], [6.000000e+00]]> : tensor<2x1xf32>
// CHECK-DAG: tdsl.const dense<{{\[\[}}3.000000e+00, 4.000000e+00], [7.000000e+00, 8.000000e+00]]> : tensor<2x2xf32>
// CHECK-NOT: tdsl.slice
// CHECK: func.return
