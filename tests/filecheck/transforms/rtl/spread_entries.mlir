// RUN: tinyml-opt %s -p 'spread-entries{elements=2},simplify,cse' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'spread-entries,simplify,cse' --split-input-file | filecheck %s --check-prefix=ONE
// RUN: tinyml-opt %s -p 'spread-entries{cells=50}' --split-input-file | filecheck %s --check-prefix=HALF
// RUN: tinyml-opt %s -p 'spread-entries{cells=100}' --split-input-file | filecheck %s --check-prefix=WHOLE
// RUN: not tinyml-opt %s -p 'spread-entries{elements=0}' --split-input-file 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not tinyml-opt %s -p 'spread-entries{cells=101}' --split-input-file 2>&1 | filecheck %s --check-prefix=PERCENT
// RUN: not tinyml-opt %s -p 'spread-entries{cells=-1}' --split-input-file 2>&1 | filecheck %s --check-prefix=PERCENT
// RUN: tinyml-opt %s -p 'spread-entries{elements=1}' --split-input-file | filecheck %s --check-prefix=ONE

// NONE: spread-entries: 0 elements
// PERCENT: percent of the cells

// Rows of 3, 0 and 1 entries, one of which is 0 and bridges a gap: two elements take one iteration for each row.
func.func @sparse() {
  %values = rtl.memory dense<[4, 0, -5, 6]> : tensor<4xi8> : !rtl.memory<4, 8>
  %gaps = rtl.memory dense<[1, 3, 2, 2]> : tensor<4xi8> : !rtl.memory<4, 8>
  %lengths = rtl.memory dense<[3, 0, 1]> : tensor<3xi8> : !rtl.memory<3, 8>
  %x = rtl.memory : !rtl.memory<7, 8>
  %y = rtl.memory : !rtl.memory<3, 16>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : index
  %start = arith.constant 0 : i16
  scf.for %i = %zero to %seven step %one {
    %e = rtl.receive : i8
    rtl.store %e, %x[%i] : i8, !rtl.memory<7, 8>
  }
  num.contract %row to 3 {
    %sum = num.entries %start, %gaps, %lengths : i16, !rtl.memory<4, 8>, !rtl.memory<3, 8> -> i16 {
    ^bb0(%s: i16, %entry: index, %column: index):
      %v = rtl.load %values[%entry] : !rtl.memory<4, 8> -> i8
      %xe = rtl.load %x[%column] : !rtl.memory<7, 8> -> i8
      %vw = arith.extsi %v : i8 to i16
      %xw = arith.extsi %xe : i8 to i16
      %product = arith.muli %vw, %xw : i16
      %t = arith.addi %s, %product : i16
      num.next %t : i16
    }
    rtl.store %sum, %y[%row] : i16, !rtl.memory<3, 16>
  }
  func.return
}
// CHECK-LABEL: func.func @sparse() {
// CHECK-NEXT: %x = rtl.memory : !rtl.memory<7, 8>
// CHECK-NEXT: [[vx_1:%.*]] = rtl.memory : !rtl.memory<7, 8>
// CHECK-NEXT: %y = rtl.memory : !rtl.memory<3, 16>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %seven = arith.constant 7 : index
// CHECK-NEXT: scf.for %i = %zero to %seven step %one {
// CHECK-NEXT: %e = rtl.receive : i8
// CHECK-NEXT: rtl.store %e, %x[%i] : i8, !rtl.memory<7, 8>
// CHECK-NEXT: rtl.store %e, [[vx_1]][%i] : i8, !rtl.memory<7, 8>
// CHECK-NEXT: }
// CHECK-NEXT: %values = rtl.memory dense<[4, -5, 0, 0, 6, 0]> : tensor<6xi8> : !rtl.memory<3, 16>
// CHECK-NEXT: %columns = rtl.memory dense<[1, 6, 0, 0, 2, 0]> : tensor<6xi3> : !rtl.memory<3, 6>
// CHECK-NEXT: %ends = rtl.memory dense<true> : tensor<3xi1> : !rtl.memory<3, 1>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : i16
// CHECK-NEXT: [[v1:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 8 : i16
// CHECK-NEXT: [[v3:%.*]] = arith.constant 3 : i6
// CHECK-NEXT: [[v4:%.*]], [[v5:%.*]] = scf.for [[v6:%.*]] = %zero to [[v1]] step %one iter_args(%row = %zero, %sum = [[v0]]) -> (index, i16) {
// CHECK-NEXT: [[v7:%.*]] = rtl.load %values{{\[}}[[v6]]] : !rtl.memory<3, 16> -> i16
// CHECK-NEXT: [[v8:%.*]] = rtl.load %columns{{\[}}[[v6]]] : !rtl.memory<3, 6> -> i6
// CHECK-NEXT: [[v9:%.*]] = rtl.load %ends{{\[}}[[v6]]] : !rtl.memory<3, 1> -> i1
// CHECK-NEXT: [[v10:%.*]] = arith.trunci [[v7]] : i16 to i8
// CHECK-NEXT: [[v11:%.*]] = arith.trunci [[v8]] : i6 to i3
// CHECK-NEXT: [[v12:%.*]] = arith.extui [[v11]] : i3 to i4
// CHECK-NEXT: [[v13:%.*]] = arith.index_cast [[v12]] : i4 to index
// CHECK-NEXT: [[v14:%.*]] = rtl.load %x{{\[}}[[v13]]] : !rtl.memory<7, 8> -> i8
// CHECK-NEXT: %vw = arith.extsi [[v10]] : i8 to i16
// CHECK-NEXT: %xw = arith.extsi [[v14]] : i8 to i16
// CHECK-NEXT: %product = arith.muli %vw, %xw : i16
// CHECK-NEXT: [[v15:%.*]] = arith.shrui [[v7]], [[v2]] : i16
// CHECK-NEXT: [[v16:%.*]] = arith.trunci [[v15]] : i16 to i8
// CHECK-NEXT: [[v17:%.*]] = arith.shrui [[v8]], [[v3]] : i6
// CHECK-NEXT: [[v18:%.*]] = arith.trunci [[v17]] : i6 to i3
// CHECK-NEXT: [[v19:%.*]] = arith.extui [[v18]] : i3 to i4
// CHECK-NEXT: [[v20:%.*]] = arith.index_cast [[v19]] : i4 to index
// CHECK-NEXT: [[v21:%.*]] = rtl.load [[vx_1]]{{\[}}[[v20]]] : !rtl.memory<7, 8> -> i8
// CHECK-NEXT: [[vvw_1:%.*]] = arith.extsi [[v16]] : i8 to i16
// CHECK-NEXT: [[vxw_1:%.*]] = arith.extsi [[v21]] : i8 to i16
// CHECK-NEXT: [[vproduct_1:%.*]] = arith.muli [[vvw_1]], [[vxw_1]] : i16
// CHECK-NEXT: [[v22:%.*]] = arith.addi %product, [[vproduct_1]] : i16
// CHECK-NEXT: [[v23:%.*]] = arith.addi %sum, [[v22]] : i16
// CHECK-NEXT: rtl.store [[v23]], %y[%row] if [[v9]] : i16, !rtl.memory<3, 16>
// CHECK-NEXT: [[v24:%.*]] = arith.addi %row, %one : index
// CHECK-NEXT: [[v25:%.*]] = arith.cmpi slt, [[v24]], [[v1]] : index
// CHECK-NEXT: [[v26:%.*]] = arith.select [[v25]], [[v24]], %zero : index
// CHECK-NEXT: [[v27:%.*]] = arith.select [[v9]], [[v26]], %row : index
// CHECK-NEXT: [[v28:%.*]] = arith.select [[v9]], [[v0]], [[v23]] : i16
// CHECK-NEXT: scf.yield [[v27]], [[v28]] : index, i16
// CHECK-NEXT: } {rtl.lanes = 2 : i64}
// CHECK-NEXT: func.return

// ONE: %values = rtl.memory dense<[4, -5, 0, 6]> : tensor<4xi8> : !rtl.memory<4, 8>
// ONE: %ends = rtl.memory dense<[false, true, true, true]>

// -----

// Each row starts from a number of its own, which joins the sum at its end; the vector begins behind others.
func.func @starts() {
  %values = rtl.memory dense<[4, -5]> : tensor<2xi8> : !rtl.memory<2, 8>
  %gaps = rtl.memory dense<[1, 0]> : tensor<2xi8> : !rtl.memory<2, 8>
  %lengths = rtl.memory dense<1> : tensor<2xi8> : !rtl.memory<2, 8>
  %starts = rtl.memory dense<[100, 200]> : tensor<2xi16> : !rtl.memory<2, 16>
  %x = rtl.memory : !rtl.memory<5, 8>
  %y = rtl.memory : !rtl.memory<2, 16>
  %three = arith.constant 3 : index
  num.contract %row to 2 {
    %start = rtl.load %starts[%row] : !rtl.memory<2, 16> -> i16
    %sum = num.entries %start, %gaps, %lengths : i16, !rtl.memory<2, 8>, !rtl.memory<2, 8> -> i16 {
    ^bb0(%s: i16, %entry: index, %column: index):
      %v = rtl.load %values[%entry] : !rtl.memory<2, 8> -> i8
      %at = arith.addi %column, %three : index
      %xe = rtl.load %x[%at] : !rtl.memory<5, 8> -> i8
      %vw = arith.extsi %v : i8 to i16
      %xw = arith.extsi %xe : i8 to i16
      %product = arith.muli %vw, %xw : i16
      %t = arith.addi %s, %product : i16
      num.next %t : i16
    }
    rtl.store %sum, %y[%row] : i16, !rtl.memory<2, 16>
  }
  func.return
}
// CHECK-LABEL: func.func @starts() {
// CHECK-NEXT: %starts = rtl.memory dense<[100, 200]> : tensor<2xi16> : !rtl.memory<2, 16>
// CHECK-NEXT: %x = rtl.memory : !rtl.memory<5, 8>
// CHECK-NEXT: [[vx_1:%.*]] = rtl.memory : !rtl.memory<5, 8>
// CHECK-NEXT: %y = rtl.memory : !rtl.memory<2, 16>
// CHECK-NEXT: %values = rtl.memory dense<[4, 0, -5, 0]> : tensor<4xi8> : !rtl.memory<2, 16>
// CHECK-NEXT: %columns = rtl.memory dense<[4, 0, 3, 0]> : tensor<4xi3> : !rtl.memory<2, 6>
// CHECK-NEXT: %ends = rtl.memory dense<true> : tensor<2xi1> : !rtl.memory<2, 1>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : i16
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 8 : i16
// CHECK-NEXT: [[v5:%.*]] = arith.constant 3 : i6
// CHECK-NEXT: [[v6:%.*]], [[v7:%.*]] = scf.for [[v8:%.*]] = [[v2]] to [[v1]] step [[v3]] iter_args(%row = [[v2]], %sum = [[v0]]) -> (index, i16) {
// CHECK-NEXT: [[v9:%.*]] = rtl.load %values{{\[}}[[v8]]] : !rtl.memory<2, 16> -> i16
// CHECK-NEXT: [[v10:%.*]] = rtl.load %columns{{\[}}[[v8]]] : !rtl.memory<2, 6> -> i6
// CHECK-NEXT: [[v11:%.*]] = rtl.load %ends{{\[}}[[v8]]] : !rtl.memory<2, 1> -> i1
// CHECK-NEXT: [[v12:%.*]] = arith.trunci [[v9]] : i16 to i8
// CHECK-NEXT: [[v13:%.*]] = arith.trunci [[v10]] : i6 to i3
// CHECK-NEXT: [[v14:%.*]] = arith.extui [[v13]] : i3 to i4
// CHECK-NEXT: [[v15:%.*]] = arith.index_cast [[v14]] : i4 to index
// CHECK-NEXT: [[v16:%.*]] = rtl.load %x{{\[}}[[v15]]] : !rtl.memory<5, 8> -> i8
// CHECK-NEXT: %vw = arith.extsi [[v12]] : i8 to i16
// CHECK-NEXT: %xw = arith.extsi [[v16]] : i8 to i16
// CHECK-NEXT: %product = arith.muli %vw, %xw : i16
// CHECK-NEXT: [[v17:%.*]] = arith.shrui [[v9]], [[v4]] : i16
// CHECK-NEXT: [[v18:%.*]] = arith.trunci [[v17]] : i16 to i8
// CHECK-NEXT: [[v19:%.*]] = arith.shrui [[v10]], [[v5]] : i6
// CHECK-NEXT: [[v20:%.*]] = arith.trunci [[v19]] : i6 to i3
// CHECK-NEXT: [[v21:%.*]] = arith.extui [[v20]] : i3 to i4
// CHECK-NEXT: [[v22:%.*]] = arith.index_cast [[v21]] : i4 to index
// CHECK-NEXT: [[v23:%.*]] = rtl.load [[vx_1]]{{\[}}[[v22]]] : !rtl.memory<5, 8> -> i8
// CHECK-NEXT: [[vvw_1:%.*]] = arith.extsi [[v18]] : i8 to i16
// CHECK-NEXT: [[vxw_1:%.*]] = arith.extsi [[v23]] : i8 to i16
// CHECK-NEXT: [[vproduct_1:%.*]] = arith.muli [[vvw_1]], [[vxw_1]] : i16
// CHECK-NEXT: [[v24:%.*]] = arith.addi %product, [[vproduct_1]] : i16
// CHECK-NEXT: [[v25:%.*]] = arith.addi %sum, [[v24]] : i16
// CHECK-NEXT: %start = rtl.load %starts[%row] : !rtl.memory<2, 16> -> i16
// CHECK-NEXT: [[v26:%.*]] = arith.addi [[v25]], %start : i16
// CHECK-NEXT: rtl.store [[v26]], %y[%row] if [[v11]] : i16, !rtl.memory<2, 16>
// CHECK-NEXT: [[v27:%.*]] = arith.addi %row, [[v3]] : index
// CHECK-NEXT: [[v28:%.*]] = arith.cmpi slt, [[v27]], [[v1]] : index
// CHECK-NEXT: [[v29:%.*]] = arith.select [[v28]], [[v27]], [[v2]] : index
// CHECK-NEXT: [[v30:%.*]] = arith.select [[v11]], [[v29]], %row : index
// CHECK-NEXT: [[v31:%.*]] = arith.select [[v11]], [[v0]], [[v25]] : i16
// CHECK-NEXT: scf.yield [[v30]], [[v31]] : index, i16
// CHECK-NEXT: } {rtl.lanes = 2 : i64}
// CHECK-NEXT: func.return

// -----

// Half of the 56 block RAMs hold 28 copies of the vector; 14 of the 28 multipliers serve half of the elements. Of all
// block RAMs 40 elements take the last: 40 for copies, 9 for values of 40 x 8 bits and 7 for columns of 40 x 6 bits, in
// words of 36; 28 of them multiply by multipliers, 12 by logic.
func.func @budget() {
  %values = rtl.memory dense<3> : tensor<60xi8> : !rtl.memory<60, 8>
  %gaps = rtl.memory dense<1> : tensor<60xi8> : !rtl.memory<60, 8>
  %lengths = rtl.memory dense<60> : tensor<1xi8> : !rtl.memory<1, 8>
  %x = rtl.memory : !rtl.memory<61, 8>
  %y = rtl.memory : !rtl.memory<1, 16>
  %start = arith.constant 0 : i16
  num.contract %row to 1 {
    %sum = num.entries %start, %gaps, %lengths : i16, !rtl.memory<60, 8>, !rtl.memory<1, 8> -> i16 {
    ^bb0(%s: i16, %entry: index, %column: index):
      %v = rtl.load %values[%entry] : !rtl.memory<60, 8> -> i8
      %xe = rtl.load %x[%column] : !rtl.memory<61, 8> -> i8
      %vw = arith.extsi %v : i8 to i16
      %xw = arith.extsi %xe : i8 to i16
      %product = arith.muli %vw, %xw : i16
      %t = arith.addi %s, %product : i16
      num.next %t : i16
    }
    rtl.store %sum, %y[%row] : i16, !rtl.memory<1, 16>
  }
  func.return
}
// CHECK-LABEL: func.func @budget() {
// CHECK-NEXT: %x = rtl.memory : !rtl.memory<61, 8>
// CHECK-NEXT: [[vx_1:%.*]] = rtl.memory : !rtl.memory<61, 8>
// CHECK-NEXT: %y = rtl.memory : !rtl.memory<1, 16>
// CHECK-NEXT: %values = rtl.memory dense<3> : tensor<60xi8> : !rtl.memory<30, 16>
// CHECK-NEXT: %columns = rtl.memory dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60]> : tensor<60xi6> : !rtl.memory<30, 12>
// CHECK-NEXT: %ends = rtl.memory dense<[false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, true]> : tensor<30xi1> : !rtl.memory<30, 1>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : i16
// CHECK-NEXT: [[v1:%.*]] = arith.constant 30 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 8 : i16
// CHECK-NEXT: [[v5:%.*]] = arith.constant 6 : i12
// CHECK-NEXT: [[v6:%.*]], [[v7:%.*]] = scf.for [[v8:%.*]] = [[v2]] to [[v1]] step [[v3]] iter_args(%row = [[v2]], %sum = [[v0]]) -> (index, i16) {
// CHECK-NEXT: [[v9:%.*]] = rtl.load %values{{\[}}[[v8]]] : !rtl.memory<30, 16> -> i16
// CHECK-NEXT: [[v10:%.*]] = rtl.load %columns{{\[}}[[v8]]] : !rtl.memory<30, 12> -> i12
// CHECK-NEXT: [[v11:%.*]] = rtl.load %ends{{\[}}[[v8]]] : !rtl.memory<30, 1> -> i1
// CHECK-NEXT: [[v12:%.*]] = arith.trunci [[v9]] : i16 to i8
// CHECK-NEXT: [[v13:%.*]] = arith.trunci [[v10]] : i12 to i6
// CHECK-NEXT: [[v14:%.*]] = arith.extui [[v13]] : i6 to i7
// CHECK-NEXT: [[v15:%.*]] = arith.index_cast [[v14]] : i7 to index
// CHECK-NEXT: [[v16:%.*]] = rtl.load %x{{\[}}[[v15]]] : !rtl.memory<61, 8> -> i8
// CHECK-NEXT: %vw = arith.extsi [[v12]] : i8 to i16
// CHECK-NEXT: %xw = arith.extsi [[v16]] : i8 to i16
// CHECK-NEXT: %product = arith.muli %vw, %xw : i16
// CHECK-NEXT: [[v17:%.*]] = arith.shrui [[v9]], [[v4]] : i16
// CHECK-NEXT: [[v18:%.*]] = arith.trunci [[v17]] : i16 to i8
// CHECK-NEXT: [[v19:%.*]] = arith.shrui [[v10]], [[v5]] : i12
// CHECK-NEXT: [[v20:%.*]] = arith.trunci [[v19]] : i12 to i6
// CHECK-NEXT: [[v21:%.*]] = arith.extui [[v20]] : i6 to i7
// CHECK-NEXT: [[v22:%.*]] = arith.index_cast [[v21]] : i7 to index
// CHECK-NEXT: [[v23:%.*]] = rtl.load [[vx_1]]{{\[}}[[v22]]] : !rtl.memory<61, 8> -> i8
// CHECK-NEXT: [[vvw_1:%.*]] = arith.extsi [[v18]] : i8 to i16
// CHECK-NEXT: [[vxw_1:%.*]] = arith.extsi [[v23]] : i8 to i16
// CHECK-NEXT: [[vproduct_1:%.*]] = arith.muli [[vvw_1]], [[vxw_1]] : i16
// CHECK-NEXT: [[v24:%.*]] = arith.addi %product, [[vproduct_1]] : i16
// CHECK-NEXT: [[v25:%.*]] = arith.addi %sum, [[v24]] : i16
// CHECK-NEXT: rtl.store [[v25]], %y[%row] if [[v11]] : i16, !rtl.memory<1, 16>
// CHECK-NEXT: [[v26:%.*]] = arith.addi %row, [[v3]] : index
// CHECK-NEXT: [[v27:%.*]] = arith.cmpi slt, [[v26]], [[v3]] : index
// CHECK-NEXT: [[v28:%.*]] = arith.select [[v27]], [[v26]], [[v2]] : index
// CHECK-NEXT: [[v29:%.*]] = arith.select [[v11]], [[v28]], %row : index
// CHECK-NEXT: [[v30:%.*]] = arith.select [[v11]], [[v0]], [[v25]] : i16
// CHECK-NEXT: scf.yield [[v29]], [[v30]] : index, i16
// CHECK-NEXT: } {rtl.lanes = 2 : i64}
// CHECK-NEXT: func.return
// HALF-LABEL: func.func @budget
// HALF-COUNT-14: rtl.logic
// HALF-NOT: rtl.logic
// HALF: rtl.lanes = 28
// HALF-LABEL: func.func @others(
// WHOLE-LABEL: func.func @budget
// WHOLE-COUNT-12: rtl.logic
// WHOLE-NOT: rtl.logic
// WHOLE: rtl.lanes = 40

// -----

// A memory of two other block RAMs leaves room for 38.
func.func @others() {
  %values = rtl.memory dense<3> : tensor<60xi8> : !rtl.memory<60, 8>
  %gaps = rtl.memory dense<1> : tensor<60xi8> : !rtl.memory<60, 8>
  %lengths = rtl.memory dense<60> : tensor<1xi8> : !rtl.memory<1, 8>
  %x = rtl.memory : !rtl.memory<61, 8>
  %y = rtl.memory : !rtl.memory<1, 16>
  %start = arith.constant 0 : i16
  %other = rtl.memory : !rtl.memory<4096, 8>
  %zero = arith.constant 0 : index
  %e = rtl.receive : i8
  rtl.store %e, %other[%zero] : i8, !rtl.memory<4096, 8>
  num.contract %row to 1 {
    %sum = num.entries %start, %gaps, %lengths : i16, !rtl.memory<60, 8>, !rtl.memory<1, 8> -> i16 {
    ^bb0(%s: i16, %entry: index, %column: index):
      %v = rtl.load %values[%entry] : !rtl.memory<60, 8> -> i8
      %xe = rtl.load %x[%column] : !rtl.memory<61, 8> -> i8
      %vw = arith.extsi %v : i8 to i16
      %xw = arith.extsi %xe : i8 to i16
      %product = arith.muli %vw, %xw : i16
      %t = arith.addi %s, %product : i16
      num.next %t : i16
    }
    rtl.store %sum, %y[%row] : i16, !rtl.memory<1, 16>
  }
  func.return
}
// CHECK-LABEL: func.func @others() {
// CHECK-NEXT: %x = rtl.memory : !rtl.memory<61, 8>
// CHECK-NEXT: [[vx_1:%.*]] = rtl.memory : !rtl.memory<61, 8>
// CHECK-NEXT: %y = rtl.memory : !rtl.memory<1, 16>
// CHECK-NEXT: %other = rtl.memory : !rtl.memory<4096, 8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %e = rtl.receive : i8
// CHECK-NEXT: rtl.store %e, %other[%zero] : i8, !rtl.memory<4096, 8>
// CHECK-NEXT: %values = rtl.memory dense<3> : tensor<60xi8> : !rtl.memory<30, 16>
// CHECK-NEXT: %columns = rtl.memory dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60]> : tensor<60xi6> : !rtl.memory<30, 12>
// CHECK-NEXT: %ends = rtl.memory dense<[false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false, true]> : tensor<30xi1> : !rtl.memory<30, 1>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : i16
// CHECK-NEXT: [[v1:%.*]] = arith.constant 30 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 8 : i16
// CHECK-NEXT: [[v4:%.*]] = arith.constant 6 : i12
// CHECK-NEXT: [[v5:%.*]], [[v6:%.*]] = scf.for [[v7:%.*]] = %zero to [[v1]] step [[v2]] iter_args(%row = %zero, %sum = [[v0]]) -> (index, i16) {
// CHECK-NEXT: [[v8:%.*]] = rtl.load %values{{\[}}[[v7]]] : !rtl.memory<30, 16> -> i16
// CHECK-NEXT: [[v9:%.*]] = rtl.load %columns{{\[}}[[v7]]] : !rtl.memory<30, 12> -> i12
// CHECK-NEXT: [[v10:%.*]] = rtl.load %ends{{\[}}[[v7]]] : !rtl.memory<30, 1> -> i1
// CHECK-NEXT: [[v11:%.*]] = arith.trunci [[v8]] : i16 to i8
// CHECK-NEXT: [[v12:%.*]] = arith.trunci [[v9]] : i12 to i6
// CHECK-NEXT: [[v13:%.*]] = arith.extui [[v12]] : i6 to i7
// CHECK-NEXT: [[v14:%.*]] = arith.index_cast [[v13]] : i7 to index
// CHECK-NEXT: [[v15:%.*]] = rtl.load %x{{\[}}[[v14]]] : !rtl.memory<61, 8> -> i8
// CHECK-NEXT: %vw = arith.extsi [[v11]] : i8 to i16
// CHECK-NEXT: %xw = arith.extsi [[v15]] : i8 to i16
// CHECK-NEXT: %product = arith.muli %vw, %xw : i16
// CHECK-NEXT: [[v16:%.*]] = arith.shrui [[v8]], [[v3]] : i16
// CHECK-NEXT: [[v17:%.*]] = arith.trunci [[v16]] : i16 to i8
// CHECK-NEXT: [[v18:%.*]] = arith.shrui [[v9]], [[v4]] : i12
// CHECK-NEXT: [[v19:%.*]] = arith.trunci [[v18]] : i12 to i6
// CHECK-NEXT: [[v20:%.*]] = arith.extui [[v19]] : i6 to i7
// CHECK-NEXT: [[v21:%.*]] = arith.index_cast [[v20]] : i7 to index
// CHECK-NEXT: [[v22:%.*]] = rtl.load [[vx_1]]{{\[}}[[v21]]] : !rtl.memory<61, 8> -> i8
// CHECK-NEXT: [[vvw_1:%.*]] = arith.extsi [[v17]] : i8 to i16
// CHECK-NEXT: [[vxw_1:%.*]] = arith.extsi [[v22]] : i8 to i16
// CHECK-NEXT: [[vproduct_1:%.*]] = arith.muli [[vvw_1]], [[vxw_1]] : i16
// CHECK-NEXT: [[v23:%.*]] = arith.addi %product, [[vproduct_1]] : i16
// CHECK-NEXT: [[v24:%.*]] = arith.addi %sum, [[v23]] : i16
// CHECK-NEXT: rtl.store [[v24]], %y[%row] if [[v10]] : i16, !rtl.memory<1, 16>
// CHECK-NEXT: [[v25:%.*]] = arith.addi %row, [[v2]] : index
// CHECK-NEXT: [[v26:%.*]] = arith.cmpi slt, [[v25]], [[v2]] : index
// CHECK-NEXT: [[v27:%.*]] = arith.select [[v26]], [[v25]], %zero : index
// CHECK-NEXT: [[v28:%.*]] = arith.select [[v10]], [[v27]], %row : index
// CHECK-NEXT: [[v29:%.*]] = arith.select [[v10]], [[v0]], [[v24]] : i16
// CHECK-NEXT: scf.yield [[v28]], [[v29]] : index, i16
// CHECK-NEXT: } {rtl.lanes = 2 : i64}
// CHECK-NEXT: func.return
// WHOLE-LABEL: func.func @others
// WHOLE: rtl.lanes = 38

// -----

// A vector of 18440 bits takes two block RAMs: half of all hold 14 copies. 23 copies leave 10, for words of 184 and 138 bits.
func.func @long_vector() {
  %values = rtl.memory dense<3> : tensor<60xi8> : !rtl.memory<60, 8>
  %gaps = rtl.memory dense<1> : tensor<60xi8> : !rtl.memory<60, 8>
  %lengths = rtl.memory dense<60> : tensor<1xi8> : !rtl.memory<1, 8>
  %x = rtl.memory : !rtl.memory<2305, 8>
  %y = rtl.memory : !rtl.memory<1, 16>
  %start = arith.constant 0 : i16
  num.contract %row to 1 {
    %sum = num.entries %start, %gaps, %lengths : i16, !rtl.memory<60, 8>, !rtl.memory<1, 8> -> i16 {
    ^bb0(%s: i16, %entry: index, %column: index):
      %v = rtl.load %values[%entry] : !rtl.memory<60, 8> -> i8
      %xe = rtl.load %x[%column] : !rtl.memory<2305, 8> -> i8
      %vw = arith.extsi %v : i8 to i16
      %xw = arith.extsi %xe : i8 to i16
      %product = arith.muli %vw, %xw : i16
      %t = arith.addi %s, %product : i16
      num.next %t : i16
    }
    rtl.store %sum, %y[%row] : i16, !rtl.memory<1, 16>
  }
  func.return
}
// HALF-LABEL: func.func @long_vector
// HALF: rtl.lanes = 14
// WHOLE-LABEL: func.func @long_vector
// WHOLE: rtl.lanes = 23

// -----

// 27 copies leave 29 block RAMs, for words of 864 and 162 bits. A product takes two multipliers: besides the first element,
// six of the 12 that are left of a half have them, or 13 of the 26 of all.
func.func @wide() {
  %values = rtl.memory dense<3> : tensor<60xi32> : !rtl.memory<60, 32>
  %gaps = rtl.memory dense<1> : tensor<60xi8> : !rtl.memory<60, 8>
  %lengths = rtl.memory dense<60> : tensor<1xi8> : !rtl.memory<1, 8>
  %x = rtl.memory : !rtl.memory<61, 32>
  %y = rtl.memory : !rtl.memory<1, 64>
  %start = arith.constant 0 : i64
  num.contract %row to 1 {
    %sum = num.entries %start, %gaps, %lengths : i64, !rtl.memory<60, 8>, !rtl.memory<1, 8> -> i64 {
    ^bb0(%s: i64, %entry: index, %column: index):
      %v = rtl.load %values[%entry] : !rtl.memory<60, 32> -> i32
      %xe = rtl.load %x[%column] : !rtl.memory<61, 32> -> i32
      %vw = arith.extsi %v : i32 to i64
      %xw = arith.extsi %xe : i32 to i64
      %product = arith.muli %vw, %xw : i64
      %t = arith.addi %s, %product : i64
      num.next %t : i64
    }
    rtl.store %sum, %y[%row] : i64, !rtl.memory<1, 64>
  }
  func.return
}
// HALF-LABEL: func.func @wide
// HALF-COUNT-20: rtl.logic
// HALF-NOT: rtl.logic
// HALF: rtl.lanes = 27
// WHOLE-LABEL: func.func @wide
// WHOLE-COUNT-13: rtl.logic
// WHOLE-NOT: rtl.logic
// WHOLE: rtl.lanes = 27

// -----

// Loops with as many products, those of indices not counted, leave half of what is free: two products by 11 multipliers, or
// six by 25, and LUTs for 22 elements of half of the device.
func.func @shared() {
  %values = rtl.memory dense<3> : tensor<60xi32> : !rtl.memory<60, 32>
  %gaps = rtl.memory dense<1> : tensor<60xi8> : !rtl.memory<60, 8>
  %lengths = rtl.memory dense<60> : tensor<1xi8> : !rtl.memory<1, 8>
  %x = rtl.memory : !rtl.memory<61, 32>
  %y = rtl.memory : !rtl.memory<1, 64>
  %start = arith.constant 0 : i64
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %six = arith.constant 6 : index
  %ten = arith.constant 10 : index
  %five = arith.constant 5 : i16
  scf.for %i = %zero to %six step %one {
    scf.for %j = %zero to %ten step %one {
      %e = rtl.receive : i16
      %p = arith.muli %e, %e : i16
      %pw = arith.extsi %p : i16 to i64
      %k = arith.muli %j, %six : index
      rtl.store %pw, %y[%zero] : i64, !rtl.memory<1, 64>
    }
  }
  num.contract %row to 1 {
    %sum = num.entries %start, %gaps, %lengths : i64, !rtl.memory<60, 8>, !rtl.memory<1, 8> -> i64 {
    ^bb0(%s: i64, %entry: index, %column: index):
      %v = rtl.load %values[%entry] : !rtl.memory<60, 32> -> i32
      %xe = rtl.load %x[%column] : !rtl.memory<61, 32> -> i32
      %vw = arith.extsi %v : i32 to i64
      %xw = arith.extsi %xe : i32 to i64
      %product = arith.muli %vw, %xw : i64
      %t = arith.addi %s, %product : i64
      num.next %t : i64
    }
    rtl.store %sum, %y[%row] : i64, !rtl.memory<1, 64>
  }
  func.return
}
// HALF-LABEL: func.func @shared
// HALF-COUNT-19: rtl.logic
// HALF-NOT: rtl.logic
// HALF: rtl.lanes = 22
// WHOLE-LABEL: func.func @shared
// WHOLE-COUNT-20: rtl.logic
// WHOLE-NOT: rtl.logic
// WHOLE: rtl.lanes = 27

// -----

// More than 64 elements would have room in the 100 block RAMs of this board.
builtin.module attributes {tinyml.target = "arty-a7"} {
  func.func @most() {
    %values = rtl.memory dense<3> : tensor<60xi8> : !rtl.memory<60, 8>
    %gaps = rtl.memory dense<1> : tensor<60xi8> : !rtl.memory<60, 8>
    %lengths = rtl.memory dense<60> : tensor<1xi8> : !rtl.memory<1, 8>
    %x = rtl.memory : !rtl.memory<61, 8>
    %y = rtl.memory : !rtl.memory<1, 16>
    %start = arith.constant 0 : i16
    num.contract %row to 1 {
      %sum = num.entries %start, %gaps, %lengths : i16, !rtl.memory<60, 8>, !rtl.memory<1, 8> -> i16 {
      ^bb0(%s: i16, %entry: index, %column: index):
        %v = rtl.load %values[%entry] : !rtl.memory<60, 8> -> i8
        %xe = rtl.load %x[%column] : !rtl.memory<61, 8> -> i8
        %vw = arith.extsi %v : i8 to i16
        %xw = arith.extsi %xe : i8 to i16
        %product = arith.muli %vw, %xw : i16
        %t = arith.addi %s, %product : i16
        num.next %t : i16
      }
      rtl.store %sum, %y[%row] : i16, !rtl.memory<1, 16>
    }
    func.return
  }
}
// HALF-LABEL: func.func @most
// HALF: rtl.lanes = 50
// WHOLE-LABEL: func.func @most
// WHOLE: rtl.lanes = 64

// -----

// The products of three elements need no LUTs, because DSPs compute them. The part of the LUTs is enough for 18 elements.
func.func @to_the_last() {
  %values = rtl.memory dense<3> : tensor<60xi32> : !rtl.memory<60, 32>
  %gaps = rtl.memory dense<1> : tensor<60xi8> : !rtl.memory<60, 8>
  %lengths = rtl.memory dense<60> : tensor<1xi8> : !rtl.memory<1, 8>
  %x = rtl.memory : !rtl.memory<61, 32>
  %y = rtl.memory : !rtl.memory<1, 64>
  %start = arith.constant 0 : i64
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eleven = arith.constant 11 : index
  %eight = arith.constant 8 : index
  %five = arith.constant 5 : i16
  scf.for %i = %zero to %eleven step %one {
    scf.for %j = %zero to %eight step %one {
      %e = rtl.receive : i16
      %p = arith.muli %e, %e : i16
      %pw = arith.extsi %p : i16 to i64
      %k = arith.muli %j, %eleven : index
      rtl.store %pw, %y[%zero] : i64, !rtl.memory<1, 64>
    }
  }
  num.contract %row to 1 {
    %sum = num.entries %start, %gaps, %lengths : i64, !rtl.memory<60, 8>, !rtl.memory<1, 8> -> i64 {
    ^bb0(%s: i64, %entry: index, %column: index):
      %v = rtl.load %values[%entry] : !rtl.memory<60, 32> -> i32
      %xe = rtl.load %x[%column] : !rtl.memory<61, 32> -> i32
      %vw = arith.extsi %v : i32 to i64
      %xw = arith.extsi %xe : i32 to i64
      %product = arith.muli %vw, %xw : i64
      %t = arith.addi %s, %product : i64
      num.next %t : i64
    }
    rtl.store %sum, %y[%row] : i64, !rtl.memory<1, 64>
  }
  func.return
}
// HALF-LABEL: func.func @to_the_last
// HALF-COUNT-15: rtl.logic
// HALF-NOT: rtl.logic
// HALF: rtl.lanes = 18
