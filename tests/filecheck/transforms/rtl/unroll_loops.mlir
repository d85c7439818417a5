// RUN: tinyml-opt %s -p 'unroll-loops{factor=4},canonicalize' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'unroll-loops{luts=1000 dsps=2},canonicalize' --split-input-file | filecheck %s --check-prefix=BUDGET
// RUN: tinyml-opt %s -p 'unroll-loops,canonicalize' --split-input-file | filecheck %s --check-prefix=NONE
// RUN: tinyml-opt %s -p 'unroll-loops{luts=1000 dsps=2 order=sequential},canonicalize' --split-input-file | filecheck %s --check-prefix=BUDGET
// RUN: tinyml-opt %s -p 'unroll-loops{luts=9000 dsps=2 brams=1},canonicalize' --split-input-file | filecheck %s --check-prefix=BRAMS
// RUN: tinyml-opt %s -p 'unroll-loops{luts=313 dsps=0 order=sequential},canonicalize' --split-input-file | filecheck %s --check-prefix=SEEDOT
// RUN: tinyml-opt %s -p 'unroll-loops{luts=312 dsps=0 order=sequential},canonicalize' --split-input-file | filecheck %s --check-prefix=LESS
// RUN: not tinyml-opt %s -p 'unroll-loops{factor=0}' 2>&1 | filecheck %s --check-prefix=FACTOR
// RUN: not tinyml-opt %s -p 'unroll-loops{cells=101}' 2>&1 | filecheck %s --check-prefix=PERCENT
// RUN: not tinyml-opt %s -p 'unroll-loops{cells=-1}' 2>&1 | filecheck %s --check-prefix=PERCENT
// RUN: tinyml-opt %s -p 'unroll-loops{factor=1},canonicalize' --split-input-file | filecheck %s --check-prefix=NONE
// RUN: tinyml-opt %s -p 'unroll-loops{cells=0},canonicalize' --split-input-file | filecheck %s --check-prefix=NONE

// FACTOR: unroll-loops: a factor of 0
// PERCENT: percent of the cells

// Four elements of two memories in each iteration, added as a tree; rows of 8 elements begin at whole words.
func.func @sum(%row: index) -> i24 {
  %w = rtl.memory dense<1> : tensor<24xi8> : !rtl.memory<24, 8>
  %x = rtl.memory : !rtl.memory<8, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 8 : index
  %start = arith.constant 5 : i24
  %base = arith.muli %row, %n : index
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (i24) {
    %j = arith.addi %base, %i : index
    %a = rtl.load %w[%j] : !rtl.memory<24, 8> -> i8
    %b = rtl.load %x[%i] : !rtl.memory<8, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %d = arith.extsi %b : i8 to i24
    %p = arith.muli %c, %d : i24
    %t = arith.addi %s, %p : i24
    scf.yield %t : i24
  }
  func.return %sum : i24
}
// CHECK-LABEL: func.func @sum(%row: index) -> i24 {
// CHECK-NEXT: %w = rtl.memory dense<1> : tensor<24xi8> : !rtl.memory<6, 32>
// CHECK-NEXT: %x = rtl.memory : !rtl.memory<2, 32>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %start = arith.constant 5 : i24
// CHECK-NEXT: [[v0:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 8 : i32
// CHECK-NEXT: [[v3:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v4:%.*]] = arith.constant 24 : i32
// CHECK-NEXT: %sum = scf.for %i = %zero to [[v0]] step %one iter_args(%s = %start) -> (i24) {
// CHECK-NEXT: [[v5:%.*]] = arith.muli %row, [[v1]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.addi %i, [[v5]] : index
// CHECK-NEXT: [[v7:%.*]] = rtl.load %w{{\[}}[[v6]]] : !rtl.memory<6, 32> -> i32
// CHECK-NEXT: [[v8:%.*]] = rtl.load %x[%i] : !rtl.memory<2, 32> -> i32
// CHECK-NEXT: [[v9:%.*]] = arith.trunci [[v7]] : i32 to i8
// CHECK-NEXT: [[v10:%.*]] = arith.trunci [[v8]] : i32 to i8
// CHECK-NEXT: %c = arith.extsi [[v9]] : i8 to i24
// CHECK-NEXT: %d = arith.extsi [[v10]] : i8 to i24
// CHECK-NEXT: %p = arith.muli %c, %d : i24
// CHECK-NEXT: [[v11:%.*]] = arith.shrui [[v7]], [[v2]] : i32
// CHECK-NEXT: [[v12:%.*]] = arith.trunci [[v11]] : i32 to i8
// CHECK-NEXT: [[v13:%.*]] = arith.shrui [[v8]], [[v2]] : i32
// CHECK-NEXT: [[v14:%.*]] = arith.trunci [[v13]] : i32 to i8
// CHECK-NEXT: [[vc_1:%.*]] = arith.extsi [[v12]] : i8 to i24
// CHECK-NEXT: [[vd_1:%.*]] = arith.extsi [[v14]] : i8 to i24
// CHECK-NEXT: [[vp_1:%.*]] = arith.muli [[vc_1]], [[vd_1]] : i24
// CHECK-NEXT: [[v15:%.*]] = arith.shrui [[v7]], [[v3]] : i32
// CHECK-NEXT: [[v16:%.*]] = arith.trunci [[v15]] : i32 to i8
// CHECK-NEXT: [[v17:%.*]] = arith.shrui [[v8]], [[v3]] : i32
// CHECK-NEXT: [[v18:%.*]] = arith.trunci [[v17]] : i32 to i8
// CHECK-NEXT: [[vc_2:%.*]] = arith.extsi [[v16]] : i8 to i24
// CHECK-NEXT: [[vd_2:%.*]] = arith.extsi [[v18]] : i8 to i24
// CHECK-NEXT: [[vp_2:%.*]] = arith.muli [[vc_2]], [[vd_2]] : i24
// CHECK-NEXT: [[v19:%.*]] = arith.shrui [[v7]], [[v4]] : i32
// CHECK-NEXT: [[v20:%.*]] = arith.trunci [[v19]] : i32 to i8
// CHECK-NEXT: [[v21:%.*]] = arith.shrui [[v8]], [[v4]] : i32
// CHECK-NEXT: [[v22:%.*]] = arith.trunci [[v21]] : i32 to i8
// CHECK-NEXT: [[vc_3:%.*]] = arith.extsi [[v20]] : i8 to i24
// CHECK-NEXT: [[vd_3:%.*]] = arith.extsi [[v22]] : i8 to i24
// CHECK-NEXT: [[vp_3:%.*]] = arith.muli [[vc_3]], [[vd_3]] : i24
// CHECK-NEXT: [[v23:%.*]] = arith.addi %p, [[vp_1]] : i24
// CHECK-NEXT: [[v24:%.*]] = arith.addi [[vp_2]], [[vp_3]] : i24
// CHECK-NEXT: [[v25:%.*]] = arith.addi [[v23]], [[v24]] : i24
// CHECK-NEXT: [[v26:%.*]] = arith.addi %s, [[v25]] : i24
// CHECK-NEXT: scf.yield [[v26]] : i24
// CHECK-NEXT: } {rtl.lanes = 4 : i64}
// CHECK-NEXT: func.return %sum : i24

// -----

// The last iteration of an odd length leaves out what is too many; a length below a power of two is one iteration.
func.func @odd() -> (i24, i24) {
  %x = rtl.memory dense<1> : tensor<9xi8> : !rtl.memory<9, 8>
  %y = rtl.memory : !rtl.memory<3, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 9 : index
  %three = arith.constant 3 : index
  %start = arith.constant 5 : i24
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (i24) {
    %a = rtl.load %x[%i] : !rtl.memory<9, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %t = arith.addi %s, %c : i24
    scf.yield %t : i24
  }
  %short = scf.for %i = %zero to %three step %one iter_args(%s = %sum) -> (i24) {
    %a = rtl.load %y[%i] : !rtl.memory<3, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %t = arith.addi %s, %c : i24
    scf.yield %t : i24
  }
  func.return %sum, %short : i24, i24
}
// CHECK-LABEL: func.func @odd() -> (i24, i24) {
// CHECK-NEXT: %x = rtl.memory dense<[1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0]> : tensor<12xi8> : !rtl.memory<3, 32>
// CHECK-NEXT: %y = rtl.memory : !rtl.memory<1, 32>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %start = arith.constant 5 : i24
// CHECK-NEXT: [[v0:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 8 : i32
// CHECK-NEXT: [[v3:%.*]] = arith.constant 0 : i24
// CHECK-NEXT: [[v4:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v5:%.*]] = arith.constant 24 : i32
// CHECK-NEXT: %sum = scf.for %i = %zero to [[v0]] step %one iter_args(%s = %start) -> (i24) {
// CHECK-NEXT: [[v6:%.*]] = rtl.load %x[%i] : !rtl.memory<3, 32> -> i32
// CHECK-NEXT: [[v7:%.*]] = arith.cmpi ne, %i, [[v1]] : index
// CHECK-NEXT: [[v8:%.*]] = arith.trunci [[v6]] : i32 to i8
// CHECK-NEXT: %c = arith.extsi [[v8]] : i8 to i24
// CHECK-NEXT: [[v9:%.*]] = arith.shrui [[v6]], [[v2]] : i32
// CHECK-NEXT: [[v10:%.*]] = arith.trunci [[v9]] : i32 to i8
// CHECK-NEXT: [[vc_1:%.*]] = arith.extsi [[v10]] : i8 to i24
// CHECK-NEXT: [[v11:%.*]] = arith.select [[v7]], [[vc_1]], [[v3]] : i24
// CHECK-NEXT: [[v12:%.*]] = arith.shrui [[v6]], [[v4]] : i32
// CHECK-NEXT: [[v13:%.*]] = arith.trunci [[v12]] : i32 to i8
// CHECK-NEXT: [[vc_2:%.*]] = arith.extsi [[v13]] : i8 to i24
// CHECK-NEXT: [[v14:%.*]] = arith.select [[v7]], [[vc_2]], [[v3]] : i24
// CHECK-NEXT: [[v15:%.*]] = arith.shrui [[v6]], [[v5]] : i32
// CHECK-NEXT: [[v16:%.*]] = arith.trunci [[v15]] : i32 to i8
// CHECK-NEXT: [[vc_3:%.*]] = arith.extsi [[v16]] : i8 to i24
// CHECK-NEXT: [[v17:%.*]] = arith.select [[v7]], [[vc_3]], [[v3]] : i24
// CHECK-NEXT: [[v18:%.*]] = arith.addi %c, [[v11]] : i24
// CHECK-NEXT: [[v19:%.*]] = arith.addi [[v14]], [[v17]] : i24
// CHECK-NEXT: [[v20:%.*]] = arith.addi [[v18]], [[v19]] : i24
// CHECK-NEXT: [[v21:%.*]] = arith.addi %s, [[v20]] : i24
// CHECK-NEXT: scf.yield [[v21]] : i24
// CHECK-NEXT: } {rtl.lanes = 4 : i64}
// CHECK-NEXT: [[v22:%.*]] = rtl.load %y[%zero] : !rtl.memory<1, 32> -> i32
// CHECK-NEXT: [[v23:%.*]] = arith.trunci [[v22]] : i32 to i8
// CHECK-NEXT: [[vc_4:%.*]] = arith.extsi [[v23]] : i8 to i24
// CHECK-NEXT: [[v24:%.*]] = arith.constant 8 : i32
// CHECK-NEXT: [[v25:%.*]] = arith.shrui [[v22]], [[v24]] : i32
// CHECK-NEXT: [[v26:%.*]] = arith.trunci [[v25]] : i32 to i8
// CHECK-NEXT: [[vc_5:%.*]] = arith.extsi [[v26]] : i8 to i24
// CHECK-NEXT: [[v27:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v28:%.*]] = arith.shrui [[v22]], [[v27]] : i32
// CHECK-NEXT: [[v29:%.*]] = arith.trunci [[v28]] : i32 to i8
// CHECK-NEXT: [[vc_6:%.*]] = arith.extsi [[v29]] : i8 to i24
// CHECK-NEXT: [[v30:%.*]] = arith.addi [[vc_4]], [[vc_5]] : i24
// CHECK-NEXT: [[v31:%.*]] = arith.addi [[v30]], [[vc_6]] : i24
// CHECK-NEXT: %short = arith.addi %sum, [[v31]] : i24
// CHECK-NEXT: func.return %sum, %short : i24, i24

// -----

// A product of sums and elements at odd addresses remain as they are.
func.func @others(%m: index) -> (i24, i24) {
  %x = rtl.memory dense<1> : tensor<9xi8> : !rtl.memory<9, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = arith.constant 8 : index
  %start = arith.constant 5 : i24
  %sum = scf.for %i = %zero to %e step %one iter_args(%s = %start) -> (i24) {
    %j = arith.addi %i, %one : index
    %a = rtl.load %x[%j] : !rtl.memory<9, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %t = arith.addi %s, %c : i24
    scf.yield %t : i24
  }
  %product = scf.for %i = %zero to %e step %one iter_args(%s = %start) -> (i24) {
    %a = rtl.load %x[%i] : !rtl.memory<9, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %t = arith.muli %s, %c : i24
    scf.yield %t : i24
  }
  func.return %sum, %product : i24, i24
}
// CHECK-LABEL: func.func @others(%m: index) -> (i24, i24) {
// CHECK-NEXT: %x = rtl.memory dense<1> : tensor<9xi8> : !rtl.memory<9, 8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %e = arith.constant 8 : index
// CHECK-NEXT: %start = arith.constant 5 : i24
// CHECK-NEXT: %sum = scf.for %i = %zero to %e step %one iter_args(%s = %start) -> (i24) {
// CHECK-NEXT: %j = arith.addi %i, %one : index
// CHECK-NEXT: %a = rtl.load %x[%j] : !rtl.memory<9, 8> -> i8
// CHECK-NEXT: %c = arith.extsi %a : i8 to i24
// CHECK-NEXT: %t = arith.addi %s, %c : i24
// CHECK-NEXT: scf.yield %t : i24
// CHECK-NEXT: }
// CHECK-NEXT: %product = scf.for [[vi_1:%.*]] = %zero to %e step %one iter_args([[vs_1:%.*]] = %start) -> (i24) {
// CHECK-NEXT: [[va_1:%.*]] = rtl.load %x{{\[}}[[vi_1]]] : !rtl.memory<9, 8> -> i8
// CHECK-NEXT: [[vc_1:%.*]] = arith.extsi [[va_1]] : i8 to i24
// CHECK-NEXT: [[vt_1:%.*]] = arith.muli [[vs_1]], [[vc_1]] : i24
// CHECK-NEXT: scf.yield [[vt_1]] : i24
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum, %product : i24, i24

// -----

// Rows of 5 weights become rows of 8: what is read behind the end of %x is multiplied by 0.
func.func @padded(%row: index) -> i24 {
  %w = rtl.memory dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]> : tensor<10xi8> : !rtl.memory<10, 8>
  %x = rtl.memory : !rtl.memory<5, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 5 : index
  %start = arith.constant 0 : i24
  %base = arith.muli %row, %n : index
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (i24) {
    %j = arith.addi %base, %i : index
    %a = rtl.load %w[%j] : !rtl.memory<10, 8> -> i8
    %b = rtl.load %x[%i] : !rtl.memory<5, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %d = arith.extsi %b : i8 to i24
    %p = arith.muli %c, %d : i24
    %t = arith.addi %s, %p : i24
    scf.yield %t : i24
  }
  func.return %sum : i24
}
// CHECK-LABEL: func.func @padded(%row: index) -> i24 {
// CHECK-NEXT: %w = rtl.memory dense<[1, 2, 3, 4, 5, 0, 0, 0, 6, 7, 8, 9, 10, 0, 0, 0]> : tensor<16xi8> : !rtl.memory<4, 32>
// CHECK-NEXT: %x = rtl.memory : !rtl.memory<2, 32>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %start = arith.constant 0 : i24
// CHECK-NEXT: [[v0:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 8 : i32
// CHECK-NEXT: [[v3:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v4:%.*]] = arith.constant 24 : i32
// CHECK-NEXT: %sum = scf.for %i = %zero to [[v0]] step %one iter_args(%s = %start) -> (i24) {
// CHECK-NEXT: [[v5:%.*]] = arith.muli %row, [[v1]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.addi %i, [[v5]] : index
// CHECK-NEXT: [[v7:%.*]] = rtl.load %w{{\[}}[[v6]]] : !rtl.memory<4, 32> -> i32
// CHECK-NEXT: [[v8:%.*]] = rtl.load %x[%i] : !rtl.memory<2, 32> -> i32
// CHECK-NEXT: [[v9:%.*]] = arith.trunci [[v7]] : i32 to i8
// CHECK-NEXT: [[v10:%.*]] = arith.trunci [[v8]] : i32 to i8
// CHECK-NEXT: %c = arith.extsi [[v9]] : i8 to i24
// CHECK-NEXT: %d = arith.extsi [[v10]] : i8 to i24
// CHECK-NEXT: %p = arith.muli %c, %d : i24
// CHECK-NEXT: [[v11:%.*]] = arith.shrui [[v7]], [[v2]] : i32
// CHECK-NEXT: [[v12:%.*]] = arith.trunci [[v11]] : i32 to i8
// CHECK-NEXT: [[v13:%.*]] = arith.shrui [[v8]], [[v2]] : i32
// CHECK-NEXT: [[v14:%.*]] = arith.trunci [[v13]] : i32 to i8
// CHECK-NEXT: [[vc_1:%.*]] = arith.extsi [[v12]] : i8 to i24
// CHECK-NEXT: [[vd_1:%.*]] = arith.extsi [[v14]] : i8 to i24
// CHECK-NEXT: [[vp_1:%.*]] = arith.muli [[vc_1]], [[vd_1]] : i24
// CHECK-NEXT: [[v15:%.*]] = arith.shrui [[v7]], [[v3]] : i32
// CHECK-NEXT: [[v16:%.*]] = arith.trunci [[v15]] : i32 to i8
// CHECK-NEXT: [[v17:%.*]] = arith.shrui [[v8]], [[v3]] : i32
// CHECK-NEXT: [[v18:%.*]] = arith.trunci [[v17]] : i32 to i8
// CHECK-NEXT: [[vc_2:%.*]] = arith.extsi [[v16]] : i8 to i24
// CHECK-NEXT: [[vd_2:%.*]] = arith.extsi [[v18]] : i8 to i24
// CHECK-NEXT: [[vp_2:%.*]] = arith.muli [[vc_2]], [[vd_2]] : i24
// CHECK-NEXT: [[v19:%.*]] = arith.shrui [[v7]], [[v4]] : i32
// CHECK-NEXT: [[v20:%.*]] = arith.trunci [[v19]] : i32 to i8
// CHECK-NEXT: [[v21:%.*]] = arith.shrui [[v8]], [[v4]] : i32
// CHECK-NEXT: [[v22:%.*]] = arith.trunci [[v21]] : i32 to i8
// CHECK-NEXT: [[vc_3:%.*]] = arith.extsi [[v20]] : i8 to i24
// CHECK-NEXT: [[vd_3:%.*]] = arith.extsi [[v22]] : i8 to i24
// CHECK-NEXT: [[vp_3:%.*]] = arith.muli [[vc_3]], [[vd_3]] : i24
// CHECK-NEXT: [[v23:%.*]] = arith.addi %p, [[vp_1]] : i24
// CHECK-NEXT: [[v24:%.*]] = arith.addi [[vp_2]], [[vp_3]] : i24
// CHECK-NEXT: [[v25:%.*]] = arith.addi [[v23]], [[v24]] : i24
// CHECK-NEXT: [[v26:%.*]] = arith.addi %s, [[v25]] : i24
// CHECK-NEXT: scf.yield [[v26]] : i24
// CHECK-NEXT: } {rtl.lanes = 4 : i64}
// CHECK-NEXT: func.return %sum : i24
// A budget of 2 multipliers: of 4 products in each row, the others are logic.
// BUDGET-LABEL: func.func @padded
// BUDGET: arith.muli {{%.*}}, {{%.*}} : i24
// BUDGET: arith.muli {{%.*}}, {{%.*}} : i24
// BUDGET: arith.muli {{.*}} {rtl.logic} : i24
// BUDGET: arith.muli {{.*}} {rtl.logic} : i24
// BUDGET-LABEL: func.func @brams(
// Without any cells to spare nothing is unrolled.
// NONE-LABEL: func.func @padded
// NONE: !rtl.memory<10, 8>
// NONE-LABEL: func.func @brams(

// -----

// Words of four elements take two block RAMs for %w.
func.func @brams() -> i24 {
  %w = rtl.memory : !rtl.memory<1024, 16>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 1024 : index
  %start = arith.constant 5 : i24
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (i24) {
    %a = rtl.load %w[%i] : !rtl.memory<1024, 16> -> i16
    %c = arith.extsi %a : i16 to i24
    %t = arith.addi %s, %c : i24
    scf.yield %t : i24
  }
  func.return %sum : i24
}
// CHECK-LABEL: func.func @brams() -> i24 {
// CHECK-NEXT: %w = rtl.memory : !rtl.memory<256, 64>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %start = arith.constant 5 : i24
// CHECK-NEXT: [[v0:%.*]] = arith.constant 256 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 16 : i64
// CHECK-NEXT: [[v2:%.*]] = arith.constant 32 : i64
// CHECK-NEXT: [[v3:%.*]] = arith.constant 48 : i64
// CHECK-NEXT: %sum = scf.for %i = %zero to [[v0]] step %one iter_args(%s = %start) -> (i24) {
// CHECK-NEXT: [[v4:%.*]] = rtl.load %w[%i] : !rtl.memory<256, 64> -> i64
// CHECK-NEXT: [[v5:%.*]] = arith.trunci [[v4]] : i64 to i16
// CHECK-NEXT: %c = arith.extsi [[v5]] : i16 to i24
// CHECK-NEXT: [[v6:%.*]] = arith.shrui [[v4]], [[v1]] : i64
// CHECK-NEXT: [[v7:%.*]] = arith.trunci [[v6]] : i64 to i16
// CHECK-NEXT: [[vc_1:%.*]] = arith.extsi [[v7]] : i16 to i24
// CHECK-NEXT: [[v8:%.*]] = arith.shrui [[v4]], [[v2]] : i64
// CHECK-NEXT: [[v9:%.*]] = arith.trunci [[v8]] : i64 to i16
// CHECK-NEXT: [[vc_2:%.*]] = arith.extsi [[v9]] : i16 to i24
// CHECK-NEXT: [[v10:%.*]] = arith.shrui [[v4]], [[v3]] : i64
// CHECK-NEXT: [[v11:%.*]] = arith.trunci [[v10]] : i64 to i16
// CHECK-NEXT: [[vc_3:%.*]] = arith.extsi [[v11]] : i16 to i24
// CHECK-NEXT: [[v12:%.*]] = arith.addi %c, [[vc_1]] : i24
// CHECK-NEXT: [[v13:%.*]] = arith.addi [[vc_2]], [[vc_3]] : i24
// CHECK-NEXT: [[v14:%.*]] = arith.addi [[v12]], [[v13]] : i24
// CHECK-NEXT: [[v15:%.*]] = arith.addi %s, [[v14]] : i24
// CHECK-NEXT: scf.yield [[v15]] : i24
// CHECK-NEXT: } {rtl.lanes = 4 : i64}
// CHECK-NEXT: func.return %sum : i24
// BRAMS-LABEL: func.func @brams
// BRAMS: !rtl.memory<512, 32>
// BRAMS-LABEL: func.func @seedot(

// -----

// SeeDot, section 6.2.2: A - B takes 0.4 of the budget R for each of 10 elements, the sum with C 0.1 of it. Here these
// are 100 and 20 LUTs beside 193 of the rolled loops: in turn both loops get a factor of 2, 5 iterations.
func.func @seedot() -> (i20, i8) {
  %A = rtl.memory : !rtl.memory<10, 20>
  %B = rtl.memory : !rtl.memory<10, 20>
  %C = rtl.memory : !rtl.memory<10, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 10 : index
  %difference = arith.constant 0 : i20
  %sum = arith.constant 0 : i8
  %temp = scf.for %i = %zero to %n step %one iter_args(%s = %difference) -> (i20) {
    %a = rtl.load %A[%i] : !rtl.memory<10, 20> -> i20
    %b = rtl.load %B[%i] : !rtl.memory<10, 20> -> i20
    %t = arith.subi %a, %b : i20
    %u = arith.addi %s, %t : i20
    scf.yield %u : i20
  }
  %D = scf.for %i = %zero to %n step %one iter_args(%s = %sum) -> (i8) {
    %c = rtl.load %C[%i] : !rtl.memory<10, 8> -> i8
    %u = arith.addi %s, %c : i8
    scf.yield %u : i8
  }
  func.return %temp, %D : i20, i8
}
// CHECK-LABEL: func.func @seedot() -> (i20, i8) {
// CHECK-NEXT: %A = rtl.memory : !rtl.memory<3, 80>
// CHECK-NEXT: %B = rtl.memory : !rtl.memory<3, 80>
// CHECK-NEXT: %C = rtl.memory : !rtl.memory<3, 32>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %difference = arith.constant 0 : i20
// CHECK-NEXT: %sum = arith.constant 0 : i8
// CHECK-NEXT: [[v0:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 20 : i80
// CHECK-NEXT: [[v3:%.*]] = arith.constant 40 : i80
// CHECK-NEXT: [[v4:%.*]] = arith.constant 0 : i20
// CHECK-NEXT: [[v5:%.*]] = arith.constant 60 : i80
// CHECK-NEXT: %temp = scf.for %i = %zero to [[v0]] step %one iter_args(%s = %difference) -> (i20) {
// CHECK-NEXT: [[v6:%.*]] = rtl.load %A[%i] : !rtl.memory<3, 80> -> i80
// CHECK-NEXT: [[v7:%.*]] = rtl.load %B[%i] : !rtl.memory<3, 80> -> i80
// CHECK-NEXT: [[v8:%.*]] = arith.cmpi ne, %i, [[v1]] : index
// CHECK-NEXT: [[v9:%.*]] = arith.trunci [[v6]] : i80 to i20
// CHECK-NEXT: [[v10:%.*]] = arith.trunci [[v7]] : i80 to i20
// CHECK-NEXT: %t = arith.subi [[v9]], [[v10]] : i20
// CHECK-NEXT: [[v11:%.*]] = arith.shrui [[v6]], [[v2]] : i80
// CHECK-NEXT: [[v12:%.*]] = arith.trunci [[v11]] : i80 to i20
// CHECK-NEXT: [[v13:%.*]] = arith.shrui [[v7]], [[v2]] : i80
// CHECK-NEXT: [[v14:%.*]] = arith.trunci [[v13]] : i80 to i20
// CHECK-NEXT: [[vt_1:%.*]] = arith.subi [[v12]], [[v14]] : i20
// CHECK-NEXT: [[v15:%.*]] = arith.shrui [[v6]], [[v3]] : i80
// CHECK-NEXT: [[v16:%.*]] = arith.trunci [[v15]] : i80 to i20
// CHECK-NEXT: [[v17:%.*]] = arith.shrui [[v7]], [[v3]] : i80
// CHECK-NEXT: [[v18:%.*]] = arith.trunci [[v17]] : i80 to i20
// CHECK-NEXT: [[vt_2:%.*]] = arith.subi [[v16]], [[v18]] : i20
// CHECK-NEXT: [[v19:%.*]] = arith.select [[v8]], [[vt_2]], [[v4]] : i20
// CHECK-NEXT: [[v20:%.*]] = arith.shrui [[v6]], [[v5]] : i80
// CHECK-NEXT: [[v21:%.*]] = arith.trunci [[v20]] : i80 to i20
// CHECK-NEXT: [[v22:%.*]] = arith.shrui [[v7]], [[v5]] : i80
// CHECK-NEXT: [[v23:%.*]] = arith.trunci [[v22]] : i80 to i20
// CHECK-NEXT: [[vt_3:%.*]] = arith.subi [[v21]], [[v23]] : i20
// CHECK-NEXT: [[v24:%.*]] = arith.select [[v8]], [[vt_3]], [[v4]] : i20
// CHECK-NEXT: [[v25:%.*]] = arith.addi %t, [[vt_1]] : i20
// CHECK-NEXT: [[v26:%.*]] = arith.addi [[v19]], [[v24]] : i20
// CHECK-NEXT: [[v27:%.*]] = arith.addi [[v25]], [[v26]] : i20
// CHECK-NEXT: [[v28:%.*]] = arith.addi %s, [[v27]] : i20
// CHECK-NEXT: scf.yield [[v28]] : i20
// CHECK-NEXT: } {rtl.lanes = 4 : i64}
// CHECK-NEXT: [[v29:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v30:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v31:%.*]] = arith.constant 8 : i32
// CHECK-NEXT: [[v32:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v33:%.*]] = arith.constant 0 : i8
// CHECK-NEXT: [[v34:%.*]] = arith.constant 24 : i32
// CHECK-NEXT: %D = scf.for [[vi_1:%.*]] = %zero to [[v29]] step %one iter_args([[vs_1:%.*]] = %sum) -> (i8) {
// CHECK-NEXT: [[v35:%.*]] = rtl.load %C{{\[}}[[vi_1]]] : !rtl.memory<3, 32> -> i32
// CHECK-NEXT: [[v36:%.*]] = arith.cmpi ne, [[vi_1]], [[v30]] : index
// CHECK-NEXT: [[v37:%.*]] = arith.trunci [[v35]] : i32 to i8
// CHECK-NEXT: [[v38:%.*]] = arith.shrui [[v35]], [[v31]] : i32
// CHECK-NEXT: [[v39:%.*]] = arith.trunci [[v38]] : i32 to i8
// CHECK-NEXT: [[v40:%.*]] = arith.shrui [[v35]], [[v32]] : i32
// CHECK-NEXT: [[v41:%.*]] = arith.trunci [[v40]] : i32 to i8
// CHECK-NEXT: [[v42:%.*]] = arith.select [[v36]], [[v41]], [[v33]] : i8
// CHECK-NEXT: [[v43:%.*]] = arith.shrui [[v35]], [[v34]] : i32
// CHECK-NEXT: [[v44:%.*]] = arith.trunci [[v43]] : i32 to i8
// CHECK-NEXT: [[v45:%.*]] = arith.select [[v36]], [[v44]], [[v33]] : i8
// CHECK-NEXT: [[v46:%.*]] = arith.addi [[v37]], [[v39]] : i8
// CHECK-NEXT: [[v47:%.*]] = arith.addi [[v42]], [[v45]] : i8
// CHECK-NEXT: [[v48:%.*]] = arith.addi [[v46]], [[v47]] : i8
// CHECK-NEXT: [[v49:%.*]] = arith.addi [[vs_1]], [[v48]] : i8
// CHECK-NEXT: scf.yield [[v49]] : i8
// CHECK-NEXT: } {rtl.lanes = 4 : i64}
// CHECK-NEXT: func.return %temp, %D : i20, i8
// SEEDOT-LABEL: func.func @seedot
// SEEDOT: %A = rtl.memory : !rtl.memory<5, 40>
// SEEDOT: %C = rtl.memory : !rtl.memory<5, 16>
// SEEDOT: [[factor2:%.*]] = arith.constant 5 : index
// SEEDOT: scf.for %i = %zero to [[factor2]]
// SEEDOT: arith.subi
// SEEDOT: arith.subi
// SEEDOT-NOT: arith.subi
// SEEDOT-LABEL: func.func @elementwise
// One LUT less than R leaves the second loop as it is.
// LESS-LABEL: func.func @seedot
// LESS: %A = rtl.memory : !rtl.memory<5, 40>
// LESS: %C = rtl.memory : !rtl.memory<10, 8>
// LESS-LABEL: func.func @elementwise(

// -----

// A - B + C as the paper writes it: loops that store elements keep one element in each iteration, whatever there is.
func.func @elementwise() {
  %A = rtl.memory : !rtl.memory<10, 8>
  %B = rtl.memory : !rtl.memory<10, 8>
  %temp = rtl.memory : !rtl.memory<10, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 10 : index
  scf.for %i = %zero to %n step %one {
    %a = rtl.load %A[%i] : !rtl.memory<10, 8> -> i8
    %b = rtl.load %B[%i] : !rtl.memory<10, 8> -> i8
    %t = arith.subi %a, %b : i8
    rtl.store %t, %temp[%i] : i8, !rtl.memory<10, 8>
  }
  func.return
}
// CHECK-LABEL: func.func @elementwise() {
// CHECK-NEXT: %A = rtl.memory : !rtl.memory<10, 8>
// CHECK-NEXT: %B = rtl.memory : !rtl.memory<10, 8>
// CHECK-NEXT: %temp = rtl.memory : !rtl.memory<10, 8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %n = arith.constant 10 : index
// CHECK-NEXT: scf.for %i = %zero to %n step %one {
// CHECK-NEXT: %a = rtl.load %A[%i] : !rtl.memory<10, 8> -> i8
// CHECK-NEXT: %b = rtl.load %B[%i] : !rtl.memory<10, 8> -> i8
// CHECK-NEXT: %t = arith.subi %a, %b : i8
// CHECK-NEXT: rtl.store %t, %temp[%i] : i8, !rtl.memory<10, 8>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// An address that is no sum of multiples of the counter and of values from outside the loop.
func.func @squares() -> i24 {
  %x = rtl.memory : !rtl.memory<64, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %start = arith.constant 0 : i24
  %sum = scf.for %i = %zero to %eight step %one iter_args(%s = %start) -> (i24) {
    %square = arith.muli %i, %i : index
    %far = arith.muli %square, %eight : index
    %at = arith.addi %i, %far : index
    %a = rtl.load %x[%at] : !rtl.memory<64, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %t = arith.addi %s, %c : i24
    scf.yield %t : i24
  }
  func.return %sum : i24
}
// CHECK-LABEL: func.func @squares
// CHECK: rtl.memory : !rtl.memory<64, 8>
// CHECK-NOT: rtl.lanes
