// What has no form in upstream dialects is said in one line.

// RUN: tinyml-opt %s -p bits-to-upstream --split-input-file --verify-diagnostics | filecheck %s

func.func @f(%x: memref<4xi8>) attributes {tdsl.interface = #tdsl.interface<instances>} {
  func.return
}
// CHECK: 'f' has no form in upstream dialects: its caller gives it the memory of an instance

// -----

func.func @f(%x: memref<4xi8>) -> index {
  %w = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2xi8>
  %zero = arith.constant 0 : index
  func.return %zero : index
}
// CHECK: 'f' has no form in upstream dialects: its caller writes the weights

// -----

func.func @f(%x: memref<4xi8>) -> index {
  %zero = arith.constant 0 : index
  %sum = arith.constant 0 : i16
  %w = scratch.constant dense<[1, 2, 3, 4]> : tensor<4xi8> -> memref<4xi8, #scratch.flash>
  %s = func.call @tm_dot_s8_s8_s16(%sum, %w, %x) : (i16, memref<4xi8, #scratch.flash>, memref<4xi8>) -> i16
  func.return %zero : index
}
func.func private @tm_dot_s8_s8_s16(i16, memref<4xi8, #scratch.flash>, memref<4xi8>) -> i16
// CHECK: 'tm_dot_s8_s8_s16' is not a function of the runtime: lower the program from L2 by buffers-to-upstream, without kernels

// -----

func.func @f(%x: memref<4xi8>) -> memref<4xi8> {
  func.return %x : memref<4xi8>
}
// CHECK: the scores must be a view of the arena, or a slice at a constant offset

// -----

func.func @f(%x: memref<4xi8>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %y = scf.for %i = %zero to %one step %one iter_args(%m = %x) -> (memref<4xi8>) {
    scf.yield %m : memref<4xi8>
  }
  func.return
}
// CHECK: 'scf.for' has no form in upstream dialects

// -----

func.func private @declared(memref<4xi8>)
// CHECK: expected one function with a body, got 0
