// RUN: tinyml-opt %s -p flatten-loops --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p flatten-loops,schedule-cycles --split-input-file | filecheck %s --check-prefix=CYCLES

// A product with a matrix: what follows a row's sum runs in every iteration, and the last of a row stores.
func.func @rows() -> index {
  %w = rtl.memory dense<1> : tensor<15xi8> : !rtl.memory<15, 8>
  %y = rtl.memory : !rtl.memory<8, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 3 : index
  %n = arith.constant 5 : index
  %start = arith.constant 7 : i24
  scf.for %i = %zero to %rows step %one {
    %row = arith.muli %i, %n : index
    %s = scf.for %k = %zero to %n step %one iter_args(%c = %start) -> (i24) {
      %at = arith.addi %row, %k : index
      %j = arith.addi %k, %rows : index
      %a = rtl.load %w[%at] : !rtl.memory<15, 8> -> i8
      %b = rtl.load %y[%j] : !rtl.memory<8, 8> -> i8
      %aw = arith.extsi %a : i8 to i24
      %bw = arith.extsi %b : i8 to i24
      %p = arith.muli %aw, %bw : i24
      %t = arith.addi %c, %p : i24
      scf.yield %t : i24
    }
    %r = arith.trunci %s : i24 to i8
    rtl.store %r, %y[%i] : i8, !rtl.memory<8, 8>
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @rows() -> index {
// CHECK-NEXT: %w = rtl.memory dense<1> : tensor<15xi8> : !rtl.memory<15, 8>
// CHECK-NEXT: %y = rtl.memory : !rtl.memory<8, 8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %rows = arith.constant 3 : index
// CHECK-NEXT: %n = arith.constant 5 : index
// CHECK-NEXT: %start = arith.constant 7 : i24
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 0 : i24
// CHECK-NEXT: [[v5:%.*]] = arith.constant 15 : index
// CHECK-NEXT: [[v6:%.*]], [[v7:%.*]], [[v8:%.*]] = scf.for [[v9:%.*]] = [[v0]] to [[v5]] step [[v2]] iter_args(%i = [[v0]], %k = [[v0]], %c = [[v4]]) -> (index, index, i24) {
// CHECK-NEXT: [[v10:%.*]] = arith.cmpi eq, %k, [[v0]] : index
// CHECK-NEXT: [[v11:%.*]] = arith.addi %k, [[v2]] : index
// CHECK-NEXT: [[v12:%.*]] = arith.cmpi slt, [[v11]], [[v3]] : index
// CHECK-NEXT: [[v13:%.*]] = arith.cmpi sge, [[v11]], [[v3]] : index
// CHECK-NEXT: %row = arith.muli %i, %n : index
// CHECK-NEXT: [[v14:%.*]] = arith.select [[v10]], %start, %c : i24
// CHECK-NEXT: %at = arith.addi %row, %k : index
// CHECK-NEXT: %j = arith.addi %k, %rows : index
// CHECK-NEXT: %a = rtl.load %w[%at] : !rtl.memory<15, 8> -> i8
// CHECK-NEXT: %b = rtl.load %y[%j] : !rtl.memory<8, 8> -> i8
// CHECK-NEXT: %aw = arith.extsi %a : i8 to i24
// CHECK-NEXT: %bw = arith.extsi %b : i8 to i24
// CHECK-NEXT: %p = arith.muli %aw, %bw : i24
// CHECK-NEXT: %t = arith.addi [[v14]], %p : i24
// CHECK-NEXT: %r = arith.trunci %t : i24 to i8
// CHECK-NEXT: rtl.store %r, %y[%i] if [[v13]] {rtl.rises = 1 : i64} : i8, !rtl.memory<8, 8>
// CHECK-NEXT: [[v15:%.*]] = arith.select [[v12]], [[v11]], [[v0]] : index
// CHECK-NEXT: [[v16:%.*]] = arith.select [[v13]], [[v2]], [[v0]] : index
// CHECK-NEXT: [[v17:%.*]] = arith.addi %i, [[v16]] : index
// CHECK-NEXT: [[v18:%.*]] = arith.cmpi slt, [[v17]], [[v1]] : index
// CHECK-NEXT: [[v19:%.*]] = arith.select [[v18]], [[v17]], [[v0]] : index
// CHECK-NEXT: scf.yield [[v19]], [[v15]], %t : index, index, i24
// CHECK-NEXT: } {rtl.counters = 2 : i64}
// CHECK-NEXT: func.return %zero : index
// The rows that are written lie apart from the elements that are read, in the same memory.
// CYCLES-LABEL: func.func @rows
// CYCLES: {rtl.counters = 2 : i64, rtl.interval = 1 : i64}
// CYCLES-LABEL: func.func @through(

// -----

// A sum over both loops goes through; one that each row reads from where the last one wrote is not flattened.
func.func @through(%w: !rtl.memory<12, 8>) -> i24 {
  %y = rtl.memory : !rtl.memory<1, 24>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 3 : index
  %n = arith.constant 4 : index
  %start = arith.constant 0 : i24
  %sum = scf.for %i = %zero to %rows step %one iter_args(%o = %start) -> (i24) {
    %s = scf.for %k = %zero to %n step %one iter_args(%c = %o) -> (i24) {
      %a = rtl.load %w[%k] : !rtl.memory<12, 8> -> i8
      %aw = arith.extsi %a : i8 to i24
      %t = arith.addi %c, %aw : i24
      scf.yield %t : i24
    }
    scf.yield %s : i24
  }
  scf.for %i = %zero to %rows step %one {
    %old = rtl.load %y[%zero] : !rtl.memory<1, 24> -> i24
    %s = scf.for %k = %zero to %n step %one iter_args(%c = %old) -> (i24) {
      %a = rtl.load %w[%k] : !rtl.memory<12, 8> -> i8
      %aw = arith.extsi %a : i8 to i24
      %t = arith.muli %c, %aw : i24
      scf.yield %t : i24
    }
    rtl.store %s, %y[%zero] : i24, !rtl.memory<1, 24>
  }
  func.return %sum : i24
}
// CHECK-LABEL: func.func @through(%w: !rtl.memory<12, 8>) -> i24 {
// CHECK-NEXT: %y = rtl.memory : !rtl.memory<1, 24>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %rows = arith.constant 3 : index
// CHECK-NEXT: %n = arith.constant 4 : index
// CHECK-NEXT: %start = arith.constant 0 : i24
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 12 : index
// CHECK-NEXT: [[v5:%.*]], [[v6:%.*]], %sum = scf.for [[v7:%.*]] = [[v0]] to [[v4]] step [[v2]] iter_args(%i = [[v0]], %k = [[v0]], %c = %start) -> (index, index, i24) {
// CHECK-NEXT: [[v8:%.*]] = arith.cmpi eq, %k, [[v0]] : index
// CHECK-NEXT: [[v9:%.*]] = arith.addi %k, [[v2]] : index
// CHECK-NEXT: [[v10:%.*]] = arith.cmpi slt, [[v9]], [[v3]] : index
// CHECK-NEXT: [[v11:%.*]] = arith.cmpi sge, [[v9]], [[v3]] : index
// CHECK-NEXT: %a = rtl.load %w[%k] : !rtl.memory<12, 8> -> i8
// CHECK-NEXT: %aw = arith.extsi %a : i8 to i24
// CHECK-NEXT: %t = arith.addi %c, %aw : i24
// CHECK-NEXT: [[v12:%.*]] = arith.select [[v10]], [[v9]], [[v0]] : index
// CHECK-NEXT: [[v13:%.*]] = arith.select [[v11]], [[v2]], [[v0]] : index
// CHECK-NEXT: [[v14:%.*]] = arith.addi %i, [[v13]] : index
// CHECK-NEXT: [[v15:%.*]] = arith.cmpi slt, [[v14]], [[v1]] : index
// CHECK-NEXT: [[v16:%.*]] = arith.select [[v15]], [[v14]], [[v0]] : index
// CHECK-NEXT: scf.yield [[v16]], [[v12]], %t : index, index, i24
// CHECK-NEXT: } {rtl.counters = 2 : i64}
// CHECK-NEXT: [[v17:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v18:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v19:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v20:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v21:%.*]] = arith.constant 0 : i24
// CHECK-NEXT: [[v22:%.*]] = arith.constant 12 : index
// CHECK-NEXT: scf.for [[vi_1:%.*]] = %zero to %rows step %one {
// CHECK-NEXT: %old = rtl.load %y[%zero] : !rtl.memory<1, 24> -> i24
// CHECK-NEXT: %s = scf.for [[vk_1:%.*]] = %zero to %n step %one iter_args([[vc_1:%.*]] = %old) -> (i24) {
// CHECK-NEXT: [[va_1:%.*]] = rtl.load %w{{\[}}[[vk_1]]] : !rtl.memory<12, 8> -> i8
// CHECK-NEXT: [[vaw_1:%.*]] = arith.extsi [[va_1]] : i8 to i24
// CHECK-NEXT: [[vt_1:%.*]] = arith.muli [[vc_1]], [[vaw_1]] : i24
// CHECK-NEXT: scf.yield [[vt_1]] : i24
// CHECK-NEXT: }
// CHECK-NEXT: rtl.store %s, %y[%zero] : i24, !rtl.memory<1, 24>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : i24

// -----

// A loop whose iterations are not known, or that has none, is no row; neither is one around two loops, or with one
// iteration or none.
func.func @unknown(%n: index, %x: !rtl.memory<8, 8>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %byte = arith.constant 1 : i8
  scf.for %i = %zero to %three step %one {
    scf.for %k = %zero to %n step %one {
      rtl.store %byte, %x[%k] : i8, !rtl.memory<8, 8>
    }
  }
  scf.for %i = %zero to %three step %one {
    scf.for %k = %zero to %zero step %one {
      rtl.store %byte, %x[%k] : i8, !rtl.memory<8, 8>
    }
  }
  scf.for %i = %zero to %three step %one {
    scf.for %k = %zero to %three step %one {
      rtl.store %byte, %x[%k] : i8, !rtl.memory<8, 8>
    }
    scf.for %k = %zero to %three step %one {
      rtl.store %byte, %x[%i] : i8, !rtl.memory<8, 8>
    }
  }
  scf.for %i = %zero to %one step %one {
    scf.for %k = %zero to %three step %one {
      rtl.store %byte, %x[%k] : i8, !rtl.memory<8, 8>
    }
  }
  scf.for %i = %zero to %zero step %one {
    scf.for %k = %zero to %three step %one {
      rtl.store %byte, %x[%k] : i8, !rtl.memory<8, 8>
    }
  }
  func.return
}
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: rtl.counters
// CHECK: func.return

// -----

// Of three loops the store behind the two inner ones is the second that rises.
func.func @three() -> index {
  %w = rtl.memory dense<1> : tensor<15xi8> : !rtl.memory<15, 8>
  %y = rtl.memory : !rtl.memory<8, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %rows = arith.constant 3 : index
  %n = arith.constant 5 : index
  %start = arith.constant 7 : i24
  scf.for %h = %zero to %two step %one {
    %s = scf.for %i = %zero to %rows step %one iter_args(%c = %start) -> (i24) {
      %row = arith.muli %i, %n : index
      %u = scf.for %k = %zero to %n step %one iter_args(%d = %c) -> (i24) {
        %at = arith.addi %row, %k : index
        %a = rtl.load %w[%at] : !rtl.memory<15, 8> -> i8
        %aw = arith.extsi %a : i8 to i24
        %t = arith.addi %d, %aw : i24
        scf.yield %t : i24
      }
      scf.yield %u : i24
    }
    %r = arith.trunci %s : i24 to i8
    rtl.store %r, %y[%h] : i8, !rtl.memory<8, 8>
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @three
// CHECK: rtl.store %r, %y[%h] if {{%.*}} {rtl.rises = 2 : i64} : i8

// -----

// What the outer loop carries is no sum that goes on: each row's begins at twice what came before.
func.func @doubled(%start: i24) -> i24 {
  %w = rtl.memory dense<1> : tensor<5xi8> : !rtl.memory<5, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 3 : index
  %n = arith.constant 5 : index
  %r = scf.for %i = %zero to %rows step %one iter_args(%all = %start) -> (i24) {
    %twice = arith.addi %start, %all : i24
    %s = scf.for %k = %zero to %n step %one iter_args(%c = %twice) -> (i24) {
      %a = rtl.load %w[%k] : !rtl.memory<5, 8> -> i8
      %p = arith.extsi %a : i8 to i24
      %t = arith.addi %c, %p : i24
      scf.yield %t : i24
    }
    scf.yield %s : i24
  }
  func.return %r : i24
}
// CHECK-LABEL: func.func @doubled
// CHECK: scf.for %i
// CHECK: %s = scf.for %k

// -----

// Three loops: the innermost two become one, whose counters begin at 1 and 2, and then all of them.
func.func @nest(%w: !rtl.memory<64, 8>) -> i24 {
  %y = rtl.memory : !rtl.memory<4, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %start = arith.constant 7 : i24
  scf.for %i = %zero to %two step %one {
    %row = arith.muli %i, %four : index
    scf.for %j = %one to %four step %one {
      %s = scf.for %k = %two to %four step %one iter_args(%c = %start) -> (i24) {
        %at = arith.addi %row, %k : index
        %a = rtl.load %w[%at] : !rtl.memory<64, 8> -> i8
        %aw = arith.extsi %a : i8 to i24
        %t = arith.addi %c, %aw : i24
        scf.yield %t : i24
      }
      %r = arith.trunci %s : i24 to i8
      rtl.store %r, %y[%j] : i8, !rtl.memory<4, 8>
    }
  }
  func.return %start : i24
}
// CHECK-LABEL: func.func @nest
// CHECK: %start = arith.constant 7 : i24
// CHECK-NEXT: [[zero:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[two:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[one:%.*]] = arith.constant 1 : index
// CHECK-NEXT: arith.constant 6 : index
// CHECK-NEXT: [[sum:%.*]] = arith.constant 0 : i24
// CHECK-NEXT: [[trips:%.*]] = arith.constant 12 : index
// CHECK-NEXT: scf.for {{.*}} = [[zero]] to [[trips]] step [[one]] iter_args(%i = [[zero]], {{.*}} = [[zero]], %j = [[one]], %k = [[two]], %c = [[sum]])

// -----

// A loop of one iteration keeps its form, even if the joined loop had a shorter schedule; one of two is joined.
func.func @once(%w: !rtl.memory<8, 8>) {
  %y = rtl.memory : !rtl.memory<2, 24>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 1 : index
  %n = arith.constant 5 : index
  %start = arith.constant 7 : i24
  scf.for %i = %zero to %rows step %one {
    %s = scf.for %k = %zero to %n step %one iter_args(%c = %start) -> (i24) {
      %a = rtl.load %w[%k] : !rtl.memory<8, 8> -> i8
      %aw = arith.extsi %a : i8 to i24
      %t = arith.addi %c, %aw : i24
      scf.yield %t : i24
    }
    rtl.store %s, %y[%i] : i24, !rtl.memory<2, 24>
  }
  func.return
}
// CHECK-LABEL: func.func @once
// CHECK-NOT: rtl.counters
// CHECK: func.return

// -----

func.func @twice(%w: !rtl.memory<8, 8>) {
  %y = rtl.memory : !rtl.memory<2, 24>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 2 : index
  %n = arith.constant 5 : index
  %start = arith.constant 7 : i24
  scf.for %i = %zero to %rows step %one {
    %s = scf.for %k = %zero to %n step %one iter_args(%c = %start) -> (i24) {
      %a = rtl.load %w[%k] : !rtl.memory<8, 8> -> i8
      %aw = arith.extsi %a : i8 to i24
      %t = arith.addi %c, %aw : i24
      scf.yield %t : i24
    }
    rtl.store %s, %y[%i] : i24, !rtl.memory<2, 24>
  }
  func.return
}
// CHECK-LABEL: func.func @twice
// CHECK: rtl.counters = 2
