// RUN: tinyml-opt %s -p schedule-cycles | filecheck %s

// Wires hand on what a loop computes in its last cycle: the loop that begins with it waits, the one after that does not.
func.func @wires(%n: index) -> (index, index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %a = scf.for %i = %zero to %eight step %one iter_args(%s = %zero) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  %more = arith.addi %a, %one : index
  %other = arith.addi %n, %one : index
  %b = scf.for %i = %zero to %eight step %one iter_args(%s = %more) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  %c = scf.for %i = %zero to %eight step %one iter_args(%s = %other) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  func.return %b, %a : index, index
}
// CHECK-LABEL: func.func @wires(%n: index) -> (index, index) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %eight = arith.constant 8 : index
// CHECK-NEXT: %a = scf.for %i = %zero to %eight step %one iter_args(%s = %zero) -> (index) {
// CHECK-NEXT: %t = arith.addi %s, %i {rtl.cycle = 0 : i64} : index
// CHECK-NEXT: scf.yield %t : index
// CHECK-NEXT: } {rtl.interval = 1 : i64}
// CHECK-NEXT: %more = arith.addi %a, %one : index
// CHECK-NEXT: %other = arith.addi %n, %one : index
// CHECK-NEXT: %b = scf.for [[vi_1:%.*]] = %zero to %eight step %one iter_args([[vs_1:%.*]] = %more) -> (index) {
// CHECK-NEXT: [[vt_1:%.*]] = arith.addi [[vs_1]], [[vi_1]] {rtl.cycle = 0 : i64} : index
// CHECK-NEXT: scf.yield [[vt_1]] : index
// CHECK-NEXT: } {rtl.wait, rtl.interval = 1 : i64}
// CHECK-NEXT: %c = scf.for [[vi_2:%.*]] = %zero to %eight step %one iter_args([[vs_2:%.*]] = %other) -> (index) {
// CHECK-NEXT: [[vt_2:%.*]] = arith.addi [[vs_2]], [[vi_2]] {rtl.cycle = 0 : i64} : index
// CHECK-NEXT: scf.yield [[vt_2]] : index
// CHECK-NEXT: } {rtl.interval = 1 : i64}
// CHECK-NEXT: func.return %b, %a : index, index

// A loop that may have no iteration takes no cycle for sure: what begins after it waits, unless for constants.
func.func @perhaps(%n: index) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %a = scf.for %i = %zero to %n step %one iter_args(%s = %zero) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  %more = arith.addi %n, %one : index
  %b = scf.for %i = %zero to %eight step %one iter_args(%s = %zero) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  %d = scf.for %i = %zero to %n step %one iter_args(%s = %zero) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  %c = scf.for %i = %zero to %eight step %one iter_args(%s = %more) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  func.return %c : index
}
// CHECK-LABEL: func.func @perhaps(%n: index) -> index {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %eight = arith.constant 8 : index
// CHECK-NEXT: %a = scf.for %i = %zero to %n step %one iter_args(%s = %zero) -> (index) {
// CHECK-NEXT: %t = arith.addi %s, %i {rtl.cycle = 0 : i64} : index
// CHECK-NEXT: scf.yield %t : index
// CHECK-NEXT: } {rtl.wait, rtl.interval = 1 : i64}
// CHECK-NEXT: %more = arith.addi %n, %one : index
// CHECK-NEXT: %b = scf.for [[vi_1:%.*]] = %zero to %eight step %one iter_args([[vs_1:%.*]] = %zero) -> (index) {
// CHECK-NEXT: [[vt_1:%.*]] = arith.addi [[vs_1]], [[vi_1]] {rtl.cycle = 0 : i64} : index
// CHECK-NEXT: scf.yield [[vt_1]] : index
// CHECK-NEXT: } {rtl.interval = 1 : i64}
// CHECK-NEXT: %d = scf.for [[vi_2:%.*]] = %zero to %n step %one iter_args([[vs_2:%.*]] = %zero) -> (index) {
// CHECK-NEXT: [[vt_2:%.*]] = arith.addi [[vs_2]], [[vi_2]] {rtl.cycle = 0 : i64} : index
// CHECK-NEXT: scf.yield [[vt_2]] : index
// CHECK-NEXT: } {rtl.interval = 1 : i64}
// CHECK-NEXT: %c = scf.for [[vi_3:%.*]] = %zero to %eight step %one iter_args([[vs_3:%.*]] = %more) -> (index) {
// CHECK-NEXT: [[vt_3:%.*]] = arith.addi [[vs_3]], [[vi_3]] {rtl.cycle = 0 : i64} : index
// CHECK-NEXT: scf.yield [[vt_3]] : index
// CHECK-NEXT: } {rtl.wait, rtl.interval = 1 : i64}
// CHECK-NEXT: func.return {rtl.wait} %c : index

// An iteration takes a cycle: one around a loop without iterations waits where it ends, one with a store beside it does not.
func.func @around(%y: !rtl.memory<8, 8>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %byte = arith.constant 1 : i8
  scf.for %i = %zero to %eight step %one {
    scf.for %j = %zero to %zero step %one {
      rtl.store %byte, %y[%j] : i8, !rtl.memory<8, 8>
    }
  }
  scf.for %i = %zero to %eight step %one {
    scf.for %j = %zero to %zero step %one {
      rtl.store %byte, %y[%j] : i8, !rtl.memory<8, 8>
    }
    rtl.store %byte, %y[%i] : i8, !rtl.memory<8, 8>
  }
  scf.for %i = %zero to %eight step %one {
    scf.for %j = %zero to %eight step %one {
      rtl.store %byte, %y[%j] : i8, !rtl.memory<8, 8>
    }
  }
  func.return
}
// CHECK-LABEL: func.func @around(%y: !rtl.memory<8, 8>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %eight = arith.constant 8 : index
// CHECK-NEXT: %byte = arith.constant 1 : i8
// CHECK-NEXT: scf.for %i = %zero to %eight step %one {
// CHECK-NEXT: scf.for %j = %zero to %zero step %one {
// CHECK-NEXT: rtl.store %byte, %y[%j] {rtl.cycle = 0 : i64} : i8, !rtl.memory<8, 8>
// CHECK-NEXT: } {rtl.interval = 1 : i64}
// CHECK-NEXT: }
// CHECK-NEXT: scf.for [[vi_1:%.*]] = %zero to %eight step %one {
// CHECK-NEXT: scf.for [[vj_1:%.*]] = %zero to %zero step %one {
// CHECK-NEXT: rtl.store %byte, %y{{\[}}[[vj_1]]] {rtl.cycle = 0 : i64} : i8, !rtl.memory<8, 8>
// CHECK-NEXT: } {rtl.interval = 1 : i64}
// CHECK-NEXT: rtl.store %byte, %y{{\[}}[[vi_1]]] {rtl.cycle = 0 : i64} : i8, !rtl.memory<8, 8>
// CHECK-NEXT: }
// CHECK-NEXT: scf.for [[vi_2:%.*]] = %zero to %eight step %one {
// CHECK-NEXT: scf.for [[vj_2:%.*]] = %zero to %eight step %one {
// CHECK-NEXT: rtl.store %byte, %y{{\[}}[[vj_2]]] {rtl.cycle = 0 : i64} : i8, !rtl.memory<8, 8>
// CHECK-NEXT: } {rtl.interval = 1 : i64}
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// What an iteration hands on is fresh in the next one and behind the loop. A load takes a cycle: then nothing is fresh.
func.func @given(%x: !rtl.memory<8, 8>) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %none = arith.constant 0 : i8
  %r = scf.for %i = %zero to %eight step %one iter_args(%s = %none) -> (i8) {
    %b = scf.for %j = %zero to %eight step %one iter_args(%t = %s) -> (i8) {
      %v = rtl.load %x[%j] : !rtl.memory<8, 8> -> i8
      %u = arith.addi %v, %t : i8
      scf.yield %u : i8
    }
    scf.yield %b : i8
  }
  %k = rtl.load %x[%one] : !rtl.memory<8, 8> -> i8
  %q = arith.addi %k, %r : i8
  %z = scf.for %j = %zero to %eight step %one iter_args(%t = %q) -> (i8) {
    %v = rtl.load %x[%j] : !rtl.memory<8, 8> -> i8
    %u = arith.addi %v, %t : i8
    scf.yield %u : i8
  }
  func.return %z : i8
}
// CHECK-LABEL: func.func @given(%x: !rtl.memory<8, 8>) -> i8 {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %eight = arith.constant 8 : index
// CHECK-NEXT: %none = arith.constant 0 : i8
// CHECK-NEXT: %r = scf.for %i = %zero to %eight step %one iter_args(%s = %none) -> (i8) {
// CHECK-NEXT: %b = scf.for %j = %zero to %eight step %one iter_args(%t = %s) -> (i8) {
// CHECK-NEXT: %v = rtl.load %x[%j] {rtl.cycle = 0 : i64} : !rtl.memory<8, 8> -> i8
// CHECK-NEXT: %u = arith.addi %v, %t {rtl.cycle = 1 : i64} : i8
// CHECK-NEXT: scf.yield %u : i8
// CHECK-NEXT: } {rtl.wait, rtl.interval = 1 : i64}
// CHECK-NEXT: scf.yield {rtl.wait} %b : i8
// CHECK-NEXT: }
// CHECK-NEXT: %k = rtl.load %x[%one] {rtl.cycle = 0 : i64} : !rtl.memory<8, 8> -> i8
// CHECK-NEXT: %q = arith.addi %k, %r {rtl.cycle = 1 : i64} : i8
// CHECK-NEXT: %z = scf.for [[vj_1:%.*]] = %zero to %eight step %one iter_args([[vt_1:%.*]] = %q) -> (i8) {
// CHECK-NEXT: [[vv_1:%.*]] = rtl.load %x{{\[}}[[vj_1]]] {rtl.cycle = 0 : i64} : !rtl.memory<8, 8> -> i8
// CHECK-NEXT: [[vu_1:%.*]] = arith.addi [[vv_1]], [[vt_1]] {rtl.cycle = 1 : i64} : i8
// CHECK-NEXT: scf.yield [[vu_1]] : i8
// CHECK-NEXT: } {rtl.interval = 1 : i64}
// CHECK-NEXT: func.return {rtl.wait} %z : i8

// A chain of wires takes at most 0.4 of the period of 20 ns: one sum of 32 bits, but not two. The others take cycles.
func.func @chains(%a: i32, %y: !rtl.memory<8, 32>) {
  %zero = arith.constant 0 : index
  %b = arith.addi %a, %a : i32
  %c = arith.addi %b, %a : i32
  %d = arith.addi %c, %a : i32
  %e = arith.addi %d, %a : i32
  %f = arith.addi %e, %a : i32
  %g = arith.addi %f, %a : i32
  %p = arith.muli %g, %g : i32
  %q = arith.muli %p, %g : i32
  rtl.store %q, %y[%zero] : i32, !rtl.memory<8, 32>
  func.return
}
// CHECK-LABEL: func.func @chains(%a: i32, %y: !rtl.memory<8, 32>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %b = arith.addi %a, %a : i32
// CHECK-NEXT: %c = arith.addi %b, %a {rtl.cycle = 0 : i64} : i32
// CHECK-NEXT: %d = arith.addi %c, %a {rtl.cycle = 0 : i64} : i32
// CHECK-NEXT: %e = arith.addi %d, %a {rtl.cycle = 1 : i64} : i32
// CHECK-NEXT: %f = arith.addi %e, %a {rtl.cycle = 1 : i64} : i32
// CHECK-NEXT: %g = arith.addi %f, %a {rtl.cycle = 1 : i64} : i32
// CHECK-NEXT: %p = arith.muli %g, %g {rtl.cycle = 2 : i64} : i32
// CHECK-NEXT: %q = arith.muli %p, %g {rtl.cycle = 3 : i64} : i32
// CHECK-NEXT: rtl.store %q, %y[%zero] {rtl.cycle = 3 : i64} : i32, !rtl.memory<8, 32>
// CHECK-NEXT: func.return

// Two sums of 26 bits take 7.5 ns, less than 8: wires, while a third takes a cycle.
func.func @two(%a: i26, %y: !rtl.memory<8, 26>) {
  %zero = arith.constant 0 : index
  %b = arith.addi %a, %a : i26
  %c = arith.addi %b, %a : i26
  %d = arith.addi %c, %a : i26
  rtl.store %d, %y[%zero] : i26, !rtl.memory<8, 26>
  func.return
}
// CHECK-LABEL: func.func @two
// CHECK: %b = arith.addi %a, %a : i26
// CHECK-NEXT: %c = arith.addi %b, %a : i26
// CHECK-NEXT: %d = arith.addi %c, %a {rtl.cycle = 0 : i64} : i26

// A store gives the last cycle of the outer body, so that its end need not wait for what the inner loop computes.
func.func @stored(%y: !rtl.memory<4, 8>, %a: i8) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 4 : index
  %p = scf.for %i = %zero to %n step %one iter_args(%q = %a) -> (i8) {
    %r = scf.for %j = %zero to %n step %one iter_args(%s = %q) -> (i8) {
      %t = arith.addi %s, %a : i8
      scf.yield %t : i8
    }
    rtl.store %r, %y[%i] : i8, !rtl.memory<4, 8>
    scf.yield %r : i8
  }
  func.return
}
// CHECK-LABEL: func.func @stored(%y: !rtl.memory<4, 8>, %a: i8) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %n = arith.constant 4 : index
// CHECK-NEXT: %p = scf.for %i = %zero to %n step %one iter_args(%q = %a) -> (i8) {
// CHECK-NEXT: %r = scf.for %j = %zero to %n step %one iter_args(%s = %q) -> (i8) {
// CHECK-NEXT: %t = arith.addi %s, %a {rtl.cycle = 0 : i64} : i8
// CHECK-NEXT: scf.yield %t : i8
// CHECK-NEXT: } {rtl.wait, rtl.interval = 1 : i64}
// CHECK-NEXT: rtl.store %r, %y[%i] {rtl.cycle = 0 : i64} : i8, !rtl.memory<4, 8>
// CHECK-NEXT: scf.yield %r : i8
// CHECK-NEXT: } {rtl.wait}
// CHECK-NEXT: func.return
// CHECK-NEXT: }
