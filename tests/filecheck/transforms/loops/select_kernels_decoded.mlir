// RUN: tinyml-opt %s -p select-kernels{target=cortex-m4} --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p select-kernels{target=uno} --split-input-file | filecheck %s --check-prefix=AVR

// Bytes 4 to 21 of the arena are free during the loop: the vector is decoded there, and the faster kernel reads it.
func.func @free(%x: memref<9x!posit.p<7, 0, -5, 6>>) {
  %arena = scratch.arena {alignment = 1 : i64} : memref<22xi8>
  %y = scratch.view %arena[0 : i64] : memref<22xi8> to memref<4x!fixed.q<8, 4>>
  %w = scratch.constant dense<1> : tensor<4x9xi8> -> memref<4x9x!fixed.q<8, 6>, #scratch.flash>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %rows step %c1 {
    %at = arith.muli %i, %c9 : index
    %row = scratch.slice %w[%at] : memref<4x9x!fixed.q<8, 6>, #scratch.flash> to memref<9x!fixed.q<8, 6>, #scratch.flash>
    %zero = num.zero : !fixed.acc<32, 11>
    %sum = num.call #num.dot(%zero, %row, %x) : (!fixed.acc<32, 11>, memref<9x!fixed.q<8, 6>, #scratch.flash>, memref<9x!posit.p<7, 0, -5, 6>>) -> !fixed.acc<32, 11>
    %r = num.finish %sum : !fixed.acc<32, 11> -> !fixed.q<8, 4>
    memref.store %r, %y[%i] : memref<4x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @free
// CHECK: %arena = scratch.arena {alignment = 2 : i64} : memref<22xi8>
// CHECK: [[array:%.*]] = scratch.view %arena[4 : i64] : memref<22xi8> to memref<9xi16>
// CHECK: [[whole:%.*]] = scratch.slice [[array]]{{.*}} to memref<9x!fixed.q<16, 5>>
// CHECK: num.convert
// CHECK: scf.for
// CHECK: num.call #num.dot(%zero, %row, [[whole]]) by #num.kernel<"tm_cm_dot_s8_s16_s32">
// CHECK-NOT: memref.alloca
// AVR-LABEL: func.func @free
// AVR: scratch.view %arena[4 : i64] : memref<22xi8> to memref<9xi16>

// -----

// One byte less: the kernel decodes each element.
func.func @full(%x: memref<9x!posit.p<7, 0, -5, 6>>) {
  %arena = scratch.arena {alignment = 1 : i64} : memref<21xi8>
  %y = scratch.view %arena[0 : i64] : memref<21xi8> to memref<4x!fixed.q<8, 4>>
  %w = scratch.constant dense<1> : tensor<4x9xi8> -> memref<4x9x!fixed.q<8, 6>, #scratch.flash>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %rows step %c1 {
    %at = arith.muli %i, %c9 : index
    %row = scratch.slice %w[%at] : memref<4x9x!fixed.q<8, 6>, #scratch.flash> to memref<9x!fixed.q<8, 6>, #scratch.flash>
    %zero = num.zero : !fixed.acc<32, 11>
    %sum = num.call #num.dot(%zero, %row, %x) : (!fixed.acc<32, 11>, memref<9x!fixed.q<8, 6>, #scratch.flash>, memref<9x!posit.p<7, 0, -5, 6>>) -> !fixed.acc<32, 11>
    %r = num.finish %sum : !fixed.acc<32, 11> -> !fixed.q<8, 4>
    memref.store %r, %y[%i] : memref<4x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @full
// CHECK-NOT: num.convert
// CHECK: num.call #num.dot(%zero, %row, %x) by #num.composed_kernel<num.dot, integer 8, table 8, sum = 32>
// AVR-LABEL: func.func @full
// AVR: num.call #num.dot(%zero, %row, %x) by #num.composed_kernel<num.dot, integer 8, table 8, sum = 32>

// -----

// In a single iteration, decoding takes as long as it saves.
func.func @one(%x: memref<9x!posit.p<7, 0, -5, 6>>) {
  %arena = scratch.arena {alignment = 1 : i64} : memref<22xi8>
  %y = scratch.view %arena[0 : i64] : memref<22xi8> to memref<1x!fixed.q<8, 4>>
  %w = scratch.constant dense<1> : tensor<1x9xi8> -> memref<1x9x!fixed.q<8, 6>, #scratch.flash>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %rows step %c1 {
    %at = arith.muli %i, %c9 : index
    %row = scratch.slice %w[%at] : memref<1x9x!fixed.q<8, 6>, #scratch.flash> to memref<9x!fixed.q<8, 6>, #scratch.flash>
    %zero = num.zero : !fixed.acc<32, 11>
    %sum = num.call #num.dot(%zero, %row, %x) : (!fixed.acc<32, 11>, memref<9x!fixed.q<8, 6>, #scratch.flash>, memref<9x!posit.p<7, 0, -5, 6>>) -> !fixed.acc<32, 11>
    %r = num.finish %sum : !fixed.acc<32, 11> -> !fixed.q<8, 4>
    memref.store %r, %y[%i] : memref<1x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @one
// CHECK: num.call #num.dot(%zero, %row, %x) by #num.composed_kernel<num.dot, integer 8, table 8, sum = 32>

// -----

// No kernel reads a table of 16-bit raws: the arena grows by an array for the integers, which is no local array.
func.func @grown(%x: memref<9x!posit.p<10, 0, -8, 2>>) {
  %arena = scratch.arena {alignment = 1 : i64} : memref<21xi8>
  %y = scratch.view %arena[0 : i64] : memref<21xi8> to memref<4x!fixed.q<8, 4>>
  %w = scratch.constant dense<1> : tensor<4x9xi8> -> memref<4x9x!fixed.q<8, 6>, #scratch.flash>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %rows step %c1 {
    %at = arith.muli %i, %c9 : index
    %row = scratch.slice %w[%at] : memref<4x9x!fixed.q<8, 6>, #scratch.flash> to memref<9x!fixed.q<8, 6>, #scratch.flash>
    %zero = num.zero : !fixed.acc<32, 14>
    %sum = num.call #num.dot(%zero, %row, %x) : (!fixed.acc<32, 14>, memref<9x!fixed.q<8, 6>, #scratch.flash>, memref<9x!posit.p<10, 0, -8, 2>>) -> !fixed.acc<32, 14>
    %r = num.finish %sum : !fixed.acc<32, 14> -> !fixed.q<8, 4>
    memref.store %r, %y[%i] : memref<4x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @grown
// CHECK: %arena = scratch.arena {alignment = 2 : i64} : memref<40xi8>
// CHECK: [[array:%.*]] = scratch.view %arena[22 : i64] : memref<40xi8> to memref<9xi16>
// CHECK-NOT: memref.alloca
// CHECK: num.call #num.dot(%zero, %row, {{.*}}) by #num.kernel<"tm_cm_dot_s8_s16_s32">
