// RUN: tinyml-opt %s -p merge-sums --split-input-file | filecheck %s

// The second sum starts from a multiple of the first, so that it starts from 0 and is added; both read %x once.
func.func @sums(%start: i24) -> i24 {
  %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
  %u = rtl.memory dense<2> : tensor<5xi8> : !rtl.memory<5, 8>
  %x = rtl.memory dense<3> : tensor<5xi8> : !rtl.memory<5, 8>
  %three = arith.constant 3 : i24
  %s = num.reduce %start {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %c: i24):
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %b = rtl.load %x[%i] : !rtl.memory<5, 8> -> i8
    %aw = arith.extsi %a : i8 to i24
    %bw = arith.extsi %b : i8 to i24
    %p = arith.muli %aw, %bw : i24
    %t = arith.addi %c, %p : i24
    num.next %t : i24
  }
  %m = arith.muli %s, %three : i24
  %r = num.reduce %m {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %c: i24):
    %a = rtl.load %u[%i] : !rtl.memory<5, 8> -> i8
    %b = rtl.load %x[%i] : !rtl.memory<5, 8> -> i8
    %aw = arith.extsi %a : i8 to i24
    %bw = arith.extsi %b : i8 to i24
    %p = arith.muli %aw, %bw : i24
    %t = arith.addi %c, %p : i24
    num.next %t : i24
  }
  func.return %r : i24
}
// CHECK-LABEL: func.func @sums(%start: i24) -> i24 {
// CHECK-NEXT: %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
// CHECK-NEXT: %u = rtl.memory dense<2> : tensor<5xi8> : !rtl.memory<5, 8>
// CHECK-NEXT: %x = rtl.memory dense<3> : tensor<5xi8> : !rtl.memory<5, 8>
// CHECK-NEXT: %three = arith.constant 3 : i24
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : i24
// CHECK-NEXT: %s, %r = num.reduce %start, [[v0]] {first = 0 : i64, extent = 5 : i64, kinds = ["sum", "sum"]} : i24, i24 -> i24, i24 {
// CHECK-NEXT: ^bb0([[v1:%.*]]: index, [[v2:%.*]]: i24, [[v3:%.*]]: i24):
// CHECK-NEXT: %a = rtl.load %w{{\[}}[[v1]]] : !rtl.memory<5, 8> -> i8
// CHECK-NEXT: %b = rtl.load %x{{\[}}[[v1]]] : !rtl.memory<5, 8> -> i8
// CHECK-NEXT: %aw = arith.extsi %a : i8 to i24
// CHECK-NEXT: %bw = arith.extsi %b : i8 to i24
// CHECK-NEXT: %p = arith.muli %aw, %bw : i24
// CHECK-NEXT: [[va_1:%.*]] = rtl.load %u{{\[}}[[v1]]] : !rtl.memory<5, 8> -> i8
// CHECK-NEXT: [[vaw_1:%.*]] = arith.extsi [[va_1]] : i8 to i24
// CHECK-NEXT: [[vbw_1:%.*]] = arith.extsi %b : i8 to i24
// CHECK-NEXT: [[vp_1:%.*]] = arith.muli [[vaw_1]], [[vbw_1]] : i24
// CHECK-NEXT: [[v4:%.*]] = arith.addi [[v2]], %p : i24
// CHECK-NEXT: [[v5:%.*]] = arith.addi [[v3]], [[vp_1]] : i24
// CHECK-NEXT: num.next [[v4]], [[v5]] : i24, i24
// CHECK-NEXT: }
// CHECK-NEXT: %m = arith.muli %s, %three : i24
// CHECK-NEXT: [[vr_1:%.*]] = arith.addi %m, %r : i24
// CHECK-NEXT: func.return [[vr_1]] : i24

// -----

// A sum that goes on from another one is the same sum; one of a memory that is written in between stays as it is.
func.func @on(%start: i24, %v: i8) -> i24 {
  %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
  %u = rtl.memory : !rtl.memory<5, 8>
  %one = arith.constant 1 : index
  %s = num.reduce %start {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %c: i24):
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %t = arith.addi %c, %p : i24
    num.next %t : i24
  }
  %r = num.reduce %s {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %c: i24):
    %a = rtl.load %u[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %t = arith.addi %c, %p : i24
    num.next %t : i24
  }
  rtl.store %v, %u[%one] : i8, !rtl.memory<5, 8>
  %q = num.reduce %r {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %c: i24):
    %a = rtl.load %u[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %t = arith.addi %c, %p : i24
    num.next %t : i24
  }
  func.return %q : i24
}
// CHECK-LABEL: func.func @on(%start: i24, %v: i8) -> i24 {
// CHECK-NEXT: %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
// CHECK-NEXT: %u = rtl.memory : !rtl.memory<5, 8>
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %r = num.reduce %start {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
// CHECK-NEXT: ^bb0([[v0:%.*]]: index, [[v1:%.*]]: i24):
// CHECK-NEXT: %a = rtl.load %w{{\[}}[[v0]]] : !rtl.memory<5, 8> -> i8
// CHECK-NEXT: %p = arith.extsi %a : i8 to i24
// CHECK-NEXT: [[va_1:%.*]] = rtl.load %u{{\[}}[[v0]]] : !rtl.memory<5, 8> -> i8
// CHECK-NEXT: [[vp_1:%.*]] = arith.extsi [[va_1]] : i8 to i24
// CHECK-NEXT: [[v2:%.*]] = arith.addi %p, [[vp_1]] : i24
// CHECK-NEXT: [[v3:%.*]] = arith.addi [[v1]], [[v2]] : i24
// CHECK-NEXT: num.next [[v3]] : i24
// CHECK-NEXT: }
// CHECK-NEXT: rtl.store %v, %u[%one] : i8, !rtl.memory<5, 8>
// CHECK-NEXT: %q = num.reduce %r {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
// CHECK-NEXT: ^bb0(%i: index, %c: i24):
// CHECK-NEXT: [[va_2:%.*]] = rtl.load %u[%i] : !rtl.memory<5, 8> -> i8
// CHECK-NEXT: [[vp_2:%.*]] = arith.extsi [[va_2]] : i8 to i24
// CHECK-NEXT: %t = arith.addi %c, [[vp_2]] : i24
// CHECK-NEXT: num.next %t : i24
// CHECK-NEXT: }
// CHECK-NEXT: func.return %q : i24

// -----

// A sum of multiples of what arrives behind another one does not join it: the order of what arrives stays.
func.func @arrives(%start: i24) -> (i24, i24) {
  %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
  %u = rtl.memory dense<2> : tensor<5xi8> : !rtl.memory<5, 8>
  %s = num.reduce %start {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %c: i24):
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %t = arith.addi %c, %p : i24
    num.next %t : i24
  }
  %m = rtl.receive : i24
  %r = num.reduce %start {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %c: i24):
    %a = rtl.load %u[%i] : !rtl.memory<5, 8> -> i8
    %aw = arith.extsi %a : i8 to i24
    %p = arith.muli %aw, %m : i24
    %t = arith.addi %c, %p : i24
    num.next %t : i24
  }
  func.return %s, %r : i24, i24
}
// CHECK-LABEL: func.func @arrives
// CHECK: %s = num.reduce
// CHECK: %m = rtl.receive
// CHECK: %r = num.reduce

// -----

// A sum of multiples of another one's double does not join it.
func.func @needs(%start: i24) -> (i24, i24) {
  %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
  %s = num.reduce %start {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %c: i24):
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %t = arith.addi %c, %p : i24
    num.next %t : i24
  }
  %twice = arith.addi %s, %s : i24
  %r = num.reduce %start {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %c: i24):
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %aw = arith.extsi %a : i8 to i24
    %p = arith.muli %aw, %twice : i24
    %t = arith.addi %c, %p : i24
    num.next %t : i24
  }
  func.return %s, %r : i24, i24
}
// CHECK-LABEL: func.func @needs
// CHECK: %s = num.reduce
// CHECK: %twice = arith.addi
// CHECK: %r = num.reduce

// -----

// Of two sums of a loop the second starts from the double of what comes before it: it is added at the end.
func.func @second(%start: i24) -> (i24, i24) {
  %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
  %s = num.reduce %start {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %c: i24):
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %t = arith.addi %c, %p : i24
    num.next %t : i24
  }
  %twice = arith.addi %s, %s : i24
  %r, %q = num.reduce %start, %twice {first = 0 : i64, extent = 5 : i64, kinds = ["sum", "sum"]} : i24, i24 -> i24, i24 {
  ^bb0(%i: index, %c: i24, %d: i24):
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %double = arith.addi %p, %p : i24
    %t = arith.addi %c, %p : i24
    %u = arith.addi %d, %double : i24
    num.next %t, %u : i24, i24
  }
  func.return %r, %q : i24, i24
}
// CHECK-LABEL: func.func @second
// CHECK: [[zero:%.*]] = arith.constant 0 : i24
// CHECK: %s, %r, %q = num.reduce %start, %start, [[zero]] {{.*}} -> i24, i24, i24
// CHECK: %twice = arith.addi %s, %s : i24
// CHECK-NEXT: [[sum:%.*]] = arith.addi %twice, %q : i24
// CHECK-NEXT: func.return %r, [[sum]]

// -----

// Sums of entries of a table, whose addresses are loaded, are merged, and so is a sum of numbers that are indices.
func.func @table(%start: i24) -> (i24, i24, i24) {
  %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
  %u = rtl.memory dense<2> : tensor<5xi8> : !rtl.memory<5, 8>
  %table = rtl.memory dense<3> : tensor<256xi8> : !rtl.memory<256, 8>
  %s = num.reduce %start {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %c: i24):
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %at = arith.index_cast %a : i8 to index
    %e = rtl.load %table[%at] : !rtl.memory<256, 8> -> i8
    %p = arith.extsi %e : i8 to i24
    %t = arith.addi %c, %p : i24
    num.next %t : i24
  }
  %r = num.reduce %start {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %c: i24):
    %a = rtl.load %u[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %t = arith.addi %c, %p : i24
    num.next %t : i24
  }
  %q = num.reduce %start {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %c: i24):
    %p = arith.index_cast %i : index to i24
    %t = arith.addi %c, %p : i24
    num.next %t : i24
  }
  func.return %s, %r, %q : i24, i24, i24
}
// CHECK-LABEL: func.func @table
// CHECK: %s, %r, %q = num.reduce
// CHECK: rtl.load %table
// CHECK: arith.index_cast {{.*}} : index to i24
// CHECK: num.next {{.*}} : i24, i24, i24
