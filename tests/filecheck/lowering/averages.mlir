// Windows with the same elements inside the image share a loop nest; softmax passes over a row three times, normalisation twice.

// RUN: tinyml-opt %s -p lower-tdsl-to-loops | filecheck %s

func.func @pool(%x: memref<1x4x2x1xf32>, %y: memref<1x2x1x1xf32>) {
  tdsl.average_pool %x {kernel = array<i64: 3, 2>, padding = array<i64: 1, 0, 0, 0>, strides = array<i64: 2, 1>} : memref<1x4x2x1xf32> into %y : memref<1x2x1x1xf32>
  func.return
}
// CHECK-LABEL: func.func @pool
// CHECK: num.average %{{.*}} {count = 4 : i64, of = f32} : f32 -> f32
// CHECK: num.average %{{.*}} {count = 6 : i64, of = f32} : f32 -> f32
// CHECK-NOT: num.average

func.func @softmax(%x: memref<2x3xf32>) {
  tdsl.softmax %x : memref<2x3xf32> into %x : memref<2x3xf32>
  func.return
}
// CHECK-LABEL: func.func @softmax
// CHECK: scf.for
// CHECK: num.greater
// CHECK: scf.for
// CHECK: num.softmax_term
// CHECK-NEXT: num.softmax_add
// CHECK: scf.for
// CHECK: num.softmax_term
// CHECK-NEXT: num.softmax_share

func.func @normalise(%x: memref<2x3x!fixed.q<16, 8>>, %y: memref<2x3x!fixed.q<16, 15>>) {
  tdsl.normalise %x : memref<2x3x!fixed.q<16, 8>> into %y : memref<2x3x!fixed.q<16, 15>>
  func.return
}
// CHECK-LABEL: func.func @normalise
// CHECK: scf.for
// CHECK: %[[TOTAL:.*]] = scf.for
// CHECK: num.add_square {{.*}} : i64, !fixed.q<16, 8> -> i64
// CHECK: %[[FACTOR:.*]] = num.inverse_root %[[TOTAL]]
// CHECK: scf.for
// CHECK: num.normalised %{{.*}}, %[[FACTOR]], %[[TOTAL]]

// -----

// The square of the least length is the first of the total.
func.func @above(%x: memref<3x!fixed.q<16, 8>>, %y: memref<3x!fixed.q<16, 15>>) {
  tdsl.normalise %x {least = 5.000000e-01 : f64} : memref<3x!fixed.q<16, 8>> into %y : memref<3x!fixed.q<16, 15>>
  func.return
}
// CHECK-LABEL: func.func @above
// CHECK: %[[LEAST:.*]] = num.constant {value = 5.000000e-01 : f64} -> !fixed.q<16, 8>
// CHECK-NEXT: %[[START:.*]] = num.add_square %{{.*}}, %[[LEAST]]
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[START]])

// -----

// Totals stay in memory between the parts of an image, each in a register while a part is added.
func.func @totals(%x: memref<1x1x2x1x!fixed.q<8, 4>>, %t: memref<1x1x1x1xi32>, %y: memref<1x1x1x1x!fixed.q<8, 4>>) {
  tdsl.no_total into %t : memref<1x1x1x1xi32>
  tdsl.tally %t, %x : memref<1x1x1x1xi32>, memref<1x1x2x1x!fixed.q<8, 4>> into %t : memref<1x1x1x1xi32>
  tdsl.quotient %t {count = 9 : i64, of = !fixed.q<8, 4>} : memref<1x1x1x1xi32> into %y : memref<1x1x1x1x!fixed.q<8, 4>>
  func.return
}
// CHECK-LABEL: func.func @totals
// CHECK: memref.store %{{.*}}, %t
// CHECK: [[before:%.*]] = memref.load %t
// CHECK: scf.for {{.*}} iter_args([[total:%.*]] = [[before]]) -> (i32)
// CHECK: num.tally [[total]], %{{.*}} : i32, !fixed.q<8, 4> -> i32
// CHECK: memref.store %{{.*}}, %t
// CHECK: num.average %{{.*}} {count = 9 : i64, of = !fixed.q<8, 4>} : i32 -> !fixed.q<8, 4>
