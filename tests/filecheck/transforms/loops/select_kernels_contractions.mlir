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
// CHECK-LABEL: func.func @rows
// CHECK: [[pitch:%.*]] = arith.constant 4 : index
// CHECK: scf.for %row =
// CHECK-NEXT: %zero = num.zero
// CHECK-NEXT: [[at:%.*]] = arith.muli %row, [[pitch]]
// CHECK-NEXT: [[weights:%.*]] = scratch.slice %w{{\[}}[[at]]] : {{.*}} to memref<3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %sum = num.call #num.dot(%zero, [[weights]], %x) by #num.kernel<"tm_dot_s8_s8_s32">
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
// CHECK-LABEL: func.func @channels
// CHECK: scf.for %row =
// CHECK: [[channel:%.*]] = scratch.slice %x[%row] : {{.*}} to memref<5x!fixed.q<8, 6>>
// CHECK: num.call #num.strided_dot<2>(%zero, {{%.*}}, [[channel]])

// The number of a compressed row's first entry is carried from row to row.
func.func @sparse(%v: memref<5xf32, #scratch.flash>, %gaps: memref<5xi8, #scratch.flash>, %lengths: memref<2xi8, #scratch.flash>, %x: memref<8xf32>, %y: memref<2xf32>) {
  num.contract %row to 2 {
    %zero = num.zero : f32
    %sum = num.sparse_products %zero, %v, %gaps, %lengths, %x : f32, memref<5xf32, #scratch.flash>, memref<5xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<8xf32> -> f32
    memref.store %sum, %y[%row] : memref<2xf32>
  }
  func.return
}
// CHECK-LABEL: func.func @sparse
// CHECK: scf.for %row = {{.*}} iter_args([[at:%.*]] = {{%.*}}) -> (index)
// CHECK: scf.for {{.*}} -> (f32, index, index)
// CHECK: [[count:%.*]] = memref.load %lengths[%row]
// CHECK: [[next:%.*]] = arith.addi [[at]],
// CHECK-NEXT: scf.yield [[next]] : index

// Hardware keeps compressed rows as they are.
// FPGA-LABEL: func.func @sparse
// FPGA: num.contract %row to 2 {
// FPGA: num.entries %zero, %gaps, %lengths : f32
// FPGA-NEXT: ^bb0([[sum:%.*]]: f32, [[entry:%.*]]: index, [[column:%.*]]: index):
// FPGA: memref.load %v[[[entry]]]
// FPGA: memref.load %x[[[column]]]
// FPGA: num.mac [[sum]],
// FPGA: num.next

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
// FPGA-LABEL: func.func @sliding
// FPGA: scratch.slide %run against %w : memref<3x!fixed.q<8, 6>>, memref<2x3x!fixed.q<8, 4>, #scratch.flash>
// FPGA: scf.for %row
// CHECK-LABEL: func.func @sliding
// CHECK-NOT: scratch.slide
