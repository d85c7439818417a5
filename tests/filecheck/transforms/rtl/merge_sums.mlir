// RUN: tinyml-opt %s -p merge-sums --split-input-file | filecheck %s

// The second sum starts from a multiple of the first, so that it starts from 0 and is added; both read %x once.
func.func @sums(%start: i24) -> i24 {
  %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
  %u = rtl.memory dense<2> : tensor<5xi8> : !rtl.memory<5, 8>
  %x = rtl.memory dense<3> : tensor<5xi8> : !rtl.memory<5, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 5 : index
  %three = arith.constant 3 : i24
  %s = scf.for %i = %zero to %n step %one iter_args(%c = %start) -> (i24) {
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %b = rtl.load %x[%i] : !rtl.memory<5, 8> -> i8
    %aw = arith.extsi %a : i8 to i24
    %bw = arith.extsi %b : i8 to i24
    %p = arith.muli %aw, %bw : i24
    %t = arith.addi %c, %p : i24
    scf.yield %t : i24
  }
  %m = arith.muli %s, %three : i24
  %r = scf.for %i = %zero to %n step %one iter_args(%c = %m) -> (i24) {
    %a = rtl.load %u[%i] : !rtl.memory<5, 8> -> i8
    %b = rtl.load %x[%i] : !rtl.memory<5, 8> -> i8
    %aw = arith.extsi %a : i8 to i24
    %bw = arith.extsi %b : i8 to i24
    %p = arith.muli %aw, %bw : i24
    %t = arith.addi %c, %p : i24
    scf.yield %t : i24
  }
  func.return %r : i24
}
// CHECK-LABEL: func.func @sums(%start: i24) -> i24 {
// CHECK-NEXT: %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
// CHECK-NEXT: %u = rtl.memory dense<2> : tensor<5xi8> : !rtl.memory<5, 8>
// CHECK-NEXT: %x = rtl.memory dense<3> : tensor<5xi8> : !rtl.memory<5, 8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %n = arith.constant 5 : index
// CHECK-NEXT: %three = arith.constant 3 : i24
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : i24
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %s, %r = scf.for [[v3:%.*]] = [[v1]] to %n step [[v2]] iter_args([[v4:%.*]] = %start, [[v5:%.*]] = [[v0]]) -> (i24, i24) {
// CHECK-NEXT: %a = rtl.load %w{{\[}}[[v3]]] : !rtl.memory<5, 8> -> i8
// CHECK-NEXT: %b = rtl.load %x{{\[}}[[v3]]] : !rtl.memory<5, 8> -> i8
// CHECK-NEXT: %aw = arith.extsi %a : i8 to i24
// CHECK-NEXT: %bw = arith.extsi %b : i8 to i24
// CHECK-NEXT: %p = arith.muli %aw, %bw : i24
// CHECK-NEXT: [[va_1:%.*]] = rtl.load %u{{\[}}[[v3]]] : !rtl.memory<5, 8> -> i8
// CHECK-NEXT: [[vaw_1:%.*]] = arith.extsi [[va_1]] : i8 to i24
// CHECK-NEXT: [[vbw_1:%.*]] = arith.extsi %b : i8 to i24
// CHECK-NEXT: [[vp_1:%.*]] = arith.muli [[vaw_1]], [[vbw_1]] : i24
// CHECK-NEXT: [[v6:%.*]] = arith.addi [[v4]], %p : i24
// CHECK-NEXT: [[v7:%.*]] = arith.addi [[v5]], [[vp_1]] : i24
// CHECK-NEXT: scf.yield [[v6]], [[v7]] : i24, i24
// CHECK-NEXT: }
// CHECK-NEXT: %m = arith.muli %s, %three : i24
// CHECK-NEXT: [[vr_1:%.*]] = arith.addi %m, %r : i24
// CHECK-NEXT: func.return [[vr_1]] : i24

// -----

// A sum that goes on from another one is the same sum; one of a memory that is written in between stays as it is.
func.func @on(%start: i24, %v: i8) -> i24 {
  %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
  %u = rtl.memory : !rtl.memory<5, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 5 : index
  %s = scf.for %i = %zero to %n step %one iter_args(%c = %start) -> (i24) {
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %t = arith.addi %c, %p : i24
    scf.yield %t : i24
  }
  %r = scf.for %i = %zero to %n step %one iter_args(%c = %s) -> (i24) {
    %a = rtl.load %u[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %t = arith.addi %c, %p : i24
    scf.yield %t : i24
  }
  rtl.store %v, %u[%one] : i8, !rtl.memory<5, 8>
  %q = scf.for %i = %zero to %n step %one iter_args(%c = %r) -> (i24) {
    %a = rtl.load %u[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %t = arith.addi %c, %p : i24
    scf.yield %t : i24
  }
  func.return %q : i24
}
// CHECK-LABEL: func.func @on(%start: i24, %v: i8) -> i24 {
// CHECK-NEXT: %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
// CHECK-NEXT: %u = rtl.memory : !rtl.memory<5, 8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %n = arith.constant 5 : index
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %r = scf.for [[v2:%.*]] = [[v0]] to %n step [[v1]] iter_args([[v3:%.*]] = %start) -> (i24) {
// CHECK-NEXT: %a = rtl.load %w{{\[}}[[v2]]] : !rtl.memory<5, 8> -> i8
// CHECK-NEXT: %p = arith.extsi %a : i8 to i24
// CHECK-NEXT: [[va_1:%.*]] = rtl.load %u{{\[}}[[v2]]] : !rtl.memory<5, 8> -> i8
// CHECK-NEXT: [[vp_1:%.*]] = arith.extsi [[va_1]] : i8 to i24
// CHECK-NEXT: [[v4:%.*]] = arith.addi %p, [[vp_1]] : i24
// CHECK-NEXT: [[v5:%.*]] = arith.addi [[v3]], [[v4]] : i24
// CHECK-NEXT: scf.yield [[v5]] : i24
// CHECK-NEXT: }
// CHECK-NEXT: rtl.store %v, %u[%one] : i8, !rtl.memory<5, 8>
// CHECK-NEXT: %q = scf.for %i = %zero to %n step %one iter_args(%c = %r) -> (i24) {
// CHECK-NEXT: [[va_2:%.*]] = rtl.load %u[%i] : !rtl.memory<5, 8> -> i8
// CHECK-NEXT: [[vp_2:%.*]] = arith.extsi [[va_2]] : i8 to i24
// CHECK-NEXT: %t = arith.addi %c, [[vp_2]] : i24
// CHECK-NEXT: scf.yield %t : i24
// CHECK-NEXT: }
// CHECK-NEXT: func.return %q : i24

// -----

// A sum of multiples of what arrives behind another one does not join it: the order of what arrives stays.
func.func @arrives(%start: i24) -> (i24, i24) {
  %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
  %u = rtl.memory dense<2> : tensor<5xi8> : !rtl.memory<5, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 5 : index
  %s = scf.for %i = %zero to %n step %one iter_args(%c = %start) -> (i24) {
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %t = arith.addi %c, %p : i24
    scf.yield %t : i24
  }
  %m = rtl.receive : i24
  %r = scf.for %i = %zero to %n step %one iter_args(%c = %start) -> (i24) {
    %a = rtl.load %u[%i] : !rtl.memory<5, 8> -> i8
    %aw = arith.extsi %a : i8 to i24
    %p = arith.muli %aw, %m : i24
    %t = arith.addi %c, %p : i24
    scf.yield %t : i24
  }
  func.return %s, %r : i24, i24
}
// CHECK-LABEL: func.func @arrives
// CHECK: %s = scf.for
// CHECK: %m = rtl.receive
// CHECK: %r = scf.for

// -----

// A sum of multiples of another one's double does not join it.
func.func @needs(%start: i24) -> (i24, i24) {
  %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 5 : index
  %s = scf.for %i = %zero to %n step %one iter_args(%c = %start) -> (i24) {
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %t = arith.addi %c, %p : i24
    scf.yield %t : i24
  }
  %twice = arith.addi %s, %s : i24
  %r = scf.for %i = %zero to %n step %one iter_args(%c = %start) -> (i24) {
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %aw = arith.extsi %a : i8 to i24
    %p = arith.muli %aw, %twice : i24
    %t = arith.addi %c, %p : i24
    scf.yield %t : i24
  }
  func.return %s, %r : i24, i24
}
// CHECK-LABEL: func.func @needs
// CHECK: %s = scf.for
// CHECK: %twice = arith.addi
// CHECK: %r = scf.for

// -----

// Of two sums of a loop the second starts from the double of what comes before it: it is added at the end.
func.func @second(%start: i24) -> (i24, i24) {
  %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 5 : index
  %s = scf.for %i = %zero to %n step %one iter_args(%c = %start) -> (i24) {
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %t = arith.addi %c, %p : i24
    scf.yield %t : i24
  }
  %twice = arith.addi %s, %s : i24
  %r, %q = scf.for %i = %zero to %n step %one iter_args(%c = %start, %d = %twice) -> (i24, i24) {
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %double = arith.addi %p, %p : i24
    %t = arith.addi %c, %p : i24
    %u = arith.addi %d, %double : i24
    scf.yield %t, %u : i24, i24
  }
  func.return %r, %q : i24, i24
}
// CHECK-LABEL: func.func @second
// CHECK: [[zero:%.*]] = arith.constant 0 : i24
// CHECK: %s, %r, %q = scf.for {{.*}} iter_args({{.*}} = %start, {{.*}} = %start, {{.*}} = [[zero]]) -> (i24, i24, i24)
// CHECK: %twice = arith.addi %s, %s : i24
// CHECK-NEXT: [[sum:%.*]] = arith.addi %twice, %q : i24
// CHECK-NEXT: func.return %r, [[sum]]

// -----

// Sums of entries of a table, whose addresses are loaded, are merged; a sum of numbers that are indices is not.
func.func @table(%start: i24) -> (i24, i24, i24) {
  %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
  %u = rtl.memory dense<2> : tensor<5xi8> : !rtl.memory<5, 8>
  %table = rtl.memory dense<3> : tensor<256xi8> : !rtl.memory<256, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 5 : index
  %s = scf.for %i = %zero to %n step %one iter_args(%c = %start) -> (i24) {
    %a = rtl.load %w[%i] : !rtl.memory<5, 8> -> i8
    %at = arith.index_cast %a : i8 to index
    %e = rtl.load %table[%at] : !rtl.memory<256, 8> -> i8
    %p = arith.extsi %e : i8 to i24
    %t = arith.addi %c, %p : i24
    scf.yield %t : i24
  }
  %r = scf.for %i = %zero to %n step %one iter_args(%c = %start) -> (i24) {
    %a = rtl.load %u[%i] : !rtl.memory<5, 8> -> i8
    %p = arith.extsi %a : i8 to i24
    %t = arith.addi %c, %p : i24
    scf.yield %t : i24
  }
  %q = scf.for %i = %zero to %n step %one iter_args(%c = %start) -> (i24) {
    %p = arith.index_cast %i : index to i24
    %t = arith.addi %c, %p : i24
    scf.yield %t : i24
  }
  func.return %s, %r, %q : i24, i24, i24
}
// CHECK-LABEL: func.func @table
// CHECK: %s, %r = scf.for
// CHECK: rtl.load %table
// CHECK: scf.yield {{.*}} : i24, i24
// CHECK: %q = scf.for
// CHECK: scf.yield {{.*}} : i24
