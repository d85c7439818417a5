// RUN: tinyml-opt %s -p pack-buffers | filecheck %s
// RUN: tinyml-opt %s -p pack-buffers,update-in-place,pack-scratch,check-packing | filecheck %s --check-prefix=PACKED

// %a takes 9 bytes instead of 16. %b and %c, packed alike, take its place; %d does not: the first byte of a group holds
// bits of elements that are still to be read. Four elements of 9 bits save nothing; what is returned stays whole.
func.func @buffers(%X: memref<8x1x!fixed.q<9, 4>>) -> (memref<8x1x!fixed.q<9, 4>>, index) {
  %c0 = arith.constant 0 : index
  %a = scratch.alloc : memref<8x1x!fixed.q<9, 4>>
  %b = scratch.alloc : memref<8x1x!fixed.q<9, 5>>
  %c = scratch.alloc : memref<8x1x!fixed.q<9, 6>>
  %d = scratch.alloc : memref<8x1x!fixed.q<6, 3>>
  %few = scratch.alloc : memref<4x1x!fixed.q<9, 4>>
  %y = scratch.alloc : memref<8x1x!fixed.q<9, 4>>
  tdsl.neg %X : memref<8x1x!fixed.q<9, 4>> into %a : memref<8x1x!fixed.q<9, 4>>
  tdsl.cast %a : memref<8x1x!fixed.q<9, 4>> into %b : memref<8x1x!fixed.q<9, 5>>
  tdsl.cast %b : memref<8x1x!fixed.q<9, 5>> into %c : memref<8x1x!fixed.q<9, 6>>
  tdsl.cast %c : memref<8x1x!fixed.q<9, 6>> into %d : memref<8x1x!fixed.q<6, 3>>
  %half = scratch.slice %d[%c0] : memref<8x1x!fixed.q<6, 3>> to memref<4x1x!fixed.q<6, 3>>
  tdsl.cast %half : memref<4x1x!fixed.q<6, 3>> into %few : memref<4x1x!fixed.q<9, 4>>
  %l = tdsl.argmax %few : memref<4x1x!fixed.q<9, 4>>
  tdsl.cast %d : memref<8x1x!fixed.q<6, 3>> into %y : memref<8x1x!fixed.q<9, 4>>
  func.return %y, %l : memref<8x1x!fixed.q<9, 4>>, index
}
// CHECK-LABEL: func.func @buffers(%X: memref<8x1x!fixed.q<9, 4>>) -> (memref<8x1x!fixed.q<9, 4>>, index) {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %a = scratch.alloc : memref<8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: %b = scratch.alloc : memref<8x1x!fixed.q<9, 5>, #scratch.packed_ram<9>>
// CHECK-NEXT: %c = scratch.alloc : memref<8x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
// CHECK-NEXT: %d = scratch.alloc : memref<8x1x!fixed.q<6, 3>, #scratch.packed_ram<6>>
// CHECK-NEXT: %few = scratch.alloc : memref<4x1x!fixed.q<9, 4>>
// CHECK-NEXT: %y = scratch.alloc : memref<8x1x!fixed.q<9, 4>>
// CHECK-NEXT: tdsl.neg %X : memref<8x1x!fixed.q<9, 4>> into %a : memref<8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: tdsl.cast %a : memref<8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> into %b : memref<8x1x!fixed.q<9, 5>, #scratch.packed_ram<9>>
// CHECK-NEXT: tdsl.cast %b : memref<8x1x!fixed.q<9, 5>, #scratch.packed_ram<9>> into %c : memref<8x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
// CHECK-NEXT: tdsl.cast %c : memref<8x1x!fixed.q<9, 6>, #scratch.packed_ram<9>> into %d : memref<8x1x!fixed.q<6, 3>, #scratch.packed_ram<6>>
// CHECK-NEXT: %half = scratch.slice %d[%c0] : memref<8x1x!fixed.q<6, 3>, #scratch.packed_ram<6>> to memref<4x1x!fixed.q<6, 3>, #scratch.packed_ram<6>>
// CHECK-NEXT: tdsl.cast %half : memref<4x1x!fixed.q<6, 3>, #scratch.packed_ram<6>> into %few : memref<4x1x!fixed.q<9, 4>>
// CHECK-NEXT: %l = tdsl.argmax %few : memref<4x1x!fixed.q<9, 4>>
// CHECK-NEXT: tdsl.cast %d : memref<8x1x!fixed.q<6, 3>, #scratch.packed_ram<6>> into %y : memref<8x1x!fixed.q<9, 4>>
// CHECK-NEXT: func.return %y, %l : memref<8x1x!fixed.q<9, 4>>, index
// PACKED: scratch.arena {{.*}} : memref<17xi8>
// PACKED: %a = scratch.view %arena[0 : i64]
// PACKED: %b = scratch.view %arena[0 : i64]
// PACKED: %c = scratch.view %arena[0 : i64]
// PACKED: %d = scratch.view %arena[11 : i64]

// 4 bits without a sign are packed less 8, which is read before it is written: %b takes the place of %a.
func.func @unsigned(%X: memref<8x1x!fixed.q<8, 4>>) -> index {
  %a = scratch.alloc : memref<8x1x!fixed.u<4, 2>>
  %b = scratch.alloc : memref<8x1x!fixed.u<4, 3>>
  tdsl.cast %X : memref<8x1x!fixed.q<8, 4>> into %a : memref<8x1x!fixed.u<4, 2>>
  tdsl.cast %a : memref<8x1x!fixed.u<4, 2>> into %b : memref<8x1x!fixed.u<4, 3>>
  %l = tdsl.argmax %b : memref<8x1x!fixed.u<4, 3>>
  func.return %l : index
}
// CHECK-LABEL: func.func @unsigned(%X: memref<8x1x!fixed.q<8, 4>>) -> index {
// CHECK-NEXT: %a = scratch.alloc : memref<8x1x!fixed.u<4, 2>, #scratch.packed_ram<4, 8>>
// CHECK-NEXT: %b = scratch.alloc : memref<8x1x!fixed.u<4, 3>, #scratch.packed_ram<4, 8>>
// CHECK-NEXT: tdsl.cast %X : memref<8x1x!fixed.q<8, 4>> into %a : memref<8x1x!fixed.u<4, 2>, #scratch.packed_ram<4, 8>>
// CHECK-NEXT: tdsl.cast %a : memref<8x1x!fixed.u<4, 2>, #scratch.packed_ram<4, 8>> into %b : memref<8x1x!fixed.u<4, 3>, #scratch.packed_ram<4, 8>>
// CHECK-NEXT: %l = tdsl.argmax %b : memref<8x1x!fixed.u<4, 3>, #scratch.packed_ram<4, 8>>
// CHECK-NEXT: func.return %l : index
// PACKED-LABEL: func.func @unsigned
// PACKED: scratch.arena {{.*}} : memref<4xi8>

// Rows that arrive whole are received whole.
func.func @received(%X: memref<48x1x!fixed.q<9, 4>>) -> index {
  %c0 = arith.constant 0 : index
  %rows = scratch.alloc : memref<1x6x8x1x!fixed.q<9, 4>>
  %I = scratch.slice %X[%c0] : memref<48x1x!fixed.q<9, 4>> to memref<1x6x8x1x!fixed.q<9, 4>>
  tdsl.receive %I[%c0] : memref<1x6x8x1x!fixed.q<9, 4>> into %rows : memref<1x6x8x1x!fixed.q<9, 4>>
  %l = tdsl.argmax %rows : memref<1x6x8x1x!fixed.q<9, 4>>
  func.return %l : index
}
// CHECK-LABEL: func.func @received(%X: memref<48x1x!fixed.q<9, 4>>) -> index {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %rows = scratch.alloc : memref<1x6x8x1x!fixed.q<9, 4>>
// CHECK-NEXT: %I = scratch.slice %X[%c0] : memref<48x1x!fixed.q<9, 4>> to memref<1x6x8x1x!fixed.q<9, 4>>
// CHECK-NEXT: tdsl.receive %I[%c0] : memref<1x6x8x1x!fixed.q<9, 4>> into %rows : memref<1x6x8x1x!fixed.q<9, 4>>
// CHECK-NEXT: %l = tdsl.argmax %rows : memref<1x6x8x1x!fixed.q<9, 4>>
// CHECK-NEXT: func.return %l : index

// What is returned through a view, or a view of a view, stays whole.
func.func @returned_view(%X: memref<16x1x!fixed.q<9, 4>>) -> memref<8x1x!fixed.q<9, 4>> {
  %c0 = arith.constant 0 : index
  %a = scratch.alloc : memref<16x1x!fixed.q<9, 4>>
  tdsl.neg %X : memref<16x1x!fixed.q<9, 4>> into %a : memref<16x1x!fixed.q<9, 4>>
  %most = scratch.slice %a[%c0] : memref<16x1x!fixed.q<9, 4>> to memref<12x1x!fixed.q<9, 4>>
  %half = scratch.slice %most[%c0] : memref<12x1x!fixed.q<9, 4>> to memref<8x1x!fixed.q<9, 4>>
  func.return %half : memref<8x1x!fixed.q<9, 4>>
}
// CHECK-LABEL: func.func @returned_view(%X: memref<16x1x!fixed.q<9, 4>>) -> memref<8x1x!fixed.q<9, 4>> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %a = scratch.alloc : memref<16x1x!fixed.q<9, 4>>
// CHECK-NEXT: tdsl.neg %X : memref<16x1x!fixed.q<9, 4>> into %a : memref<16x1x!fixed.q<9, 4>>
// CHECK-NEXT: %most = scratch.slice %a[%c0] : memref<16x1x!fixed.q<9, 4>> to memref<12x1x!fixed.q<9, 4>>
// CHECK-NEXT: %half = scratch.slice %most[%c0] : memref<12x1x!fixed.q<9, 4>> to memref<8x1x!fixed.q<9, 4>>
// CHECK-NEXT: func.return %half : memref<8x1x!fixed.q<9, 4>>
