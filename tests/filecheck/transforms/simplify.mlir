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

// What only dead ops of later blocks use is dead, and so is a block that nothing reaches.
func.func @unreached(%c: i1, %x: i32) -> i32 {
  %unused = arith.muli %x, %x : i32
  cf.cond_br %c, ^left, ^right
^left:
  %dead = arith.addi %unused, %x : i32
  func.return %x : i32
^right:
  %kept = arith.addi %x, %x : i32
  func.return %kept : i32
^nowhere:
  func.return %x : i32
}
// CHECK-LABEL: func.func @unreached(%c: i1, %x: i32) -> i32 {
// CHECK-NEXT: cf.cond_br %c, ^left, ^right
// CHECK-NEXT: ^left:
// CHECK-NEXT: func.return %x : i32
// CHECK-NEXT: ^right:
// CHECK-NEXT: %kept = arith.addi %x, %x : i32
// CHECK-NEXT: func.return %kept : i32
// CHECK-NEXT: }

// A block becomes part of the one before it once nothing else leads to it.
func.func @merged(%x: i32) -> i32 {
  %t = arith.constant true
  cf.cond_br %t, ^b, ^a
^a:
  cf.br ^b
^b:
  %u = arith.addi %x, %x : i32
  func.return %u : i32
}
// CHECK-LABEL: func.func @merged(%x: i32) -> i32 {
// CHECK-NEXT: %u = arith.addi %x, %x : i32
// CHECK-NEXT: func.return %u : i32

func.func private @elsewhere() -> ()

// Loads without users are dead, also in loops, and so are buffers of ours. Equal loads are one across another load.
func.func @loads(%m: memref<4xi32>, %i: index, %j: index, %n: index) -> (i32, i32, i32) {
  %a = memref.load %m[%i] : memref<4xi32>
  %b = memref.load %m[%j] : memref<4xi32>
  %c = memref.load %m[%i] : memref<4xi32>
  scf.for %k = %i to %n step %j {
    %dead = memref.load %m[%k] : memref<4xi32>
  }
  %unused = memref.load %m[%n] : memref<4xi32>
  %buffer = scratch.alloc : memref<4xi32>
  %foreign = memref.alloc() : memref<4xi32>
  func.return %a, %b, %c : i32, i32, i32
}
// CHECK-LABEL: func.func @loads(%m: memref<4xi32>, %i: index, %j: index, %n: index) -> (i32, i32, i32) {
// CHECK-NEXT: %a = memref.load %m[%i] : memref<4xi32>
// CHECK-NEXT: %b = memref.load %m[%j] : memref<4xi32>
// CHECK-NEXT: %foreign = memref.alloc() : memref<4xi32>
// CHECK-NEXT: func.return %a, %b, %a : i32, i32, i32

// Loads are not equal with a store between them; branches without effects are.
func.func @stores(%m: memref<4xi32>, %i: index, %x: i32, %c: i1) -> (i32, i32, i32, i32) {
  %a = memref.load %m[%i] : memref<4xi32>
  %b = scf.if %c -> (i32) {
    scf.yield %x : i32
  } else {
    %twice = arith.addi %x, %x : i32
    scf.yield %twice : i32
  }
  memref.store %x, %m[%i] : memref<4xi32>
  %d = memref.load %m[%i] : memref<4xi32>
  %e = scf.if %c -> (i32) {
    scf.yield %x : i32
  } else {
    %twice = arith.addi %x, %x : i32
    scf.yield %twice : i32
  }
  func.return %a, %b, %d, %e : i32, i32, i32, i32
}
// CHECK-LABEL: func.func @stores
// CHECK-NEXT: %a = memref.load
// CHECK-NEXT: %b = scf.if
// CHECK: memref.store
// CHECK-NEXT: %d = memref.load
// CHECK-NEXT: func.return %a, %b, %d, %b

// A loop shares what is equal before it; functions share nothing, not even after another one.
func.func @shared_in(%m: memref<4xi32>, %x: i32, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %square = arith.muli %x, %x : i32
  memref.store %square, %m[%zero] : memref<4xi32>
  scf.for %i = %zero to %n step %one {
    %again = arith.muli %x, %x : i32
    memref.store %again, %m[%i] : memref<4xi32>
  }
  func.return
}
// CHECK-LABEL: func.func @shared_in(%m: memref<4xi32>, %x: i32, %n: index) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %square = arith.muli %x, %x : i32
// CHECK-NEXT: memref.store %square, %m[%zero] : memref<4xi32>
// CHECK-NEXT: scf.for %i = %zero to %n step %one {
// CHECK-NEXT: memref.store %square, %m[%i] : memref<4xi32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

func.func @one() -> i32 {
  %seven = arith.constant 7 : i32
  func.return %seven : i32
}
func.func @another() -> i32 {
  %seven = arith.constant 7 : i32
  func.return %seven : i32
}
// CHECK-LABEL: func.func @one() -> i32 {
// CHECK-NEXT: %seven = arith.constant 7 : i32
// CHECK-NEXT: func.return %seven : i32
// CHECK-LABEL: func.func @another() -> i32 {
// CHECK-NEXT: %seven = arith.constant 7 : i32
// CHECK-NEXT: func.return %seven : i32

// A loop that writes an allocated register does so besides what its ops do: equal loads are not one across it.
func.func @registers(%m: memref<4xi32>, %i: index, %n: !riscv.reg, %x: !riscv.freg<ft0>, %y: !riscv.freg) -> (i32, i32, i32) {
  %a = memref.load %m[%i] : memref<4xi32>
  %r = riscv_snitch.frep_outer %n : !riscv.reg iter_args(%s = %x) -> (!riscv.freg<ft0>) {
    riscv_snitch.frep_yield %s : !riscv.freg<ft0>
  }
  %b = memref.load %m[%i] : memref<4xi32>
  %q = riscv_snitch.frep_outer %n : !riscv.reg iter_args(%t = %y) -> (!riscv.freg) {
    riscv_snitch.frep_yield %t : !riscv.freg
  }
  %c = memref.load %m[%i] : memref<4xi32>
  func.return %a, %b, %c : i32, i32, i32
}
// CHECK-LABEL: func.func @registers(%m: memref<4xi32>, %i: index, %n: !riscv.reg, %x: !riscv.freg<ft0>, %y: !riscv.freg) -> (i32, i32, i32) {
// CHECK-NEXT: %a = memref.load %m[%i] : memref<4xi32>
// CHECK-NEXT: %r = riscv_snitch.frep_outer %n : !riscv.reg iter_args(%s = %x) -> (!riscv.freg<ft0>) {
// CHECK-NEXT: riscv_snitch.frep_yield %s : !riscv.freg<ft0>
// CHECK-NEXT: }
// CHECK-NEXT: %b = memref.load %m[%i] : memref<4xi32>
// CHECK-NEXT: func.return %a, %b, %b : i32, i32, i32
