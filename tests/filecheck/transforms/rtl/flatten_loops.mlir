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
// CHECK-LABEL: func.func @rows
// CHECK: scf.for {{.*}} iter_args(%i = {{.*}}, %k = {{.*}}, %c = {{.*}}) -> (index, index, i24) {
// CHECK: [[first:%.*]] = arith.cmpi eq, %k
// CHECK: [[last:%.*]] = arith.cmpi sge
// CHECK: [[sum:%.*]] = arith.select [[first]], %start, %c : i24
// CHECK: [[total:%.*]] = arith.addi [[sum]], {{.*}} : i24
// CHECK: rtl.store {{.*}}, %y[%i] if [[last]] {rtl.rises = 1 : i64} : i8
// CHECK: scf.yield {{.*}}, {{.*}}, [[total]] : index, index, i24
// CHECK: } {rtl.counters = 2 : i64}
// CHECK-NOT: scf.for
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
// CHECK-LABEL: func.func @through
// CHECK: {{%.*}}, {{%.*}}, [[sum:%.*]] = scf.for {{.*}} iter_args(%i = {{.*}}, %k = {{.*}}, %c = %start)
// CHECK: } {rtl.counters = 2 : i64}
// CHECK: scf.for %i
// CHECK: scf.for %k
// CHECK: func.return [[sum]] : i24
