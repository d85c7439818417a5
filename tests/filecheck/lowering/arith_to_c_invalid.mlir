// What has no spelling in C is refused, with its place.

// RUN: tinyml-opt %s --split-input-file -p lower-arith-to-c --verify-diagnostics | filecheck %s

func.func @divides(%X: memref<1xi32>) -> index {
  %c0 = arith.constant 0 : index
  %x = memref.load %X[%c0] : memref<1xi32>
  %y = arith.remui %x, %x : i32
  func.return %c0 : index
}
// CHECK: arith_to_c_invalid.mlir:8:3: 'arith.remui' has no spelling in C

// -----

func.func private @nobody(f32) -> f32
func.func @calls(%X: memref<1xf32>) -> index {
  %c0 = arith.constant 0 : index
  %x = memref.load %X[%c0] : memref<1xf32>
  %y = func.call @nobody(%x) : (f32) -> f32
  func.return %c0 : index
}
// CHECK: no header of the runtime defines the function 'nobody'

// -----

func.func @two(%X: memref<1xf32>, %Y: memref<1xf32>) -> index {
  %c0 = arith.constant 0 : index
  func.return %c0 : index
}
// CHECK: 'two' must map one memref to an index, memrefs or both

// -----

func.func @identity(%X: memref<1xf32>) -> memref<1xf32> {
  func.return %X : memref<1xf32>
}
// CHECK: the scores must be a view of the arena, or a slice of one at a constant offset
