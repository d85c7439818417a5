// RUN: tinyml-opt %s -p 'pack-input,lower-tdsl-to-scratch,pack-scratch,lower-tdsl-to-loops,expand-nests,lower-num-to-exact,lower-exact-to-arith' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p pack-input --split-input-file | filecheck %s --check-prefix=MARKED

// The caller packs 8 numbers of 9 bits into 9 bytes.
func.func @packed(%X: tensor<8x1x!fixed.q<9, 4>>) -> tensor<8x1x!fixed.q<9, 4>> {
  %y = tdsl.neg %X : tensor<8x1x!fixed.q<9, 4>> -> tensor<8x1x!fixed.q<9, 4>>
  func.return %y : tensor<8x1x!fixed.q<9, 4>>
}
// MARKED-LABEL: func.func @packed(%X: tensor<8x1x!fixed.q<9, 4>>) -> {{.*}}#tdsl.interface<input = <packed = 9>>
// CHECK-LABEL: func.func @packed(%X: memref<9xi8> {tinyml.format = "!fixed.q<9, 4>"}) -> {{.*}}#tdsl.interface<input = <packed = 9>>
// CHECK: func.call @tm_packed_s9_ram(%{{.*}}, %{{.*}}) : (memref<?xi8>, i16) -> i16

// -----

// 8 bits, and few numbers, are what they are.
func.func @whole(%X: tensor<2x1x!fixed.q<9, 4>>) -> tensor<2x1x!fixed.q<9, 4>> {
  %y = tdsl.neg %X : tensor<2x1x!fixed.q<9, 4>> -> tensor<2x1x!fixed.q<9, 4>>
  func.return %y : tensor<2x1x!fixed.q<9, 4>>
}
// MARKED-LABEL: func.func @whole(%X: tensor<2x1x!fixed.q<9, 4>>)
// CHECK-LABEL: func.func @whole(%X: memref<2x1xi16> {{{.*}}})

// -----

// Without a sign 4 bits hold 0 to 15: two numbers a byte, less 8.
func.func @unsigned(%X: tensor<8x1x!fixed.u<4, 4>>) -> tensor<8x1x!fixed.q<8, 4>> {
  %y = tdsl.neg %X : tensor<8x1x!fixed.u<4, 4>> -> tensor<8x1x!fixed.q<8, 4>>
  func.return %y : tensor<8x1x!fixed.q<8, 4>>
}
// MARKED-LABEL: func.func @unsigned(%X: tensor<8x1x!fixed.u<4, 4>>) -> {{.*}}#tdsl.interface<input = <packed = 4>>
// CHECK-LABEL: func.func @unsigned(%X: memref<4xi8> {tinyml.format = "!fixed.u<4, 4>"}) -> {{.*}}#tdsl.interface<input = <packed = 4>>
// CHECK: [[x:%.*]] = func.call @tm_packed_s4_ram(%{{.*}}, %{{.*}}) : (memref<?xi8>, i16) -> i8
// CHECK-NEXT: [[eight:%.*]] = arith.constant 8 : i8
// CHECK-NEXT: arith.addi [[x]], [[eight]] : i8
// CHECK-LABEL: func.func @rows(

// -----

// Rows of whole groups of 8 numbers of 9 bits are packed one by one; rows of 4 numbers are not, nor are samples that the
// caller pushes.
func.func @rows(%X: tensor<16x1x!fixed.q<9, 4>>) -> tensor<16x1x!fixed.q<9, 4>> attributes {tdsl.interface = #tdsl.interface<input = <received = 8>>} {
  %y = tdsl.neg %X : tensor<16x1x!fixed.q<9, 4>> -> tensor<16x1x!fixed.q<9, 4>>
  func.return %y : tensor<16x1x!fixed.q<9, 4>>
}
// MARKED-LABEL: func.func @rows(
// MARKED-SAME: packed = 9

// -----

func.func @parts(%X: tensor<16x1x!fixed.q<9, 4>>) -> tensor<16x1x!fixed.q<9, 4>> attributes {tdsl.interface = #tdsl.interface<input = <received = 4>>} {
  %y = tdsl.neg %X : tensor<16x1x!fixed.q<9, 4>> -> tensor<16x1x!fixed.q<9, 4>>
  func.return %y : tensor<16x1x!fixed.q<9, 4>>
}
// MARKED-LABEL: func.func @parts(
// MARKED-NOT: packed =
// MARKED: func.return

// -----

func.func @pushed(%X: tensor<16x1x!fixed.q<9, 4>>) -> tensor<16x1x!fixed.q<9, 4>> attributes {tdsl.interface = #tdsl.interface<input = <pushed = [8, 8, 2, 1]>>} {
  %y = tdsl.neg %X : tensor<16x1x!fixed.q<9, 4>> -> tensor<16x1x!fixed.q<9, 4>>
  func.return %y : tensor<16x1x!fixed.q<9, 4>>
}
// MARKED-LABEL: func.func @pushed(
// MARKED-NOT: packed =
// MARKED: func.return
