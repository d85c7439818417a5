// RUN: tinyml-opt %s -p split-columns --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p "split-columns{target=ecp5-25k}" --split-input-file | filecheck %s --check-prefix=HARDWARE

// Each column on the right is copied, and its sums are a column of the result. The accumulator and its proof stay.
func.func @columns(%X: tensor<2x3x!fixed.q<8, 7>>, %Y: tensor<3x4x!fixed.q<8, 4>>) -> tensor<2x4x!fixed.q<16, 12>> {
  %p = tdsl.matmul %X, %Y {acc = !fixed.acc<32, 11>, bound = array<i64: -50000, 50000>, row_shifts = array<i8: 0, 1>} : tensor<2x3x!fixed.q<8, 7>>, tensor<3x4x!fixed.q<8, 4>> -> tensor<2x4x!fixed.q<16, 12>>
  func.return %p : tensor<2x4x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @columns(%X: tensor<2x3x!fixed.q<8, 7>>, %Y: tensor<3x4x!fixed.q<8, 4>>) -> tensor<2x4x!fixed.q<16, 12>> {
// CHECK-NEXT: %p = tensor.empty() : tensor<2x4x!fixed.q<16, 12>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vp_1:%.*]] = scf.for [[v4:%.*]] = [[v1]] to [[v2]] step [[v3]] iter_args([[vp_2:%.*]] = %p) -> (tensor<2x4x!fixed.q<16, 12>>) {
// CHECK-NEXT: [[vY_1:%.*]] = tdsl.slice %Y{{\[}}[[v0]], [[v4]]] : tensor<3x4x!fixed.q<8, 4>> -> tensor<3x1x!fixed.q<8, 4>>
// CHECK-NEXT: [[vp_3:%.*]] = tdsl.matmul %X, [[vY_1]] {acc = !fixed.acc<32, 11>, bound = array<i64: -50000, 50000>, row_shifts = array<i8: 0, 1>} : tensor<2x3x!fixed.q<8, 7>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<16, 12>>
// CHECK-NEXT: [[v5:%.*]] = tdsl.insert_slice [[vp_3]], [[vp_2]]{{\[}}[[v0]], [[v4]]] : tensor<2x1x!fixed.q<16, 12>>, tensor<2x4x!fixed.q<16, 12>> -> tensor<2x4x!fixed.q<16, 12>>
// CHECK-NEXT: scf.yield [[v5]] : tensor<2x4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vp_1]] : tensor<2x4x!fixed.q<16, 12>>
// HARDWARE-LABEL: func.func @columns(%X: tensor<2x3x!fixed.q<8, 7>>, %Y: tensor<3x4x!fixed.q<8, 4>>) -> tensor<2x4x!fixed.q<16, 12>> {
// HARDWARE-NEXT: %p = tdsl.matmul %X, %Y {acc = !fixed.acc<32, 11>, bound = array<i64: -50000, 50000>, row_shifts = array<i8: 0, 1>} : tensor<2x3x!fixed.q<8, 7>>, tensor<3x4x!fixed.q<8, 4>> -> tensor<2x4x!fixed.q<16, 12>>
// HARDWARE-NEXT: func.return %p : tensor<2x4x!fixed.q<16, 12>>

// -----

// A column, a row, and sums of two products stay.
func.func @kept(%X: tensor<1x3xf32>, %Y: tensor<3x4xf32>, %Z: tensor<4x2xf32>, %V: tensor<2x5xf32>, %v: tensor<4x1xf32>) -> (tensor<1x4xf32>, tensor<4x5xf32>, tensor<3x1xf32>) {
  %p = tdsl.matmul %X, %Y : tensor<1x3xf32>, tensor<3x4xf32> -> tensor<1x4xf32>
  %q = tdsl.matmul %Z, %V : tensor<4x2xf32>, tensor<2x5xf32> -> tensor<4x5xf32>
  %r = tdsl.matmul %Y, %v : tensor<3x4xf32>, tensor<4x1xf32> -> tensor<3x1xf32>
  func.return %p, %q, %r : tensor<1x4xf32>, tensor<4x5xf32>, tensor<3x1xf32>
}
// CHECK-LABEL: func.func @kept(%X: tensor<1x3xf32>, %Y: tensor<3x4xf32>, %Z: tensor<4x2xf32>, %V: tensor<2x5xf32>, %v: tensor<4x1xf32>) -> (tensor<1x4xf32>, tensor<4x5xf32>, tensor<3x1xf32>) {
// CHECK-NEXT: %p = tdsl.matmul %X, %Y : tensor<1x3xf32>, tensor<3x4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: %q = tdsl.matmul %Z, %V : tensor<4x2xf32>, tensor<2x5xf32> -> tensor<4x5xf32>
// CHECK-NEXT: %r = tdsl.matmul %Y, %v : tensor<3x4xf32>, tensor<4x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: func.return %p, %q, %r : tensor<1x4xf32>, tensor<4x5xf32>, tensor<3x1xf32>

// -----

// A bound that follows only from the constant on the right: parts of it have no proof.
func.func @right(%X: tensor<3x3x!fixed.q<8, 7>>) -> tensor<3x3x!fixed.q<16, 12>> {
  %W = tdsl.const dense<[[10, 2, 1], [3, 4, 1], [5, 6, 1]]> : tensor<3x3xi8> -> tensor<3x3x!fixed.q<8, 4>>
  %p = tdsl.matmul %X, %W {acc = !fixed.acc<32, 11>, bound = array<i64: -2500, 2500>} : tensor<3x3x!fixed.q<8, 7>>, tensor<3x3x!fixed.q<8, 4>> -> tensor<3x3x!fixed.q<16, 12>>
  func.return %p : tensor<3x3x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @right(%X: tensor<3x3x!fixed.q<8, 7>>) -> tensor<3x3x!fixed.q<16, 12>> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}10, 2, 1], [3, 4, 1], [5, 6, 1]]> : tensor<3x3xi8> -> tensor<3x3x!fixed.q<8, 4>>
// CHECK-NEXT: %p = tdsl.matmul %X, %W {acc = !fixed.acc<32, 11>, bound = array<i64: -2500, 2500>} : tensor<3x3x!fixed.q<8, 7>>, tensor<3x3x!fixed.q<8, 4>> -> tensor<3x3x!fixed.q<16, 12>>
// CHECK-NEXT: func.return %p : tensor<3x3x!fixed.q<16, 12>>
