// What is no scheduled program for hardware is said in one line.

// RUN: tinyml-opt %s -p lower-rtl-to-hw --split-input-file --verify-diagnostics | filecheck %s

func.func @floats() -> f32 {
  %x = arith.constant 1.0 : f32
  func.return %x : f32
}
// CHECK: 'lower-rtl-to-hw' takes integers, memories and streams: 'arith.constant' has the type f32

// -----

func.func @tensors(%x: tensor<2x1x!fixed.q<16, 12>>) -> tensor<2x1x!fixed.q<16, 12>> {
  func.return %x : tensor<2x1x!fixed.q<16, 12>>
}
// CHECK: 'func.func' has the type tensor<2x1x!fixed.q<16, 12>>

// -----

func.func private @declared() -> index
// CHECK: the function 'declared' has no body

// -----

func.func @other() {
  %x = "test.op"() : () -> i8
  func.return
}
// CHECK: 'test.op' is of another level

// -----

func.func @carried() {
  %w = rtl.memory : !rtl.memory<4, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %one step %one iter_args(%m = %w) -> (!rtl.memory<4, 8>) {
    scf.yield %m : !rtl.memory<4, 8>
  }
  func.return
}
// CHECK: 'scf.for' has a memory as operand, expected only loads and stores of memories

// -----

func.func @given(%x: !rtl.memory<4, 8>) {
  func.return
}
// CHECK: a program receives its input, expected no arguments

// -----

func.func @cycle() {
  %x = rtl.receive : i8
  func.return
}
// CHECK: 'rtl.receive' without 'rtl.cycle': run schedule-cycles first

// -----

func.func @interval() {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %one step %one {
    %x = rtl.receive {rtl.cycle = 0 : i64} : i8
  }
  func.return
}
// CHECK: a loop without 'rtl.interval': run schedule-cycles first

// -----

func.func @logic() {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %one step %one {
    %x = rtl.receive {rtl.cycle = 0 : i64} : i8
    %y = arith.addi %x, %x : i8
    rtl.send %y to 0 : i64 {rtl.cycle = 1 : i64} : i8
  } {rtl.interval = 1 : i64}
  func.return
}
// CHECK: 'arith.addi' without 'rtl.cycle': run schedule-cycles first

// -----

func.func @early() {
  %w = rtl.memory dense<1> : tensor<4xi8> : !rtl.memory<4, 8>
  %zero = arith.constant 0 : index
  %x = rtl.load %w[%zero] {rtl.cycle = 2 : i64} : !rtl.memory<4, 8> -> i8
  rtl.send %x to 0 : i64 {rtl.cycle = 2 : i64} : i8
  func.return
}
// CHECK: 'rtl.send' begins in cycle 2, what it takes is there in cycle 3

// -----

func.func @wire() {
  %x = rtl.receive {rtl.cycle = 0 : i64} : i8
  %y = arith.addi %x, %x : i8
  rtl.send %y to 0 : i64 {rtl.cycle = 1 : i64} : i8
  func.return
}
// CHECK: 'arith.addi' is a wire, what it takes is there in cycle 0

// -----

func.func @unwritten() {
  %w = rtl.memory : !rtl.memory<4, 8>
  %zero = arith.constant 0 : index
  %x = rtl.load %w[%zero] {rtl.cycle = 0 : i64} : !rtl.memory<4, 8> -> i8
  rtl.send %x to 0 : i64 {rtl.cycle = 1 : i64} : i8
  func.return
}
// CHECK: 'rtl.load' reads a memory that has no content and is never written

// -----

func.func @still() {
  %zero = arith.constant 0 : index
  scf.for %i = %zero to %zero step %zero {
  }
  func.return
}
// CHECK: 'scf.for' has a step of 0
