// RUN: tinyml-opt %s -p simplify | filecheck %s

// A sum that folds to a constant makes the rest of a chain dead, in nested regions, too.
func.func @chain(%x: i32, %n: index) -> i32 {
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %five = arith.addi %two, %three : i32
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %y = scf.for %i = %zero to %n step %one iter_args(%sum = %x) -> (i32) {
    %dead = arith.muli %sum, %sum : i32
    %deader = arith.addi %dead, %sum : i32
    %next = arith.addi %sum, %five : i32
    scf.yield %next : i32
  }
  func.return %y : i32
}
// CHECK-LABEL: func.func @chain(%x: i32, %n: index) -> i32 {
// CHECK-NEXT: %five = arith.constant 5 : i32
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %y = scf.for %i = %zero to %n step %one iter_args(%sum = %x) -> (i32) {
// CHECK-NEXT: %next = arith.addi %sum, %five : i32
// CHECK-NEXT: scf.yield %next : i32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : i32

// A loop without effects goes, one that stores stays.
func.func @loops(%m: memref<4xi32>, %x: i32, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %dead = arith.muli %x, %x : i32
  }
  scf.for %j = %zero to %n step %one {
    memref.store %x, %m[%j] : memref<4xi32>
  }
  func.return
}
// CHECK-LABEL: func.func @loops(%m: memref<4xi32>, %x: i32, %n: index) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: scf.for %j = %zero to %n step %one {
// CHECK-NEXT: memref.store %x, %m[%j] : memref<4xi32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// A sum that folds leaves a constant behind the walk, in a loop that it leaves in the next one.
func.func @behind(%m: memref<4xindex>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %i = %zero to %n step %one {
    scf.for %j = %zero to %n step %one {
      %five = arith.addi %four, %one : index
      memref.store %five, %m[%j] : memref<4xindex>
    }
  }
  func.return
}
// CHECK-LABEL: func.func @behind(%m: memref<4xindex>, %n: index) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %five = arith.constant 5 : index
// CHECK-NEXT: scf.for %i = %zero to %n step %one {
// CHECK-NEXT: scf.for %j = %zero to %n step %one {
// CHECK-NEXT: memref.store %five, %m[%j] : memref<4xindex>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// Blocks of a function may use each other's values in any order.
func.func @blocks(%c: i1, %x: i32) -> i32 {
  cf.br ^entry
^exit:
  func.return %kept : i32
^entry:
  %kept = arith.addi %x, %x : i32
  %dead = arith.muli %x, %x : i32
  cf.br ^exit
}
// CHECK-LABEL: func.func @blocks(%c: i1, %x: i32) -> i32 {
// CHECK-NEXT: %kept = arith.addi %x, %x : i32
// CHECK-NEXT: func.return %kept : i32
