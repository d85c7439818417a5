// RUN: tinyml-opt %s -p free-ports --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p free-ports,schedule-cycles --split-input-file | filecheck %s --check-prefix=CYCLES

// The second load of a table has a copy of it; the element that stays the same is loaded before the loop.
func.func @loads() -> index {
  %t = rtl.memory dense<[1, 2, 3]> : tensor<3xi8> : !rtl.memory<3, 8>
  %y = rtl.memory : !rtl.memory<8, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %five = arith.constant 5 : index
  scf.for %i = %zero to %four step %one {
    %a = rtl.load %t[%zero] : !rtl.memory<3, 8> -> i8
    %b = rtl.load %t[%one] : !rtl.memory<3, 8> -> i8
    %c = rtl.load %y[%five] : !rtl.memory<8, 8> -> i8
    %d = rtl.load %y[%i] : !rtl.memory<8, 8> -> i8
    %s = arith.addi %a, %b : i8
    %p = arith.muli %c, %d : i8
    %q = arith.addi %s, %p : i8
    rtl.store %q, %y[%i] : i8, !rtl.memory<8, 8>
  }
  func.return %zero : index
}
// CHECK: func.func @loads
// CHECK: [[t:%.*]] = rtl.memory dense<[1, 2, 3]>
// CHECK: [[copy:%.*]] = rtl.memory dense<[1, 2, 3]>
// CHECK: rtl.load %y[%five]
// CHECK: scf.for
// CHECK-NOT: rtl.load %y[%five]
// CYCLES: func.func @loads
// CYCLES: {rtl.interval = 1 : i64}

// -----

// What the loop may write is loaded in each iteration, and an element that is alone on its port stays.
func.func @written(%at: index) -> index {
  %y = rtl.memory : !rtl.memory<8, 8>
  %z = rtl.memory : !rtl.memory<8, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %i = %zero to %four step %one {
    %a = rtl.load %y[%at] : !rtl.memory<8, 8> -> i8
    %b = rtl.load %y[%i] : !rtl.memory<8, 8> -> i8
    %c = rtl.load %z[%at] : !rtl.memory<8, 8> -> i8
    %s = arith.addi %a, %b : i8
    %q = arith.addi %s, %c : i8
    rtl.store %q, %y[%i] : i8, !rtl.memory<8, 8>
  }
  func.return %zero : index
}
// CHECK: func.func @written
// CHECK: scf.for
// CHECK: rtl.load %y[%at]
// CHECK: rtl.load %z[%at]
