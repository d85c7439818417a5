// Rows become loops over dot products, with a kernel for each where the board has one for a single row.

// RUN: tinyml-opt %s -p 'select-kernels{target=uno},canonicalize' | filecheck %s
// RUN: tinyml-opt %s -p 'block-rows{target=cortex-m4},select-kernels{target=cortex-m4},canonicalize' | filecheck %s --check-prefix=CORTEX
// RUN: tinyml-opt %s -p 'block-rows,select-kernels,canonicalize' | filecheck %s --check-prefix=HOST
// RUN: tinyml-opt %s -p 'select-kernels{target=ecp5-25k},canonicalize' | filecheck %s --check-prefix=FPGA

func.func @rows(%x: memref<3x!fixed.q<8, 6>>, %y: memref<5x!fixed.q<8, 2>>) {
  %w = scratch.constant dense<1> : tensor<5x4xi8> -> memref<5x4x!fixed.q<8, 4>, #scratch.flash>
  num.contract %row to 5 {
    %zero = num.zero : !fixed.acc<32, 10>
    // The fourth element of each row is padding.
    %sum = num.products %zero, %w, %x : !fixed.acc<32, 10>, memref<5x4x!fixed.q<8, 4>, #scratch.flash>, memref<3x!fixed.q<8, 6>> -> !fixed.acc<32, 10>
    %z = num.finish %sum : !fixed.acc<32, 10> -> !fixed.q<8, 2>
    memref.store %z, %y[%row] : memref<5x!fixed.q<8, 2>>
  }
  func.return
}
// CHECK-LABEL: func.func @rows(%x: memref<3x!fixed.q<8, 6>>, %y: memref<5x!fixed.q<8, 2>>) {
// CHECK-NEXT: %w = scratch.constant dense<1> : tensor<5x4xi8> -> memref<5x4x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: num.nest %row to 5 {
// CHECK-NEXT: %zero = num.zero : !fixed.acc<32, 10>
// CHECK-NEXT: [[v0:%.*]] = affine.apply affine_map<(d0) -> ((d0 * 4))> (%row)
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %w{{\[}}[[v0]]] : memref<5x4x!fixed.q<8, 4>, #scratch.flash> to memref<3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %sum = num.call #num.dot(%zero, [[v1]], %x) by #num.kernel<"tm_dot_s8_s8_s32"> : (!fixed.acc<32, 10>, memref<3x!fixed.q<8, 4>, #scratch.flash>, memref<3x!fixed.q<8, 6>>) -> !fixed.acc<32, 10>
// CHECK-NEXT: %z = num.finish %sum : !fixed.acc<32, 10> -> !fixed.q<8, 2>
// CHECK-NEXT: memref.store %z, %y[%row] : memref<5x!fixed.q<8, 2>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CORTEX-LABEL: func.func @rows
// CORTEX-NOT: num.call #num.dot_rows
// CORTEX-LABEL: func.func @channels(
// HOST-LABEL: func.func @rows
// HOST: scf.for %row =
// HOST: num.mac
// HOST-LABEL: func.func @channels(

func.func @channels(%x: memref<6x!fixed.q<8, 6>>, %y: memref<2x!fixed.q<8, 2>>) {
  %w = scratch.constant dense<1> : tensor<2x3xi8> -> memref<2x3x!fixed.q<8, 4>, #scratch.flash>
  num.contract %row to 2 {
    %zero = num.zero : !fixed.acc<32, 10>
    %sum = num.products %zero, %w, %x {channels} : !fixed.acc<32, 10>, memref<2x3x!fixed.q<8, 4>, #scratch.flash>, memref<6x!fixed.q<8, 6>> -> !fixed.acc<32, 10>
    %z = num.finish %sum : !fixed.acc<32, 10> -> !fixed.q<8, 2>
    memref.store %z, %y[%row] : memref<2x!fixed.q<8, 2>>
  }
  func.return
}
// CHECK-LABEL: func.func @channels(%x: memref<6x!fixed.q<8, 6>>, %y: memref<2x!fixed.q<8, 2>>) {
// CHECK-NEXT: %w = scratch.constant dense<1> : tensor<2x3xi8> -> memref<2x3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: num.nest %row to 2 {
// CHECK-NEXT: %zero = num.zero : !fixed.acc<32, 10>
// CHECK-NEXT: [[v0:%.*]] = affine.apply affine_map<(d0) -> ((d0 * 3))> (%row)
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %w{{\[}}[[v0]]] : memref<2x3x!fixed.q<8, 4>, #scratch.flash> to memref<3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %x[%row] : memref<6x!fixed.q<8, 6>> to memref<5x!fixed.q<8, 6>>
// CHECK-NEXT: %sum = num.call #num.strided_dot<2>(%zero, [[v1]], [[v2]]) by #num.kernel<"tm_dot_strided_s8_s8_s32"> : (!fixed.acc<32, 10>, memref<3x!fixed.q<8, 4>, #scratch.flash>, memref<5x!fixed.q<8, 6>>) -> !fixed.acc<32, 10>
// CHECK-NEXT: %z = num.finish %sum : !fixed.acc<32, 10> -> !fixed.q<8, 2>
// CHECK-NEXT: memref.store %z, %y[%row] : memref<2x!fixed.q<8, 2>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// Two filters are multiplied by the elements of each of two channels.
func.func @filters(%x: memref<6x!fixed.q<8, 6>>, %y: memref<4x!fixed.q<8, 2>>) {
  %w = scratch.constant dense<1> : tensor<4x3xi8> -> memref<4x3x!fixed.q<8, 4>, #scratch.flash>
  num.contract %row to 4 {
    %zero = num.zero : !fixed.acc<32, 10>
    %sum = num.products %zero, %w, %x {channels, filters = 2 : i64} : !fixed.acc<32, 10>, memref<4x3x!fixed.q<8, 4>, #scratch.flash>, memref<6x!fixed.q<8, 6>> -> !fixed.acc<32, 10>
    %z = num.finish %sum : !fixed.acc<32, 10> -> !fixed.q<8, 2>
    memref.store %z, %y[%row] : memref<4x!fixed.q<8, 2>>
  }
  func.return
}
// CHECK-LABEL: func.func @filters(
// CHECK: num.nest %row to 4 {
// CHECK: [[channel:%.*]] = arith.divsi %row, {{%.*}} : index
// CHECK-NEXT: [[v0:%.*]] = scratch.slice %x{{\[}}[[channel]]] : memref<6x!fixed.q<8, 6>> to memref<5x!fixed.q<8, 6>>
// CHECK-NEXT: num.call #num.strided_dot<2>({{%.*}}, {{%.*}}, [[v0]]) by #num.kernel<"tm_dot_strided_s8_s8_s32"> :

// The number of a compressed row's first entry is carried from row to row.
func.func @sparse(%v: memref<5xf32, #scratch.flash>, %gaps: memref<5xi8, #scratch.flash>, %lengths: memref<2xi8, #scratch.flash>, %x: memref<8xf32>, %y: memref<2xf32>) {
  num.contract %row to 2 {
    %zero = num.zero : f32
    %sum = num.sparse_products %zero, %v, %gaps, %lengths, %x : f32, memref<5xf32, #scratch.flash>, memref<5xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<8xf32> -> f32
    memref.store %sum, %y[%row] : memref<2xf32>
  }
  func.return
}
// CHECK-LABEL: func.func @sparse(%v: memref<5xf32, #scratch.flash>, %gaps: memref<5xi8, #scratch.flash>, %lengths: memref<2xi8, #scratch.flash>, %x: memref<8xf32>, %y: memref<2xf32>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v5:%.*]] = scf.for %row = [[v1]] to [[v0]] step [[v2]] iter_args([[v6:%.*]] = [[v1]]) -> (index) {
// CHECK-NEXT: %zero = num.zero : f32
// CHECK-NEXT: [[v7:%.*]] = memref.load %lengths[%row] : memref<2xi8, #scratch.flash>
// CHECK-NEXT: [[v8:%.*]] = arith.extui [[v7]] : i8 to i16
// CHECK-NEXT: [[v9:%.*]] = arith.index_cast [[v8]] : i16 to index
// CHECK-NEXT: %sum, [[v10:%.*]], [[v11:%.*]] = scf.for [[v12:%.*]] = [[v3]] to [[v9]] step [[v4]] iter_args([[v13:%.*]] = %zero, [[v14:%.*]] = [[v3]], [[v15:%.*]] = [[v6]]) -> (f32, index, index) {
// CHECK-NEXT: [[v16:%.*]] = memref.load %gaps{{\[}}[[v15]]] : memref<5xi8, #scratch.flash>
// CHECK-NEXT: [[v17:%.*]] = arith.extui [[v16]] : i8 to i16
// CHECK-NEXT: [[v18:%.*]] = arith.index_cast [[v17]] : i16 to index
// CHECK-NEXT: [[v19:%.*]] = arith.addi [[v14]], [[v18]] : index
// CHECK-NEXT: [[v20:%.*]] = memref.load %v{{\[}}[[v15]]] : memref<5xf32, #scratch.flash>
// CHECK-NEXT: [[v21:%.*]] = memref.load %x{{\[}}[[v19]]] : memref<8xf32>
// CHECK-NEXT: [[v22:%.*]] = num.mac [[v13]], [[v20]], [[v21]] : f32, f32, f32 -> f32
// CHECK-NEXT: [[v23:%.*]] = arith.addi [[v15]], [[v4]] : index
// CHECK-NEXT: scf.yield [[v22]], [[v19]], [[v23]] : f32, index, index
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %sum, %y[%row] : memref<2xf32>
// CHECK-NEXT: [[v24:%.*]] = memref.load %lengths[%row] : memref<2xi8, #scratch.flash>
// CHECK-NEXT: [[v25:%.*]] = arith.extui [[v24]] : i8 to i16
// CHECK-NEXT: [[v26:%.*]] = arith.index_cast [[v25]] : i16 to index
// CHECK-NEXT: [[v27:%.*]] = arith.addi [[v6]], [[v26]] : index
// CHECK-NEXT: scf.yield [[v27]] : index
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// Hardware keeps compressed rows as they are.
// FPGA-LABEL: func.func @sparse
// FPGA: num.contract %row to 2 {
// FPGA: num.entries %zero, %gaps, %lengths : f32
// FPGA-NEXT: ^bb0([[sum:%.*]]: f32, [[entry:%.*]]: index, [[column:%.*]]: index):
// FPGA: memref.load %v[[[entry]]]
// FPGA: memref.load %x[[[column]]]
// FPGA: num.mac [[sum]],
// FPGA: num.next

// Entries of integers are stated to be products, unless the integer 0 is not the number 0.
func.func @integers(%x: memref<8x!fixed.q<8, 6>>, %z: memref<8x!zeroskew.q<8, 0.5, 0>>, %y: memref<2x!fixed.acc<32, 10>>, %t: memref<2x!zeroskew.acc<32, 0.25>>) {
  %v = scratch.constant dense<[4, -5, 6]> : tensor<3xi8> -> memref<3x!fixed.q<8, 4>, #scratch.flash>
  %moved = scratch.constant dense<[4, -5, 6]> : tensor<3xi8> -> memref<3x!zeroskew.q<8, 0.5, 3>, #scratch.flash>
  %gaps = scratch.constant dense<[1, 3, 2]> : tensor<3xi8> -> memref<3xi8, #scratch.flash>
  %lengths = scratch.constant dense<[2, 1]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  num.contract %row to 2 {
    %zero = num.zero : !fixed.acc<32, 10>
    %sum = num.sparse_products %zero, %v, %gaps, %lengths, %x : !fixed.acc<32, 10>, memref<3x!fixed.q<8, 4>, #scratch.flash>, memref<3xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<8x!fixed.q<8, 6>> -> !fixed.acc<32, 10>
    memref.store %sum, %y[%row] : memref<2x!fixed.acc<32, 10>>
  }
  num.contract %row to 2 {
    %zero = num.zero : !zeroskew.acc<32, 0.25>
    %sum = num.sparse_products %zero, %moved, %gaps, %lengths, %z : !zeroskew.acc<32, 0.25>, memref<3x!zeroskew.q<8, 0.5, 3>, #scratch.flash>, memref<3xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<8x!zeroskew.q<8, 0.5, 0>> -> !zeroskew.acc<32, 0.25>
    memref.store %sum, %t[%row] : memref<2x!zeroskew.acc<32, 0.25>>
  }
  func.return
}
// FPGA-LABEL: func.func @integers(
// FPGA: num.entries %zero, %gaps, %lengths {products} : !fixed.acc<32, 10>
// FPGA: num.entries {{%.*}}, %gaps, %lengths : !zeroskew.acc<32, 0.25>

// A window that slides, and rows of constants that meet it: hardware may turn both.
func.func @sliding(%image: memref<8x!fixed.q<8, 6>>, %y: memref<2x!fixed.q<8, 2>>, %window: memref<1x3x!fixed.q<8, 6>>, %at: index) {
  %w = scratch.constant dense<1> : tensor<2x3xi8> -> memref<2x3x!fixed.q<8, 4>, #scratch.flash>
  %start = arith.constant 0 : index
  %count = arith.constant 3 : index
  %run = scratch.slice %window[%start] : memref<1x3x!fixed.q<8, 6>> to memref<3x!fixed.q<8, 6>>
  scratch.copy_run %image[%at] to %run[%start] count %count {most = 3 : i64, step = 1 : i64} : memref<8x!fixed.q<8, 6>> to memref<3x!fixed.q<8, 6>>
  num.contract %row to 2 {
    %zero = num.zero : !fixed.acc<32, 10>
    %sum = num.products %zero, %w, %run : !fixed.acc<32, 10>, memref<2x3x!fixed.q<8, 4>, #scratch.flash>, memref<3x!fixed.q<8, 6>> -> !fixed.acc<32, 10>
    %z = num.finish %sum : !fixed.acc<32, 10> -> !fixed.q<8, 2>
    memref.store %z, %y[%row] : memref<2x!fixed.q<8, 2>>
  }
  func.return
}
// CHECK-LABEL: func.func @sliding(%image: memref<8x!fixed.q<8, 6>>, %y: memref<2x!fixed.q<8, 2>>, %window: memref<1x3x!fixed.q<8, 6>>, %at: index) {
// CHECK-NEXT: %w = scratch.constant dense<1> : tensor<2x3xi8> -> memref<2x3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %start = arith.constant 0 : index
// CHECK-NEXT: %count = arith.constant 3 : index
// CHECK-NEXT: %run = scratch.slice %window[%start] : memref<1x3x!fixed.q<8, 6>> to memref<3x!fixed.q<8, 6>>
// CHECK-NEXT: scratch.copy_run %image[%at] to %run[%start] count %count {most = 3 : i64, step = 1 : i64} : memref<8x!fixed.q<8, 6>> to memref<3x!fixed.q<8, 6>>
// CHECK-NEXT: num.nest %row to 2 {
// CHECK-NEXT: %zero = num.zero : !fixed.acc<32, 10>
// CHECK-NEXT: [[v0:%.*]] = affine.apply affine_map<(d0) -> ((d0 * 3))> (%row)
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %w{{\[}}[[v0]]] : memref<2x3x!fixed.q<8, 4>, #scratch.flash> to memref<3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %sum = num.call #num.dot(%zero, [[v1]], %run) by #num.kernel<"tm_dot_s8_s8_s32"> : (!fixed.acc<32, 10>, memref<3x!fixed.q<8, 4>, #scratch.flash>, memref<3x!fixed.q<8, 6>>) -> !fixed.acc<32, 10>
// CHECK-NEXT: %z = num.finish %sum : !fixed.acc<32, 10> -> !fixed.q<8, 2>
// CHECK-NEXT: memref.store %z, %y[%row] : memref<2x!fixed.q<8, 2>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// FPGA-LABEL: func.func @sliding
// FPGA: scratch.slide %run against %w : memref<3x!fixed.q<8, 6>>, memref<2x3x!fixed.q<8, 4>, #scratch.flash>
// FPGA: scf.for %row
