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
// CHECK-LABEL: func.func @sums
// CHECK: [[none:%.*]] = arith.constant 0 : i24
// CHECK: [[both:%.*]], [[second:%.*]] = scf.for {{.*}} iter_args([[c:%.*]] = %start, [[d:%.*]] = [[none]]) -> (i24, i24) {
// CHECK: rtl.load %w
// CHECK: [[x:%.*]] = rtl.load %x
// CHECK: rtl.load %u
// CHECK-NOT: rtl.load
// CHECK: scf.yield
// CHECK: %m = arith.muli [[both]], %three
// CHECK: arith.addi %m, [[second]]

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
// CHECK-LABEL: func.func @on
// CHECK: [[sum:%.*]] = scf.for {{.*}} iter_args([[c:%.*]] = %start) -> (i24) {
// CHECK: [[pair:%.*]] = arith.addi
// CHECK-NEXT: arith.addi [[c]], [[pair]]
// CHECK: rtl.store %v
// CHECK: scf.for {{.*}} iter_args({{.*}} = [[sum]])
