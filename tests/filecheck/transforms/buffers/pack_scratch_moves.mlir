// RUN: tinyml-opt %s -p pack-scratch,check-packing | filecheck %s --check-prefix=STAYS
// RUN: tinyml-opt %s -p "pack-scratch{moves=true},check-packing" | filecheck %s

// A wider result lies below its operand, and a narrower one no higher: addresses sink by 8 bytes, unless %c moves up
// before it is widened.
func.func @sinking(%X: memref<4x!fixed.q<16, 12>>) -> memref<4xf32> {
  %a = scratch.alloc : memref<4x!fixed.q<16, 12>>
  %b = scratch.alloc : memref<4xf32>
  %c = scratch.alloc : memref<4x!fixed.q<16, 12>>
  %d = scratch.alloc : memref<4xf32>
  tdsl.neg %X : memref<4x!fixed.q<16, 12>> into %a : memref<4x!fixed.q<16, 12>>
  tdsl.cast %a : memref<4x!fixed.q<16, 12>> into %b : memref<4xf32>
  tdsl.cast %b : memref<4xf32> into %c : memref<4x!fixed.q<16, 12>>
  tdsl.cast %c : memref<4x!fixed.q<16, 12>> into %d : memref<4xf32>
  func.return %d : memref<4xf32>
}
// CHECK-LABEL: func.func @sinking(%X: memref<4x!fixed.q<16, 12>>) -> memref<4xf32> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 4 : i64, lower_bound = 16 : i64} : memref<16xi8>
// CHECK-NEXT: %a = scratch.view %arena[6 : i64] {live = [0 : i64, 1 : i64]} : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %b = scratch.view %arena[0 : i64] {live = [1 : i64, 2 : i64]} : memref<16xi8> to memref<4xf32>
// CHECK-NEXT: %c = scratch.view %arena[0 : i64] {live = [2 : i64, 2 : i64]} : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: [[vc_1:%.*]] = scratch.view %arena[6 : i64] {live = [3 : i64, 3 : i64]} : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %d = scratch.view %arena[0 : i64] {live = [3 : i64, 4 : i64]} : memref<16xi8> to memref<4xf32>
// CHECK-NEXT: tdsl.neg %X : memref<4x!fixed.q<16, 12>> into %a : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: tdsl.cast %a : memref<4x!fixed.q<16, 12>> into %b : memref<4xf32>
// CHECK-NEXT: tdsl.cast %b : memref<4xf32> into %c : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: scratch.move %c to [[vc_1]] : memref<4x!fixed.q<16, 12>> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: tdsl.cast [[vc_1]] : memref<4x!fixed.q<16, 12>> into %d : memref<4xf32>
// CHECK-NEXT: func.return %d : memref<4xf32>
// STAYS: scratch.arena {{.*}} : memref<24xi8>
// STAYS-NOT: scratch.move
