// RUN: tinyml-opt %s -p prune-zeros,canonicalize --split-input-file | filecheck %s

// A row of zeros makes the column that it meets useless, and a column of zeros the row: of four inner elements two stay.
func.func @factors(%x: tensor<2x1xf32>) -> tensor<3x1xf32> {
  %b = tdsl.const dense<[[1.0, 2.0], [0.0, 0.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<4x2xf32> -> tensor<4x2xf32>
  %a = tdsl.const dense<[[1.0, 9.0, 0.0, 2.0], [3.0, 9.0, 0.0, 4.0], [5.0, 9.0, 0.0, 6.0]]> : tensor<3x4xf32> -> tensor<3x4xf32>
  %bx = tdsl.matmul %b, %x : tensor<4x2xf32>, tensor<2x1xf32> -> tensor<4x1xf32>
  %y = tdsl.matmul %a, %bx : tensor<3x4xf32>, tensor<4x1xf32> -> tensor<3x1xf32>
  func.return %y : tensor<3x1xf32>
}
// CHECK-LABEL: func.func @factors(%x: tensor<2x1xf32>) -> tensor<3x1xf32> {
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00], [5.000000e+00, 6.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %a = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00]]> : tensor<3x2xf32> -> tensor<3x2xf32>
// CHECK-NEXT: %bx = tdsl.matmul %b, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.matmul %a, %bx : tensor<3x2xf32>, tensor<2x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: func.return %y : tensor<3x1xf32>

// -----

// Through a bias, a function that keeps zeros and a change of shape; the first is zero everywhere, the last unread.
func.func @layer(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %b = tdsl.const dense<[[0.0], [2.0], [0.0], [4.0]]> : tensor<4x1xf32> -> tensor<4x1xf32>
  %c = tdsl.const dense<[[0.0, 1.0, 2.0, 3.0]]> : tensor<1x4xf32> -> tensor<1x4xf32>
  %a = tdsl.const dense<[[5.0, 6.0, 7.0, 0.0]]> : tensor<1x4xf32> -> tensor<1x4xf32>
  %bx = tdsl.matmul %b, %x : tensor<4x1xf32>, tensor<1x1xf32> -> tensor<4x1xf32>
  %row = tdsl.reshape %bx : tensor<4x1xf32> -> tensor<1x4xf32>
  %sum = tdsl.add %row, %c : tensor<1x4xf32>, tensor<1x4xf32> -> tensor<1x4xf32>
  %h = tdsl.tanh %sum : tensor<1x4xf32> -> tensor<1x4xf32>
  %column = tdsl.reshape %h : tensor<1x4xf32> -> tensor<4x1xf32>
  %y = tdsl.matmul %a, %column : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @layer(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}2.000000e+00], [0.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %c = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00]]> : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %a = tdsl.const dense<{{\[\[}}6.000000e+00, 7.000000e+00]]> : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %bx = tdsl.matmul %b, %x : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %row = tdsl.reshape %bx : tensor<2x1xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %sum = tdsl.add %row, %c : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %h = tdsl.tanh %sum : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %column = tdsl.reshape %h : tensor<1x2xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.matmul %a, %column : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %y : tensor<1x1xf32>

// -----

// exp makes ones of zeros; a vector that is a result keeps all its elements.
func.func @kept(%x: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<2x1xf32>) {
  %b = tdsl.const dense<[[0.0], [2.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.const dense<[[0.0], [3.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %a = tdsl.const dense<[[5.0, 6.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %bx = tdsl.matmul %b, %x : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
  %h = tdsl.exp %bx : tensor<2x1xf32> -> tensor<2x1xf32>
  %y = tdsl.matmul %a, %h : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %result = tdsl.matmul %d, %x : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
  func.return %y, %result : tensor<1x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @kept(%x: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<2x1xf32>) {
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}0.000000e+00], [2.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %d = tdsl.const dense<{{\[\[}}0.000000e+00], [3.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %a = tdsl.const dense<{{\[\[}}5.000000e+00, 6.000000e+00]]> : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %bx = tdsl.matmul %b, %x : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %h = tdsl.exp %bx : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.matmul %a, %h : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %result = tdsl.matmul %d, %x : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %y, %result : tensor<1x1xf32>, tensor<2x1xf32>

// -----

// Of the input, which stays as it is, what lies outside of all that is read is skipped, in steps of four elements.
func.func @border(%x: tensor<9x1xf32>) -> tensor<1x1xf32> {
  %w = tdsl.const dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0]]> : tensor<1x9xf32> -> tensor<1x9xf32, #tdsl.csr>
  %y = tdsl.spmv %w, %x : tensor<1x9xf32, #tdsl.csr>, tensor<9x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @border(%x: tensor<9x1xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}0.000000e+00, 1.000000e+00, 0.000000e+00, 2.000000e+00]]> : tensor<1x4xf32> -> tensor<1x4xf32, #tdsl.csr>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[vx_1:%.*]] = tdsl.slice %x{{\[}}[[v0]], [[v1]]] : tensor<9x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %y = tdsl.spmv %w, [[vx_1]] : tensor<1x4xf32, #tdsl.csr>, tensor<4x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %y : tensor<1x1xf32>

// -----

// A matrix that something else reads is not cut.
func.func @shared(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>) {
  %w = tdsl.const dense<[[1.0, 0.0], [2.0, 0.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %y = tdsl.matmul %w, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y, %w : tensor<2x1xf32>, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @shared(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>) {
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00], [2.000000e+00, 0.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %y = tdsl.matmul %w, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %y, %w : tensor<2x1xf32>, tensor<2x2xf32>

// -----

// Nor is one by which several columns are multiplied.
func.func @columns(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %b = tdsl.const dense<[[1.0], [0.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %a = tdsl.const dense<[[3.0, 9.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %bx = tdsl.matmul %b, %x : tensor<2x1xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
  %y = tdsl.matmul %a, %bx : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %y : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @columns(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}1.000000e+00], [0.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %a = tdsl.const dense<{{\[\[}}3.000000e+00, 9.000000e+00]]> : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %bx = tdsl.matmul %b, %x : tensor<2x1xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %y = tdsl.matmul %a, %bx : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: func.return %y : tensor<1x2xf32>

// -----

// Constants are zero where they are not negative or positive.
func.func @signs(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %b = tdsl.const dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32> -> tensor<3x1xf32>
  %c = tdsl.const dense<[[-1.0], [0.0], [1.0]]> : tensor<3x1xf32> -> tensor<3x1xf32>
  %a = tdsl.const dense<[[5.0, 6.0, 7.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %bx = tdsl.matmul %b, %x : tensor<3x1xf32>, tensor<1x1xf32> -> tensor<3x1xf32>
  %h = tdsl.mul %bx, %c : tensor<3x1xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
  %y = tdsl.matmul %a, %h : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @signs(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}1.000000e+00], [3.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %c = tdsl.const dense<{{\[\[}}-1.000000e+00], [1.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %a = tdsl.const dense<{{\[\[}}5.000000e+00, 7.000000e+00]]> : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %bx = tdsl.matmul %b, %x : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %h = tdsl.mul %bx, %c : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.matmul %a, %h : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %y : tensor<1x1xf32>

// -----

// What is read may begin with the first element, or end with the last: the rest goes.
func.func @ends(%x: tensor<9x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>) {
  %v = tdsl.const dense<[[1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<1x9xf32> -> tensor<1x9xf32>
  %w = tdsl.const dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0]]> : tensor<1x9xf32> -> tensor<1x9xf32>
  %u = tdsl.const dense<[[0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0]]> : tensor<1x9xf32> -> tensor<1x9xf32>
  %a = tdsl.matmul %v, %x : tensor<1x9xf32>, tensor<9x1xf32> -> tensor<1x1xf32>
  %b = tdsl.matmul %w, %x : tensor<1x9xf32>, tensor<9x1xf32> -> tensor<1x1xf32>
  %c = tdsl.matmul %u, %x : tensor<1x9xf32>, tensor<9x1xf32> -> tensor<1x1xf32>
  func.return %a, %b, %c : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
}
// CHECK-LABEL: func.func @ends(%x: tensor<9x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>) {
// CHECK-NEXT: %v = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00, 0.000000e+00, 2.000000e+00]]> : tensor<1x4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: %w = tdsl.const dense<3.000000e+00> : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %u = tdsl.const dense<{{\[\[}}0.000000e+00, 4.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 0.000000e+00, 5.000000e+00]]> : tensor<1x9xf32> -> tensor<1x9xf32>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[vx_1:%.*]] = tdsl.slice %x{{\[}}[[v0]], [[v1]]] : tensor<9x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %a = tdsl.matmul %v, [[vx_1]] : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: [[v2:%.*]] = arith.constant 8 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[vx_2:%.*]] = tdsl.slice %x{{\[}}[[v2]], [[v3]]] : tensor<9x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %b = tdsl.matmul %w, [[vx_2]] : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %c = tdsl.matmul %u, %x : tensor<1x9xf32>, tensor<9x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %a, %b, %c : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>

// -----

// A sum is zero where both summands are.
func.func @sum(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %b = tdsl.const dense<[[0.0], [2.0], [0.0]]> : tensor<3x1xf32> -> tensor<3x1xf32>
  %c = tdsl.const dense<[[0.0], [0.0], [1.0]]> : tensor<3x1xf32> -> tensor<3x1xf32>
  %a = tdsl.const dense<[[5.0, 6.0, 7.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %bx = tdsl.matmul %b, %x : tensor<3x1xf32>, tensor<1x1xf32> -> tensor<3x1xf32>
  %h = tdsl.add %bx, %c : tensor<3x1xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
  %y = tdsl.matmul %a, %h : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @sum(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}2.000000e+00], [0.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %c = tdsl.const dense<{{\[\[}}0.000000e+00], [1.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %a = tdsl.const dense<{{\[\[}}6.000000e+00, 7.000000e+00]]> : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %bx = tdsl.matmul %b, %x : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %h = tdsl.add %bx, %c : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.matmul %a, %h : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %y : tensor<1x1xf32>

// -----

// All of them would be useless: one stays.
func.func @none(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %b = tdsl.const dense<0.0> : tensor<3x1xf32> -> tensor<3x1xf32>
  %a = tdsl.const dense<[[5.0, 6.0, 7.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %bx = tdsl.matmul %b, %x : tensor<3x1xf32>, tensor<1x1xf32> -> tensor<3x1xf32>
  %y = tdsl.matmul %a, %bx : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @none(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: %b = tdsl.const dense<0.000000e+00> : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %a = tdsl.const dense<5.000000e+00> : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %bx = tdsl.matmul %b, %x : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %y = tdsl.matmul %a, %bx : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %y : tensor<1x1xf32>

// -----

// A number is a factor of every element: none of them becomes zero by it.
func.func @number(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %b = tdsl.const dense<[[0.0], [2.0], [3.0]]> : tensor<3x1xf32> -> tensor<3x1xf32>
  %two = tdsl.const dense<0.0> : tensor<f32> -> tensor<f32>
  %a = tdsl.const dense<[[5.0, 6.0, 7.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %bx = tdsl.matmul %b, %x : tensor<3x1xf32>, tensor<1x1xf32> -> tensor<3x1xf32>
  %h = tdsl.mul %bx, %two : tensor<3x1xf32>, tensor<f32> -> tensor<3x1xf32>
  %y = tdsl.matmul %a, %h : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @number
// CHECK-DAG: tdsl.const dense<{{\[\[}}2.000000e+00], [3.000000e+00]]> : tensor<2x1xf32>
// CHECK-DAG: tdsl.const dense<{{\[\[}}6.000000e+00, 7.000000e+00]]> : tensor<1x2xf32>

// -----

// Of several columns nothing is skipped, and in formats everything is read as it is.
func.func @unread(%x: tensor<9x2xf32>, %z: tensor<9x1x!fixed.q<8, 4>>) -> (tensor<1x2xf32>, tensor<1x1x!fixed.q<8, 4>>) {
  %v = tdsl.const dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0]]> : tensor<1x9xf32> -> tensor<1x9xf32>
  %w = tdsl.const dense<[[0, 0, 0, 0, 0, 1, 0, 2, 0]]> : tensor<1x9xi8> -> tensor<1x9x!fixed.q<8, 4>>
  %a = tdsl.matmul %v, %x : tensor<1x9xf32>, tensor<9x2xf32> -> tensor<1x2xf32>
  %b = tdsl.matmul %w, %z : tensor<1x9x!fixed.q<8, 4>>, tensor<9x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %a, %b : tensor<1x2xf32>, tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @unread
// CHECK-NOT: tdsl.slice
// CHECK: func.return

// -----

// A vector from which a result is computed keeps all its elements, though a product reads only some.
func.func @result(%x: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<3x1xf32>) {
  %b = tdsl.const dense<[[0.0], [2.0], [3.0]]> : tensor<3x1xf32> -> tensor<3x1xf32>
  %a = tdsl.const dense<[[5.0, 6.0, 0.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %bx = tdsl.matmul %b, %x : tensor<3x1xf32>, tensor<1x1xf32> -> tensor<3x1xf32>
  %y = tdsl.matmul %a, %bx : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  %h = tdsl.tanh %bx : tensor<3x1xf32> -> tensor<3x1xf32>
  func.return %y, %h : tensor<1x1xf32>, tensor<3x1xf32>
}
// CHECK-LABEL: func.func @result
// CHECK: %bx = tdsl.matmul %b, %x : tensor<3x1xf32>, tensor<1x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %y = tdsl.matmul %a, %bx : tensor<1x3xf32>

// -----

// A row of negative numbers, and one whose numbers add up to zero, are no rows of zeros.
func.func @negative(%x: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %b = tdsl.const dense<[[-1.0, -2.0], [0.0, 0.0], [1.0, -1.0]]> : tensor<3x2xf32> -> tensor<3x2xf32>
  %a = tdsl.const dense<[[-5.0, 6.0, -7.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %bx = tdsl.matmul %b, %x : tensor<3x2xf32>, tensor<2x1xf32> -> tensor<3x1xf32>
  %y = tdsl.matmul %a, %bx : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @negative
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}-1.000000e+00, -2.000000e+00], [1.000000e+00, -1.000000e+00]]>
// CHECK-NEXT: %a = tdsl.const dense<{{\[\[}}-5.000000e+00, -7.000000e+00]]>

// -----

// A vector that is multiplied by a matrix of as many rows keeps all its elements.
func.func @grid(%x: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %b = tdsl.const dense<[[0.0], [2.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %a = tdsl.const dense<[[5.0, 6.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %g = tdsl.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %c = tdsl.const dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32> -> tensor<1x4xf32>
  %bx = tdsl.matmul %b, %x : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
  %y = tdsl.matmul %a, %bx : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %h = tdsl.mul %bx, %g : tensor<2x1xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
  %flat = tdsl.reshape %h : tensor<2x2xf32> -> tensor<4x1xf32>
  %z = tdsl.matmul %c, %flat : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  func.return %y, %z : tensor<1x1xf32>, tensor<1x1xf32>
}
// CHECK-LABEL: func.func @grid(%x: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}0.000000e+00], [2.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %a = tdsl.const dense<{{\[\[}}5.000000e+00, 6.000000e+00]]> : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %g = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %c = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]]> : tensor<1x4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: %bx = tdsl.matmul %b, %x : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.matmul %a, %bx : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %h = tdsl.mul %bx, %g : tensor<2x1xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %flat = tdsl.reshape %h : tensor<2x2xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %z = tdsl.matmul %c, %flat : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %y, %z : tensor<1x1xf32>, tensor<1x1xf32>
// CHECK-NEXT: }

// -----

// A matrix with two readers keeps its rows, and so does one whose product a computed matrix multiplies.
func.func @shared(%x: tensor<1x1xf32>, %w: tensor<1x3xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>) {
  %b = tdsl.const dense<[[0.0], [2.0], [3.0]]> : tensor<3x1xf32> -> tensor<3x1xf32>
  %c = tdsl.const dense<[[0.0], [2.0], [3.0]]> : tensor<3x1xf32> -> tensor<3x1xf32>
  %a = tdsl.const dense<[[5.0, 6.0, 7.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %d = tdsl.const dense<[[5.0, 6.0, 8.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %bx = tdsl.matmul %b, %x : tensor<3x1xf32>, tensor<1x1xf32> -> tensor<3x1xf32>
  %y = tdsl.matmul %a, %bx : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  %by = tdsl.matmul %b, %y : tensor<3x1xf32>, tensor<1x1xf32> -> tensor<3x1xf32>
  %z = tdsl.matmul %d, %by : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  %cx = tdsl.matmul %c, %x : tensor<3x1xf32>, tensor<1x1xf32> -> tensor<3x1xf32>
  %v = tdsl.matmul %w, %cx : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  func.return %y, %z, %v : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
}
// CHECK-LABEL: func.func @shared(%x: tensor<1x1xf32>, %w: tensor<1x3xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>) {
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}0.000000e+00], [2.000000e+00], [3.000000e+00]]> : tensor<3x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %c = tdsl.const dense<{{\[\[}}0.000000e+00], [2.000000e+00], [3.000000e+00]]> : tensor<3x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %a = tdsl.const dense<{{\[\[}}5.000000e+00, 6.000000e+00, 7.000000e+00]]> : tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %d = tdsl.const dense<{{\[\[}}5.000000e+00, 6.000000e+00, 8.000000e+00]]> : tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %bx = tdsl.matmul %b, %x : tensor<3x1xf32>, tensor<1x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %y = tdsl.matmul %a, %bx : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %by = tdsl.matmul %b, %y : tensor<3x1xf32>, tensor<1x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %z = tdsl.matmul %d, %by : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %cx = tdsl.matmul %c, %x : tensor<3x1xf32>, tensor<1x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %v = tdsl.matmul %w, %cx : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %y, %z, %v : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
// CHECK-NEXT: }

// -----

// A row and a column that are zero in part keep their element.
func.func @partly(%x: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %b = tdsl.const dense<[[1.0, 0.0], [0.0, 0.0], [0.0, 2.0]]> : tensor<3x2xf32> -> tensor<3x2xf32>
  %a = tdsl.const dense<[[5.0, 6.0, 0.0], [0.0, 6.0, 7.0]]> : tensor<2x3xf32> -> tensor<2x3xf32>
  %bx = tdsl.matmul %b, %x : tensor<3x2xf32>, tensor<2x1xf32> -> tensor<3x1xf32>
  %y = tdsl.matmul %a, %bx : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @partly(%x: tensor<2x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %b = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00], [0.000000e+00, 2.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %a = tdsl.const dense<{{\[\[}}5.000000e+00, 0.000000e+00], [0.000000e+00, 7.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %bx = tdsl.matmul %b, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.matmul %a, %bx : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %y : tensor<2x1xf32>
// CHECK-NEXT: }

// -----

// Two elements are the fewest of which one goes, through an elementwise op, too.
func.func @two(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %b = tdsl.const dense<[[0.0], [2.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %a = tdsl.const dense<[[5.0, 6.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %bx = tdsl.matmul %b, %x : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
  %h = tdsl.relu %bx : tensor<2x1xf32> -> tensor<2x1xf32>
  %y = tdsl.matmul %a, %h : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @two(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: %b = tdsl.const dense<2.000000e+00> : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %a = tdsl.const dense<6.000000e+00> : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %bx = tdsl.matmul %b, %x : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %h = tdsl.relu %bx : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %y = tdsl.matmul %a, %h : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %y : tensor<1x1xf32>
// CHECK-NEXT: }
