// RUN: tinyml-opt %s -p "block-rows{target=uno}" --split-input-file | filecheck %s

// On AVR, kernels for at least four rows of signs and vectors of bytes have sums of 16 bits, too. They read initial
// values from RAM, not from a constant in flash.
func.func @four(%x: memref<9x!fixed.q<8, 7>>, %Y: memref<4x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<1> : tensor<4x16xi8> -> memref<4x16x!fixed.q<8, 0>, #scratch.packed<1, odd>>
  num.contract %i to 4 {
    %zero = num.zero : !fixed.acc<16, 7>
    %sum = num.products %zero, %W, %x : !fixed.acc<16, 7>, memref<4x16x!fixed.q<8, 0>, #scratch.packed<1, odd>>, memref<9x!fixed.q<8, 7>> -> !fixed.acc<16, 7>
    %y = num.finish %sum : !fixed.acc<16, 7> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<4x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @four(
// CHECK-NOT: dense<0>
// CHECK: num.call #num.dot_rows(%sums, %sums, {{.*}}) by #num.composed_kernel<num.dot_rows, odd 1, integer 8, sum = 16, rows = 4>
// CHECK-NOT: #num.dot(

// -----

// Three rows are too few: all kernels of digits have sums of 32 bits.
func.func @three(%x: memref<9x!fixed.q<8, 7>>, %Y: memref<3x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<1> : tensor<3x16xi8> -> memref<3x16x!fixed.q<8, 0>, #scratch.packed<1, odd>>
  num.contract %i to 3 {
    %zero = num.zero : !fixed.acc<16, 7>
    %sum = num.products %zero, %W, %x : !fixed.acc<16, 7>, memref<3x16x!fixed.q<8, 0>, #scratch.packed<1, odd>>, memref<9x!fixed.q<8, 7>> -> !fixed.acc<16, 7>
    %y = num.finish %sum : !fixed.acc<16, 7> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<3x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @three(
// CHECK-NOT: dense<0>
// CHECK: num.call #num.dot_rows(%sums, %sums, {{.*}}) by #num.composed_kernel<num.dot_rows, odd 1, integer 8, sum = 32, rows = 3>
// CHECK-NOT: #num.dot(

// -----

// Products with halfwords have tables of sums.
func.func @halfwords(%x: memref<9x!fixed.q<16, 7>>, %Y: memref<4x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<1> : tensor<4x16xi8> -> memref<4x16x!fixed.q<8, 0>, #scratch.packed<1, odd>>
  num.contract %i to 4 {
    %zero = num.zero : !fixed.acc<24, 7>
    %sum = num.products %zero, %W, %x : !fixed.acc<24, 7>, memref<4x16x!fixed.q<8, 0>, #scratch.packed<1, odd>>, memref<9x!fixed.q<16, 7>> -> !fixed.acc<24, 7>
    %y = num.finish %sum : !fixed.acc<24, 7> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<4x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @halfwords(
// CHECK-NOT: dense<0>
// CHECK: num.call #num.dot_rows(%sums, %sums, {{.*}}) by #num.composed_kernel<num.dot_rows, odd 1, integer 16, sum = 32, rows = 4>
// CHECK-NOT: #num.dot(

// -----

// Five blocks of four rows.
func.func @many(%x: memref<9x!fixed.q<8, 7>>, %Y: memref<20x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<1> : tensor<20x16xi8> -> memref<20x16x!fixed.q<8, 0>, #scratch.packed<1, odd>>
  num.contract %i to 20 {
    %zero = num.zero : !fixed.acc<16, 7>
    %sum = num.products %zero, %W, %x : !fixed.acc<16, 7>, memref<20x16x!fixed.q<8, 0>, #scratch.packed<1, odd>>, memref<9x!fixed.q<8, 7>> -> !fixed.acc<16, 7>
    %y = num.finish %sum : !fixed.acc<16, 7> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<20x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @many(
// CHECK-NOT: dense<0>
// CHECK: num.call #num.dot_rows(%sums, %sums, {{.*}}) by #num.composed_kernel<num.dot_rows, odd 1, integer 8, sum = 16, rows = 4>
// CHECK-NOT: #num.dot(

// -----

// The most rows of a block.
func.func @most(%x: memref<9x!fixed.q<8, 7>>, %Y: memref<31x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<1> : tensor<31x16xi8> -> memref<31x16x!fixed.q<8, 0>, #scratch.packed<1, odd>>
  num.contract %i to 31 {
    %zero = num.zero : !fixed.acc<16, 7>
    %sum = num.products %zero, %W, %x : !fixed.acc<16, 7>, memref<31x16x!fixed.q<8, 0>, #scratch.packed<1, odd>>, memref<9x!fixed.q<8, 7>> -> !fixed.acc<16, 7>
    %y = num.finish %sum : !fixed.acc<16, 7> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<31x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @most(
// CHECK-NOT: dense<0>
// CHECK: num.call #num.dot_rows(%sums, %sums, {{.*}}) by #num.composed_kernel<num.dot_rows, odd 1, integer 8, sum = 16, rows = 31>
// CHECK-NOT: #num.dot(

// -----

// Three blocks of twelve rows, and one row.
func.func @more(%x: memref<9x!fixed.q<8, 7>>, %Y: memref<37x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<1> : tensor<37x16xi8> -> memref<37x16x!fixed.q<8, 0>, #scratch.packed<1, odd>>
  num.contract %i to 37 {
    %zero = num.zero : !fixed.acc<16, 7>
    %sum = num.products %zero, %W, %x : !fixed.acc<16, 7>, memref<37x16x!fixed.q<8, 0>, #scratch.packed<1, odd>>, memref<9x!fixed.q<8, 7>> -> !fixed.acc<16, 7>
    %y = num.finish %sum : !fixed.acc<16, 7> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<37x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @more(
// CHECK-NOT: dense<0>
// CHECK: num.call #num.dot_rows(%sums, %sums, {{.*}}) by #num.composed_kernel<num.dot_rows, odd 1, integer 8, sum = 16, rows = 12>
// CHECK: num.call #num.dot(
