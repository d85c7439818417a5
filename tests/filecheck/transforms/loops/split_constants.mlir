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
// CHECK-LABEL: func.func @rows(%x: memref<10000x!fixed.q<8, 4>>, %y: memref<5x!fixed.q<8, 4>>) -> index {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %five = arith.constant 5 : index
// CHECK-NEXT: %long = arith.constant 10000 : index
// CHECK-NEXT: %W = scratch.constant dense<1> : tensor<3x10000xi8> -> memref<3x10000x!fixed.q<8, 3>, #scratch.flash>
// CHECK-NEXT: [[vW_1:%.*]] = scratch.constant dense<1> : tensor<2x10000xi8> -> memref<2x10000x!fixed.q<8, 3>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 3 : index
// CHECK-NEXT: %last = scf.for %i = [[v0]] to [[v1]] step %one iter_args(%before = %zero) -> (index) {
// CHECK-NEXT: %begin = num.zero : !fixed.acc<32, 7>
// CHECK-NEXT: %at = arith.muli %i, %long : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 10000 : index
// CHECK-NEXT: [[v3:%.*]] = arith.muli %i, [[v2]] : index
// CHECK-NEXT: %row = scratch.slice %W{{\[}}[[v3]]] : memref<3x10000x!fixed.q<8, 3>, #scratch.flash> to memref<10000x!fixed.q<8, 3>, #scratch.flash>
// CHECK-NEXT: %sum = num.call #num.dot(%begin, %row, %x) by #num.kernel<"tm_dot_s8_s8_s32"> : (!fixed.acc<32, 7>, memref<10000x!fixed.q<8, 3>, #scratch.flash>, memref<10000x!fixed.q<8, 4>>) -> !fixed.acc<32, 7>
// CHECK-NEXT: %z = num.finish %sum {bound = array<i64: -9000000, 9000000>} : !fixed.acc<32, 7> -> !fixed.q<8, 4>
// CHECK-NEXT: memref.store %z, %y[%i] : memref<5x!fixed.q<8, 4>>
// CHECK-NEXT: scf.yield %i : index
// CHECK-NEXT: }
// CHECK-NEXT: [[v4:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[vlast_1:%.*]] = scf.for [[vi_1:%.*]] = [[v1]] to [[v4]] step %one iter_args([[vbefore_1:%.*]] = %last) -> (index) {
// CHECK-NEXT: [[vbegin_1:%.*]] = num.zero : !fixed.acc<32, 7>
// CHECK-NEXT: [[vat_1:%.*]] = arith.muli [[vi_1]], %long : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v6:%.*]] = arith.subi [[vi_1]], [[v5]] : index
// CHECK-NEXT: [[v7:%.*]] = arith.constant 10000 : index
// CHECK-NEXT: [[v8:%.*]] = arith.muli [[v6]], [[v7]] : index
// CHECK-NEXT: [[vrow_1:%.*]] = scratch.slice [[vW_1]]{{\[}}[[v8]]] : memref<2x10000x!fixed.q<8, 3>, #scratch.flash> to memref<10000x!fixed.q<8, 3>, #scratch.flash>
// CHECK-NEXT: [[vsum_1:%.*]] = num.call #num.dot([[vbegin_1]], [[vrow_1]], %x) by #num.kernel<"tm_dot_s8_s8_s32"> : (!fixed.acc<32, 7>, memref<10000x!fixed.q<8, 3>, #scratch.flash>, memref<10000x!fixed.q<8, 4>>) -> !fixed.acc<32, 7>
// CHECK-NEXT: [[vz_1:%.*]] = num.finish [[vsum_1]] {bound = array<i64: -9000000, 9000000>} : !fixed.acc<32, 7> -> !fixed.q<8, 4>
// CHECK-NEXT: memref.store [[vz_1]], %y{{\[}}[[vi_1]]] : memref<5x!fixed.q<8, 4>>
// CHECK-NEXT: scf.yield [[vi_1]] : index
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vlast_1]] : index

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
// CHECK-LABEL: func.func @elements(%at: index) -> i8 {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %start = arith.constant 0 : i8
// CHECK-NEXT: %W = scratch.constant dense<2> : tensor<1x20000xi8> -> memref<1x20000xi8, #scratch.flash>
// CHECK-NEXT: [[vW_1:%.*]] = scratch.constant dense<2> : tensor<1x20000xi8> -> memref<1x20000xi8, #scratch.flash>
// CHECK-NEXT: %L = scratch.constant dense<3> : tensor<1x40000xi8> -> memref<1x40000xi8, #scratch.flash>
// CHECK-NEXT: %A = scratch.constant dense<4> : tensor<40000xi8> -> memref<40000xi8, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %r = scf.for %i = [[v0]] to [[v1]] step %one iter_args(%s = %start) -> (i8) {
// CHECK-NEXT: %w = memref.load %W[%i, %at] : memref<1x20000xi8, #scratch.flash>
// CHECK-NEXT: %l = memref.load %L[%zero, %i] : memref<1x40000xi8, #scratch.flash>
// CHECK-NEXT: %a = memref.load %A[%at] : memref<40000xi8, #scratch.flash>
// CHECK-NEXT: %t = arith.addi %w, %l : i8
// CHECK-NEXT: %u = arith.addi %t, %a : i8
// CHECK-NEXT: %v = arith.addi %s, %u : i8
// CHECK-NEXT: scf.yield %v : i8
// CHECK-NEXT: }
// CHECK-NEXT: [[v2:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[vr_1:%.*]] = scf.for [[vi_1:%.*]] = [[v1]] to [[v2]] step %one iter_args([[vs_1:%.*]] = %r) -> (i8) {
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v4:%.*]] = arith.subi [[vi_1]], [[v3]] : index
// CHECK-NEXT: [[vw_1:%.*]] = memref.load [[vW_1]]{{\[}}[[v4]], %at] : memref<1x20000xi8, #scratch.flash>
// CHECK-NEXT: [[vl_1:%.*]] = memref.load %L[%zero, [[vi_1]]] : memref<1x40000xi8, #scratch.flash>
// CHECK-NEXT: [[va_1:%.*]] = memref.load %A[%at] : memref<40000xi8, #scratch.flash>
// CHECK-NEXT: [[vt_1:%.*]] = arith.addi [[vw_1]], [[vl_1]] : i8
// CHECK-NEXT: [[vu_1:%.*]] = arith.addi [[vt_1]], [[va_1]] : i8
// CHECK-NEXT: [[vv_1:%.*]] = arith.addi [[vs_1]], [[vu_1]] : i8
// CHECK-NEXT: scf.yield [[vv_1]] : i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vr_1]] : i8

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
// CHECK-LABEL: func.func @limit(%at: index) -> i8 {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %seven = arith.constant 7 : index
// CHECK-NEXT: %start = arith.constant 0 : i8
// CHECK-NEXT: %fits = scratch.constant dense<5> : tensor<7x4681xi8> -> memref<7x4681xi8, #scratch.flash>
// CHECK-NEXT: %past = scratch.constant dense<6> : tensor<4x4682xi8> -> memref<4x4682xi8, #scratch.flash>
// CHECK-NEXT: [[vpast_1:%.*]] = scratch.constant dense<6> : tensor<3x4682xi8> -> memref<3x4682xi8, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 4 : index
// CHECK-NEXT: %r = scf.for %i = [[v0]] to [[v1]] step %one iter_args(%s = %start) -> (i8) {
// CHECK-NEXT: %f = memref.load %fits[%i, %at] : memref<7x4681xi8, #scratch.flash>
// CHECK-NEXT: %p = memref.load %past[%i, %at] : memref<4x4682xi8, #scratch.flash>
// CHECK-NEXT: %t = arith.addi %f, %p : i8
// CHECK-NEXT: %u = arith.addi %s, %t : i8
// CHECK-NEXT: scf.yield %u : i8
// CHECK-NEXT: }
// CHECK-NEXT: [[v2:%.*]] = arith.constant 7 : index
// CHECK-NEXT: [[vr_1:%.*]] = scf.for [[vi_1:%.*]] = [[v1]] to [[v2]] step %one iter_args([[vs_1:%.*]] = %r) -> (i8) {
// CHECK-NEXT: [[vf_1:%.*]] = memref.load %fits{{\[}}[[vi_1]], %at] : memref<7x4681xi8, #scratch.flash>
// CHECK-NEXT: [[v3:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v4:%.*]] = arith.subi [[vi_1]], [[v3]] : index
// CHECK-NEXT: [[vp_1:%.*]] = memref.load [[vpast_1]]{{\[}}[[v4]], %at] : memref<3x4682xi8, #scratch.flash>
// CHECK-NEXT: [[vt_1:%.*]] = arith.addi [[vf_1]], [[vp_1]] : i8
// CHECK-NEXT: [[vu_1:%.*]] = arith.addi [[vs_1]], [[vt_1]] : i8
// CHECK-NEXT: scf.yield [[vu_1]] : i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vr_1]] : i8

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
// CHECK-LABEL: func.func @whole(%x: memref<20001xi8>, %at: index) -> i8 {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %row = arith.constant 20000 : index
// CHECK-NEXT: %start = arith.constant 0 : i8
// CHECK-NEXT: %long = scratch.constant dense<7> : tensor<2x40000xi8> -> memref<2x40000xi8, #scratch.flash>
// CHECK-NEXT: %next = scratch.constant dense<8> : tensor<40001xi8> -> memref<40001xi8, #scratch.flash>
// CHECK-NEXT: %r = scf.for %i = %zero to %two step %one iter_args(%s = %start) -> (i8) {
// CHECK-NEXT: %l = memref.load %long[%i, %at] : memref<2x40000xi8, #scratch.flash>
// CHECK-NEXT: %first = arith.muli %i, %row : index
// CHECK-NEXT: %view = scratch.slice %next[%first] : memref<40001xi8, #scratch.flash> to memref<20001xi8, #scratch.flash>
// CHECK-NEXT: %n = memref.load %view[%at] : memref<20001xi8, #scratch.flash>
// CHECK-NEXT: %t = arith.addi %l, %n : i8
// CHECK-NEXT: %u = arith.addi %s, %t : i8
// CHECK-NEXT: scf.yield %u : i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i8

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
// CHECK-LABEL: func.func @pairs(%at: index) -> i8 {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %six = arith.constant 6 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: %row = arith.constant 10000 : index
// CHECK-NEXT: %start = arith.constant 0 : i8
// CHECK-NEXT: %W = scratch.constant dense<9> : tensor<20000xi8> -> memref<20000xi8, #scratch.flash>
// CHECK-NEXT: [[vW_1:%.*]] = scratch.constant dense<9> : tensor<20000xi8> -> memref<20000xi8, #scratch.flash>
// CHECK-NEXT: [[vW_2:%.*]] = scratch.constant dense<9> : tensor<20000xi8> -> memref<20000xi8, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: %r = scf.for %i = [[v0]] to [[v1]] step %two iter_args(%s = %start) -> (i8) {
// CHECK-NEXT: %begin = arith.muli %i, %row : index
// CHECK-NEXT: %first = arith.addi %begin, %four : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 10000 : index
// CHECK-NEXT: [[v3:%.*]] = arith.muli %i, [[v2]] : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v5:%.*]] = arith.addi [[v3]], [[v4]] : index
// CHECK-NEXT: %view = scratch.slice %W{{\[}}[[v5]]] : memref<20000xi8, #scratch.flash> to memref<19996xi8, #scratch.flash>
// CHECK-NEXT: %n = memref.load %view[%at] : memref<19996xi8, #scratch.flash>
// CHECK-NEXT: %u = arith.addi %s, %n : i8
// CHECK-NEXT: scf.yield %u : i8
// CHECK-NEXT: }
// CHECK-NEXT: [[v6:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[vr_1:%.*]] = scf.for [[vi_1:%.*]] = [[v1]] to [[v6]] step %two iter_args([[vs_1:%.*]] = %r) -> (i8) {
// CHECK-NEXT: [[vbegin_1:%.*]] = arith.muli [[vi_1]], %row : index
// CHECK-NEXT: [[vfirst_1:%.*]] = arith.addi [[vbegin_1]], %four : index
// CHECK-NEXT: [[v7:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v8:%.*]] = arith.subi [[vi_1]], [[v7]] : index
// CHECK-NEXT: [[v9:%.*]] = arith.constant 10000 : index
// CHECK-NEXT: [[v10:%.*]] = arith.muli [[v8]], [[v9]] : index
// CHECK-NEXT: [[v11:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v12:%.*]] = arith.addi [[v10]], [[v11]] : index
// CHECK-NEXT: [[vview_1:%.*]] = scratch.slice [[vW_1]]{{\[}}[[v12]]] : memref<20000xi8, #scratch.flash> to memref<19996xi8, #scratch.flash>
// CHECK-NEXT: [[vn_1:%.*]] = memref.load [[vview_1]][%at] : memref<19996xi8, #scratch.flash>
// CHECK-NEXT: [[vu_1:%.*]] = arith.addi [[vs_1]], [[vn_1]] : i8
// CHECK-NEXT: scf.yield [[vu_1]] : i8
// CHECK-NEXT: }
// CHECK-NEXT: [[v13:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[vr_2:%.*]] = scf.for [[vi_2:%.*]] = [[v6]] to [[v13]] step %two iter_args([[vs_2:%.*]] = [[vr_1]]) -> (i8) {
// CHECK-NEXT: [[vbegin_2:%.*]] = arith.muli [[vi_2]], %row : index
// CHECK-NEXT: [[vfirst_2:%.*]] = arith.addi [[vbegin_2]], %four : index
// CHECK-NEXT: [[v14:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v15:%.*]] = arith.subi [[vi_2]], [[v14]] : index
// CHECK-NEXT: [[v16:%.*]] = arith.constant 10000 : index
// CHECK-NEXT: [[v17:%.*]] = arith.muli [[v15]], [[v16]] : index
// CHECK-NEXT: [[v18:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v19:%.*]] = arith.addi [[v17]], [[v18]] : index
// CHECK-NEXT: [[vview_2:%.*]] = scratch.slice [[vW_2]]{{\[}}[[v19]]] : memref<20000xi8, #scratch.flash> to memref<19996xi8, #scratch.flash>
// CHECK-NEXT: [[vn_2:%.*]] = memref.load [[vview_2]][%at] : memref<19996xi8, #scratch.flash>
// CHECK-NEXT: [[vu_2:%.*]] = arith.addi [[vs_2]], [[vn_2]] : i8
// CHECK-NEXT: scf.yield [[vu_2]] : i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vr_2]] : i8

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
// CHECK-LABEL: func.func @branch(%if: i1, %at: index) -> i8 {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %start = arith.constant 0 : i8
// CHECK-NEXT: %W = scratch.constant dense<2> : tensor<1x20000xi8> -> memref<1x20000xi8, #scratch.flash>
// CHECK-NEXT: [[vW_1:%.*]] = scratch.constant dense<2> : tensor<1x20000xi8> -> memref<1x20000xi8, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %r = scf.for %i = [[v0]] to [[v1]] step %one iter_args(%s = %start) -> (i8) {
// CHECK-NEXT: %w = scf.if %if -> (i8) {
// CHECK-NEXT: %v = memref.load %W[%i, %at] : memref<1x20000xi8, #scratch.flash>
// CHECK-NEXT: scf.yield %v : i8
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %start : i8
// CHECK-NEXT: }
// CHECK-NEXT: [[vv_1:%.*]] = arith.addi %s, %w : i8
// CHECK-NEXT: scf.yield [[vv_1]] : i8
// CHECK-NEXT: }
// CHECK-NEXT: [[v2:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[vr_1:%.*]] = scf.for [[vi_1:%.*]] = [[v1]] to [[v2]] step %one iter_args([[vs_1:%.*]] = %r) -> (i8) {
// CHECK-NEXT: [[vw_1:%.*]] = scf.if %if -> (i8) {
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v4:%.*]] = arith.subi [[vi_1]], [[v3]] : index
// CHECK-NEXT: [[vv_2:%.*]] = memref.load [[vW_1]]{{\[}}[[v4]], %at] : memref<1x20000xi8, #scratch.flash>
// CHECK-NEXT: scf.yield [[vv_2]] : i8
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %start : i8
// CHECK-NEXT: }
// CHECK-NEXT: [[vv_3:%.*]] = arith.addi [[vs_1]], [[vw_1]] : i8
// CHECK-NEXT: scf.yield [[vv_3]] : i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vr_1]] : i8

// -----

// Rows of 8000 bytes, of which the loop reads every second one, from the second on.
func.func @odd(%at: index) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : index
  %start = arith.constant 0 : i8
  %W = scratch.constant dense<1> : tensor<8x8000xi8> -> memref<8x8000xi8, #scratch.flash>
  %sum = scf.for %i = %zero to %eight step %two iter_args(%before = %start) -> (i8) {
    %next = arith.addi %i, %one : index
    %a = memref.load %W[%next, %at] : memref<8x8000xi8, #scratch.flash>
    %s = arith.addi %before, %a : i8
    scf.yield %s : i8
  }
  func.return %sum : i8
}
// CHECK-LABEL: func.func @odd
// CHECK: %W = scratch.constant dense<1> : tensor<4x8000xi8>
// CHECK-NEXT: [[other:%.*]] = scratch.constant dense<1> : tensor<4x8000xi8>
// CHECK: scf.for %i =
// CHECK-NEXT: %next = arith.addi
// CHECK-NEXT: [[one:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[at:%.*]] = arith.addi %i, [[one]] : index
// CHECK-NEXT: memref.load %W{{\[}}[[at]], %at]
// CHECK: scf.for [[i:%[^ ]*]] = {{.*}}
// CHECK: [[four:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[row:%.*]] = arith.subi [[i]], [[four]] : index
// CHECK-NEXT: [[first:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[place:%.*]] = arith.addi [[row]], [[first]] : index
// CHECK-NEXT: memref.load [[other]]{{\[}}[[place]], %at]

// -----

// Halves of rows are read, and whole rows are in one part.
func.func @halves(%at: index) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %half = arith.constant 5000 : index
  %start = arith.constant 0 : i8
  %W = scratch.constant dense<1> : tensor<5x10000xi8> -> memref<5x10000xi8, #scratch.flash>
  %r = scf.for %i = %zero to %ten step %one iter_args(%s = %start) -> (i8) {
    %place = arith.muli %i, %half : index
    %part = scratch.slice %W[%place] : memref<5x10000xi8, #scratch.flash> to memref<5000xi8, #scratch.flash>
    %w = memref.load %part[%at] : memref<5000xi8, #scratch.flash>
    %t = arith.addi %s, %w : i8
    scf.yield %t : i8
  }
  func.return %r : i8
}
// CHECK-LABEL: func.func @halves(%at: index) -> i8 {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %ten = arith.constant 10 : index
// CHECK-NEXT: %half = arith.constant 5000 : index
// CHECK-NEXT: %start = arith.constant 0 : i8
// CHECK-NEXT: %W = scratch.constant dense<1> : tensor<3x10000xi8> -> memref<3x10000xi8, #scratch.flash>
// CHECK-NEXT: [[vW_1:%.*]] = scratch.constant dense<1> : tensor<2x10000xi8> -> memref<2x10000xi8, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 6 : index
// CHECK-NEXT: %r = scf.for %i = [[v0]] to [[v1]] step %one iter_args(%s = %start) -> (i8) {
// CHECK-NEXT: %place = arith.muli %i, %half : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 5000 : index
// CHECK-NEXT: [[v3:%.*]] = arith.muli %i, [[v2]] : index
// CHECK-NEXT: %part = scratch.slice %W{{\[}}[[v3]]] : memref<3x10000xi8, #scratch.flash> to memref<5000xi8, #scratch.flash>
// CHECK-NEXT: %w = memref.load %part[%at] : memref<5000xi8, #scratch.flash>
// CHECK-NEXT: %t = arith.addi %s, %w : i8
// CHECK-NEXT: scf.yield %t : i8
// CHECK-NEXT: }
// CHECK-NEXT: [[v4:%.*]] = arith.constant 10 : index
// CHECK-NEXT: [[vr_1:%.*]] = scf.for [[vi_1:%.*]] = [[v1]] to [[v4]] step %one iter_args([[vs_1:%.*]] = %r) -> (i8) {
// CHECK-NEXT: [[vplace_1:%.*]] = arith.muli [[vi_1]], %half : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v6:%.*]] = arith.subi [[vi_1]], [[v5]] : index
// CHECK-NEXT: [[v7:%.*]] = arith.constant 5000 : index
// CHECK-NEXT: [[v8:%.*]] = arith.muli [[v6]], [[v7]] : index
// CHECK-NEXT: [[vpart_1:%.*]] = scratch.slice [[vW_1]]{{\[}}[[v8]]] : memref<2x10000xi8, #scratch.flash> to memref<5000xi8, #scratch.flash>
// CHECK-NEXT: [[vw_1:%.*]] = memref.load [[vpart_1]][%at] : memref<5000xi8, #scratch.flash>
// CHECK-NEXT: [[vt_1:%.*]] = arith.addi [[vs_1]], [[vw_1]] : i8
// CHECK-NEXT: scf.yield [[vt_1]] : i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vr_1]] : i8

// -----

// A constant that a loop reads and a loop in it, too, stays; so does one that a loop reads in steps of two sizes.
func.func @nested(%at: index) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %start = arith.constant 0 : i8
  %W = scratch.constant dense<1> : tensor<4x10000xi8> -> memref<4x10000xi8, #scratch.flash>
  %r = scf.for %i = %zero to %four step %one iter_args(%s = %start) -> (i8) {
    %w = memref.load %W[%i, %at] : memref<4x10000xi8, #scratch.flash>
    %q = scf.for %j = %zero to %four step %one iter_args(%p = %w) -> (i8) {
      %v = memref.load %W[%j, %at] : memref<4x10000xi8, #scratch.flash>
      %t = arith.addi %p, %v : i8
      scf.yield %t : i8
    }
    %u = arith.addi %s, %q : i8
    scf.yield %u : i8
  }
  func.return %r : i8
}
// CHECK-LABEL: func.func @nested(%at: index) -> i8 {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: %start = arith.constant 0 : i8
// CHECK-NEXT: %W = scratch.constant dense<1> : tensor<4x10000xi8> -> memref<4x10000xi8, #scratch.flash>
// CHECK-NEXT: %r = scf.for %i = %zero to %four step %one iter_args(%s = %start) -> (i8) {
// CHECK-NEXT: %w = memref.load %W[%i, %at] : memref<4x10000xi8, #scratch.flash>
// CHECK-NEXT: %q = scf.for %j = %zero to %four step %one iter_args(%p = %w) -> (i8) {
// CHECK-NEXT: %v = memref.load %W[%j, %at] : memref<4x10000xi8, #scratch.flash>
// CHECK-NEXT: %t = arith.addi %p, %v : i8
// CHECK-NEXT: scf.yield %t : i8
// CHECK-NEXT: }
// CHECK-NEXT: %u = arith.addi %s, %q : i8
// CHECK-NEXT: scf.yield %u : i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i8

// -----

func.func @two_slopes(%at: index) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %long = arith.constant 20000 : index
  %start = arith.constant 0 : i8
  %W = scratch.constant dense<1> : tensor<4x10000xi8> -> memref<4x10000xi8, #scratch.flash>
  %r = scf.for %i = %zero to %two step %one iter_args(%s = %start) -> (i8) {
    %w = memref.load %W[%i, %at] : memref<4x10000xi8, #scratch.flash>
    %place = arith.muli %i, %long : index
    %part = scratch.slice %W[%place] : memref<4x10000xi8, #scratch.flash> to memref<20000xi8, #scratch.flash>
    %v = memref.load %part[%at] : memref<20000xi8, #scratch.flash>
    %t = arith.addi %w, %v : i8
    %u = arith.addi %s, %t : i8
    scf.yield %u : i8
  }
  func.return %r : i8
}
// CHECK-LABEL: func.func @two_slopes(%at: index) -> i8 {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %long = arith.constant 20000 : index
// CHECK-NEXT: %start = arith.constant 0 : i8
// CHECK-NEXT: %W = scratch.constant dense<1> : tensor<4x10000xi8> -> memref<4x10000xi8, #scratch.flash>
// CHECK-NEXT: %r = scf.for %i = %zero to %two step %one iter_args(%s = %start) -> (i8) {
// CHECK-NEXT: %w = memref.load %W[%i, %at] : memref<4x10000xi8, #scratch.flash>
// CHECK-NEXT: %place = arith.muli %i, %long : index
// CHECK-NEXT: %part = scratch.slice %W[%place] : memref<4x10000xi8, #scratch.flash> to memref<20000xi8, #scratch.flash>
// CHECK-NEXT: %v = memref.load %part[%at] : memref<20000xi8, #scratch.flash>
// CHECK-NEXT: %t = arith.addi %w, %v : i8
// CHECK-NEXT: %u = arith.addi %s, %t : i8
// CHECK-NEXT: scf.yield %u : i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i8

// -----

// The position depends on the indices of both loops: the constant stays.
func.func @two_indices(%at: index) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %start = arith.constant 0 : i8
  %W = scratch.constant dense<1> : tensor<4x10000xi8> -> memref<4x10000xi8, #scratch.flash>
  %r = scf.for %i = %zero to %two step %one iter_args(%s = %start) -> (i8) {
    %q = scf.for %j = %zero to %two step %one iter_args(%p = %s) -> (i8) {
      %row = arith.addi %i, %j : index
      %v = memref.load %W[%row, %at] : memref<4x10000xi8, #scratch.flash>
      %t = arith.addi %p, %v : i8
      scf.yield %t : i8
    }
    scf.yield %q : i8
  }
  func.return %r : i8
}
// CHECK-LABEL: func.func @two_indices(%at: index) -> i8 {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %start = arith.constant 0 : i8
// CHECK-NEXT: %W = scratch.constant dense<1> : tensor<4x10000xi8> -> memref<4x10000xi8, #scratch.flash>
// CHECK-NEXT: %r = scf.for %i = %zero to %two step %one iter_args(%s = %start) -> (i8) {
// CHECK-NEXT: %q = scf.for %j = %zero to %two step %one iter_args(%p = %s) -> (i8) {
// CHECK-NEXT: %row = arith.addi %i, %j : index
// CHECK-NEXT: %v = memref.load %W[%row, %at] : memref<4x10000xi8, #scratch.flash>
// CHECK-NEXT: %t = arith.addi %p, %v : i8
// CHECK-NEXT: scf.yield %t : i8
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %q : i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i8
// CHECK-NEXT: }

// -----

// The position depends on the outer index alone: the outer loop is split, although an inner loop reads the constant.
func.func @outer_index(%at: index) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %start = arith.constant 0 : i8
  %W = scratch.constant dense<1> : tensor<4x10000xi8> -> memref<4x10000xi8, #scratch.flash>
  %r = scf.for %i = %zero to %four step %one iter_args(%s = %start) -> (i8) {
    %q = scf.for %j = %zero to %two step %one iter_args(%p = %s) -> (i8) {
      %v = memref.load %W[%i, %at] : memref<4x10000xi8, #scratch.flash>
      %t = arith.addi %p, %v : i8
      scf.yield %t : i8
    }
    scf.yield %q : i8
  }
  func.return %r : i8
}
// CHECK-LABEL: func.func @outer_index(%at: index) -> i8 {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: %start = arith.constant 0 : i8
// CHECK-NEXT: %W = scratch.constant dense<1> : tensor<2x10000xi8> -> memref<2x10000xi8, #scratch.flash>
// CHECK-NEXT: %W_1 = scratch.constant dense<1> : tensor<2x10000xi8> -> memref<2x10000xi8, #scratch.flash>
// CHECK-NEXT: %0 = arith.constant 0 : index
// CHECK-NEXT: %1 = arith.constant 2 : index
// CHECK-NEXT: %r = scf.for %i = %0 to %1 step %one iter_args(%s = %start) -> (i8) {
// CHECK-NEXT: %q = scf.for %j = %zero to %two step %one iter_args(%p = %s) -> (i8) {
// CHECK-NEXT: %v = memref.load %W[%i, %at] : memref<2x10000xi8, #scratch.flash>
// CHECK-NEXT: %t = arith.addi %p, %v : i8
// CHECK-NEXT: scf.yield %t : i8
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %q : i8
// CHECK-NEXT: }
// CHECK-NEXT: %2 = arith.constant 4 : index
// CHECK-NEXT: %r_1 = scf.for %i_1 = %1 to %2 step %one iter_args(%s_1 = %r) -> (i8) {
// CHECK-NEXT: %q_1 = scf.for %j_1 = %zero to %two step %one iter_args(%p_1 = %s_1) -> (i8) {
// CHECK-NEXT: %3 = arith.constant 2 : index
// CHECK-NEXT: %4 = arith.subi %i_1, %3 : index
// CHECK-NEXT: %v_1 = memref.load %W_1[%4, %at] : memref<2x10000xi8, #scratch.flash>
// CHECK-NEXT: %t_1 = arith.addi %p_1, %v_1 : i8
// CHECK-NEXT: scf.yield %t_1 : i8
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %q_1 : i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r_1 : i8
// CHECK-NEXT: }

// -----

// The first row would lie before the constant, which stays.
func.func @before_the_first(%at: index) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %start = arith.constant 0 : i8
  %W = scratch.constant dense<1> : tensor<4x10000xi8> -> memref<4x10000xi8, #scratch.flash>
  %r = scf.for %i = %zero to %two step %one iter_args(%s = %start) -> (i8) {
    %double = arith.muli %i, %two : index
    %row = arith.subi %double, %one : index
    %v = memref.load %W[%row, %at] : memref<4x10000xi8, #scratch.flash>
    %t = arith.addi %s, %v : i8
    scf.yield %t : i8
  }
  func.return %r : i8
}
// CHECK-LABEL: func.func @before_the_first(%at: index) -> i8 {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %start = arith.constant 0 : i8
// CHECK-NEXT: %W = scratch.constant dense<1> : tensor<4x10000xi8> -> memref<4x10000xi8, #scratch.flash>
// CHECK-NEXT: %r = scf.for %i = %zero to %two step %one iter_args(%s = %start) -> (i8) {
// CHECK-NEXT: %double = arith.muli %i, %two : index
// CHECK-NEXT: %row = arith.subi %double, %one : index
// CHECK-NEXT: %v = memref.load %W[%row, %at] : memref<4x10000xi8, #scratch.flash>
// CHECK-NEXT: %t = arith.addi %s, %v : i8
// CHECK-NEXT: scf.yield %t : i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i8
// CHECK-NEXT: }

// -----

// Each iteration reads the third row from its position, where it has two rows: the constant stays.
func.func @third_row(%at: index) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %start = arith.constant 0 : i8
  %W = scratch.constant dense<1> : tensor<4x10000xi8> -> memref<4x10000xi8, #scratch.flash>
  %r = scf.for %i = %zero to %two step %one iter_args(%s = %start) -> (i8) {
    %double = arith.muli %i, %two : index
    %next = arith.addi %double, %two : index
    %v = memref.load %W[%next, %at] : memref<4x10000xi8, #scratch.flash>
    %t = arith.addi %s, %v : i8
    scf.yield %t : i8
  }
  func.return %r : i8
}
// CHECK-LABEL: func.func @third_row(%at: index) -> i8 {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %start = arith.constant 0 : i8
// CHECK-NEXT: %W = scratch.constant dense<1> : tensor<4x10000xi8> -> memref<4x10000xi8, #scratch.flash>
// CHECK-NEXT: %r = scf.for %i = %zero to %two step %one iter_args(%s = %start) -> (i8) {
// CHECK-NEXT: %double = arith.muli %i, %two : index
// CHECK-NEXT: %next = arith.addi %double, %two : index
// CHECK-NEXT: %v = memref.load %W[%next, %at] : memref<4x10000xi8, #scratch.flash>
// CHECK-NEXT: %t = arith.addi %s, %v : i8
// CHECK-NEXT: scf.yield %t : i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : i8
// CHECK-NEXT: }
