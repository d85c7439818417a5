// Windows with the same elements inside the image share a loop nest; softmax passes over a row three times, normalisation twice.

// RUN: tinyml-opt %s -p lower-tdsl-to-loops | filecheck %s

func.func @pool(%x: memref<1x4x2x1xf32>, %y: memref<1x2x1x1xf32>) {
  tdsl.average_pool %x {kernel = array<i64: 3, 2>, padding = array<i64: 1, 0, 0, 0>, strides = array<i64: 2, 1>} : memref<1x4x2x1xf32> into %y : memref<1x2x1x1xf32>
  func.return
}
// CHECK-LABEL: func.func @pool(%x: memref<1x4x2x1xf32>, %y: memref<1x2x1x1xf32>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.muli [[v0]], [[v1]] : index
// CHECK-NEXT: %total = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: [[v3:%.*]] = num.reduce %total {first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : f32 -> f32 {
// CHECK-NEXT: ^bb0([[v4:%.*]]: index, [[v5:%.*]]: f32):
// CHECK-NEXT: [[v6:%.*]] = num.reduce [[v5]] {first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : f32 -> f32 {
// CHECK-NEXT: ^bb0([[v7:%.*]]: index, [[v8:%.*]]: f32):
// CHECK-NEXT: [[v9:%.*]] = affine.apply affine_map<(d0)[s0] -> ((s0 + d0))> ([[v4]]){{\[}}[[v2]]]
// CHECK-NEXT: [[v10:%.*]] = affine.apply affine_map<(d0)[s0] -> ((s0 + d0))> ([[v7]]){{\[}}[[v0]]]
// CHECK-NEXT: [[v11:%.*]] = memref.load %x{{\[}}[[v0]], [[v9]], [[v10]], [[v0]]] : memref<1x4x2x1xf32>
// CHECK-NEXT: [[v12:%.*]] = num.tally [[v8]], [[v11]] : f32, f32 -> f32
// CHECK-NEXT: num.next [[v12]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: num.next [[v6]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: [[v13:%.*]] = num.average [[v3]] {count = 4 : i64, of = f32} : f32 -> f32
// CHECK-NEXT: memref.store [[v13]], %y{{\[}}[[v0]], [[v0]], [[v0]], [[v0]]] : memref<1x2x1x1xf32>
// CHECK-NEXT: [[v14:%.*]] = arith.muli [[v0]], [[v1]] : index
// CHECK-NEXT: [[v15:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v16:%.*]] = arith.addi [[v14]], [[v15]] : index
// CHECK-NEXT: %total_1 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: [[v17:%.*]] = num.reduce %total_1 {first = 0 : i64, extent = 3 : i64, kinds = ["sum"]} : f32 -> f32 {
// CHECK-NEXT: ^bb0([[v18:%.*]]: index, [[v19:%.*]]: f32):
// CHECK-NEXT: [[v20:%.*]] = num.reduce [[v19]] {first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : f32 -> f32 {
// CHECK-NEXT: ^bb0([[v21:%.*]]: index, [[v22:%.*]]: f32):
// CHECK-NEXT: [[v23:%.*]] = affine.apply affine_map<(d0)[s0] -> ((s0 + d0))> ([[v18]]){{\[}}[[v16]]]
// CHECK-NEXT: [[v24:%.*]] = affine.apply affine_map<(d0)[s0] -> ((s0 + d0))> ([[v21]]){{\[}}[[v0]]]
// CHECK-NEXT: [[v25:%.*]] = memref.load %x{{\[}}[[v0]], [[v23]], [[v24]], [[v0]]] : memref<1x4x2x1xf32>
// CHECK-NEXT: [[v26:%.*]] = num.tally [[v22]], [[v25]] : f32, f32 -> f32
// CHECK-NEXT: num.next [[v26]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: num.next [[v20]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: [[v27:%.*]] = num.average [[v17]] {count = 6 : i64, of = f32} : f32 -> f32
// CHECK-NEXT: [[v28:%.*]] = arith.addi [[v0]], [[v15]] : index
// CHECK-NEXT: memref.store [[v27]], %y{{\[}}[[v0]], [[v28]], [[v0]], [[v0]]] : memref<1x2x1x1xf32>
// CHECK-NEXT: func.return

func.func @softmax(%x: memref<2x3xf32>) {
  tdsl.softmax %x : memref<2x3xf32> into %x : memref<2x3xf32>
  func.return
}
// CHECK-LABEL: func.func @softmax(%x: memref<2x3xf32>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: scf.for [[v3:%.*]] = [[v1]] to [[v0]] step [[v2]] {
// CHECK-NEXT: [[v4:%.*]] = memref.load %x{{\[}}[[v3]], [[v1]]] : memref<2x3xf32>
// CHECK-NEXT: %greatest = num.reduce [[v4]] {first = 1 : i64, extent = 3 : i64, kinds = ["greatest"]} : f32 -> f32 {
// CHECK-NEXT: ^bb0([[v5:%.*]]: index, [[v6:%.*]]: f32):
// CHECK-NEXT: [[v7:%.*]] = memref.load %x{{\[}}[[v3]], [[v5]]] : memref<2x3xf32>
// CHECK-NEXT: [[v8:%.*]] = num.greater [[v7]], [[v6]] : f32, f32
// CHECK-NEXT: [[v9:%.*]] = arith.select [[v8]], [[v7]], [[v6]] : f32
// CHECK-NEXT: num.next [[v9]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: %total = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: [[v10:%.*]] = num.reduce %total {first = 0 : i64, extent = 3 : i64, kinds = ["sum"]} : f32 -> f32 {
// CHECK-NEXT: ^bb0([[v11:%.*]]: index, [[v12:%.*]]: f32):
// CHECK-NEXT: [[v13:%.*]] = memref.load %x{{\[}}[[v3]], [[v11]]] : memref<2x3xf32>
// CHECK-NEXT: [[v14:%.*]] = num.softmax_term [[v13]], %greatest {into = f32} : f32, f32 -> f32
// CHECK-NEXT: [[v15:%.*]] = num.softmax_add [[v12]], [[v14]] {into = f32} : f32, f32 -> f32
// CHECK-NEXT: num.next [[v15]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[v16:%.*]] to 3 {
// CHECK-NEXT: [[v17:%.*]] = memref.load %x{{\[}}[[v3]], [[v16]]] : memref<2x3xf32>
// CHECK-NEXT: [[v18:%.*]] = num.softmax_term [[v17]], %greatest {into = f32} : f32, f32 -> f32
// CHECK-NEXT: [[v19:%.*]] = num.softmax_share [[v18]], [[v10]] : f32, f32 -> f32
// CHECK-NEXT: memref.store [[v19]], %x{{\[}}[[v3]], [[v16]]] : memref<2x3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

func.func @normalise(%x: memref<2x3x!fixed.q<16, 8>>, %y: memref<2x3x!fixed.q<16, 15>>) {
  tdsl.normalise %x : memref<2x3x!fixed.q<16, 8>> into %y : memref<2x3x!fixed.q<16, 15>>
  func.return
}
// CHECK-LABEL: func.func @normalise(%x: memref<2x3x!fixed.q<16, 8>>, %y: memref<2x3x!fixed.q<16, 15>>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: scf.for [[v3:%.*]] = [[v1]] to [[v0]] step [[v2]] {
// CHECK-NEXT: %total = arith.constant 0 : i64
// CHECK-NEXT: [[v4:%.*]] = num.reduce %total {first = 0 : i64, extent = 3 : i64, kinds = ["sum"]} : i64 -> i64 {
// CHECK-NEXT: ^bb0([[v5:%.*]]: index, [[v6:%.*]]: i64):
// CHECK-NEXT: [[v7:%.*]] = memref.load %x{{\[}}[[v3]], [[v5]]] : memref<2x3x!fixed.q<16, 8>>
// CHECK-NEXT: [[v8:%.*]] = num.add_square [[v6]], [[v7]] {into = !fixed.q<16, 15>} : i64, !fixed.q<16, 8> -> i64
// CHECK-NEXT: num.next [[v8]] : i64
// CHECK-NEXT: }
// CHECK-NEXT: %factor = num.inverse_root [[v4]] {of = !fixed.q<16, 8>, into = !fixed.q<16, 15>} : i64 -> i32
// CHECK-NEXT: num.nest [[v9:%.*]] to 3 {
// CHECK-NEXT: [[v10:%.*]] = memref.load %x{{\[}}[[v3]], [[v9]]] : memref<2x3x!fixed.q<16, 8>>
// CHECK-NEXT: [[v11:%.*]] = num.normalised [[v10]], %factor, [[v4]] : !fixed.q<16, 8>, i32, i64 -> !fixed.q<16, 15>
// CHECK-NEXT: memref.store [[v11]], %y{{\[}}[[v3]], [[v9]]] : memref<2x3x!fixed.q<16, 15>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// The square of the least length is the first of the total.
func.func @above(%x: memref<3x!fixed.q<16, 8>>, %y: memref<3x!fixed.q<16, 15>>) {
  tdsl.normalise %x {least = 5.000000e-01 : f64} : memref<3x!fixed.q<16, 8>> into %y : memref<3x!fixed.q<16, 15>>
  func.return
}
// CHECK-LABEL: func.func @above(%x: memref<3x!fixed.q<16, 8>>, %y: memref<3x!fixed.q<16, 15>>) {
// CHECK-NEXT: %total = arith.constant 0 : i64
// CHECK-NEXT: [[v0:%.*]] = num.constant {value = 5.000000e-01 : f64} -> !fixed.q<16, 8>
// CHECK-NEXT: [[v1:%.*]] = num.add_square %total, [[v0]] {into = !fixed.q<16, 15>} : i64, !fixed.q<16, 8> -> i64
// CHECK-NEXT: [[v2:%.*]] = num.reduce [[v1]] {first = 0 : i64, extent = 3 : i64, kinds = ["sum"]} : i64 -> i64 {
// CHECK-NEXT: ^bb0([[v3:%.*]]: index, [[v4:%.*]]: i64):
// CHECK-NEXT: [[v5:%.*]] = memref.load %x{{\[}}[[v3]]] : memref<3x!fixed.q<16, 8>>
// CHECK-NEXT: [[v6:%.*]] = num.add_square [[v4]], [[v5]] {into = !fixed.q<16, 15>} : i64, !fixed.q<16, 8> -> i64
// CHECK-NEXT: num.next [[v6]] : i64
// CHECK-NEXT: }
// CHECK-NEXT: %factor = num.inverse_root [[v2]] {of = !fixed.q<16, 8>, into = !fixed.q<16, 15>} : i64 -> i32
// CHECK-NEXT: num.nest [[v7:%.*]] to 3 {
// CHECK-NEXT: [[v8:%.*]] = memref.load %x{{\[}}[[v7]]] : memref<3x!fixed.q<16, 8>>
// CHECK-NEXT: [[v9:%.*]] = num.normalised [[v8]], %factor, [[v2]] : !fixed.q<16, 8>, i32, i64 -> !fixed.q<16, 15>
// CHECK-NEXT: memref.store [[v9]], %y{{\[}}[[v7]]] : memref<3x!fixed.q<16, 15>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// Totals stay in memory between the parts of an image, each in a register while a part is added.
func.func @totals(%x: memref<1x1x2x1x!fixed.q<8, 4>>, %t: memref<1x1x1x1xi32>, %y: memref<1x1x1x1x!fixed.q<8, 4>>) {
  tdsl.no_total into %t : memref<1x1x1x1xi32>
  tdsl.tally %t, %x : memref<1x1x1x1xi32>, memref<1x1x2x1x!fixed.q<8, 4>> into %t : memref<1x1x1x1xi32>
  tdsl.quotient %t {count = 9 : i64, of = !fixed.q<8, 4>} : memref<1x1x1x1xi32> into %y : memref<1x1x1x1x!fixed.q<8, 4>>
  func.return
}
// CHECK-LABEL: func.func @totals(%x: memref<1x1x2x1x!fixed.q<8, 4>>, %t: memref<1x1x1x1xi32>, %y: memref<1x1x1x1x!fixed.q<8, 4>>) {
// CHECK-NEXT: %total = arith.constant 0 : i32
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: memref.store %total, %t{{\[}}[[v0]], [[v0]], [[v0]], [[v0]]] : memref<1x1x1x1xi32>
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = memref.load %t{{\[}}[[v1]], [[v1]], [[v1]], [[v1]]] : memref<1x1x1x1xi32>
// CHECK-NEXT: [[v3:%.*]] = num.reduce [[v2]] {first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : i32 -> i32 {
// CHECK-NEXT: ^bb0([[v4:%.*]]: index, [[v5:%.*]]: i32):
// CHECK-NEXT: [[v6:%.*]] = memref.load %x{{\[}}[[v1]], [[v1]], [[v4]], [[v1]]] : memref<1x1x2x1x!fixed.q<8, 4>>
// CHECK-NEXT: [[v7:%.*]] = num.tally [[v5]], [[v6]] : i32, !fixed.q<8, 4> -> i32
// CHECK-NEXT: num.next [[v7]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: memref.store [[v3]], %t{{\[}}[[v1]], [[v1]], [[v1]], [[v1]]] : memref<1x1x1x1xi32>
// CHECK-NEXT: [[v8:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v9:%.*]] = memref.load %t{{\[}}[[v8]], [[v8]], [[v8]], [[v8]]] : memref<1x1x1x1xi32>
// CHECK-NEXT: [[v10:%.*]] = num.average [[v9]] {count = 9 : i64, of = !fixed.q<8, 4>} : i32 -> !fixed.q<8, 4>
// CHECK-NEXT: memref.store [[v10]], %y{{\[}}[[v8]], [[v8]], [[v8]], [[v8]]] : memref<1x1x1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return
