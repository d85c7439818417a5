// RUN: tinyml-opt %s -p fuse-updates --split-input-file | filecheck %s

// The maximum of a result and 0 is taken before it is stored.
func.func @update(%x: !rtl.memory<4, 8>, %y: !rtl.memory<8, 8>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %none = arith.constant 0 : i8
  scf.for %i = %zero to %four step %one {
    %a = rtl.load %x[%i] : !rtl.memory<4, 8> -> i8
    %at = arith.addi %i, %four : index
    rtl.store %a, %y[%at] : i8, !rtl.memory<8, 8>
  }
  scf.for %k = %zero to %four step %one {
    %at = arith.addi %k, %four : index
    %b = rtl.load %y[%at] : !rtl.memory<8, 8> -> i8
    %m = arith.maxsi %b, %none : i8
    rtl.store %m, %y[%at] : i8, !rtl.memory<8, 8>
  }
  func.return %zero : index
}
// CHECK: func.func @update
// CHECK: scf.for %i
// CHECK: [[m:%.*]] = arith.maxsi %a, %none : i8
// CHECK-NEXT: rtl.store [[m]], %y
// CHECK-NOT: scf.for

// -----

// The second loop reads other elements than the first has stored last.
func.func @shifted(%x: !rtl.memory<4, 8>, %y: !rtl.memory<8, 8>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %i = %zero to %four step %one {
    %a = rtl.load %x[%i] : !rtl.memory<4, 8> -> i8
    rtl.store %a, %y[%i] : i8, !rtl.memory<8, 8>
  }
  scf.for %k = %zero to %four step %one {
    %at = arith.addi %k, %one : index
    %b = rtl.load %y[%at] : !rtl.memory<8, 8> -> i8
    %m = arith.addi %b, %b : i8
    rtl.store %m, %y[%at] : i8, !rtl.memory<8, 8>
  }
  func.return %zero : index
}
// CHECK: func.func @shifted
// CHECK: scf.for %i
// CHECK: scf.for %k
