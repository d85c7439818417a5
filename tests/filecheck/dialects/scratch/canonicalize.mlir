// RUN: tinyml-opt %s -p canonicalize | filecheck %s
// RUN: tinyml-opt %s -p dce | filecheck %s --check-prefix=DCE

// A view of a view is a view of the source wherever the offset is there without an addition at run time.
func.func @slices(%X: memref<4x6xf32>, %i: index) -> (memref<2xf32>, memref<3xf32>, memref<2xf32>, memref<2xf32>, memref<4x6xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %row = scratch.slice %X[%c6] : memref<4x6xf32> to memref<6xf32>
  %constant = scratch.slice %row[%c2] : memref<6xf32> to memref<2xf32>
  %computed = scratch.slice %X[%i] : memref<4x6xf32> to memref<6xf32>
  %start = scratch.slice %computed[%c0] : memref<6xf32> to memref<3xf32>
  %flat = scratch.slice %X[%c0] : memref<4x6xf32> to memref<24xf32>
  %later = scratch.slice %flat[%i] : memref<24xf32> to memref<2xf32>
  %kept = scratch.slice %computed[%c2] : memref<6xf32> to memref<2xf32>
  %whole = scratch.slice %X[%c0] : memref<4x6xf32> to memref<4x6xf32>
  func.return %constant, %start, %later, %kept, %whole : memref<2xf32>, memref<3xf32>, memref<2xf32>, memref<2xf32>, memref<4x6xf32>
}
// CHECK-LABEL: func.func @slices
// CHECK: [[sum:%.*]] = arith.constant 8 : index
// CHECK-NEXT: %constant = scratch.slice %X{{\[}}[[sum]]] : memref<4x6xf32> to memref<2xf32>
// CHECK-NEXT: %computed = scratch.slice %X[%i]
// CHECK-NEXT: %start = scratch.slice %X[%i] : memref<4x6xf32> to memref<3xf32>
// CHECK-NEXT: %later = scratch.slice %X[%i] : memref<4x6xf32> to memref<2xf32>
// CHECK-NEXT: %kept = scratch.slice %computed[%c2]
// CHECK-NEXT: func.return %constant, %start, %later, %kept, %X
// CHECK-LABEL: func.func @unused(

// Memory that nothing touches is dead; memory that is written, or holds a value for the next call, is not.
func.func @unused(%X: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %a = scratch.alloc : memref<4xf32>
  %b = scratch.alloc : memref<4xf32>
  %kept = scratch.alloc {state} : memref<2xf32>
  %v = scratch.slice %a[%c0] : memref<4xf32> to memref<2xf32>
  %W = scratch.constant dense<1.0> : tensor<4xf32> -> memref<4xf32, #scratch.flash>
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %view = scratch.view %arena[0] : memref<16xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %b : memref<4xf32>
  func.return
}
// DCE-LABEL: func.func @unused(%X: memref<4xf32>) {
// DCE-NEXT: %b = scratch.alloc : memref<4xf32>
// DCE-NEXT: %kept = scratch.alloc {state} : memref<2xf32>
// DCE-NEXT: tdsl.exp %X : memref<4xf32> into %b : memref<4xf32>
// DCE-NEXT: func.return
