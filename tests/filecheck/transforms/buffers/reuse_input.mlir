// RUN: tinyml-opt %s -p reuse-input --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p reuse-input,pack-scratch,check-packing --split-input-file | filecheck %s --check-prefix=PACKED

// %b and what takes its place come alive when %X has been read; %a does not, %wide is stored otherwise, %y is returned.
func.func @input(%X: memref<8x1x!fixed.q<16, 4>>) -> memref<8x1x!fixed.q<16, 4>> {
  %a = scratch.alloc : memref<8x1x!fixed.q<16, 4>>
  %wide = scratch.alloc : memref<8x1x!fixed.q<32, 8>>
  %b = scratch.alloc : memref<8x1x!fixed.q<16, 5>>
  %c = scratch.reuse %b : memref<8x1x!fixed.q<16, 5>> as memref<8x1x!fixed.q<15, 4>>
  %y = scratch.alloc : memref<8x1x!fixed.q<16, 4>>
  tdsl.neg %X : memref<8x1x!fixed.q<16, 4>> into %a : memref<8x1x!fixed.q<16, 4>>
  tdsl.add %a, %X : memref<8x1x!fixed.q<16, 4>>, memref<8x1x!fixed.q<16, 4>> into %a : memref<8x1x!fixed.q<16, 4>>
  tdsl.cast %a : memref<8x1x!fixed.q<16, 4>> into %wide : memref<8x1x!fixed.q<32, 8>>
  tdsl.cast %wide : memref<8x1x!fixed.q<32, 8>> into %b : memref<8x1x!fixed.q<16, 5>>
  tdsl.neg %b : memref<8x1x!fixed.q<16, 5>> into %c : memref<8x1x!fixed.q<15, 4>>
  tdsl.add %c, %a : memref<8x1x!fixed.q<15, 4>>, memref<8x1x!fixed.q<16, 4>> into %y : memref<8x1x!fixed.q<16, 4>>
  func.return %y : memref<8x1x!fixed.q<16, 4>>
}
// CHECK: func.func @input
// CHECK-NEXT: %b = scratch.view %X[0 : i64] {live = [3 : i64, 4 : i64]} : memref<8x1x!fixed.q<16, 4>> to memref<8x1x!fixed.q<16, 5>>
// CHECK-NEXT: %c = scratch.view %X[0 : i64] {live = [5 : i64, 5 : i64]} : memref<8x1x!fixed.q<16, 4>> to memref<8x1x!fixed.q<15, 4>>
// CHECK-NEXT: %a = scratch.alloc
// CHECK-NEXT: %wide = scratch.alloc
// CHECK-NEXT: %y = scratch.alloc
// PACKED: scratch.height = 48

// -----

// Where the input is read in a loop it is needed to its end; what has no room stays in the arena.
func.func @loop(%X: memref<4xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = scratch.alloc : memref<4xf32>
  %t = scratch.alloc : memref<4xf32>
  %u = scratch.alloc : memref<4xf32>
  %v = scratch.alloc : memref<8xf32>
  tdsl.fill {value = 0.0 : f64} into %s : memref<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    tdsl.add %s, %X : memref<4xf32>, memref<4xf32> into %t : memref<4xf32>
    tdsl.neg %t : memref<4xf32> into %s : memref<4xf32>
  }
  tdsl.reverse %s {axis = 0} : memref<4xf32> into %u : memref<4xf32>
  tdsl.fill {value = 0.0 : f64} into %v : memref<8xf32>
  %l = tdsl.argmax %u : memref<4xf32>
  %k = tdsl.argmax %v : memref<8xf32>
  func.return %l : index
}
// CHECK: func.func @loop
// CHECK-NEXT: %u = scratch.view %X[0 : i64]
// CHECK-NEXT: arith.constant
// CHECK: %s = scratch.alloc
// CHECK-NEXT: %t = scratch.alloc
// CHECK-NEXT: %v = scratch.alloc
// PACKED: func.func @loop

// -----

// The op that is the last to read the input may write its result over it, as far as elements have been read before.
func.func @last_reader(%X: memref<8x!fixed.q<16, 4>>, %Y: memref<8x!fixed.q<16, 4>>) -> index {
  %a = scratch.alloc : memref<8x!fixed.q<16, 5>>
  %b = scratch.alloc : memref<8x!fixed.q<16, 4>>
  tdsl.cast %X : memref<8x!fixed.q<16, 4>> into %a : memref<8x!fixed.q<16, 5>>
  tdsl.reverse %Y {axis = 0} : memref<8x!fixed.q<16, 4>> into %b : memref<8x!fixed.q<16, 4>>
  %k = tdsl.argmax %a : memref<8x!fixed.q<16, 5>>
  %l = tdsl.argmax %b : memref<8x!fixed.q<16, 4>>
  func.return %l : index
}
// CHECK: func.func @last_reader
// CHECK-NEXT: %a = scratch.view %X[0 : i64] {live = [0 : i64, 2 : i64]}
// CHECK-NEXT: %b = scratch.alloc
// PACKED: scratch.view %X
// PACKED: scratch.arena
