// RUN: tinyml-opt %s -p unpack-buffers | filecheck %s
// RUN: tinyml-opt %s -p unpack-buffers,pack-scratch,check-packing | filecheck %s --check-prefix=PACKED

// The arena needs %a and %b packed, 18 bytes each (12 elements of 9 bits fill two groups). %c, and %d in its place, have
// room for 32 bytes.
func.func @buffers(%X: memref<16x1x!fixed.q<9, 4>>) -> index {
  %a = scratch.alloc : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %b = scratch.alloc : memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %c = scratch.alloc : memref<16x1x!fixed.q<9, 5>, #scratch.packed_ram<9>>
  %d = scratch.reuse %c : memref<16x1x!fixed.q<9, 5>, #scratch.packed_ram<9>> as memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
  %c0 = arith.constant 0 : index
  tdsl.neg %X : memref<16x1x!fixed.q<9, 4>> into %a : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %half = scratch.slice %a[%c0] : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> to memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  tdsl.reverse %half {axis = 0} : memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> into %b : memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %l = tdsl.argmax %b : memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  tdsl.cast %X : memref<16x1x!fixed.q<9, 4>> into %c : memref<16x1x!fixed.q<9, 5>, #scratch.packed_ram<9>>
  tdsl.cast %c : memref<16x1x!fixed.q<9, 5>, #scratch.packed_ram<9>> into %d : memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
  %m = tdsl.argmax %d : memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
  func.return %m : index
}
// CHECK: %a = scratch.alloc : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: %b = scratch.alloc : memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: %c = scratch.alloc : memref<16x1x!fixed.q<9, 5>>
// CHECK-NEXT: %d = scratch.reuse %c : memref<16x1x!fixed.q<9, 5>> as memref<16x1x!fixed.q<9, 6>>
// CHECK: tdsl.cast %X : {{.*}} into %c : memref<16x1x!fixed.q<9, 5>>
// PACKED: scratch.arena {{.*}} : memref<36xi8>
