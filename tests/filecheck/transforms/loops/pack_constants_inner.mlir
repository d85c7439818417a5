// RUN: tinyml-opt %s -p 'pack-constants{target=uno}' --split-input-file | filecheck %s

// Rows of nine weights are filled up to twelve. A matrix of 72 bytes is packed only while its products take a small part
// of the time of all packable constants.
func.func @outer(%x: memref<9x!fixed.q<8, 7>>, %v: memref<64x!fixed.q<8, 7>>, %Y: memref<8x!fixed.q<8, 4>>, %Z: memref<32x!fixed.q<8, 4>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 3 : index
  %W = scratch.constant dense<-2> : tensor<8x9xi8> -> memref<8x9x!fixed.q<8, 0>, #scratch.flash>
  %V = scratch.constant dense<-2> : tensor<32x64xi8> -> memref<32x64x!fixed.q<8, 0>, #scratch.flash>
  scf.for %k = %c0 to %n step %c1 {
    num.contract %i to 8 {
      %zero = num.zero : !fixed.acc<32, 7>
      %sum = num.products %zero, %W, %x : !fixed.acc<32, 7>, memref<8x9x!fixed.q<8, 0>, #scratch.flash>, memref<9x!fixed.q<8, 7>> -> !fixed.acc<32, 7>
      %y = num.finish %sum : !fixed.acc<32, 7> -> !fixed.q<8, 4>
      memref.store %y, %Y[%i] : memref<8x!fixed.q<8, 4>>
    }
  }
  num.contract %i to 32 {
    %zero = num.zero : !fixed.acc<32, 7>
    %sum = num.products %zero, %V, %v : !fixed.acc<32, 7>, memref<32x64x!fixed.q<8, 0>, #scratch.flash>, memref<64x!fixed.q<8, 7>> -> !fixed.acc<32, 7>
    %y = num.finish %sum : !fixed.acc<32, 7> -> !fixed.q<8, 4>
    memref.store %y, %Z[%i] : memref<32x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @outer(
// CHECK: -> memref<8x12x!fixed.q<8, 0>, #scratch.packed<2>>
// CHECK: -> memref<32x64x!fixed.q<8, 0>, #scratch.packed<2>>

// -----

func.func @inner(%x: memref<9x!fixed.q<8, 7>>, %v: memref<64x!fixed.q<8, 7>>, %Y: memref<8x!fixed.q<8, 4>>, %Z: memref<32x!fixed.q<8, 4>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %W = scratch.constant dense<-2> : tensor<8x9xi8> -> memref<8x9x!fixed.q<8, 0>, #scratch.flash>
  %V = scratch.constant dense<-2> : tensor<32x64xi8> -> memref<32x64x!fixed.q<8, 0>, #scratch.flash>
  scf.for %k = %c0 to %n step %c1 {
    num.contract %i to 8 {
      %zero = num.zero : !fixed.acc<32, 7>
      %sum = num.products %zero, %W, %x : !fixed.acc<32, 7>, memref<8x9x!fixed.q<8, 0>, #scratch.flash>, memref<9x!fixed.q<8, 7>> -> !fixed.acc<32, 7>
      %y = num.finish %sum : !fixed.acc<32, 7> -> !fixed.q<8, 4>
      memref.store %y, %Y[%i] : memref<8x!fixed.q<8, 4>>
    }
  }
  num.contract %i to 32 {
    %zero = num.zero : !fixed.acc<32, 7>
    %sum = num.products %zero, %V, %v : !fixed.acc<32, 7>, memref<32x64x!fixed.q<8, 0>, #scratch.flash>, memref<64x!fixed.q<8, 7>> -> !fixed.acc<32, 7>
    %y = num.finish %sum : !fixed.acc<32, 7> -> !fixed.q<8, 4>
    memref.store %y, %Z[%i] : memref<32x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @inner(
// CHECK: -> memref<8x9x!fixed.q<8, 0>, #scratch.flash>
// CHECK: -> memref<32x64x!fixed.q<8, 0>, #scratch.packed<2>>

// -----

// A nest whose loads are not by a kernel takes the time of its elements, as the same loops do.
func.func @nest(%v: memref<64x!fixed.q<8, 7>>, %Y: memref<8x9x!fixed.q<8, 0>>, %Z: memref<32x!fixed.q<8, 4>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100 : index
  %W = scratch.constant dense<-2> : tensor<8x9xi8> -> memref<8x9x!fixed.q<8, 0>, #scratch.flash>
  %V = scratch.constant dense<-2> : tensor<32x64xi8> -> memref<32x64x!fixed.q<8, 0>, #scratch.flash>
  scf.for %k = %c0 to %n step %c1 {
    num.nest %i, %j to 8, 9 {
      %w = memref.load %W[%i, %j] : memref<8x9x!fixed.q<8, 0>, #scratch.flash>
      memref.store %w, %Y[%i, %j] : memref<8x9x!fixed.q<8, 0>>
    }
  }
  num.contract %i to 32 {
    %zero = num.zero : !fixed.acc<32, 7>
    %sum = num.products %zero, %V, %v : !fixed.acc<32, 7>, memref<32x64x!fixed.q<8, 0>, #scratch.flash>, memref<64x!fixed.q<8, 7>> -> !fixed.acc<32, 7>
    %y = num.finish %sum : !fixed.acc<32, 7> -> !fixed.q<8, 4>
    memref.store %y, %Z[%i] : memref<32x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @nest(
// CHECK: -> memref<8x9x!fixed.q<8, 0>, #scratch.flash>
// CHECK: -> memref<32x64x!fixed.q<8, 0>, #scratch.packed<2>>
