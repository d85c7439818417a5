// RUN: tinyml-opt %s -p check-packing --split-input-file | filecheck %s

// Bytes change hands as soon as nothing needs the old value: %b takes those of %a, %t and %state are different.
func.func @tight(%X: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %arena = scratch.arena {alignment = 4 : i64, lower_bound = 32 : i64} : memref<48xi8>
  %state = scratch.view %arena[0 : i64] : memref<48xi8> to memref<4xf32>
  %a = scratch.view %arena[16 : i64] : memref<48xi8> to memref<4xf32>
  %t = scratch.view %arena[32 : i64] : memref<48xi8> to memref<4xf32>
  %b = scratch.view %arena[16 : i64] : memref<48xi8> to memref<4xf32>
  tdsl.fill {value = 0.0 : f64} into %state : memref<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
    tdsl.add %a, %state : memref<4xf32>, memref<4xf32> into %t : memref<4xf32>
    tdsl.neg %t : memref<4xf32> into %b : memref<4xf32>
    tdsl.add %b, %state : memref<4xf32>, memref<4xf32> into %state : memref<4xf32>
  }
  func.return %state : memref<4xf32>
}
// CHECK-LABEL: func.func @tight
// CHECK: scratch.arena

// -----

// What is written in part holds nothing before its first write: bytes of %before are free then.
func.func @parts(%X: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %before = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  %y = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %before : memref<4xf32>
  %k = tdsl.argmax %before : memref<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %one = scratch.slice %y[%i] : memref<4xf32> to memref<1xf32>
    tdsl.fill {value = 1.0 : f64} into %one : memref<1xf32>
  }
  func.return %y : memref<4xf32>
}
// CHECK-LABEL: func.func @parts

// -----

// An elementwise op writes over what it has read, also where its elements are narrower, and where they lie in front.
func.func @in_place(%X: memref<4xf32>) -> memref<4x!fixed.q<8, 4>> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<20xi8>
  %a = scratch.view %arena[4 : i64] : memref<20xi8> to memref<4x!fixed.q<32, 8>>
  %b = scratch.view %arena[4 : i64] : memref<20xi8> to memref<4x!fixed.q<16, 8>>
  %c = scratch.view %arena[0 : i64] : memref<20xi8> to memref<4x!fixed.q<16, 8>>
  %d = scratch.view %arena[1 : i64] : memref<20xi8> to memref<4x!fixed.q<8, 4>>
  tdsl.fill {value = 1.0 : f64} into %a : memref<4x!fixed.q<32, 8>>
  tdsl.cast %a : memref<4x!fixed.q<32, 8>> into %b : memref<4x!fixed.q<16, 8>>
  tdsl.neg %b : memref<4x!fixed.q<16, 8>> into %c : memref<4x!fixed.q<16, 8>>
  tdsl.cast %c : memref<4x!fixed.q<16, 8>> into %d : memref<4x!fixed.q<8, 4>>
  func.return %d : memref<4x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @in_place

// -----

// A buffer goes on elsewhere, also where the places overlap.
func.func @moved(%X: memref<4xf32>) -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<20xi8>
  %a = scratch.view %arena[0 : i64] : memref<20xi8> to memref<4xf32>
  %b = scratch.view %arena[4 : i64] : memref<20xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  scratch.move %a to %b : memref<4xf32> to memref<4xf32>
  func.return %b : memref<4xf32>
}
// CHECK-LABEL: func.func @moved

// -----

// The input's memory is free once it has been read.
func.func @input() -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<48xi8>
  %X = scratch.view %arena[32 : i64] {input} : memref<48xi8> to memref<4xf32>
  %a = scratch.view %arena[0 : i64] : memref<48xi8> to memref<4xf32>
  %b = scratch.view %arena[32 : i64] : memref<48xi8> to memref<4xf32>
  %c = scratch.view %arena[16 : i64] : memref<48xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  tdsl.neg %a : memref<4xf32> into %b : memref<4xf32>
  tdsl.add %a, %b : memref<4xf32>, memref<4xf32> into %c : memref<4xf32>
  func.return %c : memref<4xf32>
}
// CHECK-LABEL: func.func @input

// -----

// Packed elements may take the place of ones that are packed alike, or lie behind what has been read of whole ones.
func.func @packed(%X: memref<8x!fixed.q<16, 4>>) -> memref<8x!fixed.q<16, 4>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<32xi8>
  %a = scratch.view %arena[16 : i64] : memref<32xi8> to memref<8x!fixed.q<16, 4>>
  %b = scratch.view %arena[16 : i64] : memref<32xi8> to memref<8x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %c = scratch.view %arena[16 : i64] : memref<32xi8> to memref<8x!fixed.q<9, 5>, #scratch.packed_ram<9>>
  %y = scratch.view %arena[0 : i64] : memref<32xi8> to memref<8x!fixed.q<16, 4>>
  tdsl.neg %X : memref<8x!fixed.q<16, 4>> into %a : memref<8x!fixed.q<16, 4>>
  tdsl.cast %a : memref<8x!fixed.q<16, 4>> into %b : memref<8x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  tdsl.cast %b : memref<8x!fixed.q<9, 4>, #scratch.packed_ram<9>> into %c : memref<8x!fixed.q<9, 5>, #scratch.packed_ram<9>>
  tdsl.cast %c : memref<8x!fixed.q<9, 5>, #scratch.packed_ram<9>> into %y : memref<8x!fixed.q<16, 4>>
  func.return %y : memref<8x!fixed.q<16, 4>>
}
// CHECK-LABEL: func.func @packed

// -----

// A buffer that a loop carries is itself behind the loop, under another name: an addition reads both before it writes.
func.func @carried(%X: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %a = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  %b = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  %same = scf.for %i = %c0 to %c2 step %c1 iter_args(%old = %a) -> (memref<4xf32>) {
    tdsl.neg %old : memref<4xf32> into %a : memref<4xf32>
    scf.yield %a : memref<4xf32>
  }
  tdsl.add %same, %a : memref<4xf32>, memref<4xf32> into %b : memref<4xf32>
  func.return %b : memref<4xf32>
}
// CHECK-LABEL: func.func @carried

// -----

// A buffer that both branches overwrite is free before them, although it is read behind them.
func.func @both_branches(%X: memref<4xf32>, %which: i1) -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %a = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  %y = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %y : memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  %k = tdsl.argmax %a : memref<4xf32>
  scf.if %which {
    tdsl.exp %X : memref<4xf32> into %y : memref<4xf32>
  } else {
    tdsl.neg %X : memref<4xf32> into %y : memref<4xf32>
  }
  func.return %y : memref<4xf32>
}
// CHECK-LABEL: func.func @both_branches
// CHECK: scf.if
