// RUN: tinyml-opt %s -p 'spread-entries{elements=2},simplify,cse' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'spread-entries,simplify,cse' --split-input-file | filecheck %s --check-prefix=ONE
// RUN: tinyml-opt %s -p 'spread-entries{cells=50}' --split-input-file | filecheck %s --check-prefix=HALF
// RUN: tinyml-opt %s -p 'spread-entries{cells=100}' --split-input-file | filecheck %s --check-prefix=WHOLE
// RUN: not tinyml-opt %s -p 'spread-entries{elements=0}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not tinyml-opt %s -p 'spread-entries{cells=101}' 2>&1 | filecheck %s --check-prefix=PERCENT
// RUN: not tinyml-opt %s -p 'spread-entries{cells=-1}' 2>&1 | filecheck %s --check-prefix=PERCENT
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
// CHECK-LABEL: func.func @sparse
// CHECK-NOT: %gaps
// CHECK: rtl.store {{.*}} %x[
// CHECK: rtl.store {{.*}} %x_1[
// CHECK: %values = rtl.memory dense<[4, -5, 0, 0, 6, 0]> : tensor<6xi8> : !rtl.memory<3, 16>
// CHECK: %columns = rtl.memory dense<[1, 6, 0, 0, 2, 0]> : tensor<6xi3> : !rtl.memory<3, 6>
// CHECK: %ends = rtl.memory dense<true> : tensor<3xi1> : !rtl.memory<3, 1>
// CHECK: scf.for {{.*}} iter_args(%row = %zero, %sum = [[start:%[0-9a-z]+]])
// CHECK: [[last:%.*]] = rtl.load %ends
// CHECK: rtl.load %x[
// CHECK: rtl.load %x_1[
// CHECK: [[total:%.*]] = arith.addi %sum, %{{.*}} : i16
// CHECK: rtl.store [[total]], %y[%row] if [[last]]
// CHECK: arith.select [[last]], [[start]], [[total]]
// CHECK: } {rtl.lanes = 2 : i64}

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
// CHECK-LABEL: func.func @starts
// CHECK: %columns = rtl.memory dense<[4, 0, 3, 0]> : tensor<4xi3> : !rtl.memory<2, 6>
// CHECK: [[sum:%.*]] = arith.addi %sum, {{.*}} : i16
// CHECK: %start = rtl.load %starts[%row]
// CHECK: [[total:%.*]] = arith.addi [[sum]], %start : i16
// CHECK: rtl.store [[total]], %y[%row] if
// CHECK-LABEL: func.func @budget(

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
// WHOLE-LABEL: func.func @others
// WHOLE: rtl.lanes = 38
