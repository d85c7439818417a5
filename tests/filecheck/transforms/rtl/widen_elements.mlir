// RUN: tinyml-opt %s -p widen-elements,canonicalize --split-input-file | filecheck %s

// Two of six elements in each iteration, from rows that begin at even addresses.
func.func @maxima(%row: index) -> index {
  %x = rtl.memory : !rtl.memory<24, 8>
  %y = rtl.memory : !rtl.memory<6, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %six = arith.constant 6 : index
  %none = arith.constant 0 : i8
  %base = arith.muli %row, %six : index
  scf.for %i = %zero to %six step %one {
    %at = arith.addi %base, %i : index
    %a = rtl.load %x[%at] : !rtl.memory<24, 8> -> i8
    %m = arith.maxsi %a, %none : i8
    rtl.store %m, %y[%i] : i8, !rtl.memory<6, 8>
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @maxima
// CHECK: !rtl.memory<12, 16>
// CHECK: [[three:%.*]] = arith.constant 3 : index
// CHECK: scf.for %i = %zero to [[three]] step %one
// CHECK: rtl.load %x{{.*}} -> i16
// CHECK: arith.maxsi
// CHECK: arith.maxsi
// CHECK: [[word:%.*]] = arith.ori
// CHECK-NEXT: rtl.store [[word]], %y[%i] : i16
// CHECK-NEXT: } {rtl.lanes = 2 : i64}

// -----

// Rows at odd addresses, and products, which `unroll-loops` has a budget for.
func.func @others(%x: !rtl.memory<24, 8>, %y: !rtl.memory<24, 8>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %six = arith.constant 6 : index
  scf.for %i = %zero to %six step %one {
    %at = arith.addi %i, %one : index
    %a = rtl.load %x[%at] : !rtl.memory<24, 8> -> i8
    rtl.store %a, %y[%i] : i8, !rtl.memory<24, 8>
  }
  scf.for %i = %zero to %six step %one {
    %a = rtl.load %x[%i] : !rtl.memory<24, 8> -> i8
    %p = arith.muli %a, %a : i8
    rtl.store %p, %y[%i] : i8, !rtl.memory<24, 8>
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @others
// CHECK-NOT: i16
