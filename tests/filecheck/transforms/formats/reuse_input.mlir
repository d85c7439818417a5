// RUN: tinyml-opt %s -p reuse-input --split-input-file | filecheck %s --check-prefix=MARKED
// RUN: tinyml-opt %s -p 'reuse-input,pack-input,lower-tdsl-to-scratch' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'reuse-input,tile-windows,lower-tdsl-to-scratch,cse,reorder-ops,update-in-place,pack-scratch,check-packing' --split-input-file | filecheck %s --check-prefix=PLACED

// The result takes the place of the input; what was known of it stays in the interface.
func.func @input(%X: tensor<8x1x!fixed.q<16, 4>>) -> tensor<8x1x!fixed.q<16, 4>> attributes {tdsl.interface = #tdsl.interface<input = <zeros = 0.5>>} {
  %y = tdsl.neg %X : tensor<8x1x!fixed.q<16, 4>> -> tensor<8x1x!fixed.q<16, 4>>
  func.return %y : tensor<8x1x!fixed.q<16, 4>>
}
// CHECK-LABEL: func.func @input() -> memref<8x1x!fixed.q<16, 4>> attributes {tdsl.interface = #tdsl.interface<input = <zeros = 0.5, reused>>} {
// CHECK-NEXT: %X = scratch.alloc {input} : memref<8x1x!fixed.q<16, 4>>
// CHECK-NEXT: %y = scratch.alloc : memref<8x1x!fixed.q<16, 4>>
// CHECK-NEXT: tdsl.neg %X : memref<8x1x!fixed.q<16, 4>> into %y : memref<8x1x!fixed.q<16, 4>>
// CHECK-NEXT: func.return %y : memref<8x1x!fixed.q<16, 4>>
// MARKED-LABEL: func.func @input(%X: tensor<8x1x!fixed.q<16, 4>>) -> {{.*}}#tdsl.interface<input = <zeros = 0.5, reused>>
// PLACED: scratch.arena {{.*}} : memref<16xi8>
// PLACED: %X = scratch.view %arena[0 : i64] {live = [-1 : i64, 0 : i64], input, place = 0 : i64}
// PLACED: %y = scratch.view %arena[0 : i64] {live = [1 : i64, 1 : i64], place = 0 : i64}

// -----

// The caller writes an input that nothing reads, too.
func.func @unread(%X: tensor<2x!fixed.q<16, 4>>) -> tensor<1x!fixed.q<16, 4>> {
  %y = tdsl.fill {value = 1.0 : f64} -> tensor<1x!fixed.q<16, 4>>
  func.return %y : tensor<1x!fixed.q<16, 4>>
}
// CHECK-LABEL: func.func @unread() -> memref<1x!fixed.q<16, 4>> attributes {tdsl.interface = #tdsl.interface<input = <reused>>} {
// CHECK-NEXT: %X = scratch.alloc {input} : memref<2x!fixed.q<16, 4>>
// CHECK-NEXT: %y = scratch.alloc : memref<1x!fixed.q<16, 4>>
// CHECK-NEXT: tdsl.fill {value = 1.000000e+00 : f64} into %y : memref<1x!fixed.q<16, 4>>
// CHECK-NEXT: func.return %y : memref<1x!fixed.q<16, 4>>
// MARKED-LABEL: func.func @unread(%X: tensor<2x!fixed.q<16, 4>>) -> {{.*}}#tdsl.interface<input = <reused>>
// PLACED: scratch.arena {{.*}} : memref<4xi8>
// PLACED: %X = scratch.view %arena[0 : i64] {live = [-1 : i64, -1 : i64], input}
// PLACED: %y = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]}

// -----

// The result of a convolution begins as far below the input as its windows need.
func.func @image(%X: tensor<1x4x4x2x!fixed.q<8, 4>>) -> tensor<1x2x2x3x!fixed.q<8, 4>> {
  %W = tdsl.const dense<1> : tensor<3x3x3x2xi8> -> tensor<3x3x3x2x!fixed.q<8, 7>>
  %y = tdsl.conv2d %W, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x3x3x2x!fixed.q<8, 7>>, tensor<1x4x4x2x!fixed.q<8, 4>> -> tensor<1x2x2x3x!fixed.q<8, 4>>
  func.return %y : tensor<1x2x2x3x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @image() -> memref<1x2x2x3x!fixed.q<8, 4>> attributes {tdsl.interface = #tdsl.interface<input = <reused>>} {
// CHECK-NEXT: %X = scratch.alloc {input} : memref<1x4x4x2x!fixed.q<8, 4>>
// CHECK-NEXT: %W = scratch.constant dense<1> : tensor<3x3x3x2xi8> -> memref<3x3x3x2x!fixed.q<8, 7>, #scratch.flash>
// CHECK-NEXT: %y = scratch.alloc : memref<1x2x2x3x!fixed.q<8, 4>>
// CHECK-NEXT: tdsl.conv2d %W, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : memref<3x3x3x2x!fixed.q<8, 7>, #scratch.flash>, memref<1x4x4x2x!fixed.q<8, 4>> into %y : memref<1x2x2x3x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %y : memref<1x2x2x3x!fixed.q<8, 4>>
// PLACED-LABEL: func.func @image

// -----

// The caller packs it.
func.func @packed(%X: tensor<8x1x!fixed.q<9, 4>>) -> tensor<8x1x!fixed.q<9, 4>> {
  %y = tdsl.neg %X : tensor<8x1x!fixed.q<9, 4>> -> tensor<8x1x!fixed.q<9, 4>>
  func.return %y : tensor<8x1x!fixed.q<9, 4>>
}
// CHECK-LABEL: func.func @packed() -> memref<8x1x!fixed.q<9, 4>> attributes {tdsl.interface = #tdsl.interface<input = <packed = 9, reused>>} {
// CHECK-NEXT: %X = scratch.alloc {input} : memref<8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: %y = scratch.alloc : memref<8x1x!fixed.q<9, 4>>
// CHECK-NEXT: tdsl.neg %X : memref<8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> into %y : memref<8x1x!fixed.q<9, 4>>
// CHECK-NEXT: func.return %y : memref<8x1x!fixed.q<9, 4>>
