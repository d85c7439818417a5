// Windows with the same elements inside the image share a loop nest; softmax passes over a row three times, normalisation twice.

// RUN: tinyml-opt %s -p lower-tdsl-to-loops | filecheck %s

func.func @pool(%x: memref<1x4x2x1xf32>, %y: memref<1x2x1x1xf32>) {
  tdsl.average_pool %x {kernel = array<i64: 3, 2>, padding = array<i64: 1, 0, 0, 0>, strides = array<i64: 2, 1>} : memref<1x4x2x1xf32> into %y : memref<1x2x1x1xf32>
  func.return
}
// CHECK-LABEL: func.func @pool
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.muli [[v0]], [[v1]] : index
// CHECK-NEXT: %total = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v4:%.*]] = scf.for [[v5:%.*]] = [[v0]] to [[v1]] step [[v3]] iter_args([[v6:%.*]] = %total) -> (f32) {
// CHECK-NEXT: [[v7:%.*]] = scf.for [[v8:%.*]] = [[v0]] to [[v1]] step [[v3]] iter_args([[v9:%.*]] = [[v6]]) -> (f32) {
// CHECK-NEXT: [[v10:%.*]] = arith.addi [[v2]], [[v5]] : index
// CHECK-NEXT: [[v11:%.*]] = arith.addi [[v0]], [[v8]] : index
// CHECK-NEXT: [[v12:%.*]] = memref.load %x{{\[}}[[v0]], [[v10]], [[v11]], [[v0]]] : memref<1x4x2x1xf32>
// CHECK-NEXT: [[v13:%.*]] = num.tally [[v9]], [[v12]] : f32, f32 -> f32
// CHECK-NEXT: scf.yield [[v13]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[v7]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: [[v14:%.*]] = num.average [[v4]] {count = 4 : i64, of = f32} : f32 -> f32
// CHECK-NEXT: memref.store [[v14]], %y{{\[}}[[v0]], [[v0]], [[v0]], [[v0]]] : memref<1x2x1x1xf32>
// CHECK-NEXT: [[v15:%.*]] = arith.muli [[v0]], [[v1]] : index
// CHECK-NEXT: [[v16:%.*]] = arith.addi [[v15]], [[v3]] : index
// CHECK-NEXT: [[vtotal_1:%.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: [[v17:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v18:%.*]] = scf.for [[v19:%.*]] = [[v0]] to [[v17]] step [[v3]] iter_args([[v20:%.*]] = [[vtotal_1]]) -> (f32) {
// CHECK-NEXT: [[v21:%.*]] = scf.for [[v22:%.*]] = [[v0]] to [[v1]] step [[v3]] iter_args([[v23:%.*]] = [[v20]]) -> (f32) {
// CHECK-NEXT: [[v24:%.*]] = arith.addi [[v16]], [[v19]] : index
// CHECK-NEXT: [[v25:%.*]] = arith.addi [[v0]], [[v22]] : index
// CHECK-NEXT: [[v26:%.*]] = memref.load %x{{\[}}[[v0]], [[v24]], [[v25]], [[v0]]] : memref<1x4x2x1xf32>
// CHECK-NEXT: [[v27:%.*]] = num.tally [[v23]], [[v26]] : f32, f32 -> f32
// CHECK-NEXT: scf.yield [[v27]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[v21]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: [[v28:%.*]] = num.average [[v18]] {count = 6 : i64, of = f32} : f32 -> f32
// CHECK-NEXT: [[v29:%.*]] = arith.addi [[v0]], [[v3]] : index
// CHECK-NEXT: memref.store [[v28]], %y{{\[}}[[v0]], [[v29]], [[v0]], [[v0]]] : memref<1x2x1x1xf32>
// CHECK-NEXT: func.return

func.func @softmax(%x: memref<2x3xf32>) {
  tdsl.softmax %x : memref<2x3xf32> into %x : memref<2x3xf32>
  func.return
}
// CHECK-LABEL: func.func @softmax
// CHECK-NEXT: [[v0:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 3 : index
// CHECK-NEXT: scf.for [[v4:%.*]] = [[v1]] to [[v0]] step [[v2]] {
// CHECK-NEXT: [[v5:%.*]] = memref.load %x{{\[}}[[v4]], [[v1]]] : memref<2x3xf32>
// CHECK-NEXT: %greatest = scf.for [[v6:%.*]] = [[v2]] to [[v3]] step [[v2]] iter_args([[v7:%.*]] = [[v5]]) -> (f32) {
// CHECK-NEXT: [[v8:%.*]] = memref.load %x{{\[}}[[v4]], [[v6]]] : memref<2x3xf32>
// CHECK-NEXT: [[v9:%.*]] = num.greater [[v8]], [[v7]] : f32, f32
// CHECK-NEXT: [[v10:%.*]] = arith.select [[v9]], [[v8]], [[v7]] : f32
// CHECK-NEXT: scf.yield [[v10]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: %total = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: [[v11:%.*]] = scf.for [[v12:%.*]] = [[v1]] to [[v3]] step [[v2]] iter_args([[v13:%.*]] = %total) -> (f32) {
// CHECK-NEXT: [[v14:%.*]] = memref.load %x{{\[}}[[v4]], [[v12]]] : memref<2x3xf32>
// CHECK-NEXT: [[v15:%.*]] = num.softmax_term [[v14]], %greatest {into = f32} : f32, f32 -> f32
// CHECK-NEXT: [[v16:%.*]] = num.softmax_add [[v13]], [[v15]] {into = f32} : f32, f32 -> f32
// CHECK-NEXT: scf.yield [[v16]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: scf.for [[v17:%.*]] = [[v1]] to [[v3]] step [[v2]] {
// CHECK-NEXT: [[v18:%.*]] = memref.load %x{{\[}}[[v4]], [[v17]]] : memref<2x3xf32>
// CHECK-NEXT: [[v19:%.*]] = num.softmax_term [[v18]], %greatest {into = f32} : f32, f32 -> f32
// CHECK-NEXT: [[v20:%.*]] = num.softmax_share [[v19]], [[v11]] : f32, f32 -> f32
// CHECK-NEXT: memref.store [[v20]], %x{{\[}}[[v4]], [[v17]]] : memref<2x3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

func.func @normalise(%x: memref<2x3x!fixed.q<16, 8>>, %y: memref<2x3x!fixed.q<16, 15>>) {
  tdsl.normalise %x : memref<2x3x!fixed.q<16, 8>> into %y : memref<2x3x!fixed.q<16, 15>>
  func.return
}
// CHECK-LABEL: func.func @normalise
// CHECK-NEXT: [[v0:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 3 : index
// CHECK-NEXT: scf.for [[v4:%.*]] = [[v1]] to [[v0]] step [[v2]] {
// CHECK-NEXT: %total = arith.constant 0 : i64
// CHECK-NEXT: [[v5:%.*]] = scf.for [[v6:%.*]] = [[v1]] to [[v3]] step [[v2]] iter_args([[v7:%.*]] = %total) -> (i64) {
// CHECK-NEXT: [[v8:%.*]] = memref.load %x{{\[}}[[v4]], [[v6]]] : memref<2x3x!fixed.q<16, 8>>
// CHECK-NEXT: [[v9:%.*]] = num.add_square [[v7]], [[v8]] {into = !fixed.q<16, 15>} : i64, !fixed.q<16, 8> -> i64
// CHECK-NEXT: scf.yield [[v9]] : i64
// CHECK-NEXT: }
// CHECK-NEXT: %factor = num.inverse_root [[v5]] {of = !fixed.q<16, 8>, into = !fixed.q<16, 15>} : i64 -> i32
// CHECK-NEXT: scf.for [[v10:%.*]] = [[v1]] to [[v3]] step [[v2]] {
// CHECK-NEXT: [[v11:%.*]] = memref.load %x{{\[}}[[v4]], [[v10]]] : memref<2x3x!fixed.q<16, 8>>
// CHECK-NEXT: [[v12:%.*]] = num.normalised [[v11]], %factor, [[v5]] : !fixed.q<16, 8>, i32, i64 -> !fixed.q<16, 15>
// CHECK-NEXT: memref.store [[v12]], %y{{\[}}[[v4]], [[v10]]] : memref<2x3x!fixed.q<16, 15>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// The square of the least length is the first of the total.
func.func @above(%x: memref<3x!fixed.q<16, 8>>, %y: memref<3x!fixed.q<16, 15>>) {
  tdsl.normalise %x {least = 5.000000e-01 : f64} : memref<3x!fixed.q<16, 8>> into %y : memref<3x!fixed.q<16, 15>>
  func.return
}
// CHECK-LABEL: func.func @above
// CHECK-NEXT: %total = arith.constant 0 : i64
// CHECK-NEXT: [[v0:%.*]] = num.constant {value = 5.000000e-01 : f64} -> !fixed.q<16, 8>
// CHECK-NEXT: [[v1:%.*]] = num.add_square %total, [[v0]] {into = !fixed.q<16, 15>} : i64, !fixed.q<16, 8> -> i64
// CHECK-NEXT: [[v2:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v5:%.*]] = scf.for [[v6:%.*]] = [[v3]] to [[v2]] step [[v4]] iter_args([[v7:%.*]] = [[v1]]) -> (i64) {
// CHECK-NEXT: [[v8:%.*]] = memref.load %x{{\[}}[[v6]]] : memref<3x!fixed.q<16, 8>>
// CHECK-NEXT: [[v9:%.*]] = num.add_square [[v7]], [[v8]] {into = !fixed.q<16, 15>} : i64, !fixed.q<16, 8> -> i64
// CHECK-NEXT: scf.yield [[v9]] : i64
// CHECK-NEXT: }
// CHECK-NEXT: %factor = num.inverse_root [[v5]] {of = !fixed.q<16, 8>, into = !fixed.q<16, 15>} : i64 -> i32
// CHECK-NEXT: scf.for [[v10:%.*]] = [[v3]] to [[v2]] step [[v4]] {
// CHECK-NEXT: [[v11:%.*]] = memref.load %x{{\[}}[[v10]]] : memref<3x!fixed.q<16, 8>>
// CHECK-NEXT: [[v12:%.*]] = num.normalised [[v11]], %factor, [[v5]] : !fixed.q<16, 8>, i32, i64 -> !fixed.q<16, 15>
// CHECK-NEXT: memref.store [[v12]], %y{{\[}}[[v10]]] : memref<3x!fixed.q<16, 15>>
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
// CHECK-LABEL: func.func @totals
// CHECK-NEXT: %total = arith.constant 0 : i32
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: memref.store %total, %t{{\[}}[[v0]], [[v0]], [[v0]], [[v0]]] : memref<1x1x1x1xi32>
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = memref.load %t{{\[}}[[v1]], [[v1]], [[v1]], [[v1]]] : memref<1x1x1x1xi32>
// CHECK-NEXT: [[v3:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v5:%.*]] = scf.for [[v6:%.*]] = [[v1]] to [[v3]] step [[v4]] iter_args([[v7:%.*]] = [[v2]]) -> (i32) {
// CHECK-NEXT: [[v8:%.*]] = memref.load %x{{\[}}[[v1]], [[v1]], [[v6]], [[v1]]] : memref<1x1x2x1x!fixed.q<8, 4>>
// CHECK-NEXT: [[v9:%.*]] = num.tally [[v7]], [[v8]] : i32, !fixed.q<8, 4> -> i32
// CHECK-NEXT: scf.yield [[v9]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: memref.store [[v5]], %t{{\[}}[[v1]], [[v1]], [[v1]], [[v1]]] : memref<1x1x1x1xi32>
// CHECK-NEXT: [[v10:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v11:%.*]] = memref.load %t{{\[}}[[v10]], [[v10]], [[v10]], [[v10]]] : memref<1x1x1x1xi32>
// CHECK-NEXT: [[v12:%.*]] = num.average [[v11]] {count = 9 : i64, of = !fixed.q<8, 4>} : i32 -> !fixed.q<8, 4>
// CHECK-NEXT: memref.store [[v12]], %y{{\[}}[[v10]], [[v10]], [[v10]], [[v10]]] : memref<1x1x1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return
