// RUN: tinyml-opt %s -p "block-rows{target=cortex-m4}" --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p "block-rows{target=uno}" --split-input-file | filecheck %s --check-prefix=NONE
// RUN: tinyml-opt %s -p "block-rows{target=cortex-m4}" --split-input-file --remarks-filter=block 2>&1 | filecheck %s --check-prefix=REMARKS

// REMARKS-LABEL: func.func @matvec(
// REMARKS: block_rows.mlir:{{[0-9]+}}:3: remark: [missed] block-rows: num.contract: has no tile: its sums do not start from constants of the rows; 4 rows are taken at once

// NONE-NOT: num.call #num.dot_rows

// Six rows: a block of four, and the last two one by one as before.
func.func @matvec(%W: memref<6x8x!fixed.q<16, 10>>, %X: memref<8x1x!fixed.q<16, 10>>, %Y: memref<6x1x!fixed.q<16, 8>>) {
  %c0 = arith.constant 0 : index
  %x = scratch.slice %X[%c0] : memref<8x1x!fixed.q<16, 10>> to memref<8x!fixed.q<16, 10>>
  num.contract %i to 6 {
    %zero = num.zero : !fixed.acc<32, 20>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 20>, memref<6x8x!fixed.q<16, 10>>, memref<8x!fixed.q<16, 10>> -> !fixed.acc<32, 20>
    %y = num.finish %sum : !fixed.acc<32, 20> -> !fixed.q<16, 8>
    memref.store %y, %Y[%i, %c0] : memref<6x1x!fixed.q<16, 8>>
  }
  func.return
}
// CHECK-LABEL: func.func @matvec(%W: memref<6x8x!fixed.q<16, 10>>, %X: memref<8x1x!fixed.q<16, 10>>, %Y: memref<6x1x!fixed.q<16, 8>>) {
// CHECK-NEXT: %sums = memref.alloca() {tinyml.block_sums} : memref<4x!fixed.acc<32, 20>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %x = scratch.slice %X[%c0] : memref<8x1x!fixed.q<16, 10>> to memref<8x!fixed.q<16, 10>>
// CHECK-NEXT: %zeros = scratch.constant dense<0> : tensor<4xi32> -> memref<4x!fixed.acc<32, 20>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 8 : index
// CHECK-NEXT: scf.for [[v4:%.*]] = [[v1]] to [[v0]] step [[v0]] {
// CHECK-NEXT: [[v5:%.*]] = arith.muli [[v4]], [[v2]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.muli [[v5]], [[v3]] : index
// CHECK-NEXT: [[v7:%.*]] = scratch.slice %W{{\[}}[[v6]]] : memref<6x8x!fixed.q<16, 10>> to memref<32x!fixed.q<16, 10>>
// CHECK-NEXT: num.call #num.dot_rows(%sums, %zeros, [[v7]], %x) by #num.kernel<"tm_cm_dot4_s16_s16_s32"> : (memref<4x!fixed.acc<32, 20>>, memref<4x!fixed.acc<32, 20>, #scratch.flash>, memref<32x!fixed.q<16, 10>>, memref<8x!fixed.q<16, 10>>) -> ()
// CHECK-NEXT: scf.for [[v8:%.*]] = [[v1]] to [[v2]] step [[v0]] {
// CHECK-NEXT: [[v9:%.*]] = arith.addi [[v5]], [[v8]] : index
// CHECK-NEXT: %sum = memref.load %sums{{\[}}[[v8]]] : memref<4x!fixed.acc<32, 20>>
// CHECK-NEXT: %y = num.finish %sum : !fixed.acc<32, 20> -> !fixed.q<16, 8>
// CHECK-NEXT: memref.store %y, %Y{{\[}}[[v9]], %c0] : memref<6x1x!fixed.q<16, 8>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: [[v10:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v11:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v12:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v13:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v14:%.*]] = arith.constant 8 : index
// CHECK-NEXT: scf.for %i = [[v12]] to [[v10]] step [[v13]] {
// CHECK-NEXT: %zero = num.zero : !fixed.acc<32, 20>
// CHECK-NEXT: [[v15:%.*]] = arith.muli %i, [[v14]] : index
// CHECK-NEXT: [[v16:%.*]] = scratch.slice %W{{\[}}[[v15]]] : memref<6x8x!fixed.q<16, 10>> to memref<8x!fixed.q<16, 10>>
// CHECK-NEXT: [[v17:%.*]] = scratch.slice %x{{\[}}[[v11]]] : memref<8x!fixed.q<16, 10>> to memref<8x!fixed.q<16, 10>>
// CHECK-NEXT: [[vsum_1:%.*]] = num.call #num.dot(%zero, [[v16]], [[v17]]) : (!fixed.acc<32, 20>, memref<8x!fixed.q<16, 10>>, memref<8x!fixed.q<16, 10>>) -> !fixed.acc<32, 20>
// CHECK-NEXT: [[vy_1:%.*]] = num.finish [[vsum_1]] : !fixed.acc<32, 20> -> !fixed.q<16, 8>
// CHECK-NEXT: memref.store [[vy_1]], %Y[%i, %c0] : memref<6x1x!fixed.q<16, 8>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// A chain of products, from what is in memory, fills blocks alone.
func.func @chain(%V: memref<4x2x!fixed.q<8, 3>>, %W: memref<4x3x!fixed.q<8, 3>>, %a: memref<2x!fixed.q<8, 3>>, %b: memref<3x!fixed.q<8, 3>>, %S: memref<4x!fixed.acc<32, 6>>) {
  num.contract %i to 4 {
    %s = memref.load %S[%i] : memref<4x!fixed.acc<32, 6>>
    %t = num.products %s, %V, %a : !fixed.acc<32, 6>, memref<4x2x!fixed.q<8, 3>>, memref<2x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
    %u = num.products %t, %W, %b : !fixed.acc<32, 6>, memref<4x3x!fixed.q<8, 3>>, memref<3x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
    memref.store %u, %S[%i] : memref<4x!fixed.acc<32, 6>>
  }
  func.return
}
// CHECK-LABEL: func.func @chain(%V: memref<4x2x!fixed.q<8, 3>>, %W: memref<4x3x!fixed.q<8, 3>>, %a: memref<2x!fixed.q<8, 3>>, %b: memref<3x!fixed.q<8, 3>>, %S: memref<4x!fixed.acc<32, 6>>) {
// CHECK-NEXT: %sums = memref.alloca() {tinyml.block_sums} : memref<4x!fixed.acc<32, 6>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 3 : index
// CHECK-NEXT: scf.for [[v5:%.*]] = [[v1]] to [[v0]] step [[v0]] {
// CHECK-NEXT: [[v6:%.*]] = arith.muli [[v5]], [[v2]] : index
// CHECK-NEXT: scf.for [[v7:%.*]] = [[v1]] to [[v2]] step [[v0]] {
// CHECK-NEXT: [[v8:%.*]] = arith.addi [[v6]], [[v7]] : index
// CHECK-NEXT: %s = memref.load %S{{\[}}[[v8]]] : memref<4x!fixed.acc<32, 6>>
// CHECK-NEXT: memref.store %s, %sums{{\[}}[[v7]]] : memref<4x!fixed.acc<32, 6>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v9:%.*]] = arith.muli [[v6]], [[v3]] : index
// CHECK-NEXT: [[v10:%.*]] = scratch.slice %V{{\[}}[[v9]]] : memref<4x2x!fixed.q<8, 3>> to memref<8x!fixed.q<8, 3>>
// CHECK-NEXT: num.call #num.dot_rows(%sums, %sums, [[v10]], %a) by #num.kernel<"tm_cm_dot4_s8_s8_s32"> : (memref<4x!fixed.acc<32, 6>>, memref<4x!fixed.acc<32, 6>>, memref<8x!fixed.q<8, 3>>, memref<2x!fixed.q<8, 3>>) -> ()
// CHECK-NEXT: [[v11:%.*]] = arith.muli [[v6]], [[v4]] : index
// CHECK-NEXT: [[v12:%.*]] = scratch.slice %W{{\[}}[[v11]]] : memref<4x3x!fixed.q<8, 3>> to memref<12x!fixed.q<8, 3>>
// CHECK-NEXT: num.call #num.dot_rows(%sums, %sums, [[v12]], %b) by #num.kernel<"tm_cm_dot4_s8_s8_s32"> : (memref<4x!fixed.acc<32, 6>>, memref<4x!fixed.acc<32, 6>>, memref<12x!fixed.q<8, 3>>, memref<3x!fixed.q<8, 3>>) -> ()
// CHECK-NEXT: scf.for [[v13:%.*]] = [[v1]] to [[v2]] step [[v0]] {
// CHECK-NEXT: [[v14:%.*]] = arith.addi [[v6]], [[v13]] : index
// CHECK-NEXT: %u = memref.load %sums{{\[}}[[v13]]] : memref<4x!fixed.acc<32, 6>>
// CHECK-NEXT: memref.store %u, %S{{\[}}[[v14]]] : memref<4x!fixed.acc<32, 6>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// The kernel's sums have 32 bits, and so have these then: nothing but their end follows.
func.func @narrow(%W: memref<4x8x!fixed.q<8, 7>>, %X: memref<8x!fixed.q<8, 7>>, %Y: memref<4x!fixed.q<8, 7>>) {
  num.contract %i to 4 {
    %zero = num.zero : !fixed.acc<16, 14>
    %sum = num.products %zero, %W, %X : !fixed.acc<16, 14>, memref<4x8x!fixed.q<8, 7>>, memref<8x!fixed.q<8, 7>> -> !fixed.acc<16, 14>
    %y = num.finish %sum : !fixed.acc<16, 14> -> !fixed.q<8, 7>
    memref.store %y, %Y[%i] : memref<4x!fixed.q<8, 7>>
  }
  func.return
}
// CHECK-LABEL: func.func @narrow(%W: memref<4x8x!fixed.q<8, 7>>, %X: memref<8x!fixed.q<8, 7>>, %Y: memref<4x!fixed.q<8, 7>>) {
// CHECK-NEXT: %sums = memref.alloca() {tinyml.block_sums} : memref<4x!fixed.acc<32, 14>>
// CHECK-NEXT: %zeros = scratch.constant dense<0> : tensor<4xi32> -> memref<4x!fixed.acc<32, 14>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 8 : index
// CHECK-NEXT: scf.for [[v4:%.*]] = [[v1]] to [[v0]] step [[v0]] {
// CHECK-NEXT: [[v5:%.*]] = arith.muli [[v4]], [[v2]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.muli [[v5]], [[v3]] : index
// CHECK-NEXT: [[v7:%.*]] = scratch.slice %W{{\[}}[[v6]]] : memref<4x8x!fixed.q<8, 7>> to memref<32x!fixed.q<8, 7>>
// CHECK-NEXT: num.call #num.dot_rows(%sums, %zeros, [[v7]], %X) by #num.kernel<"tm_cm_dot4_s8_s8_s32"> : (memref<4x!fixed.acc<32, 14>>, memref<4x!fixed.acc<32, 14>, #scratch.flash>, memref<32x!fixed.q<8, 7>>, memref<8x!fixed.q<8, 7>>) -> ()
// CHECK-NEXT: scf.for [[v8:%.*]] = [[v1]] to [[v2]] step [[v0]] {
// CHECK-NEXT: [[v9:%.*]] = arith.addi [[v5]], [[v8]] : index
// CHECK-NEXT: %sum = memref.load %sums{{\[}}[[v8]]] : memref<4x!fixed.acc<32, 14>>
// CHECK-NEXT: %y = num.finish %sum : !fixed.acc<32, 14> -> !fixed.q<8, 7>
// CHECK-NEXT: memref.store %y, %Y{{\[}}[[v9]]] : memref<4x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// The initial value is also stored, so that its accumulator keeps 16 bits, for which there is no kernel.
func.func @stored_start(%W: memref<4x8x!fixed.q<8, 7>>, %X: memref<8x!fixed.q<8, 7>>, %Y: memref<4x!fixed.q<8, 7>>, %Z: memref<4x!fixed.acc<16, 14>>) {
  num.contract %i to 4 {
    %zero = num.zero : !fixed.acc<16, 14>
    %sum = num.products %zero, %W, %X : !fixed.acc<16, 14>, memref<4x8x!fixed.q<8, 7>>, memref<8x!fixed.q<8, 7>> -> !fixed.acc<16, 14>
    %y = num.finish %sum : !fixed.acc<16, 14> -> !fixed.q<8, 7>
    memref.store %y, %Y[%i] : memref<4x!fixed.q<8, 7>>
    memref.store %zero, %Z[%i] : memref<4x!fixed.acc<16, 14>>
  }
  func.return
}
// CHECK-LABEL: func.func @stored_start(
// CHECK-NOT: num.call
// CHECK: memref.store %zero, %Z[%i] : memref<4x!fixed.acc<16, 14>>

// -----

// So they have where rows have scales of their own: shifted, they are the same.
func.func @shifted(%W: memref<4x8x!fixed.q<8, 7>>, %X: memref<8x!fixed.q<8, 7>>, %Y: memref<4x!fixed.q<8, 7>>, %S: memref<4xi8>) {
  num.contract %i to 4 {
    %zero = num.zero : !fixed.acc<16, 14>
    %sum = num.products %zero, %W, %X : !fixed.acc<16, 14>, memref<4x8x!fixed.q<8, 7>>, memref<8x!fixed.q<8, 7>> -> !fixed.acc<16, 14>
    %places = memref.load %S[%i] : memref<4xi8>
    %shifted = num.shift %sum, %places : !fixed.acc<16, 14> -> !fixed.acc<16, 14>
    %y = num.finish %shifted : !fixed.acc<16, 14> -> !fixed.q<8, 7>
    memref.store %y, %Y[%i] : memref<4x!fixed.q<8, 7>>
  }
  func.return
}
// CHECK-LABEL: func.func @shifted(%W: memref<4x8x!fixed.q<8, 7>>, %X: memref<8x!fixed.q<8, 7>>, %Y: memref<4x!fixed.q<8, 7>>, %S: memref<4xi8>) {
// CHECK-NEXT: %sums = memref.alloca() {tinyml.block_sums} : memref<4x!fixed.acc<32, 14>>
// CHECK-NEXT: %zeros = scratch.constant dense<0> : tensor<4xi32> -> memref<4x!fixed.acc<32, 14>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 8 : index
// CHECK-NEXT: scf.for [[v4:%.*]] = [[v1]] to [[v0]] step [[v0]] {
// CHECK-NEXT: [[v5:%.*]] = arith.muli [[v4]], [[v2]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.muli [[v5]], [[v3]] : index
// CHECK-NEXT: [[v7:%.*]] = scratch.slice %W{{\[}}[[v6]]] : memref<4x8x!fixed.q<8, 7>> to memref<32x!fixed.q<8, 7>>
// CHECK-NEXT: num.call #num.dot_rows(%sums, %zeros, [[v7]], %X) by #num.kernel<"tm_cm_dot4_s8_s8_s32"> : (memref<4x!fixed.acc<32, 14>>, memref<4x!fixed.acc<32, 14>, #scratch.flash>, memref<32x!fixed.q<8, 7>>, memref<8x!fixed.q<8, 7>>) -> ()
// CHECK-NEXT: scf.for [[v8:%.*]] = [[v1]] to [[v2]] step [[v0]] {
// CHECK-NEXT: [[v9:%.*]] = arith.addi [[v5]], [[v8]] : index
// CHECK-NEXT: %sum = memref.load %sums{{\[}}[[v8]]] : memref<4x!fixed.acc<32, 14>>
// CHECK-NEXT: %places = memref.load %S{{\[}}[[v9]]] : memref<4xi8>
// CHECK-NEXT: %shifted = num.shift %sum, %places : !fixed.acc<32, 14> -> !fixed.acc<32, 14>
// CHECK-NEXT: %y = num.finish %shifted : !fixed.acc<32, 14> -> !fixed.q<8, 7>
// CHECK-NEXT: memref.store %y, %Y{{\[}}[[v9]]] : memref<4x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// Three rows are too few for a block of four.
func.func @few(%W: memref<3x4x!fixed.q<8, 3>>, %x: memref<4x!fixed.q<8, 3>>, %Y: memref<3x!fixed.acc<32, 6>>) {
  %zero = num.zero : !fixed.acc<32, 6>
  num.contract %i to 3 {
    %t = num.products %zero, %W, %x : !fixed.acc<32, 6>, memref<3x4x!fixed.q<8, 3>>, memref<4x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
    memref.store %t, %Y[%i] : memref<3x!fixed.acc<32, 6>>
  }
  func.return
}
// CHECK-LABEL: func.func @few(%W: memref<3x4x!fixed.q<8, 3>>, %x: memref<4x!fixed.q<8, 3>>, %Y: memref<3x!fixed.acc<32, 6>>) {
// CHECK-NEXT: %zero = num.zero : !fixed.acc<32, 6>
// CHECK-NEXT: num.contract %i to 3 {
// CHECK-NEXT: %t = num.products %zero, %W, %x : !fixed.acc<32, 6>, memref<3x4x!fixed.q<8, 3>>, memref<4x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
// CHECK-NEXT: memref.store %t, %Y{{\[}}%i] : memref<3x!fixed.acc<32, 6>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// -----

// Each of two sums of a row has an array, from zeros and from what a row starts with.
func.func @two(%W: memref<5x4x!fixed.q<8, 3>>, %V: memref<5x2x!fixed.q<8, 3>>, %x: memref<4x!fixed.q<8, 3>>, %h: memref<2x!fixed.q<8, 3>>, %B: memref<5x!fixed.q<8, 3>>, %Y: memref<5x!fixed.q<8, 3>>) {
  %zero = num.zero : !fixed.acc<32, 6>
  num.contract %i to 5 {
    %t = num.products %zero, %W, %x : !fixed.acc<32, 6>, memref<5x4x!fixed.q<8, 3>>, memref<4x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
    %b = memref.load %B[%i] : memref<5x!fixed.q<8, 3>>
    %start = num.start %b : !fixed.q<8, 3> -> !fixed.acc<32, 6>
    %u = num.products %start, %V, %h : !fixed.acc<32, 6>, memref<5x2x!fixed.q<8, 3>>, memref<2x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
    %p = num.finish %t : !fixed.acc<32, 6> -> !fixed.q<8, 3>
    %q = num.finish %u : !fixed.acc<32, 6> -> !fixed.q<8, 3>
    %y = num.mul %p, %q : !fixed.q<8, 3>, !fixed.q<8, 3> -> !fixed.q<8, 3>
    memref.store %y, %Y[%i] : memref<5x!fixed.q<8, 3>>
  }
  func.return
}
// CHECK-LABEL: func.func @two(%W: memref<5x4x!fixed.q<8, 3>>, %V: memref<5x2x!fixed.q<8, 3>>, %x: memref<4x!fixed.q<8, 3>>, %h: memref<2x!fixed.q<8, 3>>, %B: memref<5x!fixed.q<8, 3>>, %Y: memref<5x!fixed.q<8, 3>>) {
// CHECK-NEXT: %sums = memref.alloca() {tinyml.block_sums} : memref<4x!fixed.acc<32, 6>>
// CHECK-NEXT: [[vsums_1:%.*]] = memref.alloca() {tinyml.block_sums} : memref<4x!fixed.acc<32, 6>>
// CHECK-NEXT: %zero = num.zero : !fixed.acc<32, 6>
// CHECK-NEXT: %zeros = scratch.constant dense<0> : tensor<4xi32> -> memref<4x!fixed.acc<32, 6>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 2 : index
// CHECK-NEXT: scf.for [[v4:%.*]] = [[v1]] to [[v0]] step [[v0]] {
// CHECK-NEXT: [[v5:%.*]] = arith.muli [[v4]], [[v2]] : index
// CHECK-NEXT: scf.for [[v6:%.*]] = [[v1]] to [[v2]] step [[v0]] {
// CHECK-NEXT: [[v7:%.*]] = arith.addi [[v5]], [[v6]] : index
// CHECK-NEXT: %b = memref.load %B{{\[}}[[v7]]] : memref<5x!fixed.q<8, 3>>
// CHECK-NEXT: %start = num.start %b : !fixed.q<8, 3> -> !fixed.acc<32, 6>
// CHECK-NEXT: memref.store %start, %sums{{\[}}[[v6]]] : memref<4x!fixed.acc<32, 6>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v8:%.*]] = arith.muli [[v5]], [[v2]] : index
// CHECK-NEXT: [[v9:%.*]] = scratch.slice %W{{\[}}[[v8]]] : memref<5x4x!fixed.q<8, 3>> to memref<16x!fixed.q<8, 3>>
// CHECK-NEXT: num.call #num.dot_rows([[vsums_1]], %zeros, [[v9]], %x) by #num.kernel<"tm_cm_dot4_s8_s8_s32"> : (memref<4x!fixed.acc<32, 6>>, memref<4x!fixed.acc<32, 6>, #scratch.flash>, memref<16x!fixed.q<8, 3>>, memref<4x!fixed.q<8, 3>>) -> ()
// CHECK-NEXT: [[v10:%.*]] = arith.muli [[v5]], [[v3]] : index
// CHECK-NEXT: [[v11:%.*]] = scratch.slice %V{{\[}}[[v10]]] : memref<5x2x!fixed.q<8, 3>> to memref<8x!fixed.q<8, 3>>
// CHECK-NEXT: num.call #num.dot_rows(%sums, %sums, [[v11]], %h) by #num.kernel<"tm_cm_dot4_s8_s8_s32"> : (memref<4x!fixed.acc<32, 6>>, memref<4x!fixed.acc<32, 6>>, memref<8x!fixed.q<8, 3>>, memref<2x!fixed.q<8, 3>>) -> ()
// CHECK-NEXT: scf.for [[v12:%.*]] = [[v1]] to [[v2]] step [[v0]] {
// CHECK-NEXT: [[v13:%.*]] = arith.addi [[v5]], [[v12]] : index
// CHECK-NEXT: %t = memref.load [[vsums_1]]{{\[}}[[v12]]] : memref<4x!fixed.acc<32, 6>>
// CHECK-NEXT: %u = memref.load %sums{{\[}}[[v12]]] : memref<4x!fixed.acc<32, 6>>
// CHECK-NEXT: %p = num.finish %t : !fixed.acc<32, 6> -> !fixed.q<8, 3>
// CHECK-NEXT: %q = num.finish %u : !fixed.acc<32, 6> -> !fixed.q<8, 3>
// CHECK-NEXT: %y = num.mul %p, %q : !fixed.q<8, 3>, !fixed.q<8, 3> -> !fixed.q<8, 3>
// CHECK-NEXT: memref.store %y, %Y{{\[}}[[v13]]] : memref<5x!fixed.q<8, 3>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: %i = arith.constant 4 : index
// CHECK-NEXT: [[v14:%.*]] = arith.muli %i, %i : index
// CHECK-NEXT: [[v15:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v16:%.*]] = scratch.slice %W{{\[}}[[v14]]] : memref<5x4x!fixed.q<8, 3>> to memref<4x!fixed.q<8, 3>>
// CHECK-NEXT: [[v17:%.*]] = scratch.slice %x{{\[}}[[v15]]] : memref<4x!fixed.q<8, 3>> to memref<4x!fixed.q<8, 3>>
// CHECK-NEXT: [[vt_1:%.*]] = num.call #num.dot(%zero, [[v16]], [[v17]]) : (!fixed.acc<32, 6>, memref<4x!fixed.q<8, 3>>, memref<4x!fixed.q<8, 3>>) -> !fixed.acc<32, 6>
// CHECK-NEXT: [[vb_1:%.*]] = memref.load %B{{\[}}%i] : memref<5x!fixed.q<8, 3>>
// CHECK-NEXT: [[vstart_1:%.*]] = num.start [[vb_1]] : !fixed.q<8, 3> -> !fixed.acc<32, 6>
// CHECK-NEXT: [[v18:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v19:%.*]] = arith.muli %i, [[v18]] : index
// CHECK-NEXT: [[v20:%.*]] = scratch.slice %V{{\[}}[[v19]]] : memref<5x2x!fixed.q<8, 3>> to memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: [[v21:%.*]] = scratch.slice %h{{\[}}[[v15]]] : memref<2x!fixed.q<8, 3>> to memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: [[vu_1:%.*]] = num.call #num.dot([[vstart_1]], [[v20]], [[v21]]) : (!fixed.acc<32, 6>, memref<2x!fixed.q<8, 3>>, memref<2x!fixed.q<8, 3>>) -> !fixed.acc<32, 6>
// CHECK-NEXT: [[vp_1:%.*]] = num.finish [[vt_1]] : !fixed.acc<32, 6> -> !fixed.q<8, 3>
// CHECK-NEXT: [[vq_1:%.*]] = num.finish [[vu_1]] : !fixed.acc<32, 6> -> !fixed.q<8, 3>
// CHECK-NEXT: [[vy_1:%.*]] = num.mul [[vp_1]], [[vq_1]] : !fixed.q<8, 3>, !fixed.q<8, 3> -> !fixed.q<8, 3>
// CHECK-NEXT: memref.store [[vy_1]], %Y{{\[}}%i] : memref<5x!fixed.q<8, 3>>
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// -----

// A sum that starts from another sum of its row is taken after it, row by row.
func.func @after(%V: memref<4x4x!fixed.q<8, 3>>, %x: memref<4x!fixed.q<8, 3>>, %Y: memref<4x!fixed.q<8, 3>>) {
  %zero = num.zero : !fixed.acc<32, 6>
  num.contract %i to 4 {
    %t = num.products %zero, %V, %x : !fixed.acc<32, 6>, memref<4x4x!fixed.q<8, 3>>, memref<4x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
    %p = num.finish %t : !fixed.acc<32, 6> -> !fixed.q<8, 3>
    %start = num.start %p : !fixed.q<8, 3> -> !fixed.acc<32, 6>
    %u = num.products %start, %V, %x : !fixed.acc<32, 6>, memref<4x4x!fixed.q<8, 3>>, memref<4x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
    %y = num.finish %u : !fixed.acc<32, 6> -> !fixed.q<8, 3>
    memref.store %y, %Y[%i] : memref<4x!fixed.q<8, 3>>
  }
  func.return
}
// CHECK-LABEL: func.func @after(%V: memref<4x4x!fixed.q<8, 3>>, %x: memref<4x!fixed.q<8, 3>>, %Y: memref<4x!fixed.q<8, 3>>) {
// CHECK-NEXT: %zero = num.zero : !fixed.acc<32, 6>
// CHECK-NEXT: num.contract %i to 4 {
// CHECK-NEXT: %t = num.products %zero, %V, %x : !fixed.acc<32, 6>, memref<4x4x!fixed.q<8, 3>>, memref<4x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
// CHECK-NEXT: %p = num.finish %t : !fixed.acc<32, 6> -> !fixed.q<8, 3>
// CHECK-NEXT: %start = num.start %p : !fixed.q<8, 3> -> !fixed.acc<32, 6>
// CHECK-NEXT: %u = num.products %start, %V, %x : !fixed.acc<32, 6>, memref<4x4x!fixed.q<8, 3>>, memref<4x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
// CHECK-NEXT: %y = num.finish %u : !fixed.acc<32, 6> -> !fixed.q<8, 3>
// CHECK-NEXT: memref.store %y, %Y{{\[}}%i] : memref<4x!fixed.q<8, 3>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// -----

// Rows that read what earlier rows have stored are taken one by one...
func.func @solve(%W: memref<6x8x!fixed.q<16, 10>>, %X: memref<8x1x!fixed.q<16, 10>>) {
  %c0 = arith.constant 0 : index
  %x = scratch.slice %X[%c0] : memref<8x1x!fixed.q<16, 10>> to memref<8x!fixed.q<16, 10>>
  num.contract %i to 6 {
    %zero = num.zero : !fixed.acc<32, 20>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 20>, memref<6x8x!fixed.q<16, 10>>, memref<8x!fixed.q<16, 10>> -> !fixed.acc<32, 20>
    %y = num.finish %sum : !fixed.acc<32, 20> -> !fixed.q<16, 10>
    memref.store %y, %X[%i, %c0] : memref<8x1x!fixed.q<16, 10>>
  }
  func.return
}
// CHECK-LABEL: func.func @solve(%W: memref<6x8x!fixed.q<16, 10>>, %X: memref<8x1x!fixed.q<16, 10>>) {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %x = scratch.slice %X[%c0] : memref<8x1x!fixed.q<16, 10>> to memref<8x!fixed.q<16, 10>>
// CHECK-NEXT: num.contract %i to 6 {
// CHECK-NEXT: %zero = num.zero : !fixed.acc<32, 20>
// CHECK-NEXT: %sum = num.products %zero, %W, %x : !fixed.acc<32, 20>, memref<6x8x!fixed.q<16, 10>>, memref<8x!fixed.q<16, 10>> -> !fixed.acc<32, 20>
// CHECK-NEXT: %y = num.finish %sum : !fixed.acc<32, 20> -> !fixed.q<16, 10>
// CHECK-NEXT: memref.store %y, %X[%i, %c0] : memref<8x1x!fixed.q<16, 10>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// ...but not if the rows are stored before the first element of the vector, in the same memory.
func.func @before(%W: memref<4x8x!fixed.q<8, 3>>, %X: memref<12x!fixed.q<8, 3>>) {
  %c4 = arith.constant 4 : index
  %x = scratch.slice %X[%c4] : memref<12x!fixed.q<8, 3>> to memref<8x!fixed.q<8, 3>>
  num.contract %i to 4 {
    %zero = num.zero : !fixed.acc<32, 6>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 6>, memref<4x8x!fixed.q<8, 3>>, memref<8x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
    %y = num.finish %sum : !fixed.acc<32, 6> -> !fixed.q<8, 3>
    memref.store %y, %X[%i] : memref<12x!fixed.q<8, 3>>
  }
  func.return
}
// CHECK-LABEL: func.func @before
// CHECK-NOT: num.contract
// CHECK: num.call #num.dot_rows
// NONE-LABEL: func.func @before

// -----

// One element further, the last row is stored in the first element of the vector.
func.func @on_the_first(%W: memref<4x8x!fixed.q<8, 3>>, %X: memref<12x!fixed.q<8, 3>>) {
  %c3 = arith.constant 3 : index
  %x = scratch.slice %X[%c3] : memref<12x!fixed.q<8, 3>> to memref<8x!fixed.q<8, 3>>
  num.contract %i to 4 {
    %zero = num.zero : !fixed.acc<32, 6>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 6>, memref<4x8x!fixed.q<8, 3>>, memref<8x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
    %y = num.finish %sum : !fixed.acc<32, 6> -> !fixed.q<8, 3>
    memref.store %y, %X[%i] : memref<12x!fixed.q<8, 3>>
  }
  func.return
}
// CHECK-LABEL: func.func @on_the_first
// CHECK: num.contract %i to 4 {
// NONE-LABEL: func.func @on_the_first

// -----

// Rows are also taken one by one if they read earlier rows through what the sums start from.
func.func @prefix(%W: memref<6x8x!fixed.q<16, 10>>, %X: memref<8x1x!fixed.q<16, 10>>, %Y: memref<7x1x!fixed.q<16, 10>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = scratch.slice %X[%c0] : memref<8x1x!fixed.q<16, 10>> to memref<8x!fixed.q<16, 10>>
  num.contract %i to 6 {
    %before = memref.load %Y[%i, %c0] : memref<7x1x!fixed.q<16, 10>>
    %zero = num.start %before : !fixed.q<16, 10> -> !fixed.acc<32, 20>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 20>, memref<6x8x!fixed.q<16, 10>>, memref<8x!fixed.q<16, 10>> -> !fixed.acc<32, 20>
    %y = num.finish %sum : !fixed.acc<32, 20> -> !fixed.q<16, 10>
    %j = arith.addi %i, %c1 : index
    memref.store %y, %Y[%j, %c0] : memref<7x1x!fixed.q<16, 10>>
  }
  func.return
}
// CHECK-LABEL: func.func @prefix(%W: memref<6x8x!fixed.q<16, 10>>, %X: memref<8x1x!fixed.q<16, 10>>, %Y: memref<7x1x!fixed.q<16, 10>>) {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %x = scratch.slice %X[%c0] : memref<8x1x!fixed.q<16, 10>> to memref<8x!fixed.q<16, 10>>
// CHECK-NEXT: num.contract %i to 6 {
// CHECK-NEXT: %before = memref.load %Y[%i, %c0] : memref<7x1x!fixed.q<16, 10>>
// CHECK-NEXT: %zero = num.start %before : !fixed.q<16, 10> -> !fixed.acc<32, 20>
// CHECK-NEXT: %sum = num.products %zero, %W, %x : !fixed.acc<32, 20>, memref<6x8x!fixed.q<16, 10>>, memref<8x!fixed.q<16, 10>> -> !fixed.acc<32, 20>
// CHECK-NEXT: %y = num.finish %sum : !fixed.acc<32, 20> -> !fixed.q<16, 10>
// CHECK-NEXT: %j = arith.addi %i, %c1 : index
// CHECK-NEXT: memref.store %y, %Y[%j, %c0] : memref<7x1x!fixed.q<16, 10>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// What finished rows are added to may change row by row: the sums of a block do not depend on it.
func.func @updated(%W: memref<4x8x!fixed.q<16, 10>>, %x: memref<8x!fixed.q<16, 10>>) -> memref<9x!fixed.q<16, 10>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<18xi8>
  %Y = scratch.view %arena[0 : i64] : memref<18xi8> to memref<9x!fixed.q<16, 10>>
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %old = scratch.slice %Y[%c4] : memref<9x!fixed.q<16, 10>> to memref<4x!fixed.q<16, 10>>
  num.contract %i to 4 {
    %zero = num.zero : !fixed.acc<32, 20>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 20>, memref<4x8x!fixed.q<16, 10>>, memref<8x!fixed.q<16, 10>> -> !fixed.acc<32, 20>
    %y = num.finish %sum : !fixed.acc<32, 20> -> !fixed.q<16, 10>
    %here = arith.addi %c4, %i : index
    %before = arith.addi %c3, %i : index
    %mine = memref.load %old[%i] : memref<4x!fixed.q<16, 10>>
    %last = memref.load %Y[%before] : memref<9x!fixed.q<16, 10>>
    %more = num.add %y, %mine : !fixed.q<16, 10>, !fixed.q<16, 10> -> !fixed.q<16, 10>
    %all = num.add %more, %last : !fixed.q<16, 10>, !fixed.q<16, 10> -> !fixed.q<16, 10>
    memref.store %all, %Y[%here] : memref<9x!fixed.q<16, 10>>
  }
  func.return %Y : memref<9x!fixed.q<16, 10>>
}
// CHECK-LABEL: func.func @updated(%W: memref<4x8x!fixed.q<16, 10>>, %x: memref<8x!fixed.q<16, 10>>) -> memref<9x!fixed.q<16, 10>> {
// CHECK-NEXT: %sums = memref.alloca() {tinyml.block_sums} : memref<4x!fixed.acc<32, 20>>
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<18xi8>
// CHECK-NEXT: %Y = scratch.view %arena[0 : i64] : memref<18xi8> to memref<9x!fixed.q<16, 10>>
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %old = scratch.slice %Y[%c4] : memref<9x!fixed.q<16, 10>> to memref<4x!fixed.q<16, 10>>
// CHECK-NEXT: %zeros = scratch.constant dense<0> : tensor<4xi32> -> memref<4x!fixed.acc<32, 20>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 8 : index
// CHECK-NEXT: scf.for [[v4:%.*]] = [[v1]] to [[v0]] step [[v0]] {
// CHECK-NEXT: [[v5:%.*]] = arith.muli [[v4]], [[v2]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.muli [[v5]], [[v3]] : index
// CHECK-NEXT: [[v7:%.*]] = scratch.slice %W{{\[}}[[v6]]] : memref<4x8x!fixed.q<16, 10>> to memref<32x!fixed.q<16, 10>>
// CHECK-NEXT: num.call #num.dot_rows(%sums, %zeros, [[v7]], %x) by #num.kernel<"tm_cm_dot4_s16_s16_s32"> : (memref<4x!fixed.acc<32, 20>>, memref<4x!fixed.acc<32, 20>, #scratch.flash>, memref<32x!fixed.q<16, 10>>, memref<8x!fixed.q<16, 10>>) -> ()
// CHECK-NEXT: scf.for [[v8:%.*]] = [[v1]] to [[v2]] step [[v0]] {
// CHECK-NEXT: [[v9:%.*]] = arith.addi [[v5]], [[v8]] : index
// CHECK-NEXT: %sum = memref.load %sums{{\[}}[[v8]]] : memref<4x!fixed.acc<32, 20>>
// CHECK-NEXT: %y = num.finish %sum : !fixed.acc<32, 20> -> !fixed.q<16, 10>
// CHECK-NEXT: %here = arith.addi %c4, [[v9]] : index
// CHECK-NEXT: %before = arith.addi %c3, [[v9]] : index
// CHECK-NEXT: %mine = memref.load %old{{\[}}[[v9]]] : memref<4x!fixed.q<16, 10>>
// CHECK-NEXT: %last = memref.load %Y[%before] : memref<9x!fixed.q<16, 10>>
// CHECK-NEXT: %more = num.add %y, %mine : !fixed.q<16, 10>, !fixed.q<16, 10> -> !fixed.q<16, 10>
// CHECK-NEXT: %all = num.add %more, %last : !fixed.q<16, 10>, !fixed.q<16, 10> -> !fixed.q<16, 10>
// CHECK-NEXT: memref.store %all, %Y[%here] : memref<9x!fixed.q<16, 10>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %Y : memref<9x!fixed.q<16, 10>>

// -----

// Six channels, each with a filter of its own: four at once, then two one by one. The sums start from biases, and wait
// in an accumulator for which there is a kernel.
func.func @channels(%W: memref<6x4x1x1x!fixed.q<8, 4>>, %B: memref<6x!fixed.q<16, 8>>, %window: memref<1x4x1x6x!fixed.q<8, 4>>, %Y: memref<6x!fixed.q<8, 2>>) {
  %c0 = arith.constant 0 : index
  %channels = scratch.slice %window[%c0] : memref<1x4x1x6x!fixed.q<8, 4>> to memref<24x!fixed.q<8, 4>>
  num.contract %i to 6 {
    %b = memref.load %B[%i] : memref<6x!fixed.q<16, 8>>
    %start = num.start %b : !fixed.q<16, 8> -> !fixed.acc<24, 8>
    %sum = num.products %start, %W, %channels {channels} : !fixed.acc<24, 8>, memref<6x4x1x1x!fixed.q<8, 4>>, memref<24x!fixed.q<8, 4>> -> !fixed.acc<24, 8>
    %y = num.finish %sum : !fixed.acc<24, 8> -> !fixed.q<8, 2>
    memref.store %y, %Y[%i] : memref<6x!fixed.q<8, 2>>
  }
  func.return
}
// CHECK-LABEL: func.func @channels(%W: memref<6x4x1x1x!fixed.q<8, 4>>, %B: memref<6x!fixed.q<16, 8>>, %window: memref<1x4x1x6x!fixed.q<8, 4>>, %Y: memref<6x!fixed.q<8, 2>>) {
// CHECK-NEXT: %sums = memref.alloca() {tinyml.block_sums} : memref<4x!fixed.acc<32, 8>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %channels = scratch.slice %window[%c0] : memref<1x4x1x6x!fixed.q<8, 4>> to memref<24x!fixed.q<8, 4>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 4 : index
// CHECK-NEXT: scf.for [[v3:%.*]] = [[v1]] to [[v0]] step [[v0]] {
// CHECK-NEXT: [[v4:%.*]] = arith.muli [[v3]], [[v2]] : index
// CHECK-NEXT: scf.for [[v5:%.*]] = [[v1]] to [[v2]] step [[v0]] {
// CHECK-NEXT: [[v6:%.*]] = arith.addi [[v4]], [[v5]] : index
// CHECK-NEXT: %b = memref.load %B{{\[}}[[v6]]] : memref<6x!fixed.q<16, 8>>
// CHECK-NEXT: %start = num.start %b : !fixed.q<16, 8> -> !fixed.acc<32, 8>
// CHECK-NEXT: memref.store %start, %sums{{\[}}[[v5]]] : memref<4x!fixed.acc<32, 8>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v7:%.*]] = arith.muli [[v4]], [[v2]] : index
// CHECK-NEXT: [[v8:%.*]] = scratch.slice %W{{\[}}[[v7]]] : memref<6x4x1x1x!fixed.q<8, 4>> to memref<16x!fixed.q<8, 4>>
// CHECK-NEXT: [[v9:%.*]] = scratch.slice %channels{{\[}}[[v4]]] : memref<24x!fixed.q<8, 4>> to memref<22x!fixed.q<8, 4>>
// CHECK-NEXT: num.call #num.channel_dots<6>(%sums, %sums, [[v8]], [[v9]]) by #num.kernel<"tm_cm_channels4_s8_s8_s32"> : (memref<4x!fixed.acc<32, 8>>, memref<4x!fixed.acc<32, 8>>, memref<16x!fixed.q<8, 4>>, memref<22x!fixed.q<8, 4>>) -> ()
// CHECK-NEXT: scf.for [[v10:%.*]] = [[v1]] to [[v2]] step [[v0]] {
// CHECK-NEXT: [[v11:%.*]] = arith.addi [[v4]], [[v10]] : index
// CHECK-NEXT: %sum = memref.load %sums{{\[}}[[v10]]] : memref<4x!fixed.acc<32, 8>>
// CHECK-NEXT: %y = num.finish %sum : !fixed.acc<32, 8> -> !fixed.q<8, 2>
// CHECK-NEXT: memref.store %y, %Y{{\[}}[[v11]]] : memref<6x!fixed.q<8, 2>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: [[v12:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v13:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v14:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v15:%.*]] = arith.constant 1 : index
// CHECK-NEXT: scf.for %i = [[v14]] to [[v12]] step [[v15]] {
// CHECK-NEXT: [[vb_1:%.*]] = memref.load %B[%i] : memref<6x!fixed.q<16, 8>>
// CHECK-NEXT: [[vstart_1:%.*]] = num.start [[vb_1]] : !fixed.q<16, 8> -> !fixed.acc<24, 8>
// CHECK-NEXT: [[v16:%.*]] = arith.muli %i, [[v14]] : index
// CHECK-NEXT: [[v17:%.*]] = scratch.slice %W{{\[}}[[v16]]] : memref<6x4x1x1x!fixed.q<8, 4>> to memref<4x!fixed.q<8, 4>>
// CHECK-NEXT: [[v18:%.*]] = scratch.slice %channels[%i] : memref<24x!fixed.q<8, 4>> to memref<19x!fixed.q<8, 4>>
// CHECK-NEXT: [[vsum_1:%.*]] = num.call #num.strided_dot<6>([[vstart_1]], [[v17]], [[v18]]) : (!fixed.acc<24, 8>, memref<4x!fixed.q<8, 4>>, memref<19x!fixed.q<8, 4>>) -> !fixed.acc<24, 8>
// CHECK-NEXT: [[vy_1:%.*]] = num.finish [[vsum_1]] : !fixed.acc<24, 8> -> !fixed.q<8, 2>
// CHECK-NEXT: memref.store [[vy_1]], %Y[%i] : memref<6x!fixed.q<8, 2>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// A tile kernel finishes all rows whose sums become bytes.
func.func @finished_rows(%X: memref<1x4x!zeroskew.q<8, 1.0, 0>>, %Y: memref<4x1x!zeroskew.q<8, 4.0, -3>>) {
  %W = scratch.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<4x4xi8> -> memref<4x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  %B = scratch.constant dense<[1, 2, 3, 4]> : tensor<4xi32> -> memref<4x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
  %c0 = arith.constant 0 : index
  %x = scratch.slice %X[%c0] : memref<1x4x!zeroskew.q<8, 1.0, 0>> to memref<4x!zeroskew.q<8, 1.0, 0>>
  num.contract %i to 4 {
    %b = memref.load %B[%i] : memref<4x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %b : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %W, %x : !zeroskew.acc<32, 1.0>, memref<4x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<4x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %y = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 4.0, -3>
    memref.store %y, %Y[%i, %c0] : memref<4x1x!zeroskew.q<8, 4.0, -3>>
  }
  func.return
}
// CHECK-LABEL: func.func @finished_rows(%X: memref<1x4x!zeroskew.q<8, 1.0, 0>>, %Y: memref<4x1x!zeroskew.q<8, 4.0, -3>>) {
// CHECK-NEXT: %W = scratch.constant dense<{{\[\[}}1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<4x4xi8> -> memref<4x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
// CHECK-NEXT: %B = scratch.constant dense<[1, 2, 3, 4]> : tensor<4xi32> -> memref<4x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %x = scratch.slice %X[%c0] : memref<1x4x!zeroskew.q<8, 1.0, 0>> to memref<4x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: num.contract %i to 4 by #num.tile_kernel<"tm_cm_factor_tile_s8", rows = 4, runs = 1, length = 4, pitch = 0, step = 4, count = 1, zero = -3> {
// CHECK-NEXT: %b = memref.load %B[%i] : memref<4x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
// CHECK-NEXT: %start = num.start %b : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
// CHECK-NEXT: %sum = num.products %start, %W, %x : !zeroskew.acc<32, 1.0>, memref<4x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<4x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
// CHECK-NEXT: %y = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 4.0, -3>
// CHECK-NEXT: memref.store %y, %Y[%i, %c0] : memref<4x1x!zeroskew.q<8, 4.0, -3>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// NONE-LABEL: func.func @finished_rows
// NONE: num.contract %i to 4 {

// -----

// Rows with two scales have two factors, which stand beside the rows.
func.func @two_factors(%X: memref<1x4x!zeroskew.q<8, 1.0, 0>>, %Y: memref<4x1x!zeroskew.q<8, 4.0, -3>>) {
  %W = scratch.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<4x4xi8> -> memref<4x4x!zeroskew.q<8, [1.0, 1.0, 1.0, 0.5], 0>, #scratch.flash>
  %B = scratch.constant dense<[1, 2, 3, 4]> : tensor<4xi32> -> memref<4x!zeroskew.q<32, [1.0, 1.0, 1.0, 0.5], 0>, #scratch.flash>
  %c0 = arith.constant 0 : index
  %x = scratch.slice %X[%c0] : memref<1x4x!zeroskew.q<8, 1.0, 0>> to memref<4x!zeroskew.q<8, 1.0, 0>>
  num.contract %i to 4 {
    %b = memref.load %B[%i] : memref<4x!zeroskew.q<32, [1.0, 1.0, 1.0, 0.5], 0>, #scratch.flash>
    %start = num.start %b : !zeroskew.q<32, [1.0, 1.0, 1.0, 0.5], 0> -> !zeroskew.acc<32, [1.0, 1.0, 1.0, 0.5]>
    %sum = num.products %start, %W, %x : !zeroskew.acc<32, [1.0, 1.0, 1.0, 0.5]>, memref<4x4x!zeroskew.q<8, [1.0, 1.0, 1.0, 0.5], 0>, #scratch.flash>, memref<4x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, [1.0, 1.0, 1.0, 0.5]>
    %y = num.finish %sum : !zeroskew.acc<32, [1.0, 1.0, 1.0, 0.5]> -> !zeroskew.q<8, 4.0, -3>
    memref.store %y, %Y[%i, %c0] : memref<4x1x!zeroskew.q<8, 4.0, -3>>
  }
  func.return
}
// CHECK-LABEL: func.func @two_factors
// CHECK: num.contract %i to 4 by #num.tile_kernel<"tm_cm_pair_tile_s8", rows = 4, runs = 1, length = 4, pitch = 0, step = 4, count = 1, zero = -3> {
// NONE-LABEL: func.func @two_factors

// -----

// A tile kernel rounds sums once if none of them lies halfway between two results. The factor is 2049 / 2^14, so that
// sums at multiples of 8192 do. The magnitudes of the last row's sums are at most 58 * 128 + 767 = 8191.
func.func @rounded_once(%X: memref<1x4x!zeroskew.q<8, 0.12506103515625, 0>>, %Y: memref<4x1x!zeroskew.q<8, 1.0, -3, even>>) {
  %W = scratch.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<4x4xi8> -> memref<4x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  %B = scratch.constant dense<[1, 2, 3, 767]> : tensor<4xi32> -> memref<4x!zeroskew.q<32, 0.12506103515625, 0>, #scratch.flash>
  %c0 = arith.constant 0 : index
  %x = scratch.slice %X[%c0] : memref<1x4x!zeroskew.q<8, 0.12506103515625, 0>> to memref<4x!zeroskew.q<8, 0.12506103515625, 0>>
  num.contract %i to 4 {
    %b = memref.load %B[%i] : memref<4x!zeroskew.q<32, 0.12506103515625, 0>, #scratch.flash>
    %start = num.start %b : !zeroskew.q<32, 0.12506103515625, 0> -> !zeroskew.even_acc<32, 0.12506103515625>
    %sum = num.products %start, %W, %x : !zeroskew.even_acc<32, 0.12506103515625>, memref<4x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<4x!zeroskew.q<8, 0.12506103515625, 0>> -> !zeroskew.even_acc<32, 0.12506103515625>
    %y = num.finish %sum : !zeroskew.even_acc<32, 0.12506103515625> -> !zeroskew.q<8, 1.0, -3, even>
    memref.store %y, %Y[%i, %c0] : memref<4x1x!zeroskew.q<8, 1.0, -3, even>>
  }
  func.return
}
// CHECK-LABEL: func.func @rounded_once
// CHECK: num.contract %i to 4 by #num.tile_kernel<"tm_cm_factor_tile_s8", rows = 4, runs = 1, length = 4, pitch = 0, step = 4, count = 1, zero = -3, to_even = 1> {
// NONE-LABEL: func.func @rounded_once
// NONE: num.contract %i to 4 {

// -----

// One more, and a sum of the last row may be 8192: halves to even need the loop.
func.func @halves_to_even(%X: memref<1x4x!zeroskew.q<8, 0.12506103515625, 0>>, %Y: memref<4x1x!zeroskew.q<8, 1.0, -3, even>>) {
  %W = scratch.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<4x4xi8> -> memref<4x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  %B = scratch.constant dense<[1, 2, 3, 768]> : tensor<4xi32> -> memref<4x!zeroskew.q<32, 0.12506103515625, 0>, #scratch.flash>
  %c0 = arith.constant 0 : index
  %x = scratch.slice %X[%c0] : memref<1x4x!zeroskew.q<8, 0.12506103515625, 0>> to memref<4x!zeroskew.q<8, 0.12506103515625, 0>>
  num.contract %i to 4 {
    %b = memref.load %B[%i] : memref<4x!zeroskew.q<32, 0.12506103515625, 0>, #scratch.flash>
    %start = num.start %b : !zeroskew.q<32, 0.12506103515625, 0> -> !zeroskew.even_acc<32, 0.12506103515625>
    %sum = num.products %start, %W, %x : !zeroskew.even_acc<32, 0.12506103515625>, memref<4x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<4x!zeroskew.q<8, 0.12506103515625, 0>> -> !zeroskew.even_acc<32, 0.12506103515625>
    %y = num.finish %sum : !zeroskew.even_acc<32, 0.12506103515625> -> !zeroskew.q<8, 1.0, -3, even>
    memref.store %y, %Y[%i, %c0] : memref<4x1x!zeroskew.q<8, 1.0, -3, even>>
  }
  func.return
}
// CHECK-LABEL: func.func @halves_to_even
// CHECK: num.call #num.dot_rows(%sums, %sums, {{.*}}, %x) by #num.kernel<"tm_cm_dot4_s8_s8_s32">
// REMARKS: num.contract: has no tile: the target has no kernel for a tile of these sums; 4 rows are taken at once
// NONE-LABEL: func.func @halves_to_even
// NONE: num.contract %i to 4 {
// NONE-LABEL: func.func @packed(

// -----

// Packed rows of 5 elements take whole groups, here words of eight elements.
func.func @packed(%W: memref<4x8x!fixed.q<8, 7>, #scratch.packed<4, pairs>>, %x: memref<5x!fixed.q<8, 7>>, %Y: memref<4x!fixed.q<8, 7>>) {
  num.contract %i to 4 {
    %zero = num.zero : !fixed.acc<32, 14>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 14>, memref<4x8x!fixed.q<8, 7>, #scratch.packed<4, pairs>>, memref<5x!fixed.q<8, 7>> -> !fixed.acc<32, 14>
    %y = num.finish %sum : !fixed.acc<32, 14> -> !fixed.q<8, 7>
    memref.store %y, %Y[%i] : memref<4x!fixed.q<8, 7>>
  }
  func.return
}
// CHECK-LABEL: func.func @packed(%W: memref<4x8x!fixed.q<8, 7>, #scratch.packed<4, pairs>>, %x: memref<5x!fixed.q<8, 7>>, %Y: memref<4x!fixed.q<8, 7>>) {
// CHECK-NEXT: %sums = memref.alloca() {tinyml.block_sums} : memref<4x!fixed.acc<32, 14>>
// CHECK-NEXT: %zeros = scratch.constant dense<0> : tensor<4xi32> -> memref<4x!fixed.acc<32, 14>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 8 : index
// CHECK-NEXT: scf.for [[v4:%.*]] = [[v1]] to [[v0]] step [[v0]] {
// CHECK-NEXT: [[v5:%.*]] = arith.muli [[v4]], [[v2]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.muli [[v5]], [[v3]] : index
// CHECK-NEXT: [[v7:%.*]] = scratch.slice %W{{\[}}[[v6]]] : memref<4x8x!fixed.q<8, 7>, #scratch.packed<4, pairs>> to memref<32x!fixed.q<8, 7>, #scratch.packed<4, pairs>>
// CHECK-NEXT: num.call #num.dot_rows(%sums, %zeros, [[v7]], %x) by #num.composed_kernel<num.dot_rows, pairs 4, integer 8, sum = 32, rows = 4> : (memref<4x!fixed.acc<32, 14>>, memref<4x!fixed.acc<32, 14>, #scratch.flash>, memref<32x!fixed.q<8, 7>, #scratch.packed<4, pairs>>, memref<5x!fixed.q<8, 7>>) -> ()
// CHECK-NEXT: scf.for [[v8:%.*]] = [[v1]] to [[v2]] step [[v0]] {
// CHECK-NEXT: [[v9:%.*]] = arith.addi [[v5]], [[v8]] : index
// CHECK-NEXT: %sum = memref.load %sums{{\[}}[[v8]]] : memref<4x!fixed.acc<32, 14>>
// CHECK-NEXT: %y = num.finish %sum : !fixed.acc<32, 14> -> !fixed.q<8, 7>
// CHECK-NEXT: memref.store %y, %Y{{\[}}[[v9]]] : memref<4x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// Channels of one window are blocks, no tile, also where a channel has as many elements as the window has channels.
func.func @single_window(%x: memref<16x!zeroskew.q<8, 1.0, 0>>, %y: memref<4x!zeroskew.q<8, 4.0, -3>>) {
  %w = scratch.constant dense<1> : tensor<4x4xi8> -> memref<4x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  %s = scratch.constant dense<[1, 2, 3, 4]> : tensor<4xi32> -> memref<4x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
  num.contract %row to 4 {
    %n = memref.load %s[%row] : memref<4x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %w, %x {channels} : !zeroskew.acc<32, 1.0>, memref<4x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<16x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 4.0, -3>
    memref.store %result, %y[%row] : memref<4x!zeroskew.q<8, 4.0, -3>>
  }
  func.return
}
// CHECK-LABEL: func.func @single_window(%x: memref<16x!zeroskew.q<8, 1.0, 0>>, %y: memref<4x!zeroskew.q<8, 4.0, -3>>) {
// CHECK-NEXT: %sums = memref.alloca() {tinyml.block_sums} : memref<4x!zeroskew.acc<32, 1.0>>
// CHECK-NEXT: %w = scratch.constant dense<1> : tensor<4x4xi8> -> memref<4x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
// CHECK-NEXT: %s = scratch.constant dense<[1, 2, 3, 4]> : tensor<4xi32> -> memref<4x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 4 : index
// CHECK-NEXT: scf.for [[v3:%.*]] = [[v1]] to [[v0]] step [[v0]] {
// CHECK-NEXT: [[v4:%.*]] = arith.muli [[v3]], [[v2]] : index
// CHECK-NEXT: scf.for [[v5:%.*]] = [[v1]] to [[v2]] step [[v0]] {
// CHECK-NEXT: [[v6:%.*]] = arith.addi [[v4]], [[v5]] : index
// CHECK-NEXT: %n = memref.load %s{{\[}}[[v6]]] : memref<4x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
// CHECK-NEXT: %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
// CHECK-NEXT: memref.store %start, %sums{{\[}}[[v5]]] : memref<4x!zeroskew.acc<32, 1.0>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v7:%.*]] = arith.muli [[v4]], [[v2]] : index
// CHECK-NEXT: [[v8:%.*]] = scratch.slice %w{{\[}}[[v7]]] : memref<4x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash> to memref<16x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
// CHECK-NEXT: [[v9:%.*]] = scratch.slice %x{{\[}}[[v4]]] : memref<16x!zeroskew.q<8, 1.0, 0>> to memref<16x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: num.call #num.channel_dots<4>(%sums, %sums, [[v8]], [[v9]]) by #num.kernel<"tm_cm_channels4_s8_s8_s32"> : (memref<4x!zeroskew.acc<32, 1.0>>, memref<4x!zeroskew.acc<32, 1.0>>, memref<16x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<16x!zeroskew.q<8, 1.0, 0>>) -> ()
// CHECK-NEXT: scf.for [[v10:%.*]] = [[v1]] to [[v2]] step [[v0]] {
// CHECK-NEXT: [[v11:%.*]] = arith.addi [[v4]], [[v10]] : index
// CHECK-NEXT: %sum = memref.load %sums{{\[}}[[v10]]] : memref<4x!zeroskew.acc<32, 1.0>>
// CHECK-NEXT: %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 4.0, -3>
// CHECK-NEXT: memref.store %result, %y{{\[}}[[v11]]] : memref<4x!zeroskew.q<8, 4.0, -3>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// Kernels of blocks read the vector from RAM: rows that meet one in flash are taken one by one.
func.func @vector_in_flash(%W: memref<6x8x!fixed.q<16, 10>>, %x: memref<8x!fixed.q<16, 10>, #scratch.flash>, %Y: memref<6x!fixed.q<16, 8>>) {
  num.contract %i to 6 {
    %zero = num.zero : !fixed.acc<32, 20>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 20>, memref<6x8x!fixed.q<16, 10>>, memref<8x!fixed.q<16, 10>, #scratch.flash> -> !fixed.acc<32, 20>
    %y = num.finish %sum : !fixed.acc<32, 20> -> !fixed.q<16, 8>
    memref.store %y, %Y[%i] : memref<6x!fixed.q<16, 8>>
  }
  func.return
}
// CHECK-LABEL: func.func @vector_in_flash
// CHECK-NEXT: num.contract %i to 6 {

// -----

// A store between the products of a sum: no block.
func.func @between(%V: memref<4x2x!fixed.q<8, 3>>, %W: memref<4x3x!fixed.q<8, 3>>, %a: memref<2x!fixed.q<8, 3>>, %b: memref<3x!fixed.q<8, 3>>, %T: memref<4xindex>, %S: memref<4x!fixed.acc<32, 6>>) {
  num.contract %i to 4 {
    %s = memref.load %S[%i] : memref<4x!fixed.acc<32, 6>>
    %t = num.products %s, %V, %a : !fixed.acc<32, 6>, memref<4x2x!fixed.q<8, 3>>, memref<2x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
    memref.store %i, %T[%i] : memref<4xindex>
    %u = num.products %t, %W, %b : !fixed.acc<32, 6>, memref<4x3x!fixed.q<8, 3>>, memref<3x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
    memref.store %u, %S[%i] : memref<4x!fixed.acc<32, 6>>
  }
  func.return
}
// CHECK-LABEL: func.func @between(%V: memref<4x2x!fixed.q<8, 3>>, %W: memref<4x3x!fixed.q<8, 3>>, %a: memref<2x!fixed.q<8, 3>>, %b: memref<3x!fixed.q<8, 3>>, %T: memref<4xindex>, %S: memref<4x!fixed.acc<32, 6>>) {
// CHECK-NEXT: num.contract %i to 4 {
// CHECK-NEXT: %s = memref.load %S[%i] : memref<4x!fixed.acc<32, 6>>
// CHECK-NEXT: %t = num.products %s, %V, %a : !fixed.acc<32, 6>, memref<4x2x!fixed.q<8, 3>>, memref<2x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
// CHECK-NEXT: memref.store %i, %T[%i] : memref<4xindex>
// CHECK-NEXT: %u = num.products %t, %W, %b : !fixed.acc<32, 6>, memref<4x3x!fixed.q<8, 3>>, memref<3x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
// CHECK-NEXT: memref.store %u, %S[%i] : memref<4x!fixed.acc<32, 6>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-NEXT: }

// -----

// The zero from which both sums start stands before the contraction and is narrower than the sums of the kernel.
func.func @packed_twice(%W: memref<10x8x!fixed.q<8, 0>, #scratch.packed<4, pairs>>, %V: memref<10x8x!fixed.q<8, 0>, #scratch.packed<4, pairs>>, %x: memref<8x!fixed.q<8, 4>>, %Y: memref<10x!fixed.q<8, 4>>, %Z: memref<10x!fixed.q<8, 4>>) {
  %zero = num.zero : !fixed.acc<16, 4>
  num.contract %i to 10 {
    %s = num.products %zero, %W, %x : !fixed.acc<16, 4>, memref<10x8x!fixed.q<8, 0>, #scratch.packed<4, pairs>>, memref<8x!fixed.q<8, 4>> -> !fixed.acc<16, 4>
    %t = num.products %zero, %V, %x : !fixed.acc<16, 4>, memref<10x8x!fixed.q<8, 0>, #scratch.packed<4, pairs>>, memref<8x!fixed.q<8, 4>> -> !fixed.acc<16, 4>
    %y = num.finish %s : !fixed.acc<16, 4> -> !fixed.q<8, 4>
    %z = num.finish %t : !fixed.acc<16, 4> -> !fixed.q<8, 4>
    memref.store %y, %Y[%i] : memref<10x!fixed.q<8, 4>>
    memref.store %z, %Z[%i] : memref<10x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @packed_twice
// CHECK: %zero = num.zero : !fixed.acc<16, 4>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: [[first:%.*]] = num.zero : !fixed.acc<32, 4>
// CHECK-NEXT: memref.store [[first]], %sums_1{{.*}} : memref<10x!fixed.acc<32, 4>>
// CHECK-NEXT: [[second:%.*]] = num.zero : !fixed.acc<32, 4>
// CHECK-NEXT: memref.store [[second]], %sums{{.*}} : memref<10x!fixed.acc<32, 4>>
// CHECK: num.call #num.dot_rows(%sums_1, %sums_1,
// CHECK: num.call #num.dot_rows(%sums, %sums,
