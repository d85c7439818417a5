// What has no memory in hardware is said in one line.

// RUN: tinyml-opt %s -p lower-arith-to-rtl --split-input-file --verify-diagnostics | filecheck %s

func.func @arena(%x: memref<4xi8>) {
  %arena = scratch.arena {alignment = 1 : i64} : memref<4xi8>
  %zero = arith.constant 0 : index
  %v = memref.load %x[%zero] : memref<4xi8>
  memref.store %v, %arena[%zero] : memref<4xi8>
  func.return
}
// CHECK: 'scratch.arena' gives memref<4xi8>, hardware has an argument, a constant, a local array or a view of the arena

// -----

func.func @carried(%x: memref<4xi8>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %y = scf.for %i = %zero to %one step %one iter_args(%m = %x) -> (memref<4xi8>) {
    scf.yield %m : memref<4xi8>
  }
  %v = memref.load %y[%zero] : memref<4xi8>
  func.return
}
// CHECK: 'scf.for' has no hardware

// -----

func.func private @declared(memref<4xi8>)
// CHECK: expected one function after inline-runtime, got 0

// -----

func.func @floats(%x: memref<4xi8>) {
  %one = arith.constant 1.0 : f32
  %y = func.call @tm_expf(%one) : (f32) -> f32
  func.return
}
func.func private @tm_expf(f32) -> f32
// CHECK: 'tm_expf' has no integer program

// -----

// An op of a model whose file has no lines is named by its layer.
func.func @layer(%x: memref<4xi8>) {
  %one = arith.constant 1.0 : f32
  %y = func.call @tm_expf(%one) : (f32) -> f32 loc("Softmax 'head'"("net.onnx":0:0))
  func.return
}
func.func private @tm_expf(f32) -> f32
// CHECK: net.onnx: Softmax 'head': 'tm_expf' has no integer program

// -----

func.func @unbounded(%x: memref<4xi32>) -> memref<4xi32> {
  %zero = arith.constant 0 : index
  %v = memref.load %x[%zero] : memref<4xi32>
  %n = arith.index_cast %v : i32 to index
  %at = affine.apply affine_map<(d0) -> (d0 mod 4)> (%n)
  %w = memref.load %x[%at] : memref<4xi32>
  func.return %x : memref<4xi32>
}
// CHECK: hardware divides only indices with a known least value
