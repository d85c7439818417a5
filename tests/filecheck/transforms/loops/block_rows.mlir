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
// CHECK-LABEL: func.func @matvec
// CHECK-NEXT: %sums = memref.alloca() : memref<4x!fixed.acc<32, 20>>
// CHECK: %zeros = scratch.constant dense<0> : tensor<4xi32> -> memref<4x!fixed.acc<32, 20>, #scratch.flash>
// CHECK: scf.for [[block:%.*]] = {{%.*}} to {{%.*}} step
// CHECK-NEXT: [[first:%.*]] = arith.muli [[block]], {{%.*}} : index
// CHECK-NEXT: [[place:%.*]] = arith.muli [[first]], {{%.*}} : index
// CHECK-NEXT: [[rows:%.*]] = scratch.slice %W[[[place]]] : {{.*}} to memref<32x!fixed.q<16, 10>>
// CHECK-NEXT: num.call #num.dot_rows(%sums, %zeros, [[rows]], %x) by #num.kernel<"tm_cm_dot4_s16_s16_s32">
// CHECK-NEXT: scf.for [[q:%.*]] = {{.*}} {
// CHECK-NEXT: [[i:%.*]] = arith.addi [[first]], [[q]]
// CHECK-NEXT: %sum = memref.load %sums[[[q]]]
// CHECK-NEXT: %y = num.finish %sum
// CHECK-NEXT: memref.store %y, %Y[[[i]], %c0]
// CHECK: scf.for {{.*}} = {{%.*}} to {{%.*}} step
// CHECK: num.call #num.dot({{%.*}}, {{%.*}}, {{%.*}}) :

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
// CHECK-LABEL: func.func @chain
// CHECK: %s = memref.load %S
// CHECK-NEXT: memref.store %s, %sums
// CHECK: num.call #num.dot_rows(%sums, %sums, {{%.*}}, %a) by #num.kernel<"tm_cm_dot4_s8_s8_s32">
// CHECK: num.call #num.dot_rows(%sums, %sums, {{%.*}}, %b) by #num.kernel<"tm_cm_dot4_s8_s8_s32">
// CHECK: %u = memref.load %sums
// CHECK-NEXT: memref.store %u, %S
// CHECK-NOT: num.call #num.dot %

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
// CHECK-LABEL: func.func @narrow
// CHECK-NEXT: %sums = memref.alloca() : memref<4x!fixed.acc<32, 14>>
// CHECK: num.call #num.dot_rows(%sums, %zeros, {{%.*}}, %X) by #num.kernel<"tm_cm_dot4_s8_s8_s32">
// CHECK: num.finish %sum : !fixed.acc<32, 14> -> !fixed.q<8, 7>

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
// CHECK-LABEL: func.func @shifted
// CHECK: num.call #num.dot_rows(%sums, %zeros, {{%.*}}, %X) by #num.kernel<"tm_cm_dot4_s8_s8_s32">
// CHECK: %shifted = num.shift %sum, %places : !fixed.acc<32, 14> -> !fixed.acc<32, 14>
// CHECK-NEXT: num.finish %shifted : !fixed.acc<32, 14> -> !fixed.q<8, 7>

// -----

// Three rows are too few for a block of four, and sums of two matrices are not those of one.
func.func @others(%W: memref<3x4x!fixed.q<8, 3>>, %V: memref<4x4x!fixed.q<8, 3>>, %x: memref<4x!fixed.q<8, 3>>, %Y: memref<4x!fixed.acc<32, 6>>, %Z: memref<4x!fixed.acc<32, 6>>) {
  %zero = num.zero : !fixed.acc<32, 6>
  num.contract %i to 3 {
    %t = num.products %zero, %W, %x : !fixed.acc<32, 6>, memref<3x4x!fixed.q<8, 3>>, memref<4x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
    memref.store %t, %Y[%i] : memref<4x!fixed.acc<32, 6>>
  }
  num.contract %i to 4 {
    %t = num.products %zero, %V, %x : !fixed.acc<32, 6>, memref<4x4x!fixed.q<8, 3>>, memref<4x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
    %u = num.products %zero, %V, %x : !fixed.acc<32, 6>, memref<4x4x!fixed.q<8, 3>>, memref<4x!fixed.q<8, 3>> -> !fixed.acc<32, 6>
    memref.store %t, %Y[%i] : memref<4x!fixed.acc<32, 6>>
    memref.store %u, %Z[%i] : memref<4x!fixed.acc<32, 6>>
  }
  func.return
}
// CHECK-LABEL: func.func @others
// CHECK-NOT: num.call #num.dot_rows

// -----

// Rows that read what earlier rows have stored are taken one by one: through the vector...
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
// CHECK-LABEL: func.func @solve
// CHECK-NOT: num.call #num.dot_rows

// -----

// ...or through what the sums start from.
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
// CHECK-LABEL: func.func @prefix
// CHECK-NOT: num.call #num.dot_rows

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
// CHECK-LABEL: func.func @updated
// CHECK: num.call #num.dot_rows(%sums, %zeros, {{%.*}}, %x)
// CHECK-NEXT: scf.for
// CHECK: %mine = memref.load %old
// CHECK: %last = memref.load %Y
// CHECK: memref.store %all, %Y

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
// CHECK-LABEL: func.func @channels
// CHECK-NEXT: %sums = memref.alloca() : memref<4x!fixed.acc<32, 8>>
// CHECK: scf.for [[block:%.*]] = {{%.*}} to {{%.*}} step
// CHECK-NEXT: [[first:%.*]] = arith.muli [[block]], {{%.*}} : index
// CHECK: num.start {{%.*}} : !fixed.q<16, 8> -> !fixed.acc<32, 8>
// CHECK: [[rows:%.*]] = scratch.slice %W{{.*}} to memref<16x!fixed.q<8, 4>>
// CHECK-NEXT: [[four:%.*]] = scratch.slice %channels[[[first]]] : {{.*}} to memref<22x!fixed.q<8, 4>>
// CHECK-NEXT: num.call #num.channel_dots<6>(%sums, %sums, [[rows]], [[four]]) by #num.kernel<"tm_cm_channels4_s8_s8_s32">
// CHECK: num.call #num.strided_dot

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
// CHECK-LABEL: func.func @finished_rows
// CHECK: num.contract %i to 4 by #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 4, runs = 1, length = 4, pitch = 0, step = 4, count = 1, zero = -3> {
// CHECK: num.products %start, %W, %x :
// NONE-LABEL: func.func @finished_rows
// NONE: num.contract %i to 4 {
// NONE-LABEL: func.func @packed(

// -----

// Packed rows of 5 elements take whole groups, here bytes of two elements.
func.func @packed(%W: memref<4x6x!fixed.q<8, 7>, #scratch.packed<4>>, %x: memref<5x!fixed.q<8, 7>>, %Y: memref<4x!fixed.q<8, 7>>) {
  num.contract %i to 4 {
    %zero = num.zero : !fixed.acc<32, 14>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 14>, memref<4x6x!fixed.q<8, 7>, #scratch.packed<4>>, memref<5x!fixed.q<8, 7>> -> !fixed.acc<32, 14>
    %y = num.finish %sum : !fixed.acc<32, 14> -> !fixed.q<8, 7>
    memref.store %y, %Y[%i] : memref<4x!fixed.q<8, 7>>
  }
  func.return
}
// CHECK-LABEL: func.func @packed
// CHECK: scratch.slice %W{{.*}} to memref<24x!fixed.q<8, 7>, #scratch.packed<4>>
// CHECK-NEXT: num.call #num.dot_rows(%sums, %zeros, {{%.*}}, %x) by #num.kernel<"tm_cm_dot4_p4_s8_s32">

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
// CHECK-LABEL: func.func @single_window
// CHECK-NOT: num.tile_kernel
// CHECK: num.call #num.channel_dots
