// RUN: tinyml-opt %s -p 'split-constants{target=mega}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'split-constants{target=cortex-m4}' --split-input-file | filecheck %s --check-prefix=WHOLE
// WHOLE-LABEL: func.func @rows(
// WHOLE: scratch.constant dense<1> : tensor<5x10000xi8>
// WHOLE: scratch.constant dense<2> : tensor<2x20000xi8>

// Five rows of 10000 bytes: three in the first array, two in the second.
func.func @rows(%x: memref<10000x!fixed.q<8, 4>>, %y: memref<5x!fixed.q<8, 4>>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %long = arith.constant 10000 : index
  %W = scratch.constant dense<1> : tensor<5x10000xi8> -> memref<5x10000x!fixed.q<8, 3>, #scratch.flash>
  %last = scf.for %i = %zero to %five step %one iter_args(%before = %zero) -> (index) {
    %begin = num.zero : !fixed.acc<32, 7>
    %at = arith.muli %i, %long : index
    %row = scratch.slice %W[%at] : memref<5x10000x!fixed.q<8, 3>, #scratch.flash> to memref<10000x!fixed.q<8, 3>, #scratch.flash>
    %sum = num.call #num.dot(%begin, %row, %x) by #num.kernel<"tm_dot_s8_s8_s32"> : (!fixed.acc<32, 7>, memref<10000x!fixed.q<8, 3>, #scratch.flash>, memref<10000x!fixed.q<8, 4>>) -> !fixed.acc<32, 7>
    %z = num.finish %sum {bound = array<i64: -9000000, 9000000>} : !fixed.acc<32, 7> -> !fixed.q<8, 4>
    memref.store %z, %y[%i] : memref<5x!fixed.q<8, 4>>
    scf.yield %i : index
  }
  func.return %last : index
}
// CHECK-LABEL: func.func @rows
// CHECK: %W = scratch.constant dense<1> : tensor<3x10000xi8> -> memref<3x10000x
// CHECK: %W_1 = scratch.constant dense<1> : tensor<2x10000xi8> -> memref<2x10000x
// CHECK: [[three:%.*]] = arith.constant 3 : index
// CHECK: %last = scf.for %i = {{%.*}} to [[three]] step %one iter_args(%before = %zero)
// CHECK: [[at:%.*]] = arith.muli %i, {{%[0-9]+}} : index
// CHECK: %row = scratch.slice %W{{\[}}[[at]]]
// CHECK: %last_1 = scf.for %i_1 = [[three]] to {{%.*}} step %one iter_args(%before_1 = %last)
// CHECK: [[since:%.*]] = arith.subi %i_1, {{%.*}} : index
// CHECK: [[next:%.*]] = arith.muli [[since]], {{%.*}} : index
// CHECK: %row_1 = scratch.slice %W_1{{\[}}[[next]]]
// CHECK: memref.store {{%.*}}, %y[%i_1]
// CHECK: func.return %last_1

// -----

// Elements are loaded by row and column. One row that is too long itself stays, as does what is read at any place.
func.func @elements(%at: index) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %start = arith.constant 0 : i8
  %W = scratch.constant dense<2> : tensor<2x20000xi8> -> memref<2x20000xi8, #scratch.flash>
  %L = scratch.constant dense<3> : tensor<1x40000xi8> -> memref<1x40000xi8, #scratch.flash>
  %A = scratch.constant dense<4> : tensor<40000xi8> -> memref<40000xi8, #scratch.flash>
  %r = scf.for %i = %zero to %two step %one iter_args(%s = %start) -> (i8) {
    %w = memref.load %W[%i, %at] : memref<2x20000xi8, #scratch.flash>
    %l = memref.load %L[%zero, %i] : memref<1x40000xi8, #scratch.flash>
    %a = memref.load %A[%at] : memref<40000xi8, #scratch.flash>
    %t = arith.addi %w, %l : i8
    %u = arith.addi %t, %a : i8
    %v = arith.addi %s, %u : i8
    scf.yield %v : i8
  }
  func.return %r : i8
}
// CHECK-LABEL: func.func @elements
// CHECK: %W = scratch.constant dense<2> : tensor<1x20000xi8>
// CHECK: %W_1 = scratch.constant dense<2> : tensor<1x20000xi8>
// CHECK: %L = scratch.constant dense<3> : tensor<1x40000xi8>
// CHECK: %A = scratch.constant dense<4> : tensor<40000xi8>
// CHECK: scf.for %i =
// CHECK: memref.load %W[%i, %at]
// CHECK: scf.for %i_1 =
// CHECK: [[since:%.*]] = arith.subi %i_1, {{%.*}} : index
// CHECK: memref.load %W_1{{\[}}[[since]], %at]

// -----

// 32767 bytes are one array, seven bytes more are two: of six rows at most in one, of four and three.
func.func @limit(%at: index) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %seven = arith.constant 7 : index
  %start = arith.constant 0 : i8
  %fits = scratch.constant dense<5> : tensor<7x4681xi8> -> memref<7x4681xi8, #scratch.flash>
  %past = scratch.constant dense<6> : tensor<7x4682xi8> -> memref<7x4682xi8, #scratch.flash>
  %r = scf.for %i = %zero to %seven step %one iter_args(%s = %start) -> (i8) {
    %f = memref.load %fits[%i, %at] : memref<7x4681xi8, #scratch.flash>
    %p = memref.load %past[%i, %at] : memref<7x4682xi8, #scratch.flash>
    %t = arith.addi %f, %p : i8
    %u = arith.addi %s, %t : i8
    scf.yield %u : i8
  }
  func.return %r : i8
}
// CHECK-LABEL: func.func @limit
// CHECK: %fits = scratch.constant dense<5> : tensor<7x4681xi8>
// CHECK-NEXT: %past = scratch.constant dense<6> : tensor<4x4682xi8>
// CHECK-NEXT: %past_1 = scratch.constant dense<6> : tensor<3x4682xi8>
// CHECK: [[four:%.*]] = arith.constant 4 : index
// CHECK: scf.for %i = {{%.*}} to [[four]] step
// CHECK: memref.load %fits[%i, %at]
// CHECK-NEXT: memref.load %past[%i, %at]
// CHECK: scf.for %i_1 = [[four]] to
// CHECK: memref.load %fits[%i_1, %at]
// CHECK: memref.load %past_1

// -----

// Rows that are too long for an array stay, as do those that are read with the first element of the next row.
func.func @whole(%x: memref<20001xi8>, %at: index) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %row = arith.constant 20000 : index
  %start = arith.constant 0 : i8
  %long = scratch.constant dense<7> : tensor<2x40000xi8> -> memref<2x40000xi8, #scratch.flash>
  %next = scratch.constant dense<8> : tensor<40001xi8> -> memref<40001xi8, #scratch.flash>
  %r = scf.for %i = %zero to %two step %one iter_args(%s = %start) -> (i8) {
    %l = memref.load %long[%i, %at] : memref<2x40000xi8, #scratch.flash>
    %first = arith.muli %i, %row : index
    %view = scratch.slice %next[%first] : memref<40001xi8, #scratch.flash> to memref<20001xi8, #scratch.flash>
    %n = memref.load %view[%at] : memref<20001xi8, #scratch.flash>
    %t = arith.addi %l, %n : i8
    %u = arith.addi %s, %t : i8
    scf.yield %u : i8
  }
  func.return %r : i8
}
// CHECK-LABEL: func.func @whole
// CHECK: %long = scratch.constant dense<7> : tensor<2x40000xi8>
// CHECK-NEXT: %next = scratch.constant dense<8> : tensor<40001xi8>
// CHECK: scf.for
// CHECK-NOT: scf.for

// -----

// Elements from the fifth of each row to its end are read in every second row: parts are whole pairs of rows.
func.func @pairs(%at: index) -> i8 {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %six = arith.constant 6 : index
  %four = arith.constant 4 : index
  %row = arith.constant 10000 : index
  %start = arith.constant 0 : i8
  %W = scratch.constant dense<9> : tensor<60000xi8> -> memref<60000xi8, #scratch.flash>
  %r = scf.for %i = %zero to %six step %two iter_args(%s = %start) -> (i8) {
    %begin = arith.muli %i, %row : index
    %first = arith.addi %begin, %four : index
    %view = scratch.slice %W[%first] : memref<60000xi8, #scratch.flash> to memref<19996xi8, #scratch.flash>
    %n = memref.load %view[%at] : memref<19996xi8, #scratch.flash>
    %u = arith.addi %s, %n : i8
    scf.yield %u : i8
  }
  func.return %r : i8
}
// CHECK-LABEL: func.func @pairs
// CHECK: %W = scratch.constant dense<9> : tensor<20000xi8>
// CHECK-NEXT: %W_1 = scratch.constant dense<9> : tensor<20000xi8>
// CHECK-NEXT: %W_2 = scratch.constant dense<9> : tensor<20000xi8>
// CHECK: [[two:%.*]] = arith.constant 2 : index
// CHECK-NEXT: %r = scf.for %i = {{%.*}} to [[two]] step %two
// CHECK: %r_1 = scf.for %i_1 = [[two]] to [[next:%.*]] step %two
// CHECK: [[since:%.*]] = arith.subi %i_1, {{%.*}} : index
// CHECK-NEXT: [[each:%.*]] = arith.constant 10000 : index
// CHECK-NEXT: [[begin:%.*]] = arith.muli [[since]], [[each]] : index
// CHECK-NEXT: [[fifth:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[at:%.*]] = arith.addi [[begin]], [[fifth]] : index
// CHECK-NEXT: %view_1 = scratch.slice %W_1{{\[}}[[at]]]
// CHECK: scf.for %i_2 = [[next]] to
// CHECK: scratch.slice %W_2

// -----

// In a branch, too, rows are read by the index of the loop around it.
func.func @branch(%if: i1, %at: index) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %start = arith.constant 0 : i8
  %W = scratch.constant dense<2> : tensor<2x20000xi8> -> memref<2x20000xi8, #scratch.flash>
  %r = scf.for %i = %zero to %two step %one iter_args(%s = %start) -> (i8) {
    %w = scf.if %if -> (i8) {
      %v = memref.load %W[%i, %at] : memref<2x20000xi8, #scratch.flash>
      scf.yield %v : i8
    } else {
      scf.yield %start : i8
    }
    %v = arith.addi %s, %w : i8
    scf.yield %v : i8
  }
  func.return %r : i8
}
// CHECK-LABEL: func.func @branch
// CHECK: %W = scratch.constant dense<2> : tensor<1x20000xi8>
// CHECK-NEXT: %W_1 = scratch.constant dense<2> : tensor<1x20000xi8>
