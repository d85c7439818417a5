// Nests of elements. An index is the number of an axis, a constant, a value from outside, or an `affine.apply` of these.

// RUN: %roundtrip

func.func @nests(%X: memref<2x6xf32>, %r: memref<1x6xf32>, %Y: memref<3x4xf32>, %c: i1, %n: index) {
  %zero = arith.constant 0 : index
  %factor = num.constant {value = 0.5 : f64} -> f32

  // An axis of extent 1 is an index of 0.
  num.nest %i, %j to 2, 6 {
    %x = memref.load %X[%i, %j] : memref<2x6xf32>
    %b = memref.load %r[%zero, %j] : memref<1x6xf32>
    %sum = num.add %x, %b : f32, f32 -> f32
    %half = num.mul %sum, %factor : f32, f32 -> f32
    %chosen = arith.select %c, %half, %x : f32
    memref.store %chosen, %X[%i, %j] : memref<2x6xf32>
  }

  // Elements in row-major order under another shape, from a computed row on.
  num.nest %k, %l to 3, 4 {
    %row = affine.apply affine_map<(d0, d1)[s0] -> ((((d0 * 4) + d1) floordiv 6) + s0)> (%k, %l)[%n]
    %column = affine.apply affine_map<(d0, d1) -> (((d0 * 4) + d1) mod 6)> (%k, %l)
    %x = memref.load %X[%row, %column] : memref<2x6xf32>
    memref.store %x, %Y[%k, %l] : memref<3x4xf32>
  } {note = "attributes stay"}
  func.return
}
// CHECK-LABEL: func.func @nests
// CHECK: num.nest %i, %j to 2, 6 {
// CHECK-NEXT: %x = memref.load %X[%i, %j] : memref<2x6xf32>
// CHECK-NEXT: %b = memref.load %r[%zero, %j] : memref<1x6xf32>
// CHECK-NEXT: %sum = num.add %x, %b : f32, f32 -> f32
// CHECK-NEXT: %half = num.mul %sum, %factor : f32, f32 -> f32
// CHECK-NEXT: %chosen = arith.select %c, %half, %x : f32
// CHECK-NEXT: memref.store %chosen, %X[%i, %j] : memref<2x6xf32>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest %k, %l to 3, 4 {
// CHECK-NEXT: %row = affine.apply affine_map<(d0, d1)[s0] -> (((((d0 * 4) + d1) floordiv 6) + s0))> (%k, %l)[%n]
// CHECK-NEXT: %column = affine.apply affine_map<(d0, d1) -> ((((d0 * 4) + d1) mod 6))> (%k, %l)
// CHECK: } {note = "attributes stay"}
