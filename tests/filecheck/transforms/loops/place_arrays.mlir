// RUN: tinyml-opt %s -p place-arrays | filecheck %s

// While the input is read bytes 2 to 9 are free, and until the scores are there; then nothing has room for eight more.
func.func @two(%X: memref<8xi8>) {
  %array = memref.alloca() : memref<8xi8>
  %arena = scratch.arena {alignment = 1 : i64} : memref<12xi8>
  %h = scratch.view %arena[0 : i64] : memref<12xi8> to memref<2xi8>
  %scores = scratch.view %arena[2 : i64] : memref<12xi8> to memref<10xi8>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %j = %c0 to %c2 step %c1 {
    %a = scratch.slice %array[%c0] : memref<8xi8> to memref<8xi8>
    "memref.copy"(%X, %a) : (memref<8xi8>, memref<8xi8>) -> ()
    %x = memref.load %a[%j] : memref<8xi8>
    memref.store %x, %h[%j] : memref<2xi8>
  }
  scf.for %j = %c0 to %c2 step %c1 {
    %a = scratch.slice %array[%c0] : memref<8xi8> to memref<8xi8>
    "memref.copy"(%X, %a) : (memref<8xi8>, memref<8xi8>) -> ()
    %y = memref.load %a[%j] : memref<8xi8>
    memref.store %y, %scores[%j] : memref<10xi8>
    %k = memref.load %h[%j] : memref<2xi8>
  }
  func.return
}
// CHECK-LABEL: func.func @two(%X: memref<8xi8>) {
// CHECK-NEXT: %array = memref.alloca() : memref<8xi8>
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<12xi8>
// CHECK-NEXT: [[varray_1:%.*]] = scratch.view %arena[2 : i64] : memref<12xi8> to memref<8xi8>
// CHECK-NEXT: %h = scratch.view %arena[0 : i64] : memref<12xi8> to memref<2xi8>
// CHECK-NEXT: %scores = scratch.view %arena[2 : i64] : memref<12xi8> to memref<10xi8>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: scf.for %j = %c0 to %c2 step %c1 {
// CHECK-NEXT: %a = scratch.slice [[varray_1]][%c0] : memref<8xi8> to memref<8xi8>
// CHECK-NEXT: "memref.copy"(%X, %a) : (memref<8xi8>, memref<8xi8>) -> ()
// CHECK-NEXT: %x = memref.load %a[%j] : memref<8xi8>
// CHECK-NEXT: memref.store %x, %h[%j] : memref<2xi8>
// CHECK-NEXT: }
// CHECK-NEXT: scf.for [[vj_1:%.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT: [[va_1:%.*]] = scratch.slice %array[%c0] : memref<8xi8> to memref<8xi8>
// CHECK-NEXT: "memref.copy"(%X, [[va_1]]) : (memref<8xi8>, memref<8xi8>) -> ()
// CHECK-NEXT: %y = memref.load [[va_1]]{{\[}}[[vj_1]]] : memref<8xi8>
// CHECK-NEXT: memref.store %y, %scores{{\[}}[[vj_1]]] : memref<10xi8>
// CHECK-NEXT: %k = memref.load %h{{\[}}[[vj_1]]] : memref<2xi8>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// A copy unpacks whole groups of elements, so that a part of the array needs as many bytes as all of it.
func.func @group(%X: memref<2xi8>) {
  %array = memref.alloca() : memref<8xi8>
  %arena = scratch.arena {alignment = 1 : i64} : memref<7xi8>
  %c0 = arith.constant 0 : index
  %a = scratch.slice %array[%c0] : memref<8xi8> to memref<2xi8>
  "memref.copy"(%X, %a) : (memref<2xi8>, memref<2xi8>) -> ()
  %x = memref.load %a[%c0] : memref<2xi8>
  func.return
}
// CHECK-LABEL: func.func @group(%X: memref<2xi8>) {
// CHECK-NEXT: %array = memref.alloca() : memref<8xi8>
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<7xi8>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %a = scratch.slice %array[%c0] : memref<8xi8> to memref<2xi8>
// CHECK-NEXT: "memref.copy"(%X, %a) : (memref<2xi8>, memref<2xi8>) -> ()
// CHECK-NEXT: %x = memref.load %a[%c0] : memref<2xi8>
// CHECK-NEXT: func.return

// What stays from one slice to the other is no passing content.
func.func @stays(%X: memref<2xi16>) {
  %array = memref.alloca() : memref<2xi16>
  %arena = scratch.arena {alignment = 1 : i64} : memref<12xi8>
  %c0 = arith.constant 0 : index
  %a = scratch.slice %array[%c0] : memref<2xi16> to memref<2xi16>
  "memref.copy"(%X, %a) : (memref<2xi16>, memref<2xi16>) -> ()
  %b = scratch.slice %array[%c0] : memref<2xi16> to memref<2xi16>
  %y = memref.load %b[%c0] : memref<2xi16>
  func.return
}
// CHECK-LABEL: func.func @stays(%X: memref<2xi16>) {
// CHECK-NEXT: %array = memref.alloca() : memref<2xi16>
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<12xi8>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %a = scratch.slice %array[%c0] : memref<2xi16> to memref<2xi16>
// CHECK-NEXT: "memref.copy"(%X, %a) : (memref<2xi16>, memref<2xi16>) -> ()
// CHECK-NEXT: %b = scratch.slice %array[%c0] : memref<2xi16> to memref<2xi16>
// CHECK-NEXT: %y = memref.load %b[%c0] : memref<2xi16>
// CHECK-NEXT: func.return

// The arena is aligned for what it gets, and an array without uses is gone.
func.func @aligned(%X: memref<2xi16>) -> i8 {
  %array = memref.alloca() : memref<2xi16>
  %arena = scratch.arena {alignment = 1 : i64} : memref<7xi8>
  %h = scratch.view %arena[0 : i64] : memref<7xi8> to memref<1xi8>
  %c0 = arith.constant 0 : index
  %k = memref.load %h[%c0] : memref<1xi8>
  %a = scratch.slice %array[%c0] : memref<2xi16> to memref<2xi16>
  "memref.copy"(%X, %a) : (memref<2xi16>, memref<2xi16>) -> ()
  %y = memref.load %a[%c0] : memref<2xi16>
  %l = memref.load %h[%c0] : memref<1xi8>
  func.return %l : i8
}
// CHECK-LABEL: func.func @aligned(%X: memref<2xi16>) -> i8 {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<7xi8>
// CHECK-NEXT: %array = scratch.view %arena[2 : i64] : memref<7xi8> to memref<2xi16>
// CHECK-NEXT: %h = scratch.view %arena[0 : i64] : memref<7xi8> to memref<1xi8>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %k = memref.load %h[%c0] : memref<1xi8>
// CHECK-NEXT: %a = scratch.slice %array[%c0] : memref<2xi16> to memref<2xi16>
// CHECK-NEXT: "memref.copy"(%X, %a) : (memref<2xi16>, memref<2xi16>) -> ()
// CHECK-NEXT: %y = memref.load %a[%c0] : memref<2xi16>
// CHECK-NEXT: %l = memref.load %h[%c0] : memref<1xi8>
// CHECK-NEXT: func.return %l : i8

// Bytes are free before their buffer is used, and again behind its last use: of %dead, and of %later.
func.func @in_turn(%X: memref<4xi8>) -> i8 {
  %array = memref.alloca() : memref<4xi8>
  %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
  %dead = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4xi8>
  %all = scratch.view %arena[4 : i64] : memref<8xi8> to memref<4xi8>
  %later = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4xi8>
  %c0 = arith.constant 0 : index
  %d = memref.load %dead[%c0] : memref<4xi8>
  %g = memref.load %all[%c0] : memref<4xi8>
  %a = scratch.slice %array[%c0] : memref<4xi8> to memref<4xi8>
  "memref.copy"(%X, %a) : (memref<4xi8>, memref<4xi8>) -> ()
  %x = memref.load %a[%c0] : memref<4xi8>
  memref.store %x, %later[%c0] : memref<4xi8>
  %h = memref.load %all[%c0] : memref<4xi8>
  %l = memref.load %later[%c0] : memref<4xi8>
  func.return %l : i8
}
// CHECK-LABEL: func.func @in_turn(%X: memref<4xi8>) -> i8 {
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
// CHECK-NEXT: %array = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4xi8>
// CHECK-NEXT: %dead = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4xi8>
// CHECK-NEXT: %all = scratch.view %arena[4 : i64] : memref<8xi8> to memref<4xi8>
// CHECK-NEXT: %later = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4xi8>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %d = memref.load %dead[%c0] : memref<4xi8>
// CHECK-NEXT: %g = memref.load %all[%c0] : memref<4xi8>
// CHECK-NEXT: %a = scratch.slice %array[%c0] : memref<4xi8> to memref<4xi8>
// CHECK-NEXT: "memref.copy"(%X, %a) : (memref<4xi8>, memref<4xi8>) -> ()
// CHECK-NEXT: %x = memref.load %a[%c0] : memref<4xi8>
// CHECK-NEXT: memref.store %x, %later[%c0] : memref<4xi8>
// CHECK-NEXT: %h = memref.load %all[%c0] : memref<4xi8>
// CHECK-NEXT: %l = memref.load %later[%c0] : memref<4xi8>
// CHECK-NEXT: func.return %l : i8

// Offsets are multiples of the elements' bytes, behind an odd one, too; the last byte of the arena is free as well.
func.func @behind_three(%X: memref<2xi16>) -> i8 {
  %array = memref.alloca() : memref<2xi16>
  %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
  %h = scratch.view %arena[0 : i64] : memref<8xi8> to memref<3xi8>
  %c0 = arith.constant 0 : index
  %k = memref.load %h[%c0] : memref<3xi8>
  %a = scratch.slice %array[%c0] : memref<2xi16> to memref<2xi16>
  "memref.copy"(%X, %a) : (memref<2xi16>, memref<2xi16>) -> ()
  %y = memref.load %a[%c0] : memref<2xi16>
  %l = memref.load %h[%c0] : memref<3xi8>
  func.return %l : i8
}
// CHECK-LABEL: func.func @behind_three(%X: memref<2xi16>) -> i8 {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
// CHECK-NEXT: %array = scratch.view %arena[4 : i64] : memref<8xi8> to memref<2xi16>
// CHECK-NEXT: %h = scratch.view %arena[0 : i64] : memref<8xi8> to memref<3xi8>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %k = memref.load %h[%c0] : memref<3xi8>
// CHECK-NEXT: %a = scratch.slice %array[%c0] : memref<2xi16> to memref<2xi16>
// CHECK-NEXT: "memref.copy"(%X, %a) : (memref<2xi16>, memref<2xi16>) -> ()
// CHECK-NEXT: %y = memref.load %a[%c0] : memref<2xi16>
// CHECK-NEXT: %l = memref.load %h[%c0] : memref<3xi8>
// CHECK-NEXT: func.return %l : i8

// One byte less, and there is no room; nor where the last op that uses the array reads a buffer, nor the first.
func.func @no_room(%X: memref<2xi16>) -> i8 {
  %array = memref.alloca() : memref<2xi16>
  %arena = scratch.arena {alignment = 1 : i64} : memref<7xi8>
  %h = scratch.view %arena[0 : i64] : memref<7xi8> to memref<3xi8>
  %c0 = arith.constant 0 : index
  %k = memref.load %h[%c0] : memref<3xi8>
  %a = scratch.slice %array[%c0] : memref<2xi16> to memref<2xi16>
  "memref.copy"(%X, %a) : (memref<2xi16>, memref<2xi16>) -> ()
  %y = memref.load %a[%c0] : memref<2xi16>
  %l = memref.load %h[%c0] : memref<3xi8>
  func.return %l : i8
}
// CHECK-LABEL: func.func @no_room(%X: memref<2xi16>) -> i8 {
// CHECK-NEXT: %array = memref.alloca() : memref<2xi16>
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<7xi8>
// CHECK-NEXT: %h = scratch.view %arena[0 : i64] : memref<7xi8> to memref<3xi8>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %k = memref.load %h[%c0] : memref<3xi8>
// CHECK-NEXT: %a = scratch.slice %array[%c0] : memref<2xi16> to memref<2xi16>
// CHECK-NEXT: "memref.copy"(%X, %a) : (memref<2xi16>, memref<2xi16>) -> ()
// CHECK-NEXT: %y = memref.load %a[%c0] : memref<2xi16>
// CHECK-NEXT: %l = memref.load %h[%c0] : memref<3xi8>
// CHECK-NEXT: func.return %l : i8

// The input is there before the first op, a state before and after all.
func.func @kept(%X: memref<4xi8>) -> i8 {
  %array = memref.alloca() : memref<4xi8>
  %after = memref.alloca() : memref<4xi8>
  %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
  %input = scratch.view %arena[0 : i64] {input} : memref<8xi8> to memref<4xi8>
  %state = scratch.view %arena[4 : i64] {state} : memref<8xi8> to memref<4xi8>
  %c0 = arith.constant 0 : index
  %a = scratch.slice %array[%c0] : memref<4xi8> to memref<4xi8>
  "memref.copy"(%X, %a) : (memref<4xi8>, memref<4xi8>) -> ()
  %x = memref.load %a[%c0] : memref<4xi8>
  %i = memref.load %input[%c0] : memref<4xi8>
  %s = memref.load %state[%c0] : memref<4xi8>
  %b = scratch.slice %after[%c0] : memref<4xi8> to memref<4xi8>
  "memref.copy"(%X, %b) : (memref<4xi8>, memref<4xi8>) -> ()
  %y = memref.load %b[%c0] : memref<4xi8>
  func.return %y : i8
}
// CHECK-LABEL: func.func @kept(%X: memref<4xi8>) -> i8 {
// CHECK-NEXT: %array = memref.alloca() : memref<4xi8>
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
// CHECK-NEXT: %after = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4xi8>
// CHECK-NEXT: %input = scratch.view %arena[0 : i64] {input} : memref<8xi8> to memref<4xi8>
// CHECK-NEXT: %state = scratch.view %arena[4 : i64] {state} : memref<8xi8> to memref<4xi8>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %a = scratch.slice %array[%c0] : memref<4xi8> to memref<4xi8>
// CHECK-NEXT: "memref.copy"(%X, %a) : (memref<4xi8>, memref<4xi8>) -> ()
// CHECK-NEXT: %x = memref.load %a[%c0] : memref<4xi8>
// CHECK-NEXT: %i = memref.load %input[%c0] : memref<4xi8>
// CHECK-NEXT: %s = memref.load %state[%c0] : memref<4xi8>
// CHECK-NEXT: %b = scratch.slice %after[%c0] : memref<4xi8> to memref<4xi8>
// CHECK-NEXT: "memref.copy"(%X, %b) : (memref<4xi8>, memref<4xi8>) -> ()
// CHECK-NEXT: %y = memref.load %b[%c0] : memref<4xi8>
// CHECK-NEXT: func.return %y : i8

// The slice does not begin at the array's start: the array keeps its place, though the arena has room.
func.func @later(%X: memref<2xi8>) {
  %array = memref.alloca() : memref<8xi8>
  %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = scratch.slice %array[%c4] : memref<8xi8> to memref<2xi8>
  "memref.copy"(%X, %a) : (memref<2xi8>, memref<2xi8>) -> ()
  %x = memref.load %a[%c0] : memref<2xi8>
  func.return
}
// CHECK-LABEL: func.func @later(%X: memref<2xi8>) {
// CHECK-NEXT: %array = memref.alloca() : memref<8xi8>
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %a = scratch.slice %array[%c4] : memref<8xi8> to memref<2xi8>
// CHECK-NEXT: "memref.copy"(%X, %a) : (memref<2xi8>, memref<2xi8>) -> ()
// CHECK-NEXT: %x = memref.load %a[%c0] : memref<2xi8>
// CHECK-NEXT: func.return
// CHECK-NEXT: }
