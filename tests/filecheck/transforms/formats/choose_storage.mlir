// RUN: tinyml-opt %s -p choose-storage --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'choose-storage{target=uno}' --split-input-file | filecheck %s --check-prefix=AVR
// RUN: tinyml-opt %s -p 'choose-storage{target=cortex-m4}' --split-input-file | filecheck %s --check-prefix=CORTEX
// RUN: tinyml-opt %s -p 'choose-storage{target=cortex-m55}' --split-input-file | filecheck %s --check-prefix=HELIUM
// RUN: tinyml-opt %s -p 'choose-storage{target=uno packed=never}' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: not tinyml-opt %s -p 'choose-storage{target=z80}' --split-input-file 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: unknown target 'z80'

// One entry in 2x8 elements of 2 bytes: 2 + 1 + 2 bytes sparse, 32 dense.
func.func @sparse(%X: tensor<8x1x!fixed.q<16, 12>>) -> tensor<2x1x!fixed.q<16, 8>> {
  %W = tdsl.const dense<[[0, 0, 0, 7, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]]> : tensor<2x8xi16> -> tensor<2x8x!fixed.q<16, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<2x8x!fixed.q<16, 4>, #tdsl.csr>, tensor<8x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 8>>
  func.return %p : tensor<2x1x!fixed.q<16, 8>>
}
// CHECK-LABEL: func.func @sparse
// CHECK: tdsl.spmv %W, %X
// HELIUM-LABEL: func.func @sparse
// HELIUM: tdsl.spmv

// -----

// One zero in six saves nothing. What is known of matrix and product stays.
func.func @dense(%X: tensor<3x1xf32>) -> tensor<2x1xf32> {
  %W = tdsl.const dense<[[1.0, 0.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32> {tdsl.profile = [#tdsl.profile<0.0, 5.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<2x3xf32, #tdsl.csr>
  %p = tdsl.spmv %W, %X {tdsl.profile = [#tdsl.profile<-1.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<2x3xf32, #tdsl.csr>, tensor<3x1xf32> -> tensor<2x1xf32>
  func.return %p : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @dense
// CHECK: [[dense:%.*]] = tdsl.const {{.*}} {tdsl.profile = [#tdsl.profile<0.0, 5.0, {{.*}} -> tensor<2x3xf32>
// CHECK-NEXT: %p = tdsl.matmul [[dense]], %X {tdsl.profile = [#tdsl.profile<-1.0, 1.0,

// -----

// Half of the entries are zero. Two bytes for each other one and one or two for the row are more than eight; but an
// entry of a compressed row takes 1.5 times as long as one of a dense row on an AVR, 2.5 times on a Cortex-M.
func.func @half(%X: tensor<8x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[0, 70, 0, 70, 0, 70, 0, 70]]> : tensor<1x8xi8> -> tensor<1x8x!fixed.q<8, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<1x8x!fixed.q<8, 4>, #tdsl.csr>, tensor<8x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %p : tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @half
// CHECK: tdsl.matmul
// AVR-LABEL: func.func @half
// AVR: tdsl.spmv
// CORTEX-LABEL: func.func @half
// CORTEX: tdsl.matmul
// HELIUM-LABEL: func.func @half
// HELIUM: tdsl.matmul

// -----

// Four of the entries are zero, and 4 bits hold the others: 8 bytes at 13 cycles for each element of a dense row are
// better than 14 at 19 for twelve of them.
func.func @few_bits(%X: tensor<16x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[0, 7, 7, 7, 0, 7, 7, 7, 0, 7, 7, 7, 0, 7, 7, 7]]> : tensor<1x16xi8> -> tensor<1x16x!fixed.q<4, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<1x16x!fixed.q<4, 4>, #tdsl.csr>, tensor<16x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %p : tensor<1x1x!fixed.q<8, 4>>
}
// AVR-LABEL: func.func @few_bits
// AVR: tdsl.matmul
// NEVER-LABEL: func.func @few_bits
// NEVER: tdsl.spmv

// -----

// Half of the entries are zero: packed in 4 bits sparse rows take 10 bytes, dense ones 8 and more time.
func.func @few_near(%X: tensor<16x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7]]> : tensor<1x16xi8> -> tensor<1x16x!fixed.q<4, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<1x16x!fixed.q<4, 4>, #tdsl.csr>, tensor<16x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %p : tensor<1x1x!fixed.q<8, 4>>
}
// AVR-LABEL: func.func @few_near
// AVR: tdsl.spmv
