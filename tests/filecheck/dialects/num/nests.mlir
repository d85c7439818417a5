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

// The windows of a pool are joined by axes of their own, whose numbers are in the maps, too. The first of equal elements
// is the greatest.
func.func @reductions(%X: memref<6x4xf32>, %Y: memref<3x4xf32>) -> index {
  %zero = arith.constant 0 : index
  num.nest %i, %j to 3, 4 {
    %start = affine.apply affine_map<(d0) -> (d0 * 2)> (%i)
    %first = memref.load %X[%start, %j] : memref<6x4xf32>
    %greatest = num.reduce %first {first = 1 : i64, extent = 2 : i64, kinds = ["greatest"]} : f32 -> f32 {
    ^bb0(%k: index, %best: f32):
      %at = affine.apply affine_map<(d0, d1) -> (d0 + d1)> (%start, %k)
      %x = memref.load %X[%at, %j] : memref<6x4xf32>
      %greater = num.greater %x, %best : f32, f32
      %next = arith.select %greater, %x, %best : f32
      num.next %next : f32
    }
    memref.store %greatest, %Y[%i, %j] : memref<3x4xf32>
  }
  %before = memref.load %X[%zero, %zero] : memref<6x4xf32>
  %value, %place = num.reduce %before, %zero {first = 1 : i64, extent = 6 : i64, kinds = ["greatest", "place"]} : f32, index -> f32, index {
  ^bb0(%n: index, %best: f32, %label: index):
    %x = memref.load %X[%n, %zero] : memref<6x4xf32>
    %greater = num.greater %x, %best : f32, f32
    %next = arith.select %greater, %x, %best : f32
    %later = arith.select %greater, %n, %label : index
    num.next %next, %later : f32, index
  }
  func.return %place : index
}
// CHECK-LABEL: func.func @reductions
// CHECK: %greatest = num.reduce %first {first = 1 : i64, extent = 2 : i64, kinds = ["greatest"]} : f32 -> f32 {
// CHECK-NEXT: ^bb0(%k: index, %best: f32):
// CHECK: num.next %next : f32
// CHECK: %value, %place = num.reduce %before, %zero {first = 1 : i64, extent = 6 : i64, kinds = ["greatest", "place"]} : f32, index -> f32, index {
// CHECK: num.next %next_1, %later : f32, index
