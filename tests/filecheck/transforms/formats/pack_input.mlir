// RUN: tinyml-opt %s -p 'pack-input,lower-tdsl-to-scratch,pack-scratch,lower-tdsl-to-loops,lower-num-to-arith' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p pack-input --split-input-file | filecheck %s --check-prefix=MARKED

// The caller packs 8 numbers of 9 bits into 9 bytes.
func.func @packed(%X: tensor<8x1x!fixed.q<9, 4>>) -> tensor<8x1x!fixed.q<9, 4>> {
  %y = tdsl.neg %X : tensor<8x1x!fixed.q<9, 4>> -> tensor<8x1x!fixed.q<9, 4>>
  func.return %y : tensor<8x1x!fixed.q<9, 4>>
}
// MARKED: func.func @packed(%X: tensor<8x1x!fixed.q<9, 4>> {tdsl.packed = 9 : i64})
// CHECK: func.func @packed(%X: memref<9xi8> {tdsl.packed = 9 : i64, tinyml.format = "!fixed.q<9, 4>"})
// CHECK: func.call @tm_packed_s9_ram(%{{.*}}, %{{.*}}) : (memref<?xi8>, i16) -> i16

// -----

// 8 bits, and few numbers, are what they are.
func.func @whole(%X: tensor<2x1x!fixed.q<9, 4>>) -> tensor<2x1x!fixed.q<9, 4>> {
  %y = tdsl.neg %X : tensor<2x1x!fixed.q<9, 4>> -> tensor<2x1x!fixed.q<9, 4>>
  func.return %y : tensor<2x1x!fixed.q<9, 4>>
}
// MARKED: func.func @whole(%X: tensor<2x1x!fixed.q<9, 4>>)
// CHECK: func.func @whole(%X: memref<2x1xi16> {{{.*}}})
