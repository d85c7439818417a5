// RUN: tinyml-opt %s -p 'pack-constants{target=cortex-m4 packed=always}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'pack-constants{target=cortex-m4}' --split-input-file | filecheck %s --check-prefix=AUTO
// RUN: tinyml-opt %s -p 'pack-constants{target=cortex-m3 packed=always}' --split-input-file | filecheck %s --check-prefix=PLAIN

// With the DSP extension, weights of 1, 2 and 4 bits are pairs of halfwords. Rows are filled up to words.

// Sixteen weights of two bits are a word. 24 bytes less do not repay the kernel.
func.func @two(%x: memref<9x!fixed.q<8, 7>>, %Y: memref<8x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<-2> : tensor<8x9xi8> -> memref<8x9x!fixed.q<8, 0>, #scratch.flash>
  num.contract %i to 8 {
    %zero = num.zero : !fixed.acc<32, 7>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 7>, memref<8x9x!fixed.q<8, 0>, #scratch.flash>, memref<9x!fixed.q<8, 7>> -> !fixed.acc<32, 7>
    %y = num.finish %sum : !fixed.acc<32, 7> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<8x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @two(
// CHECK: scratch.constant {{.*}} -> memref<8x16x!fixed.q<8, 0>, #scratch.packed<2, pairs>>
// AUTO-LABEL: func.func @two(
// AUTO: #scratch.flash
// PLAIN-LABEL: func.func @two(
// PLAIN: -> memref<8x12x!fixed.q<8, 0>, #scratch.packed<2>>

// -----

// 1,536 bytes less repay the kernel.
func.func @many(%x: memref<64x!fixed.q<8, 7>>, %Y: memref<32x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<-2> : tensor<32x64xi8> -> memref<32x64x!fixed.q<8, 0>, #scratch.flash>
  num.contract %i to 32 {
    %zero = num.zero : !fixed.acc<32, 7>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 7>, memref<32x64x!fixed.q<8, 0>, #scratch.flash>, memref<64x!fixed.q<8, 7>> -> !fixed.acc<32, 7>
    %y = num.finish %sum : !fixed.acc<32, 7> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<32x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @many(
// AUTO-LABEL: func.func @many(
// AUTO: -> memref<32x64x!fixed.q<8, 0>, #scratch.packed<2, pairs>>
// PLAIN-LABEL: func.func @many(

// -----

// Weights of three bits are pairs of four bits; eight are a word.
func.func @three(%x: memref<9x!fixed.q<8, 7>>, %Y: memref<8x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<3> : tensor<8x9xi8> -> memref<8x9x!fixed.q<8, 0>, #scratch.flash>
  num.contract %i to 8 {
    %zero = num.zero : !fixed.acc<32, 7>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 7>, memref<8x9x!fixed.q<8, 0>, #scratch.flash>, memref<9x!fixed.q<8, 7>> -> !fixed.acc<32, 7>
    %y = num.finish %sum : !fixed.acc<32, 7> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<8x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @three(
// CHECK: -> memref<8x16x!fixed.q<8, 0>, #scratch.packed<4, pairs>>
// AUTO-LABEL: func.func @three(
// PLAIN-LABEL: func.func @three(

// -----

// Weights of five bits are no pairs: they are packed as weights of six bits.
func.func @five(%x: memref<9x!fixed.q<8, 7>>, %Y: memref<8x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<-16> : tensor<8x9xi8> -> memref<8x9x!fixed.q<8, 0>, #scratch.flash>
  num.contract %i to 8 {
    %zero = num.zero : !fixed.acc<32, 7>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 7>, memref<8x9x!fixed.q<8, 0>, #scratch.flash>, memref<9x!fixed.q<8, 7>> -> !fixed.acc<32, 7>
    %y = num.finish %sum : !fixed.acc<32, 7> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<8x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @five(
// CHECK: -> memref<8x12x!fixed.q<8, 0>, #scratch.packed<6>>
// AUTO-LABEL: func.func @five(
// PLAIN-LABEL: func.func @five(

// -----

// Signs are pairs of one bit, 32 in a word.
func.func @signs(%x: memref<33x!fixed.q<8, 7>>, %Y: memref<8x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<1> : tensor<8x33xi8> -> memref<8x33x!midrise.q<1, 0>, #scratch.flash>
  num.contract %i to 8 {
    %zero = num.zero : !fixed.acc<32, 7>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 7>, memref<8x33x!midrise.q<1, 0>, #scratch.flash>, memref<33x!fixed.q<8, 7>> -> !fixed.acc<32, 7>
    %y = num.finish %sum : !fixed.acc<32, 7> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<8x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @signs(
// CHECK: -> memref<8x64x!midrise.q<1, 0>, #scratch.packed<1, pairs>>
// AUTO-LABEL: func.func @signs(
// PLAIN-LABEL: func.func @signs(
// PLAIN: #scratch.packed<1, odd>
