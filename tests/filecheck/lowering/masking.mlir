// RUN: tinyml-opt %s -p lower-tdsl-to-loops,cse | filecheck %s

// Masked elements count as the lowest number where the greatest is searched, and as terms of 0. The mask is the same for
// all indices of the first axis.
func.func @masks(%x: memref<2x3x2x!fixed.q<8, 4>>, %m: memref<3x2x!fixed.q<8, 7>>, %p: memref<2x3x2x!fixed.q<8, 7>>) {
  tdsl.masked_softmax %x, %m : memref<2x3x2x!fixed.q<8, 4>>, memref<3x2x!fixed.q<8, 7>> into %p : memref<2x3x2x!fixed.q<8, 7>>
  func.return
}
// CHECK-LABEL: func.func @masks(%x: memref<2x3x2x!fixed.q<8, 4>>, %m: memref<3x2x!fixed.q<8, 7>>, %p: memref<2x3x2x!fixed.q<8, 7>>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 3 : index
// CHECK-NEXT: scf.for [[v4:%.*]] = [[v1]] to [[v0]] step [[v2]] {
// CHECK-NEXT: scf.for [[v5:%.*]] = [[v1]] to [[v3]] step [[v2]] {
// CHECK-NEXT: [[v6:%.*]] = num.constant {value = 0.000000e+00 : f64} -> !fixed.q<8, 7>
// CHECK-NEXT: [[v7:%.*]] = memref.load %m{{\[}}[[v5]], [[v1]]] : memref<3x2x!fixed.q<8, 7>>
// CHECK-NEXT: [[v8:%.*]] = num.greater [[v7]], [[v6]] : !fixed.q<8, 7>, !fixed.q<8, 7>
// CHECK-NEXT: [[v9:%.*]] = num.constant {value = -1.000000e+30 : f64} -> !fixed.q<8, 4>
// CHECK-NEXT: [[v10:%.*]] = memref.load %x{{\[}}[[v4]], [[v5]], [[v1]]] : memref<2x3x2x!fixed.q<8, 4>>
// CHECK-NEXT: [[v11:%.*]] = arith.select [[v8]], [[v10]], [[v9]] : !fixed.q<8, 4>
// CHECK-NEXT: %greatest = num.reduce [[v11]] {first = 1 : i64, extent = 2 : i64, kinds = ["greatest"]} : !fixed.q<8, 4> -> !fixed.q<8, 4> {
// CHECK-NEXT: ^bb0([[v12:%.*]]: index, [[v13:%.*]]: !fixed.q<8, 4>):
// CHECK-NEXT: [[v14:%.*]] = memref.load %m{{\[}}[[v5]], [[v12]]] : memref<3x2x!fixed.q<8, 7>>
// CHECK-NEXT: [[v15:%.*]] = num.greater [[v14]], [[v6]] : !fixed.q<8, 7>, !fixed.q<8, 7>
// CHECK-NEXT: [[v16:%.*]] = memref.load %x{{\[}}[[v4]], [[v5]], [[v12]]] : memref<2x3x2x!fixed.q<8, 4>>
// CHECK-NEXT: [[v17:%.*]] = arith.select [[v15]], [[v16]], [[v9]] : !fixed.q<8, 4>
// CHECK-NEXT: [[v18:%.*]] = num.greater [[v17]], [[v13]] : !fixed.q<8, 4>, !fixed.q<8, 4>
// CHECK-NEXT: [[v19:%.*]] = arith.select [[v18]], [[v17]], [[v13]] : !fixed.q<8, 4>
// CHECK-NEXT: num.next [[v19]] : !fixed.q<8, 4>
// CHECK-NEXT: }
// CHECK-NEXT: %total = arith.constant 0 : i32
// CHECK-NEXT: [[v20:%.*]] = num.reduce %total {first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : i32 -> i32 {
// CHECK-NEXT: ^bb0([[v21:%.*]]: index, [[v22:%.*]]: i32):
// CHECK-NEXT: [[v23:%.*]] = memref.load %m{{\[}}[[v5]], [[v21]]] : memref<3x2x!fixed.q<8, 7>>
// CHECK-NEXT: [[v24:%.*]] = num.greater [[v23]], [[v6]] : !fixed.q<8, 7>, !fixed.q<8, 7>
// CHECK-NEXT: [[v25:%.*]] = memref.load %x{{\[}}[[v4]], [[v5]], [[v21]]] : memref<2x3x2x!fixed.q<8, 4>>
// CHECK-NEXT: [[v26:%.*]] = arith.select [[v24]], [[v25]], [[v9]] : !fixed.q<8, 4>
// CHECK-NEXT: [[v27:%.*]] = num.softmax_term [[v26]], %greatest {into = !fixed.q<8, 7>} : !fixed.q<8, 4>, !fixed.q<8, 4> -> i32
// CHECK-NEXT: [[v28:%.*]] = arith.select [[v24]], [[v27]], %total : i32
// CHECK-NEXT: [[v29:%.*]] = num.softmax_add [[v22]], [[v28]] {into = !fixed.q<8, 7>} : i32, i32 -> i32
// CHECK-NEXT: num.next [[v29]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[v30:%.*]] to 2 {
// CHECK-NEXT: [[v31:%.*]] = memref.load %m{{\[}}[[v5]], [[v30]]] : memref<3x2x!fixed.q<8, 7>>
// CHECK-NEXT: [[v32:%.*]] = num.greater [[v31]], [[v6]] : !fixed.q<8, 7>, !fixed.q<8, 7>
// CHECK-NEXT: [[v33:%.*]] = memref.load %x{{\[}}[[v4]], [[v5]], [[v30]]] : memref<2x3x2x!fixed.q<8, 4>>
// CHECK-NEXT: [[v34:%.*]] = arith.select [[v32]], [[v33]], [[v9]] : !fixed.q<8, 4>
// CHECK-NEXT: [[v35:%.*]] = num.softmax_term [[v34]], %greatest {into = !fixed.q<8, 7>} : !fixed.q<8, 4>, !fixed.q<8, 4> -> i32
// CHECK-NEXT: [[v36:%.*]] = arith.select [[v32]], [[v35]], %total : i32
// CHECK-NEXT: [[v37:%.*]] = num.softmax_share [[v36]], [[v20]] : i32, i32 -> !fixed.q<8, 7>
// CHECK-NEXT: memref.store [[v37]], %p{{\[}}[[v4]], [[v5]], [[v30]]] : memref<2x3x2x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return
