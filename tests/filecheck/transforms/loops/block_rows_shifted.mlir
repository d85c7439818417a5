// RUN: tinyml-opt %s -p "block-rows{target=cortex-m4}" --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p "block-rows{target=cortex-m55}" --split-input-file | filecheck %s --check-prefix=MVE

// Rows of a single window are a tile in fixed point if they have at least 2^13 products. With Helium, a tile of the
// Cortex-M4 would be slower than blocks of four rows.
func.func @enough(%x: memref<128x!fixed.q<8, 4>>, %Y: memref<64x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<1> : tensor<64x128xi8> -> memref<64x128x!fixed.q<8, 7>, #scratch.flash>
  %b = scratch.constant dense<3> : tensor<64xi16> -> memref<64x!fixed.q<16, 11>, #scratch.flash>
  num.contract %i to 64 {
    %start = memref.load %b[%i] : memref<64x!fixed.q<16, 11>, #scratch.flash>
    %begun = num.start %start : !fixed.q<16, 11> -> !fixed.acc<32, 11>
    %sum = num.products %begun, %W, %x : !fixed.acc<32, 11>, memref<64x128x!fixed.q<8, 7>, #scratch.flash>, memref<128x!fixed.q<8, 4>> -> !fixed.acc<32, 11>
    %y = num.finish %sum : !fixed.acc<32, 11> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<64x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @enough
// CHECK: num.contract {{.*}}by #num.tile_kernel<"tm_cm_shift_pair_s8", rows = 64, runs = 1, length = 128, pitch = 0, step = 128, count = 1, zero = 0, right = 7>
// MVE-LABEL: func.func @enough
// MVE: num.call #num.dot_rows

// -----

// One row less has too few.
func.func @fewer(%x: memref<128x!fixed.q<8, 4>>, %Y: memref<63x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<1> : tensor<63x128xi8> -> memref<63x128x!fixed.q<8, 7>, #scratch.flash>
  %b = scratch.constant dense<3> : tensor<63xi16> -> memref<63x!fixed.q<16, 11>, #scratch.flash>
  num.contract %i to 63 {
    %start = memref.load %b[%i] : memref<63x!fixed.q<16, 11>, #scratch.flash>
    %begun = num.start %start : !fixed.q<16, 11> -> !fixed.acc<32, 11>
    %sum = num.products %begun, %W, %x : !fixed.acc<32, 11>, memref<63x128x!fixed.q<8, 7>, #scratch.flash>, memref<128x!fixed.q<8, 4>> -> !fixed.acc<32, 11>
    %y = num.finish %sum : !fixed.acc<32, 11> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<63x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @fewer
// CHECK: num.call #num.dot_rows

// -----

// Two steps of half as many rows have enough.
func.func @steps(%x: memref<128x!fixed.q<8, 4>>, %Y: memref<32x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<1> : tensor<32x128xi8> -> memref<32x128x!fixed.q<8, 7>, #scratch.flash>
  %b = scratch.constant dense<3> : tensor<32xi16> -> memref<32x!fixed.q<16, 11>, #scratch.flash>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 2 : index
  scf.for %step = %c0 to %n step %c1 {
    num.contract %i to 32 {
      %start = memref.load %b[%i] : memref<32x!fixed.q<16, 11>, #scratch.flash>
      %begun = num.start %start : !fixed.q<16, 11> -> !fixed.acc<32, 11>
      %sum = num.products %begun, %W, %x : !fixed.acc<32, 11>, memref<32x128x!fixed.q<8, 7>, #scratch.flash>, memref<128x!fixed.q<8, 4>> -> !fixed.acc<32, 11>
      %y = num.finish %sum : !fixed.acc<32, 11> -> !fixed.q<8, 4>
      memref.store %y, %Y[%i] : memref<32x!fixed.q<8, 4>>
    }
  }
  func.return
}
// CHECK-LABEL: func.func @steps
// CHECK: num.contract {{.*}}by #num.tile_kernel<"tm_cm_shift_pair_s8", rows = 32, runs = 1, length = 128, pitch = 0, step = 128, count = 1, zero = 0, right = 7>

// -----

// With Helium, 2^14 products are enough.
func.func @twice(%x: memref<128x!fixed.q<8, 4>>, %Y: memref<128x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<1> : tensor<128x128xi8> -> memref<128x128x!fixed.q<8, 7>, #scratch.flash>
  %b = scratch.constant dense<3> : tensor<128xi16> -> memref<128x!fixed.q<16, 11>, #scratch.flash>
  num.contract %i to 128 {
    %start = memref.load %b[%i] : memref<128x!fixed.q<16, 11>, #scratch.flash>
    %begun = num.start %start : !fixed.q<16, 11> -> !fixed.acc<32, 11>
    %sum = num.products %begun, %W, %x : !fixed.acc<32, 11>, memref<128x128x!fixed.q<8, 7>, #scratch.flash>, memref<128x!fixed.q<8, 4>> -> !fixed.acc<32, 11>
    %y = num.finish %sum : !fixed.acc<32, 11> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<128x!fixed.q<8, 4>>
  }
  func.return
}
// MVE-LABEL: func.func @twice
// MVE: num.contract {{.*}}by #num.tile_kernel<"tm_mve_shift_tile_s8", rows = 128, runs = 1, length = 128, pitch = 0, step = 128, count = 1, zero = 0, right = 7>
