// RUN: tinyml-opt %s -p unpack-buffers | filecheck %s
// RUN: tinyml-opt %s -p unpack-buffers,pack-scratch,check-packing | filecheck %s --check-prefix=PACKED

// The arena needs %a and %b packed, 18 bytes each (12 elements of 9 bits fill two groups). %c, and %d in its place, have
// room for 32 bytes.
func.func @buffers(%X: memref<16x1x!fixed.q<9, 4>>) -> index {
  %a = scratch.alloc : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %b = scratch.alloc : memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %c = scratch.alloc : memref<16x1x!fixed.q<9, 5>, #scratch.packed_ram<9>>
  %d = scratch.reuse %c : memref<16x1x!fixed.q<9, 5>, #scratch.packed_ram<9>> as memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
  %c0 = arith.constant 0 : index
  tdsl.neg %X : memref<16x1x!fixed.q<9, 4>> into %a : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %half = scratch.slice %a[%c0] : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> to memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  tdsl.reverse %half {axis = 0} : memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> into %b : memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %l = tdsl.argmax %b : memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  tdsl.cast %X : memref<16x1x!fixed.q<9, 4>> into %c : memref<16x1x!fixed.q<9, 5>, #scratch.packed_ram<9>>
  tdsl.cast %c : memref<16x1x!fixed.q<9, 5>, #scratch.packed_ram<9>> into %d : memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
  %m = tdsl.argmax %d : memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
  func.return %m : index
}
// CHECK-LABEL: func.func @buffers(%X: memref<16x1x!fixed.q<9, 4>>) -> index {
// CHECK-NEXT: %a = scratch.alloc : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: %b = scratch.alloc : memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: %c = scratch.alloc : memref<16x1x!fixed.q<9, 5>>
// CHECK-NEXT: %d = scratch.reuse %c : memref<16x1x!fixed.q<9, 5>> as memref<16x1x!fixed.q<9, 6>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: tdsl.neg %X : memref<16x1x!fixed.q<9, 4>> into %a : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: %half = scratch.slice %a[%c0] : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> to memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: tdsl.reverse %half {axis = 0 : i64} : memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> into %b : memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: %l = tdsl.argmax %b : memref<12x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: tdsl.cast %X : memref<16x1x!fixed.q<9, 4>> into %c : memref<16x1x!fixed.q<9, 5>>
// CHECK-NEXT: tdsl.cast %c : memref<16x1x!fixed.q<9, 5>> into %d : memref<16x1x!fixed.q<9, 6>>
// CHECK-NEXT: %m = tdsl.argmax %d : memref<16x1x!fixed.q<9, 6>>
// CHECK-NEXT: func.return %m : index
// PACKED-LABEL: func.func @buffers
// PACKED: scratch.arena {{.*}} : memref<36xi8>

// %w makes room for 50 bytes. One of the two packed buffers of 18 bytes can be whole, with 32, beside the other one: not
// the first, but the one that a loop reads.
func.func @loop(%X: memref<8x1x!fixed.q<16, 4>>) -> (index, index) {
  %w = scratch.alloc : memref<25x1x!fixed.q<16, 4>>
  %a = scratch.alloc : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %b = scratch.alloc : memref<16x1x!fixed.q<9, 5>, #scratch.packed_ram<9>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  tdsl.fill {value = 0.0 : f64} into %w : memref<25x1x!fixed.q<16, 4>>
  %k = tdsl.argmax %w : memref<25x1x!fixed.q<16, 4>>
  tdsl.fill {value = 0.0 : f64} into %a : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  tdsl.fill {value = 0.0 : f64} into %b : memref<16x1x!fixed.q<9, 5>, #scratch.packed_ram<9>>
  %l = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %c0) -> (index) {
    %half = scratch.slice %b[%i] : memref<16x1x!fixed.q<9, 5>, #scratch.packed_ram<9>> to memref<8x1x!fixed.q<9, 5>, #scratch.packed_ram<9>>
    %m = tdsl.argmax %half : memref<8x1x!fixed.q<9, 5>, #scratch.packed_ram<9>>
    scf.yield %m : index
  }
  %n = tdsl.argmax %a : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  func.return %l, %n : index, index
}
// CHECK-LABEL: func.func @loop(%X: memref<8x1x!fixed.q<16, 4>>) -> (index, index) {
// CHECK-NEXT: %w = scratch.alloc : memref<25x1x!fixed.q<16, 4>>
// CHECK-NEXT: %a = scratch.alloc : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: %b = scratch.alloc : memref<16x1x!fixed.q<9, 5>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %w : memref<25x1x!fixed.q<16, 4>>
// CHECK-NEXT: %k = tdsl.argmax %w : memref<25x1x!fixed.q<16, 4>>
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %a : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %b : memref<16x1x!fixed.q<9, 5>>
// CHECK-NEXT: %l = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %c0) -> (index) {
// CHECK-NEXT: %half = scratch.slice %b[%i] : memref<16x1x!fixed.q<9, 5>> to memref<8x1x!fixed.q<9, 5>>
// CHECK-NEXT: %m = tdsl.argmax %half : memref<8x1x!fixed.q<9, 5>>
// CHECK-NEXT: scf.yield %m : index
// CHECK-NEXT: }
// CHECK-NEXT: %n = tdsl.argmax %a : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: func.return %l, %n : index, index

// The input stays packed, and so does a buffer whose bytes would not suffice for what reuses them whole.
func.func @kept() -> index {
  %X = scratch.alloc {input} : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %w = scratch.alloc : memref<99x1x!fixed.q<16, 4>>
  %a = scratch.alloc : memref<18x1x!fixed.q<8, 4>>
  %d = scratch.reuse %a : memref<18x1x!fixed.q<8, 4>> as memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
  %h = tdsl.argmax %X : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  tdsl.fill {value = 0.0 : f64} into %w : memref<99x1x!fixed.q<16, 4>>
  %k = tdsl.argmax %w : memref<99x1x!fixed.q<16, 4>>
  tdsl.fill {value = 0.0 : f64} into %a : memref<18x1x!fixed.q<8, 4>>
  %m = tdsl.argmax %a : memref<18x1x!fixed.q<8, 4>>
  tdsl.fill {value = 0.0 : f64} into %d : memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
  %l = tdsl.argmax %d : memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
  func.return %l : index
}
// CHECK-LABEL: func.func @kept() -> index {
// CHECK-NEXT: %X = scratch.alloc {input} : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: %w = scratch.alloc : memref<99x1x!fixed.q<16, 4>>
// CHECK-NEXT: %a = scratch.alloc : memref<18x1x!fixed.q<8, 4>>
// CHECK-NEXT: %d = scratch.reuse %a : memref<18x1x!fixed.q<8, 4>> as memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
// CHECK-NEXT: %h = tdsl.argmax %X : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %w : memref<99x1x!fixed.q<16, 4>>
// CHECK-NEXT: %k = tdsl.argmax %w : memref<99x1x!fixed.q<16, 4>>
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %a : memref<18x1x!fixed.q<8, 4>>
// CHECK-NEXT: %m = tdsl.argmax %a : memref<18x1x!fixed.q<8, 4>>
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %d : memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
// CHECK-NEXT: %l = tdsl.argmax %d : memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
// CHECK-NEXT: func.return %l : index

// Rows that arrive packed are received packed, though there is room for them.
func.func @received(%X: memref<48x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>) -> index {
  %c0 = arith.constant 0 : index
  %w = scratch.alloc : memref<99x1x!fixed.q<16, 4>>
  %rows = scratch.alloc : memref<1x6x8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  tdsl.fill {value = 0.0 : f64} into %w : memref<99x1x!fixed.q<16, 4>>
  %k = tdsl.argmax %w : memref<99x1x!fixed.q<16, 4>>
  %I = scratch.slice %X[%c0] : memref<48x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> to memref<1x6x8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  tdsl.receive %I[%c0] : memref<1x6x8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> into %rows : memref<1x6x8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %l = tdsl.argmax %rows : memref<1x6x8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  func.return %l : index
}
// CHECK-LABEL: func.func @received(%X: memref<48x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>) -> index {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %w = scratch.alloc : memref<99x1x!fixed.q<16, 4>>
// CHECK-NEXT: %rows = scratch.alloc : memref<1x6x8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %w : memref<99x1x!fixed.q<16, 4>>
// CHECK-NEXT: %k = tdsl.argmax %w : memref<99x1x!fixed.q<16, 4>>
// CHECK-NEXT: %I = scratch.slice %X[%c0] : memref<48x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> to memref<1x6x8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: tdsl.receive %I[%c0] : memref<1x6x8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> into %rows : memref<1x6x8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: %l = tdsl.argmax %rows : memref<1x6x8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: func.return %l : index

// A packed buffer in a greater one that is whole, with room for it whole; one in the packed input stays.
func.func @mixed() -> (index, index) {
  %X = scratch.alloc {input} : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %y = scratch.reuse %X : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> as memref<8x1x!fixed.q<9, 5>, #scratch.packed_ram<9>>
  %w = scratch.alloc : memref<99x1x!fixed.q<16, 4>>
  %a = scratch.alloc : memref<32x1x!fixed.q<8, 4>>
  %d = scratch.reuse %a : memref<32x1x!fixed.q<8, 4>> as memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
  %h = tdsl.argmax %X : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  tdsl.fill {value = 0.0 : f64} into %y : memref<8x1x!fixed.q<9, 5>, #scratch.packed_ram<9>>
  %n = tdsl.argmax %y : memref<8x1x!fixed.q<9, 5>, #scratch.packed_ram<9>>
  tdsl.fill {value = 0.0 : f64} into %w : memref<99x1x!fixed.q<16, 4>>
  %k = tdsl.argmax %w : memref<99x1x!fixed.q<16, 4>>
  tdsl.fill {value = 0.0 : f64} into %a : memref<32x1x!fixed.q<8, 4>>
  %m = tdsl.argmax %a : memref<32x1x!fixed.q<8, 4>>
  tdsl.fill {value = 0.0 : f64} into %d : memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
  %l = tdsl.argmax %d : memref<16x1x!fixed.q<9, 6>, #scratch.packed_ram<9>>
  func.return %l, %n : index, index
}
// CHECK-LABEL: func.func @mixed
// CHECK-NEXT: %X = scratch.alloc {input} : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: %y = scratch.reuse %X : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> as memref<8x1x!fixed.q<9, 5>, #scratch.packed_ram<9>>
// CHECK: %d = scratch.reuse %a : memref<32x1x!fixed.q<8, 4>> as memref<16x1x!fixed.q<9, 6>>

// Both buffers of a move stay packed, though another op uses each, too, and though there is room for them.
func.func @moved() -> index {
  %w = scratch.alloc : memref<99x1x!fixed.q<16, 4>>
  %a = scratch.alloc : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %b = scratch.alloc : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  tdsl.fill {value = 0.0 : f64} into %w : memref<99x1x!fixed.q<16, 4>>
  %k = tdsl.argmax %w : memref<99x1x!fixed.q<16, 4>>
  tdsl.fill {value = 0.0 : f64} into %a : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  scratch.move %a to %b : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> to memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %l = tdsl.argmax %b : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  func.return %l : index
}
// CHECK-LABEL: func.func @moved() -> index {
// CHECK-NEXT: %w = scratch.alloc : memref<99x1x!fixed.q<16, 4>>
// CHECK-NEXT: %a = scratch.alloc : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: %b = scratch.alloc : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %w : memref<99x1x!fixed.q<16, 4>>
// CHECK-NEXT: %k = tdsl.argmax %w : memref<99x1x!fixed.q<16, 4>>
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %a : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: scratch.move %a to %b : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>> to memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: %l = tdsl.argmax %b : memref<16x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>
// CHECK-NEXT: func.return %l : index
