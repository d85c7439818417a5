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
// CHECK-LABEL: func.func @loads() -> index {
// CHECK-NEXT: %t = rtl.memory dense<[1, 2, 3]> : tensor<3xi8> : !rtl.memory<3, 8>
// CHECK-NEXT: [[vt_1:%.*]] = rtl.memory dense<[1, 2, 3]> : tensor<3xi8> : !rtl.memory<3, 8>
// CHECK-NEXT: %y = rtl.memory : !rtl.memory<8, 8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: %five = arith.constant 5 : index
// CHECK-NEXT: %c = rtl.load %y[%five] : !rtl.memory<8, 8> -> i8
// CHECK-NEXT: scf.for %i = %zero to %four step %one {
// CHECK-NEXT: %a = rtl.load [[vt_1]][%zero] : !rtl.memory<3, 8> -> i8
// CHECK-NEXT: %b = rtl.load %t[%one] : !rtl.memory<3, 8> -> i8
// CHECK-NEXT: %d = rtl.load %y[%i] : !rtl.memory<8, 8> -> i8
// CHECK-NEXT: %s = arith.addi %a, %b : i8
// CHECK-NEXT: %p = arith.muli %c, %d : i8
// CHECK-NEXT: %q = arith.addi %s, %p : i8
// CHECK-NEXT: rtl.store %q, %y[%i] : i8, !rtl.memory<8, 8>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %zero : index
// CYCLES-LABEL: func.func @loads
// CYCLES: {rtl.interval = 1 : i64}
// CYCLES-LABEL: func.func @written(

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
// CHECK-LABEL: func.func @written(%at: index) -> index {
// CHECK-NEXT: %y = rtl.memory : !rtl.memory<8, 8>
// CHECK-NEXT: %z = rtl.memory : !rtl.memory<8, 8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: scf.for %i = %zero to %four step %one {
// CHECK-NEXT: %a = rtl.load %y[%at] : !rtl.memory<8, 8> -> i8
// CHECK-NEXT: %b = rtl.load %y[%i] : !rtl.memory<8, 8> -> i8
// CHECK-NEXT: %c = rtl.load %z[%at] : !rtl.memory<8, 8> -> i8
// CHECK-NEXT: %s = arith.addi %a, %b : i8
// CHECK-NEXT: %q = arith.addi %s, %c : i8
// CHECK-NEXT: rtl.store %q, %y[%i] : i8, !rtl.memory<8, 8>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %zero : index

// -----

// A constant of one block RAM, 18432 bits, is copied for its second load; a greater one is not, nor one that is written.
func.func @block() -> index {
  %t = rtl.memory dense<1> : tensor<2304xi8> : !rtl.memory<2304, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = rtl.load %t[%zero] : !rtl.memory<2304, 8> -> i8
  %b = rtl.load %t[%one] : !rtl.memory<2304, 8> -> i8
  %s = arith.addi %a, %b : i8
  func.return %zero : index
}
// CHECK-LABEL: func.func @block() -> index {
// CHECK-NEXT: %t = rtl.memory dense<1> : tensor<2304xi8> : !rtl.memory<2304, 8>
// CHECK-NEXT: [[vt_1:%.*]] = rtl.memory dense<1> : tensor<2304xi8> : !rtl.memory<2304, 8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %a = rtl.load [[vt_1]][%zero] : !rtl.memory<2304, 8> -> i8
// CHECK-NEXT: %b = rtl.load %t[%one] : !rtl.memory<2304, 8> -> i8
// CHECK-NEXT: %s = arith.addi %a, %b : i8
// CHECK-NEXT: func.return %zero : index

// -----

func.func @more() -> index {
  %t = rtl.memory dense<1> : tensor<2305xi8> : !rtl.memory<2305, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = rtl.load %t[%zero] : !rtl.memory<2305, 8> -> i8
  %b = rtl.load %t[%one] : !rtl.memory<2305, 8> -> i8
  %s = arith.addi %a, %b : i8
  func.return %zero : index
}
// CHECK-LABEL: func.func @more() -> index {
// CHECK-NEXT: %t = rtl.memory dense<1> : tensor<2305xi8> : !rtl.memory<2305, 8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %a = rtl.load %t[%zero] : !rtl.memory<2305, 8> -> i8
// CHECK-NEXT: %b = rtl.load %t[%one] : !rtl.memory<2305, 8> -> i8
// CHECK-NEXT: %s = arith.addi %a, %b : i8
// CHECK-NEXT: func.return %zero : index

// -----

func.func @changed(%x: i8) -> index {
  %t = rtl.memory dense<1> : tensor<3xi8> : !rtl.memory<3, 8>
  %y = rtl.memory : !rtl.memory<3, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = rtl.load %t[%zero] : !rtl.memory<3, 8> -> i8
  %b = rtl.load %t[%one] : !rtl.memory<3, 8> -> i8
  %c = rtl.load %y[%zero] : !rtl.memory<3, 8> -> i8
  %d = rtl.load %y[%one] : !rtl.memory<3, 8> -> i8
  rtl.store %x, %t[%one] : i8, !rtl.memory<3, 8>
  func.return %zero : index
}
// CHECK-LABEL: func.func @changed(%x: i8) -> index {
// CHECK-NEXT: %t = rtl.memory dense<1> : tensor<3xi8> : !rtl.memory<3, 8>
// CHECK-NEXT: %y = rtl.memory : !rtl.memory<3, 8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %a = rtl.load %t[%zero] : !rtl.memory<3, 8> -> i8
// CHECK-NEXT: %b = rtl.load %t[%one] : !rtl.memory<3, 8> -> i8
// CHECK-NEXT: %c = rtl.load %y[%zero] : !rtl.memory<3, 8> -> i8
// CHECK-NEXT: %d = rtl.load %y[%one] : !rtl.memory<3, 8> -> i8
// CHECK-NEXT: rtl.store %x, %t[%one] : i8, !rtl.memory<3, 8>
// CHECK-NEXT: func.return %zero : index

// -----

// A third load in a block takes a third copy; loads in another block take the first ones again.
func.func @blocks(%x: i8) -> index {
  %t = rtl.memory dense<1> : tensor<3xi8> : !rtl.memory<3, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %a = rtl.load %t[%zero] : !rtl.memory<3, 8> -> i8
  %b = rtl.load %t[%one] : !rtl.memory<3, 8> -> i8
  %c = rtl.load %t[%one] : !rtl.memory<3, 8> -> i8
  scf.for %i = %zero to %four step %one {
    %d = rtl.load %t[%i] : !rtl.memory<3, 8> -> i8
    %e = rtl.load %t[%one] : !rtl.memory<3, 8> -> i8
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @blocks(%x: i8) -> index {
// CHECK-NEXT: %t = rtl.memory dense<1> : tensor<3xi8> : !rtl.memory<3, 8>
// CHECK-NEXT: [[vt_1:%.*]] = rtl.memory dense<1> : tensor<3xi8> : !rtl.memory<3, 8>
// CHECK-NEXT: [[vt_2:%.*]] = rtl.memory dense<1> : tensor<3xi8> : !rtl.memory<3, 8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: %a = rtl.load [[vt_1]][%zero] : !rtl.memory<3, 8> -> i8
// CHECK-NEXT: %b = rtl.load [[vt_2]][%one] : !rtl.memory<3, 8> -> i8
// CHECK-NEXT: %c = rtl.load %t[%one] : !rtl.memory<3, 8> -> i8
// CHECK-NEXT: scf.for %i = %zero to %four step %one {
// CHECK-NEXT: %d = rtl.load [[vt_2]][%i] : !rtl.memory<3, 8> -> i8
// CHECK-NEXT: %e = rtl.load %t[%one] : !rtl.memory<3, 8> -> i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return %zero : index

// -----

// Only what is read at one address is loaded before a loop, also where another memory is written; it stays where one of
// two stores may write it.
func.func @apart(%at: index) -> index {
  %y = rtl.memory : !rtl.memory<8, 8>
  %z = rtl.memory : !rtl.memory<8, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %five = arith.constant 5 : index
  scf.for %i = %zero to %four step %one {
    %a = rtl.load %y[%five] : !rtl.memory<8, 8> -> i8
    %b = rtl.load %y[%i] : !rtl.memory<8, 8> -> i8
    rtl.store %b, %z[%five] : i8, !rtl.memory<8, 8>
  }
  scf.for %j = %zero to %four step %one {
    %c = rtl.load %y[%five] : !rtl.memory<8, 8> -> i8
    %d = rtl.load %y[%j] : !rtl.memory<8, 8> -> i8
    rtl.store %d, %y[%j] : i8, !rtl.memory<8, 8>
    rtl.store %d, %y[%at] : i8, !rtl.memory<8, 8>
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @apart
// CHECK: %a = rtl.load %y[%five]
// CHECK-NEXT: scf.for %i
// CHECK-NEXT: %b = rtl.load %y[%i]
// CHECK: scf.for %j
// CHECK-NEXT: %c = rtl.load %y[%five]
// CHECK-NEXT: %d = rtl.load %y[%j]

// -----

// A loop around another has cycles of its own for its loads.
func.func @outer() -> index {
  %y = rtl.memory : !rtl.memory<8, 8>
  %z = rtl.memory : !rtl.memory<8, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %five = arith.constant 5 : index
  scf.for %i = %zero to %four step %one {
    %a = rtl.load %y[%five] : !rtl.memory<8, 8> -> i8
    %b = rtl.load %y[%i] : !rtl.memory<8, 8> -> i8
    %s = arith.addi %a, %b : i8
    scf.for %j = %zero to %four step %one {
      rtl.store %s, %z[%j] : i8, !rtl.memory<8, 8>
    }
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @outer
// CHECK: scf.for %i
// CHECK-NEXT: %a = rtl.load %y[%five]
// CHECK-NEXT: %b = rtl.load %y[%i]
