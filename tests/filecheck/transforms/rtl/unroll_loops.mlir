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
  %n = arith.constant 8 : index
  %start = arith.constant 5 : i24
  %base = arith.muli %row, %n : index
  %sum = num.reduce %start {first = 0 : i64, extent = 8 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %s: i24):
    %j = arith.addi %base, %i : index
    %a = rtl.load %w[%j] : !rtl.memory<24, 8> -> i8
    %b = rtl.load %x[%i] : !rtl.memory<8, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %d = arith.extsi %b : i8 to i24
    %p = arith.muli %c, %d : i24
    %t = arith.addi %s, %p : i24
    num.next %t : i24
  }
  func.return %sum : i24
}
// CHECK-LABEL: func.func @sum(%row: index) -> i24 {
// CHECK-NEXT: %w = rtl.memory dense<1> : tensor<24xi8> : !rtl.memory<6, 32>
// CHECK-NEXT: %x = rtl.memory : !rtl.memory<2, 32>
// CHECK-NEXT: %start = arith.constant 5 : i24
// CHECK-NEXT: %sum = num.reduce %start {rtl.lanes = 4 : i64, first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : i24 -> i24 {
// CHECK-NEXT: ^bb0(%i: index, %s: i24):
// CHECK-NEXT: [[v0:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v1:%.*]] = arith.muli %row, [[v0]] : index
// CHECK-NEXT: [[v2:%.*]] = arith.addi %i, [[v1]] : index
// CHECK-NEXT: [[v3:%.*]] = rtl.load %w{{\[}}[[v2]]] : !rtl.memory<6, 32> -> i32
// CHECK-NEXT: [[v4:%.*]] = rtl.load %x[%i] : !rtl.memory<2, 32> -> i32
// CHECK-NEXT: [[v5:%.*]] = arith.trunci [[v3]] : i32 to i8
// CHECK-NEXT: [[v6:%.*]] = arith.trunci [[v4]] : i32 to i8
// CHECK-NEXT: %c = arith.extsi [[v5]] : i8 to i24
// CHECK-NEXT: %d = arith.extsi [[v6]] : i8 to i24
// CHECK-NEXT: %p = arith.muli %c, %d : i24
// CHECK-NEXT: [[v7:%.*]] = arith.constant 8 : i32
// CHECK-NEXT: [[v8:%.*]] = arith.shrui [[v3]], [[v7]] : i32
// CHECK-NEXT: [[v9:%.*]] = arith.trunci [[v8]] : i32 to i8
// CHECK-NEXT: [[v10:%.*]] = arith.shrui [[v4]], [[v7]] : i32
// CHECK-NEXT: [[v11:%.*]] = arith.trunci [[v10]] : i32 to i8
// CHECK-NEXT: [[vc_1:%.*]] = arith.extsi [[v9]] : i8 to i24
// CHECK-NEXT: [[vd_1:%.*]] = arith.extsi [[v11]] : i8 to i24
// CHECK-NEXT: [[vp_1:%.*]] = arith.muli [[vc_1]], [[vd_1]] : i24
// CHECK-NEXT: [[v12:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v13:%.*]] = arith.shrui [[v3]], [[v12]] : i32
// CHECK-NEXT: [[v14:%.*]] = arith.trunci [[v13]] : i32 to i8
// CHECK-NEXT: [[v15:%.*]] = arith.shrui [[v4]], [[v12]] : i32
// CHECK-NEXT: [[v16:%.*]] = arith.trunci [[v15]] : i32 to i8
// CHECK-NEXT: [[vc_2:%.*]] = arith.extsi [[v14]] : i8 to i24
// CHECK-NEXT: [[vd_2:%.*]] = arith.extsi [[v16]] : i8 to i24
// CHECK-NEXT: [[vp_2:%.*]] = arith.muli [[vc_2]], [[vd_2]] : i24
// CHECK-NEXT: [[v17:%.*]] = arith.constant 24 : i32
// CHECK-NEXT: [[v18:%.*]] = arith.shrui [[v3]], [[v17]] : i32
// CHECK-NEXT: [[v19:%.*]] = arith.trunci [[v18]] : i32 to i8
// CHECK-NEXT: [[v20:%.*]] = arith.shrui [[v4]], [[v17]] : i32
// CHECK-NEXT: [[v21:%.*]] = arith.trunci [[v20]] : i32 to i8
// CHECK-NEXT: [[vc_3:%.*]] = arith.extsi [[v19]] : i8 to i24
// CHECK-NEXT: [[vd_3:%.*]] = arith.extsi [[v21]] : i8 to i24
// CHECK-NEXT: [[vp_3:%.*]] = arith.muli [[vc_3]], [[vd_3]] : i24
// CHECK-NEXT: [[v22:%.*]] = arith.addi %p, [[vp_1]] : i24
// CHECK-NEXT: [[v23:%.*]] = arith.addi [[vp_2]], [[vp_3]] : i24
// CHECK-NEXT: [[v24:%.*]] = arith.addi [[v22]], [[v23]] : i24
// CHECK-NEXT: [[v25:%.*]] = arith.addi %s, [[v24]] : i24
// CHECK-NEXT: num.next [[v25]] : i24
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : i24

// -----

// The last iteration of an odd length leaves out what is too many; a length below a power of two is one iteration.
func.func @odd() -> (i24, i24) {
  %x = rtl.memory dense<1> : tensor<9xi8> : !rtl.memory<9, 8>
  %y = rtl.memory : !rtl.memory<3, 8>
  %start = arith.constant 5 : i24
  %sum = num.reduce %start {first = 0 : i64, extent = 9 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %s: i24):
    %a = rtl.load %x[%i] : !rtl.memory<9, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %t = arith.addi %s, %c : i24
    num.next %t : i24
  }
  %short = num.reduce %sum {first = 0 : i64, extent = 3 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %s: i24):
    %a = rtl.load %y[%i] : !rtl.memory<3, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %t = arith.addi %s, %c : i24
    num.next %t : i24
  }
  func.return %sum, %short : i24, i24
}
// CHECK-LABEL: func.func @odd() -> (i24, i24) {
// CHECK-NEXT: %x = rtl.memory dense<[1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0]> : tensor<12xi8> : !rtl.memory<3, 32>
// CHECK-NEXT: %y = rtl.memory : !rtl.memory<1, 32>
// CHECK-NEXT: %start = arith.constant 5 : i24
// CHECK-NEXT: %sum = num.reduce %start {rtl.lanes = 4 : i64, first = 0 : i64, extent = 3 : i64, kinds = ["sum"]} : i24 -> i24 {
// CHECK-NEXT: ^bb0(%i: index, %s: i24):
// CHECK-NEXT: [[v0:%.*]] = rtl.load %x[%i] : !rtl.memory<3, 32> -> i32
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.cmpi ne, %i, [[v1]] : index
// CHECK-NEXT: [[v3:%.*]] = arith.trunci [[v0]] : i32 to i8
// CHECK-NEXT: %c = arith.extsi [[v3]] : i8 to i24
// CHECK-NEXT: [[v4:%.*]] = arith.constant 8 : i32
// CHECK-NEXT: [[v5:%.*]] = arith.shrui [[v0]], [[v4]] : i32
// CHECK-NEXT: [[v6:%.*]] = arith.trunci [[v5]] : i32 to i8
// CHECK-NEXT: [[vc_1:%.*]] = arith.extsi [[v6]] : i8 to i24
// CHECK-NEXT: [[v7:%.*]] = arith.constant 0 : i24
// CHECK-NEXT: [[v8:%.*]] = arith.select [[v2]], [[vc_1]], [[v7]] : i24
// CHECK-NEXT: [[v9:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v10:%.*]] = arith.shrui [[v0]], [[v9]] : i32
// CHECK-NEXT: [[v11:%.*]] = arith.trunci [[v10]] : i32 to i8
// CHECK-NEXT: [[vc_2:%.*]] = arith.extsi [[v11]] : i8 to i24
// CHECK-NEXT: [[v12:%.*]] = arith.select [[v2]], [[vc_2]], [[v7]] : i24
// CHECK-NEXT: [[v13:%.*]] = arith.constant 24 : i32
// CHECK-NEXT: [[v14:%.*]] = arith.shrui [[v0]], [[v13]] : i32
// CHECK-NEXT: [[v15:%.*]] = arith.trunci [[v14]] : i32 to i8
// CHECK-NEXT: [[vc_3:%.*]] = arith.extsi [[v15]] : i8 to i24
// CHECK-NEXT: [[v16:%.*]] = arith.select [[v2]], [[vc_3]], [[v7]] : i24
// CHECK-NEXT: [[v17:%.*]] = arith.addi %c, [[v8]] : i24
// CHECK-NEXT: [[v18:%.*]] = arith.addi [[v12]], [[v16]] : i24
// CHECK-NEXT: [[v19:%.*]] = arith.addi [[v17]], [[v18]] : i24
// CHECK-NEXT: [[v20:%.*]] = arith.addi %s, [[v19]] : i24
// CHECK-NEXT: num.next [[v20]] : i24
// CHECK-NEXT: }
// CHECK-NEXT: %short = num.reduce %sum {rtl.lanes = 3 : i64, first = 0 : i64, extent = 1 : i64, kinds = ["sum"]} : i24 -> i24 {
// CHECK-NEXT: ^bb0([[vi_1:%.*]]: index, [[vs_1:%.*]]: i24):
// CHECK-NEXT: [[v21:%.*]] = rtl.load %y{{\[}}[[vi_1]]] : !rtl.memory<1, 32> -> i32
// CHECK-NEXT: [[v22:%.*]] = arith.trunci [[v21]] : i32 to i8
// CHECK-NEXT: [[vc_4:%.*]] = arith.extsi [[v22]] : i8 to i24
// CHECK-NEXT: [[v23:%.*]] = arith.constant 8 : i32
// CHECK-NEXT: [[v24:%.*]] = arith.shrui [[v21]], [[v23]] : i32
// CHECK-NEXT: [[v25:%.*]] = arith.trunci [[v24]] : i32 to i8
// CHECK-NEXT: [[vc_5:%.*]] = arith.extsi [[v25]] : i8 to i24
// CHECK-NEXT: [[v26:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v27:%.*]] = arith.shrui [[v21]], [[v26]] : i32
// CHECK-NEXT: [[v28:%.*]] = arith.trunci [[v27]] : i32 to i8
// CHECK-NEXT: [[vc_6:%.*]] = arith.extsi [[v28]] : i8 to i24
// CHECK-NEXT: [[v29:%.*]] = arith.addi [[vc_4]], [[vc_5]] : i24
// CHECK-NEXT: [[v30:%.*]] = arith.addi [[v29]], [[vc_6]] : i24
// CHECK-NEXT: [[v31:%.*]] = arith.addi [[vs_1]], [[v30]] : i24
// CHECK-NEXT: num.next [[v31]] : i24
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum, %short : i24, i24

// -----

// A product of sums and elements at odd addresses remain as they are.
func.func @others(%m: index) -> (i24, i24) {
  %x = rtl.memory dense<1> : tensor<9xi8> : !rtl.memory<9, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = arith.constant 8 : index
  %start = arith.constant 5 : i24
  %sum = num.reduce %start {first = 0 : i64, extent = 8 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %s: i24):
    %j = arith.addi %i, %one : index
    %a = rtl.load %x[%j] : !rtl.memory<9, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %t = arith.addi %s, %c : i24
    num.next %t : i24
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
// CHECK-NEXT: %sum = num.reduce %start {first = 0 : i64, extent = 8 : i64, kinds = ["sum"]} : i24 -> i24 {
// CHECK-NEXT: ^bb0(%i: index, %s: i24):
// CHECK-NEXT: %j = arith.addi %i, %one : index
// CHECK-NEXT: %a = rtl.load %x[%j] : !rtl.memory<9, 8> -> i8
// CHECK-NEXT: %c = arith.extsi %a : i8 to i24
// CHECK-NEXT: %t = arith.addi %s, %c : i24
// CHECK-NEXT: num.next %t : i24
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
  %n = arith.constant 5 : index
  %start = arith.constant 0 : i24
  %base = arith.muli %row, %n : index
  %sum = num.reduce %start {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %s: i24):
    %j = arith.addi %base, %i : index
    %a = rtl.load %w[%j] : !rtl.memory<10, 8> -> i8
    %b = rtl.load %x[%i] : !rtl.memory<5, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %d = arith.extsi %b : i8 to i24
    %p = arith.muli %c, %d : i24
    %t = arith.addi %s, %p : i24
    num.next %t : i24
  }
  func.return %sum : i24
}
// CHECK-LABEL: func.func @padded(%row: index) -> i24 {
// CHECK-NEXT: %w = rtl.memory dense<[1, 2, 3, 4, 5, 0, 0, 0, 6, 7, 8, 9, 10, 0, 0, 0]> : tensor<16xi8> : !rtl.memory<4, 32>
// CHECK-NEXT: %x = rtl.memory : !rtl.memory<2, 32>
// CHECK-NEXT: %start = arith.constant 0 : i24
// CHECK-NEXT: %sum = num.reduce %start {rtl.lanes = 4 : i64, first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : i24 -> i24 {
// CHECK-NEXT: ^bb0(%i: index, %s: i24):
// CHECK-NEXT: [[v0:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v1:%.*]] = arith.muli %row, [[v0]] : index
// CHECK-NEXT: [[v2:%.*]] = arith.addi %i, [[v1]] : index
// CHECK-NEXT: [[v3:%.*]] = rtl.load %w{{\[}}[[v2]]] : !rtl.memory<4, 32> -> i32
// CHECK-NEXT: [[v4:%.*]] = rtl.load %x[%i] : !rtl.memory<2, 32> -> i32
// CHECK-NEXT: [[v5:%.*]] = arith.trunci [[v3]] : i32 to i8
// CHECK-NEXT: [[v6:%.*]] = arith.trunci [[v4]] : i32 to i8
// CHECK-NEXT: %c = arith.extsi [[v5]] : i8 to i24
// CHECK-NEXT: %d = arith.extsi [[v6]] : i8 to i24
// CHECK-NEXT: %p = arith.muli %c, %d : i24
// CHECK-NEXT: [[v7:%.*]] = arith.constant 8 : i32
// CHECK-NEXT: [[v8:%.*]] = arith.shrui [[v3]], [[v7]] : i32
// CHECK-NEXT: [[v9:%.*]] = arith.trunci [[v8]] : i32 to i8
// CHECK-NEXT: [[v10:%.*]] = arith.shrui [[v4]], [[v7]] : i32
// CHECK-NEXT: [[v11:%.*]] = arith.trunci [[v10]] : i32 to i8
// CHECK-NEXT: [[vc_1:%.*]] = arith.extsi [[v9]] : i8 to i24
// CHECK-NEXT: [[vd_1:%.*]] = arith.extsi [[v11]] : i8 to i24
// CHECK-NEXT: [[vp_1:%.*]] = arith.muli [[vc_1]], [[vd_1]] : i24
// CHECK-NEXT: [[v12:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v13:%.*]] = arith.shrui [[v3]], [[v12]] : i32
// CHECK-NEXT: [[v14:%.*]] = arith.trunci [[v13]] : i32 to i8
// CHECK-NEXT: [[v15:%.*]] = arith.shrui [[v4]], [[v12]] : i32
// CHECK-NEXT: [[v16:%.*]] = arith.trunci [[v15]] : i32 to i8
// CHECK-NEXT: [[vc_2:%.*]] = arith.extsi [[v14]] : i8 to i24
// CHECK-NEXT: [[vd_2:%.*]] = arith.extsi [[v16]] : i8 to i24
// CHECK-NEXT: [[vp_2:%.*]] = arith.muli [[vc_2]], [[vd_2]] : i24
// CHECK-NEXT: [[v17:%.*]] = arith.constant 24 : i32
// CHECK-NEXT: [[v18:%.*]] = arith.shrui [[v3]], [[v17]] : i32
// CHECK-NEXT: [[v19:%.*]] = arith.trunci [[v18]] : i32 to i8
// CHECK-NEXT: [[v20:%.*]] = arith.shrui [[v4]], [[v17]] : i32
// CHECK-NEXT: [[v21:%.*]] = arith.trunci [[v20]] : i32 to i8
// CHECK-NEXT: [[vc_3:%.*]] = arith.extsi [[v19]] : i8 to i24
// CHECK-NEXT: [[vd_3:%.*]] = arith.extsi [[v21]] : i8 to i24
// CHECK-NEXT: [[vp_3:%.*]] = arith.muli [[vc_3]], [[vd_3]] : i24
// CHECK-NEXT: [[v22:%.*]] = arith.addi %p, [[vp_1]] : i24
// CHECK-NEXT: [[v23:%.*]] = arith.addi [[vp_2]], [[vp_3]] : i24
// CHECK-NEXT: [[v24:%.*]] = arith.addi [[v22]], [[v23]] : i24
// CHECK-NEXT: [[v25:%.*]] = arith.addi %s, [[v24]] : i24
// CHECK-NEXT: num.next [[v25]] : i24
// CHECK-NEXT: }
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
  %start = arith.constant 5 : i24
  %sum = num.reduce %start {first = 0 : i64, extent = 1024 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %s: i24):
    %a = rtl.load %w[%i] : !rtl.memory<1024, 16> -> i16
    %c = arith.extsi %a : i16 to i24
    %t = arith.addi %s, %c : i24
    num.next %t : i24
  }
  func.return %sum : i24
}
// CHECK-LABEL: func.func @brams() -> i24 {
// CHECK-NEXT: %w = rtl.memory : !rtl.memory<256, 64>
// CHECK-NEXT: %start = arith.constant 5 : i24
// CHECK-NEXT: %sum = num.reduce %start {rtl.lanes = 4 : i64, first = 0 : i64, extent = 256 : i64, kinds = ["sum"]} : i24 -> i24 {
// CHECK-NEXT: ^bb0(%i: index, %s: i24):
// CHECK-NEXT: [[v0:%.*]] = rtl.load %w[%i] : !rtl.memory<256, 64> -> i64
// CHECK-NEXT: [[v1:%.*]] = arith.trunci [[v0]] : i64 to i16
// CHECK-NEXT: %c = arith.extsi [[v1]] : i16 to i24
// CHECK-NEXT: [[v2:%.*]] = arith.constant 16 : i64
// CHECK-NEXT: [[v3:%.*]] = arith.shrui [[v0]], [[v2]] : i64
// CHECK-NEXT: [[v4:%.*]] = arith.trunci [[v3]] : i64 to i16
// CHECK-NEXT: [[vc_1:%.*]] = arith.extsi [[v4]] : i16 to i24
// CHECK-NEXT: [[v5:%.*]] = arith.constant 32 : i64
// CHECK-NEXT: [[v6:%.*]] = arith.shrui [[v0]], [[v5]] : i64
// CHECK-NEXT: [[v7:%.*]] = arith.trunci [[v6]] : i64 to i16
// CHECK-NEXT: [[vc_2:%.*]] = arith.extsi [[v7]] : i16 to i24
// CHECK-NEXT: [[v8:%.*]] = arith.constant 48 : i64
// CHECK-NEXT: [[v9:%.*]] = arith.shrui [[v0]], [[v8]] : i64
// CHECK-NEXT: [[v10:%.*]] = arith.trunci [[v9]] : i64 to i16
// CHECK-NEXT: [[vc_3:%.*]] = arith.extsi [[v10]] : i16 to i24
// CHECK-NEXT: [[v11:%.*]] = arith.addi %c, [[vc_1]] : i24
// CHECK-NEXT: [[v12:%.*]] = arith.addi [[vc_2]], [[vc_3]] : i24
// CHECK-NEXT: [[v13:%.*]] = arith.addi [[v11]], [[v12]] : i24
// CHECK-NEXT: [[v14:%.*]] = arith.addi %s, [[v13]] : i24
// CHECK-NEXT: num.next [[v14]] : i24
// CHECK-NEXT: }
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
  %difference = arith.constant 0 : i20
  %sum = arith.constant 0 : i8
  %temp = num.reduce %difference {first = 0 : i64, extent = 10 : i64, kinds = ["sum"]} : i20 -> i20 {
  ^bb0(%i: index, %s: i20):
    %a = rtl.load %A[%i] : !rtl.memory<10, 20> -> i20
    %b = rtl.load %B[%i] : !rtl.memory<10, 20> -> i20
    %t = arith.subi %a, %b : i20
    %u = arith.addi %s, %t : i20
    num.next %u : i20
  }
  %D = num.reduce %sum {first = 0 : i64, extent = 10 : i64, kinds = ["sum"]} : i8 -> i8 {
  ^bb0(%i: index, %s: i8):
    %c = rtl.load %C[%i] : !rtl.memory<10, 8> -> i8
    %u = arith.addi %s, %c : i8
    num.next %u : i8
  }
  func.return %temp, %D : i20, i8
}
// CHECK-LABEL: func.func @seedot() -> (i20, i8) {
// CHECK-NEXT: %A = rtl.memory : !rtl.memory<3, 80>
// CHECK-NEXT: %B = rtl.memory : !rtl.memory<3, 80>
// CHECK-NEXT: %C = rtl.memory : !rtl.memory<3, 32>
// CHECK-NEXT: %difference = arith.constant 0 : i20
// CHECK-NEXT: %sum = arith.constant 0 : i8
// CHECK-NEXT: %temp = num.reduce %difference {rtl.lanes = 4 : i64, first = 0 : i64, extent = 3 : i64, kinds = ["sum"]} : i20 -> i20 {
// CHECK-NEXT: ^bb0(%i: index, %s: i20):
// CHECK-NEXT: [[v0:%.*]] = rtl.load %A[%i] : !rtl.memory<3, 80> -> i80
// CHECK-NEXT: [[v1:%.*]] = rtl.load %B[%i] : !rtl.memory<3, 80> -> i80
// CHECK-NEXT: [[v2:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v3:%.*]] = arith.cmpi ne, %i, [[v2]] : index
// CHECK-NEXT: [[v4:%.*]] = arith.trunci [[v0]] : i80 to i20
// CHECK-NEXT: [[v5:%.*]] = arith.trunci [[v1]] : i80 to i20
// CHECK-NEXT: %t = arith.subi [[v4]], [[v5]] : i20
// CHECK-NEXT: [[v6:%.*]] = arith.constant 20 : i80
// CHECK-NEXT: [[v7:%.*]] = arith.shrui [[v0]], [[v6]] : i80
// CHECK-NEXT: [[v8:%.*]] = arith.trunci [[v7]] : i80 to i20
// CHECK-NEXT: [[v9:%.*]] = arith.shrui [[v1]], [[v6]] : i80
// CHECK-NEXT: [[v10:%.*]] = arith.trunci [[v9]] : i80 to i20
// CHECK-NEXT: [[vt_1:%.*]] = arith.subi [[v8]], [[v10]] : i20
// CHECK-NEXT: [[v11:%.*]] = arith.constant 40 : i80
// CHECK-NEXT: [[v12:%.*]] = arith.shrui [[v0]], [[v11]] : i80
// CHECK-NEXT: [[v13:%.*]] = arith.trunci [[v12]] : i80 to i20
// CHECK-NEXT: [[v14:%.*]] = arith.shrui [[v1]], [[v11]] : i80
// CHECK-NEXT: [[v15:%.*]] = arith.trunci [[v14]] : i80 to i20
// CHECK-NEXT: [[vt_2:%.*]] = arith.subi [[v13]], [[v15]] : i20
// CHECK-NEXT: [[v16:%.*]] = arith.constant 0 : i20
// CHECK-NEXT: [[v17:%.*]] = arith.select [[v3]], [[vt_2]], [[v16]] : i20
// CHECK-NEXT: [[v18:%.*]] = arith.constant 60 : i80
// CHECK-NEXT: [[v19:%.*]] = arith.shrui [[v0]], [[v18]] : i80
// CHECK-NEXT: [[v20:%.*]] = arith.trunci [[v19]] : i80 to i20
// CHECK-NEXT: [[v21:%.*]] = arith.shrui [[v1]], [[v18]] : i80
// CHECK-NEXT: [[v22:%.*]] = arith.trunci [[v21]] : i80 to i20
// CHECK-NEXT: [[vt_3:%.*]] = arith.subi [[v20]], [[v22]] : i20
// CHECK-NEXT: [[v23:%.*]] = arith.select [[v3]], [[vt_3]], [[v16]] : i20
// CHECK-NEXT: [[v24:%.*]] = arith.addi %t, [[vt_1]] : i20
// CHECK-NEXT: [[v25:%.*]] = arith.addi [[v17]], [[v23]] : i20
// CHECK-NEXT: [[v26:%.*]] = arith.addi [[v24]], [[v25]] : i20
// CHECK-NEXT: [[v27:%.*]] = arith.addi %s, [[v26]] : i20
// CHECK-NEXT: num.next [[v27]] : i20
// CHECK-NEXT: }
// CHECK-NEXT: %D = num.reduce %sum {rtl.lanes = 4 : i64, first = 0 : i64, extent = 3 : i64, kinds = ["sum"]} : i8 -> i8 {
// CHECK-NEXT: ^bb0([[vi_1:%.*]]: index, [[vs_1:%.*]]: i8):
// CHECK-NEXT: [[v28:%.*]] = rtl.load %C{{\[}}[[vi_1]]] : !rtl.memory<3, 32> -> i32
// CHECK-NEXT: [[v29:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v30:%.*]] = arith.cmpi ne, [[vi_1]], [[v29]] : index
// CHECK-NEXT: [[v31:%.*]] = arith.trunci [[v28]] : i32 to i8
// CHECK-NEXT: [[v32:%.*]] = arith.constant 8 : i32
// CHECK-NEXT: [[v33:%.*]] = arith.shrui [[v28]], [[v32]] : i32
// CHECK-NEXT: [[v34:%.*]] = arith.trunci [[v33]] : i32 to i8
// CHECK-NEXT: [[v35:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v36:%.*]] = arith.shrui [[v28]], [[v35]] : i32
// CHECK-NEXT: [[v37:%.*]] = arith.trunci [[v36]] : i32 to i8
// CHECK-NEXT: [[v38:%.*]] = arith.constant 0 : i8
// CHECK-NEXT: [[v39:%.*]] = arith.select [[v30]], [[v37]], [[v38]] : i8
// CHECK-NEXT: [[v40:%.*]] = arith.constant 24 : i32
// CHECK-NEXT: [[v41:%.*]] = arith.shrui [[v28]], [[v40]] : i32
// CHECK-NEXT: [[v42:%.*]] = arith.trunci [[v41]] : i32 to i8
// CHECK-NEXT: [[v43:%.*]] = arith.select [[v30]], [[v42]], [[v38]] : i8
// CHECK-NEXT: [[v44:%.*]] = arith.addi [[v31]], [[v34]] : i8
// CHECK-NEXT: [[v45:%.*]] = arith.addi [[v39]], [[v43]] : i8
// CHECK-NEXT: [[v46:%.*]] = arith.addi [[v44]], [[v45]] : i8
// CHECK-NEXT: [[v47:%.*]] = arith.addi [[vs_1]], [[v46]] : i8
// CHECK-NEXT: num.next [[v47]] : i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return %temp, %D : i20, i8
// SEEDOT-LABEL: func.func @seedot
// SEEDOT: %A = rtl.memory : !rtl.memory<5, 40>
// SEEDOT: %C = rtl.memory : !rtl.memory<5, 16>
// SEEDOT: %temp = num.reduce %difference {rtl.lanes = 2 : i64, first = 0 : i64, extent = 5 : i64
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
  num.nest %i to 10 {
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
// CHECK-NEXT: num.nest %i to 10 {
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
  %eight = arith.constant 8 : index
  %start = arith.constant 0 : i24
  %sum = num.reduce %start {first = 0 : i64, extent = 8 : i64, kinds = ["sum"]} : i24 -> i24 {
  ^bb0(%i: index, %s: i24):
    %square = arith.muli %i, %i : index
    %far = arith.muli %square, %eight : index
    %at = arith.addi %i, %far : index
    %a = rtl.load %x[%at] : !rtl.memory<64, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %t = arith.addi %s, %c : i24
    num.next %t : i24
  }
  func.return %sum : i24
}
// CHECK-LABEL: func.func @squares
// CHECK: rtl.memory : !rtl.memory<64, 8>
// CHECK-NOT: rtl.lanes
