// RUN: tinyml-opt %s -p 'spread-entries{elements=2},simplify,cse' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'spread-entries,simplify,cse' --split-input-file | filecheck %s --check-prefix=ONE

// Rows of 3, 0 and 1 entries, one of which is 0 and bridges a gap: two elements take one iteration for each row.
func.func @sparse() {
  %values = rtl.memory dense<[4, 0, -5, 6]> : tensor<4xi8> : !rtl.memory<4, 8>
  %gaps = rtl.memory dense<[1, 3, 2, 2]> : tensor<4xi8> : !rtl.memory<4, 8>
  %lengths = rtl.memory dense<[3, 0, 1]> : tensor<3xi8> : !rtl.memory<3, 8>
  %x = rtl.memory : !rtl.memory<7, 8>
  %y = rtl.memory : !rtl.memory<3, 16>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %seven = arith.constant 7 : index
  %start = arith.constant 0 : i16
  scf.for %i = %zero to %seven step %one {
    %e = rtl.receive : i8
    rtl.store %e, %x[%i] : i8, !rtl.memory<7, 8>
  }
  %end = scf.for %row = %zero to %three step %one iter_args(%at = %zero) -> (index) {
    %length = rtl.load %lengths[%row] : !rtl.memory<3, 8> -> i8
    %wide = arith.extui %length : i8 to i16
    %n = arith.index_cast %wide : i16 to index
    %sum, %column, %next = scf.for %k = %zero to %n step %one iter_args(%s = %start, %c = %zero, %p = %at) -> (i16, index, index) {
      %gap = rtl.load %gaps[%p] : !rtl.memory<4, 8> -> i8
      %g = arith.extui %gap : i8 to i16
      %step = arith.index_cast %g : i16 to index
      %here = arith.addi %c, %step : index
      %v = rtl.load %values[%p] : !rtl.memory<4, 8> -> i8
      %xe = rtl.load %x[%here] : !rtl.memory<7, 8> -> i8
      %vw = arith.extsi %v : i8 to i16
      %xw = arith.extsi %xe : i8 to i16
      %product = arith.muli %vw, %xw : i16
      %t = arith.addi %s, %product : i16
      %q = arith.addi %p, %one : index
      scf.yield %t, %here, %q : i16, index, index
    }
    rtl.store %sum, %y[%row] : i16, !rtl.memory<3, 16>
    %after = arith.addi %at, %n : index
    scf.yield %after : index
  }
  func.return
}
// CHECK: func.func @sparse
// CHECK-NOT: %gaps
// CHECK: rtl.store {{.*}} %x[
// CHECK: rtl.store {{.*}} %x_1[
// CHECK: %values = rtl.memory dense<[4, -5, 0, 0, 6, 0]> : tensor<6xi8> : !rtl.memory<3, 16>
// CHECK: %columns = rtl.memory dense<[1, 6, 0, 0, 2, 0]> : tensor<6xi3> : !rtl.memory<3, 6>
// CHECK: %ends = rtl.memory dense<true> : tensor<3xi1> : !rtl.memory<3, 1>
// CHECK: scf.for {{.*}} iter_args(%row = %zero, %sum = %start)
// CHECK: [[last:%.*]] = rtl.load %ends
// CHECK: rtl.load %x[
// CHECK: rtl.load %x_1[
// CHECK: [[total:%.*]] = arith.addi %sum, %{{.*}} : i16
// CHECK: rtl.store [[total]], %y[%row] if [[last]]
// CHECK: arith.select [[last]], %start, [[total]]

// ONE: %values = rtl.memory dense<[4, -5, 0, 6]> : tensor<4xi8> : !rtl.memory<4, 8>
// ONE: %ends = rtl.memory dense<[false, true, true, true]>

// -----

// A vector that decides about the columns is not known.
func.func @unknown(%n: index) -> i16 {
  %values = rtl.memory dense<[4, 0, -5]> : tensor<3xi8> : !rtl.memory<3, 8>
  %x = rtl.memory : !rtl.memory<3, 8>
  %y = rtl.memory : !rtl.memory<3, 16>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %start = arith.constant 0 : i16
  scf.for %row = %zero to %three step %one {
    %sum = scf.for %k = %zero to %n step %one iter_args(%s = %start) -> (i16) {
      %v = rtl.load %values[%k] : !rtl.memory<3, 8> -> i8
      %xe = rtl.load %x[%k] : !rtl.memory<3, 8> -> i8
      %vw = arith.extsi %v : i8 to i16
      %xw = arith.extsi %xe : i8 to i16
      %product = arith.muli %vw, %xw : i16
      %t = arith.addi %s, %product : i16
      scf.yield %t : i16
    }
    rtl.store %sum, %y[%row] : i16, !rtl.memory<3, 16>
  }
  func.return %start : i16
}
// CHECK: func.func @unknown
// CHECK: scf.for %k = %zero to %n
// CHECK-NOT: %columns
