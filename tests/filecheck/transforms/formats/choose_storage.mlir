// RUN: tinyml-opt %s -p choose-storage --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'choose-storage{target=uno}' --split-input-file | filecheck %s --check-prefix=AVR
// RUN: tinyml-opt %s -p 'choose-storage{target=cortex-m4}' --split-input-file | filecheck %s --check-prefix=CORTEX
// RUN: tinyml-opt %s -p 'choose-storage{target=cortex-m55}' --split-input-file | filecheck %s --check-prefix=HELIUM
// RUN: tinyml-opt %s -p 'choose-storage{target=riscv}' --split-input-file | filecheck %s --check-prefix=RISCV
// RUN: tinyml-opt %s -p 'choose-storage{target=cortex-m4 packed=never}' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: not tinyml-opt %s -p 'choose-storage{target=z80}' --split-input-file 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: unknown target 'z80'

// One entry in 2x8 elements of 2 bytes: 2 + 1 + 2 bytes sparse, 32 dense.
func.func @sparse(%X: tensor<8x1x!fixed.q<16, 12>>) -> tensor<2x1x!fixed.q<16, 8>> {
  %W = tdsl.const dense<[[0, 0, 0, 7, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]]> : tensor<2x8xi16> -> tensor<2x8x!fixed.q<16, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<2x8x!fixed.q<16, 4>, #tdsl.csr>, tensor<8x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 8>>
  func.return %p : tensor<2x1x!fixed.q<16, 8>>
}
// CHECK-LABEL: func.func @sparse(%X: tensor<8x1x!fixed.q<16, 12>>) -> tensor<2x1x!fixed.q<16, 8>> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}0, 0, 0, 7, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]]> : tensor<2x8xi16> -> tensor<2x8x!fixed.q<16, 4>, #tdsl.csr>
// CHECK-NEXT: %p = tdsl.spmv %W, %X : tensor<2x8x!fixed.q<16, 4>, #tdsl.csr>, tensor<8x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 8>>
// CHECK-NEXT: func.return %p : tensor<2x1x!fixed.q<16, 8>>
// HELIUM-LABEL: func.func @sparse
// HELIUM: tdsl.spmv
// HELIUM-LABEL: func.func @dense(

// -----

// One zero in six saves nothing. What is known of matrix and product stays.
func.func @dense(%X: tensor<3x1xf32>) -> tensor<2x1xf32> {
  %W = tdsl.const dense<[[1.0, 0.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32> {tdsl.profile = [#tdsl.profile<0.0, 5.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<2x3xf32, #tdsl.csr>
  %p = tdsl.spmv %W, %X {tdsl.profile = [#tdsl.profile<-1.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<2x3xf32, #tdsl.csr>, tensor<3x1xf32> -> tensor<2x1xf32>
  func.return %p : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @dense(%X: tensor<3x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00, 5.000000e+00]]> : tensor<2x3xf32> {tdsl.profile = [#tdsl.profile<0.0, 5.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<2x3xf32, #tdsl.csr>
// CHECK-NEXT: [[vW_1:%.*]] = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00, 5.000000e+00]]> : tensor<2x3xf32> {tdsl.profile = [#tdsl.profile<0.0, 5.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<2x3xf32>
// CHECK-NEXT: %p = tdsl.matmul [[vW_1]], %X {tdsl.profile = [#tdsl.profile<-1.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %p : tensor<2x1xf32>

// -----

// Half of the entries are zero. Two bytes for each other one and one or two for the row are more than eight; but an
// entry of a compressed row takes 1.5 times as long as one of a dense row on an AVR, 2.5 times on a Cortex-M.
func.func @half(%X: tensor<8x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[0, 70, 0, 70, 0, 70, 0, 70]]> : tensor<1x8xi8> -> tensor<1x8x!fixed.q<8, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<1x8x!fixed.q<8, 4>, #tdsl.csr>, tensor<8x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %p : tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @half(%X: tensor<8x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}0, 70, 0, 70, 0, 70, 0, 70]]> : tensor<1x8xi8> -> tensor<1x8x!fixed.q<8, 4>, #tdsl.csr>
// CHECK-NEXT: [[vW_1:%.*]] = tdsl.const dense<{{\[\[}}0, 70, 0, 70, 0, 70, 0, 70]]> : tensor<1x8xi8> -> tensor<1x8x!fixed.q<8, 4>>
// CHECK-NEXT: %p = tdsl.matmul [[vW_1]], %X : tensor<1x8x!fixed.q<8, 4>>, tensor<8x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %p : tensor<1x1x!fixed.q<8, 4>>
// AVR-LABEL: func.func @half
// AVR: tdsl.spmv
// CORTEX-LABEL: func.func @half
// CORTEX: tdsl.matmul
// CORTEX-LABEL: func.func @few_bits(
// HELIUM-LABEL: func.func @half
// HELIUM: tdsl.matmul
// HELIUM-LABEL: func.func @few_bits(

// -----

// Four of the entries are zero, and 4 bits hold the others: 8 bytes at 13 cycles for each element of a dense row are
// better than 14 at 19 for twelve of them.
func.func @few_bits(%X: tensor<16x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[0, 7, 7, 7, 0, 7, 7, 7, 0, 7, 7, 7, 0, 7, 7, 7]]> : tensor<1x16xi8> -> tensor<1x16x!fixed.q<4, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<1x16x!fixed.q<4, 4>, #tdsl.csr>, tensor<16x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %p : tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @few_bits(%X: tensor<16x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}0, 7, 7, 7, 0, 7, 7, 7, 0, 7, 7, 7, 0, 7, 7, 7]]> : tensor<1x16xi8> -> tensor<1x16x!fixed.q<4, 4>, #tdsl.csr>
// CHECK-NEXT: [[vW_1:%.*]] = tdsl.const dense<{{\[\[}}0, 7, 7, 7, 0, 7, 7, 7, 0, 7, 7, 7, 0, 7, 7, 7]]> : tensor<1x16xi8> -> tensor<1x16x!fixed.q<4, 4>>
// CHECK-NEXT: %p = tdsl.matmul [[vW_1]], %X : tensor<1x16x!fixed.q<4, 4>>, tensor<16x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %p : tensor<1x1x!fixed.q<8, 4>>
// AVR-LABEL: func.func @few_bits
// AVR: tdsl.matmul

// -----

// Half of the entries are zero: packed in 4 bits sparse rows take 10 bytes, dense ones 8 and more time.
func.func @few_near(%X: tensor<16x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7]]> : tensor<1x16xi8> -> tensor<1x16x!fixed.q<4, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<1x16x!fixed.q<4, 4>, #tdsl.csr>, tensor<16x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %p : tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @few_near(%X: tensor<16x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7]]> : tensor<1x16xi8> -> tensor<1x16x!fixed.q<4, 4>, #tdsl.csr>
// CHECK-NEXT: [[vW_1:%.*]] = tdsl.const dense<{{\[\[}}0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7]]> : tensor<1x16xi8> -> tensor<1x16x!fixed.q<4, 4>>
// CHECK-NEXT: %p = tdsl.matmul [[vW_1]], %X : tensor<1x16x!fixed.q<4, 4>>, tensor<16x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %p : tensor<1x1x!fixed.q<8, 4>>
// AVR-LABEL: func.func @few_near
// AVR: tdsl.spmv

// -----

// A tie is stored densely: one entry of 2 bytes with its gap and the row's length, at twice the time, is as much as two
// dense elements of 2 bytes. Of a third, none is.
func.func @tie(%X: tensor<2x1x!fixed.q<16, 12>>, %Y: tensor<3x1x!fixed.q<16, 12>>) -> (tensor<1x1x!fixed.q<16, 8>>, tensor<1x1x!fixed.q<16, 8>>) {
  %V = tdsl.const dense<[[0, 700]]> : tensor<1x2xi16> -> tensor<1x2x!fixed.q<16, 4>, #tdsl.csr>
  %W = tdsl.const dense<[[0, 700, 0]]> : tensor<1x3xi16> -> tensor<1x3x!fixed.q<16, 4>, #tdsl.csr>
  %p = tdsl.spmv %V, %X : tensor<1x2x!fixed.q<16, 4>, #tdsl.csr>, tensor<2x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 8>>
  %q = tdsl.spmv %W, %Y : tensor<1x3x!fixed.q<16, 4>, #tdsl.csr>, tensor<3x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 8>>
  func.return %p, %q : tensor<1x1x!fixed.q<16, 8>>, tensor<1x1x!fixed.q<16, 8>>
}
// CHECK-LABEL: func.func @tie(%X: tensor<2x1x!fixed.q<16, 12>>, %Y: tensor<3x1x!fixed.q<16, 12>>) -> (tensor<1x1x!fixed.q<16, 8>>, tensor<1x1x!fixed.q<16, 8>>) {
// CHECK-NEXT: %V = tdsl.const dense<{{\[\[}}0, 700]]> : tensor<1x2xi16> -> tensor<1x2x!fixed.q<16, 4>, #tdsl.csr>
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}0, 700, 0]]> : tensor<1x3xi16> -> tensor<1x3x!fixed.q<16, 4>, #tdsl.csr>
// CHECK-NEXT: [[vV_1:%.*]] = tdsl.const dense<{{\[\[}}0, 700]]> : tensor<1x2xi16> -> tensor<1x2x!fixed.q<16, 4>>
// CHECK-NEXT: %p = tdsl.matmul [[vV_1]], %X : tensor<1x2x!fixed.q<16, 4>>, tensor<2x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 8>>
// CHECK-NEXT: %q = tdsl.spmv %W, %Y : tensor<1x3x!fixed.q<16, 4>, #tdsl.csr>, tensor<3x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 8>>
// CHECK-NEXT: func.return %p, %q : tensor<1x1x!fixed.q<16, 8>>, tensor<1x1x!fixed.q<16, 8>>

// -----

// Published arithmetic stores what its paper stores.
func.func @published(%X: tensor<3x1x!shiftry.q<8, 5>>) -> tensor<1x1x!shiftry.q<8, 3>> {
  %W = tdsl.const dense<[[1, 2, 3]]> : tensor<1x3xi8> -> tensor<1x3x!shiftry.q<8, 6>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<1x3x!shiftry.q<8, 6>, #tdsl.csr>, tensor<3x1x!shiftry.q<8, 5>> -> tensor<1x1x!shiftry.q<8, 3>>
  func.return %p : tensor<1x1x!shiftry.q<8, 3>>
}
// CHECK-LABEL: func.func @published(%X: tensor<3x1x!shiftry.q<8, 5>>) -> tensor<1x1x!shiftry.q<8, 3>> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1, 2, 3]]> : tensor<1x3xi8> -> tensor<1x3x!shiftry.q<8, 6>, #tdsl.csr>
// CHECK-NEXT: %p = tdsl.spmv %W, %X : tensor<1x3x!shiftry.q<8, 6>, #tdsl.csr>, tensor<3x1x!shiftry.q<8, 5>> -> tensor<1x1x!shiftry.q<8, 3>>
// CHECK-NEXT: func.return %p : tensor<1x1x!shiftry.q<8, 3>>

// -----

// On a Cortex-M seven entries of sixteen are better dense, unless four bits hold them and they may be packed.
func.func @seven_small(%X: tensor<16x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[0, 0, 7, 0, 7, 7, 0, 7, 0, 0, 7, 0, 0, 7, 0, 7]]> : tensor<1x16xi8> -> tensor<1x16x!fixed.q<8, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<1x16x!fixed.q<8, 4>, #tdsl.csr>, tensor<16x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %p : tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @seven_small(%X: tensor<16x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}0, 0, 7, 0, 7, 7, 0, 7, 0, 0, 7, 0, 0, 7, 0, 7]]> : tensor<1x16xi8> -> tensor<1x16x!fixed.q<8, 4>, #tdsl.csr>
// CHECK-NEXT: %p = tdsl.spmv %W, %X : tensor<1x16x!fixed.q<8, 4>, #tdsl.csr>, tensor<16x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %p : tensor<1x1x!fixed.q<8, 4>>
// CORTEX-LABEL: func.func @seven_small
// CORTEX: tdsl.spmv
// NEVER-LABEL: func.func @seven_small
// NEVER: tdsl.matmul

// -----

func.func @six_large(%X: tensor<16x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[0, 0, 100, 0, 0, 100, 0, 100, 0, 0, 100, 0, 0, 100, 0, 100]]> : tensor<1x16xi8> -> tensor<1x16x!fixed.q<8, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<1x16x!fixed.q<8, 4>, #tdsl.csr>, tensor<16x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %p : tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @six_large(%X: tensor<16x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}0, 0, 100, 0, 0, 100, 0, 100, 0, 0, 100, 0, 0, 100, 0, 100]]> : tensor<1x16xi8> -> tensor<1x16x!fixed.q<8, 4>, #tdsl.csr>
// CHECK-NEXT: %p = tdsl.spmv %W, %X : tensor<1x16x!fixed.q<8, 4>, #tdsl.csr>, tensor<16x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %p : tensor<1x1x!fixed.q<8, 4>>
// CORTEX-LABEL: func.func @six_large
// CORTEX-NEXT: %W = tdsl.const
// CORTEX-NEXT: %p = tdsl.spmv

// -----

// Three bytes of one entry at twice the time are less than three at three times an element's; at three times they were not.
func.func @twice(%X: tensor<3x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[0, 70, 0]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<8, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<1x3x!fixed.q<8, 4>, #tdsl.csr>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %p : tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @twice
// CHECK-NEXT: %W = tdsl.const
// CHECK-NEXT: %p = tdsl.spmv

// -----

// Two such rows: 20 bytes of sparse rows at 19 cycles for each of 16 entries, 16 bytes at 13 cycles for 32 elements.
func.func @two_near(%X: tensor<16x1x!fixed.q<8, 4>>) -> tensor<2x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7], [0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7, 0, 7]]> : tensor<2x16xi8> -> tensor<2x16x!fixed.q<4, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<2x16x!fixed.q<4, 4>, #tdsl.csr>, tensor<16x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
  func.return %p : tensor<2x1x!fixed.q<8, 4>>
}
// AVR-LABEL: func.func @two_near
// AVR: tdsl.spmv

// -----

// A Cortex-M takes 2.9 cycles for an element of a dense row, or 1.8 if it computes four rows at once. 7.4 for a sparse
// entry are too many then.
func.func @four_rows(%X: tensor<8x1x!fixed.q<8, 4>>) -> (tensor<3x1x!fixed.q<8, 4>>, tensor<4x1x!fixed.q<8, 4>>) {
  %V = tdsl.const dense<[[0, 99, 0, 99, 0, 0, 99, 0], [0, 99, 0, 99, 0, 0, 99, 0], [0, 99, 0, 99, 0, 0, 99, 0]]> : tensor<3x8xi8> -> tensor<3x8x!fixed.q<8, 4>, #tdsl.csr>
  %W = tdsl.const dense<[[0, 99, 0, 99, 0, 0, 99, 0], [0, 99, 0, 99, 0, 0, 99, 0], [0, 99, 0, 99, 0, 0, 99, 0], [0, 99, 0, 0, 0, 0, 99, 0]]> : tensor<4x8xi8> -> tensor<4x8x!fixed.q<8, 4>, #tdsl.csr>
  %p = tdsl.spmv %V, %X : tensor<3x8x!fixed.q<8, 4>, #tdsl.csr>, tensor<8x1x!fixed.q<8, 4>> -> tensor<3x1x!fixed.q<8, 4>>
  %q = tdsl.spmv %W, %X : tensor<4x8x!fixed.q<8, 4>, #tdsl.csr>, tensor<8x1x!fixed.q<8, 4>> -> tensor<4x1x!fixed.q<8, 4>>
  func.return %p, %q : tensor<3x1x!fixed.q<8, 4>>, tensor<4x1x!fixed.q<8, 4>>
}
// CORTEX-LABEL: func.func @four_rows
// CORTEX: %p = tdsl.spmv %V
// CORTEX: %q = tdsl.matmul

// -----

// On a RISC-V an entry of a sparse row of 16 bits takes 7.75 cycles, less than the 8.75 of an element of one dense row:
// 13 bytes for four entries have the smaller product of bytes and time than 10 bytes for five elements.
func.func @four_of_five(%X: tensor<5x1x!fixed.q<16, 12>>) -> tensor<1x1x!fixed.q<16, 8>> {
  %W = tdsl.const dense<[[30000, 30000, 30000, 0, 30000]]> : tensor<1x5xi16> -> tensor<1x5x!fixed.q<16, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<1x5x!fixed.q<16, 4>, #tdsl.csr>, tensor<5x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 8>>
  func.return %p : tensor<1x1x!fixed.q<16, 8>>
}
// RISCV-LABEL: func.func @four_of_five(%X: tensor<5x1x!fixed.q<16, 12>>) -> tensor<1x1x!fixed.q<16, 8>> {
// RISCV-NEXT: %W = tdsl.const dense<{{\[\[}}30000, 30000, 30000, 0, 30000]]> : tensor<1x5xi16> -> tensor<1x5x!fixed.q<16, 4>, #tdsl.csr>
// RISCV-NEXT: %p = tdsl.spmv %W, %X : tensor<1x5x!fixed.q<16, 4>, #tdsl.csr>, tensor<5x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 8>>
// RISCV-NEXT: func.return %p : tensor<1x1x!fixed.q<16, 8>>

// -----

// A matrix with room for other entries stays as it is.
func.func @room(%X: tensor<2x1x!fixed.q<16, 12>>) -> tensor<1x1x!fixed.q<16, 8>> {
  %W = tdsl.const dense<[[3, 7]]> : tensor<1x2xi16> -> tensor<1x2x!fixed.q<16, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X {room = 2 : i64} : tensor<1x2x!fixed.q<16, 4>, #tdsl.csr>, tensor<2x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 8>>
  func.return %p : tensor<1x1x!fixed.q<16, 8>>
}
// CHECK-LABEL: func.func @room(
// CHECK: tdsl.spmv %W, %X {room = 2 : i64}
