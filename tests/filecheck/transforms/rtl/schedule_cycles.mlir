// RUN: tinyml-opt %s -p schedule-cycles --split-input-file | filecheck %s --check-prefixes=CHECK,USUAL
// RUN: tinyml-opt %s -p 'schedule-cycles{clock=130}' --split-input-file | filecheck %s --check-prefixes=CHECK,FAST
// RUN: not tinyml-opt %s -p 'schedule-cycles{clock=0}' 2>&1 | filecheck %s --check-prefix=CLOCK
// RUN: tinyml-opt %s -p 'schedule-cycles{clock=1}' --split-input-file | filecheck %s --check-prefix=CHAINED
// RUN: tinyml-opt %s -p 'schedule-cycles{clock=54.14}' --split-input-file | filecheck %s --check-prefix=CHAINED
// RUN: tinyml-opt %s -p 'schedule-cycles{clock=54.17}' --split-input-file | filecheck %s --check-prefix=BROKEN
// RUN: tinyml-opt %s -p 'schedule-cycles{clock=50}' --split-input-file | filecheck %s --check-prefixes=CHECK,USUAL

// A product and a sum fit into a cycle of 54.14 MHz, and into none of 54.17.
// CHAINED: %t = arith.addi %s, %p {rtl.cycle = 1 : i64} : i24
// BROKEN: %t = arith.addi %s, %p {rtl.cycle = 2 : i64} : i24

// CLOCK: schedule-cycles: a clock of 0 MHz

// A sum of products takes an element in each cycle: addresses, then the product and the sum. A faster clock cuts the chain.
func.func @sum() -> i24 {
  %w = rtl.memory dense<1> : tensor<8xi8> : !rtl.memory<8, 8>
  %x = rtl.memory dense<2> : tensor<8xi8> : !rtl.memory<8, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 8 : index
  %start = arith.constant 0 : i24
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (i24) {
    %a = rtl.load %w[%i] : !rtl.memory<8, 8> -> i8
    %b = rtl.load %x[%i] : !rtl.memory<8, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %d = arith.extsi %b : i8 to i24
    %p = arith.muli %c, %d : i24
    %t = arith.addi %s, %p : i24
    scf.yield %t : i24
  }
  func.return %sum : i24
}
// CHECK-LABEL: func.func @sum
// CHECK: rtl.load %w[%i] {rtl.cycle = 0 : i64}
// CHECK: rtl.load %x[%i] {rtl.cycle = 0 : i64}
// USUAL: arith.muli {{.*}} {rtl.cycle = 1 : i64}
// USUAL: arith.addi {{.*}} {rtl.cycle = 1 : i64}
// FAST: arith.muli {{.*}} {rtl.cycle = 2 : i64}
// FAST: arith.addi {{.*}} {rtl.cycle = 3 : i64}
// CHECK: } {rtl.interval = 1 : i64}

// -----

// Two loads share a port; a sum in memory, of the same element, waits for the last store.
func.func @ports(%other: index) {
  %w = rtl.memory : !rtl.memory<16, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 8 : index
  scf.for %i = %zero to %n step %one {
    %j = arith.addi %i, %n : index
    %a = rtl.load %w[%i] : !rtl.memory<16, 8> -> i8
    %b = rtl.load %w[%j] : !rtl.memory<16, 8> -> i8
    %c = arith.addi %a, %b : i8
    rtl.store %c, %w[%i] : i8, !rtl.memory<16, 8>
  }
  scf.for %i = %zero to %n step %one {
    %a = rtl.load %w[%other] : !rtl.memory<16, 8> -> i8
    %c = arith.addi %a, %a : i8
    rtl.store %c, %w[%other] : i8, !rtl.memory<16, 8>
  }
  func.return
}
// CHECK-LABEL: func.func @ports
// CHECK: scf.for
// CHECK: } {rtl.interval = 2 : i64}
// CHECK: scf.for
// USUAL: } {rtl.interval = 2 : i64}
// FAST: } {rtl.interval = 3 : i64}

// -----

// A loop that starts from what the loop before it computes waits for a cycle.
func.func @waits() -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 8 : index
  %a = scf.for %i = %zero to %n step %one iter_args(%s = %zero) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  %b = scf.for %i = %zero to %n step %one iter_args(%s = %a) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  func.return %n : index
}
// CHECK-LABEL: func.func @waits
// CHECK: } {rtl.interval = 1 : i64}
// CHECK: } {rtl.wait, rtl.interval = 1 : i64}

// -----

// A number is written when the outer counter advances, after which no iteration reads it again: iterations need not wait.
func.func @once(%y: !rtl.memory<4, 8>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %all = arith.constant 12 : index
  %i, %k = scf.for %t = %zero to %all step %one iter_args(%row = %zero, %column = %zero) -> (index, index) {
    %next = arith.addi %column, %one : index
    %stays = arith.cmpi slt, %next, %three : index
    %last = arith.cmpi sge, %next, %three : index
    %a = rtl.load %y[%row] : !rtl.memory<4, 8> -> i8
    %b = arith.addi %a, %a : i8
    rtl.store %b, %y[%row] if %last {rtl.rises = 1 : i64} : i8, !rtl.memory<4, 8>
    %after = arith.select %stays, %next, %zero : index
    %further = arith.select %last, %one, %zero : index
    %below = arith.addi %row, %further : index
    scf.yield %below, %after : index, index
  } {rtl.counters = 2 : i64}
  func.return
}
// CHECK-LABEL: func.func @once
// USUAL: {rtl.counters = 2 : i64, rtl.interval = 1 : i64}

// -----

// Beside what a loop computes there is what the next one starts from, which need not wait; the third starts from a sum
// with a result of the second, as late as that.
func.func @beside(%a: index) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 8 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%s = %a) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  %u = arith.addi %r, %one : index
  %v = arith.addi %a, %one : index
  %q = scf.for %i = %zero to %n step %one iter_args(%s = %v) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  %w = arith.addi %q, %one : index
  %p = scf.for %i = %zero to %n step %one iter_args(%s = %w) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  func.return %p : index
}
// CHECK-LABEL: func.func @beside
// USUAL: } {rtl.wait, rtl.interval = 1 : i64}
// USUAL: } {rtl.interval = 1 : i64}
// USUAL: } {rtl.wait, rtl.interval = 1 : i64}
