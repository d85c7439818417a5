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

// No kernel reads a table of 16-bit raws. The last byte of the arena is free, and the arena grows by the other 17 bytes
// of the integers, which are no local array.
func.func @grown(%x: memref<9x!posit.p<10, 0, -8, 2>>) {
  %arena = scratch.arena {alignment = 1 : i64} : memref<5xi8>
  %y = scratch.view %arena[0 : i64] : memref<5xi8> to memref<4x!fixed.q<8, 4>>
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
// CHECK: %arena = scratch.arena {alignment = 2 : i64} : memref<22xi8>
// CHECK: [[array:%.*]] = scratch.view %arena[4 : i64] : memref<22xi8> to memref<9xi16>
// CHECK-NOT: memref.alloca
// CHECK: num.call #num.dot(%zero, %row, {{.*}}) by #num.kernel<"tm_cm_dot_s8_s16_s32">

// -----

// The arena is spread over two memories: bytes 12 to 29 are free, but lie in both of them. The part in the last memory
// grows to the 18 bytes that this memory has beside 4 bytes of stack.
func.func @spread(%x: memref<9x!posit.p<10, 0, -8, 2>>) {
  %arena = scratch.arena {alignment = 2 : i64, memories = {memories = [{name = "tcm", macro = "TCM", section = ".tcm", size = 64 : i64, read = 0 : i64, write = 0 : i64, offset = 0 : i64, bytes = 20 : i64, stack = 0 : i64, hot = {}}, {name = "ram", macro = "RAM", section = "", size = 22 : i64, read = 1 : i64, write = 1 : i64, offset = 20 : i64, bytes = 12 : i64, stack = 4 : i64, hot = {}}], cost = 0 : i64, bound = 0 : i64, proof = "", checked = ""}} : memref<32xi8>
  %y = scratch.view %arena[0 : i64] : memref<32xi8> to memref<12x!fixed.q<8, 4>>
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
    memref.store %r, %y[%i] : memref<12x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @spread
// CHECK: name = "ram"{{.*}}bytes = 18 : i64{{.*}} : memref<38xi8>
// CHECK: scratch.view %arena[20 : i64] : memref<38xi8> to memref<9xi16>
// CHECK-NOT: memref.alloca

// -----

// One byte less: the integers are a local array.
func.func @spread_and_full(%x: memref<9x!posit.p<10, 0, -8, 2>>) {
  %arena = scratch.arena {alignment = 2 : i64, memories = {memories = [{name = "tcm", macro = "TCM", section = ".tcm", size = 64 : i64, read = 0 : i64, write = 0 : i64, offset = 0 : i64, bytes = 20 : i64, stack = 0 : i64, hot = {}}, {name = "ram", macro = "RAM", section = "", size = 21 : i64, read = 1 : i64, write = 1 : i64, offset = 20 : i64, bytes = 12 : i64, stack = 4 : i64, hot = {}}], cost = 0 : i64, bound = 0 : i64, proof = "", checked = ""}} : memref<32xi8>
  %y = scratch.view %arena[0 : i64] : memref<32xi8> to memref<12x!fixed.q<8, 4>>
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
    memref.store %r, %y[%i] : memref<12x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @spread_and_full
// CHECK: memref.alloca() : memref<9xi16>
// CHECK: scratch.arena {{.*}} : memref<32xi8>
