// What has no spelling in C is refused, with its place.

// RUN: tinyml-opt %s --split-input-file -p lower-arith-to-c --verify-diagnostics | filecheck %s

func.func @divides(%X: memref<1xi32>) -> index {
  %c0 = arith.constant 0 : index
  %x = memref.load %X[%c0] : memref<1xi32>
  %y = arith.remui %x, %x : i32
  func.return %c0 : index
}
// CHECK: arith_to_c_invalid.mlir:8:3: 'arith.remui' has no spelling in C

// -----

func.func private @nobody(f32) -> f32
func.func @calls(%X: memref<1xf32>) -> index {
  %c0 = arith.constant 0 : index
  %x = memref.load %X[%c0] : memref<1xf32>
  %y = func.call @nobody(%x) : (f32) -> f32
  func.return %c0 : index
}
// CHECK: arith_to_c_invalid.mlir:19:3: func.call: no header of the runtime defines the function 'nobody'

// -----

func.func @two(%X: memref<1xf32>, %Y: memref<1xf32>) -> index {
  %c0 = arith.constant 0 : index
  func.return %c0 : index
}
// CHECK: 'two' must map one memref to an index, memrefs or both

// -----

func.func @identity(%X: memref<1xf32>) -> memref<1xf32> {
  func.return %X : memref<1xf32>
}
// CHECK: the scores must be a view of the arena, or a slice of one at a constant offset

// -----

// A function that is declared as a kernel has the name of that kernel, the kernel is one of the target, and code has
// its constants.
builtin.module attributes {tinyml.target = "uno"} {
  func.func @model(%X: memref<1xf32>) -> index {
    %c0 = arith.constant 0 : index
    func.call @other(%c0) : (index) -> ()
    func.return %c0 : index
  }
  func.func private @other(index) -> () attributes {tinyml.kernel = #num.composed_kernel<num.dot, table 4, integer 8, sum = 32>}
}
// CHECK: the function of #num.composed_kernel<num.dot, table 4, integer 8, sum = 32> is 'tm_dot_t4_s8_s32', not 'other'

// -----

builtin.module attributes {tinyml.target = "riscv"} {
  func.func @model(%X: memref<1xf32>) -> index {
    %c0 = arith.constant 0 : index
    func.call @tm_dot_s8_s8_s24(%c0) : (index) -> ()
    func.return %c0 : index
  }
  func.func private @tm_dot_s8_s8_s24(index) -> () attributes {tinyml.kernel = #num.kernel<"tm_dot_s8_s8_s24">}
}
// CHECK: the target 'riscv' has no kernel #num.kernel<"tm_dot_s8_s8_s24">

// -----

builtin.module attributes {tinyml.target = "uno"} {
  func.func @model(%X: memref<1xf32>) -> index {
    %c0 = arith.constant 0 : index
    func.call @tm_avr_rows_0(%c0) : (index) -> ()
    func.return %c0 : index
  }
  func.func private @tm_avr_rows_0(index) -> () attributes {tinyml.kernel = #num.code_kernel<"tm_avr_rows", "0">}
}
// CHECK: the declaration of 'tm_avr_rows_0' has none of tinyml.coded_rows, tinyml.coded_tile, tinyml.forest, tinyml.lanes

// -----

func.func @other(%X: memref<1xi32>) -> index {
  %c0 = arith.constant 0 : index
  %x = memref.load %X[%c0] : memref<1xi32>
  %y = scf.while (%a = %x) : (i32) -> i32 {
    %more = arith.cmpi slt, %a, %x : i32
    scf.condition(%more) %x : i32
  } do {
  ^bb0(%b: i32):
    scf.yield %b : i32
  }
  func.return %c0 : index
}
// CHECK: 'scf.while' must pass on its own arguments to become a loop of C

// -----

// An op of a model whose file has no lines is named by its layer, also inside a loop.
func.func private @nobody(f32) -> f32
func.func @layer(%X: memref<1xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %x = memref.load %X[%c0] : memref<1xf32>
    %y = func.call @nobody(%x) : (f32) -> f32 loc("Linear 'head'"("net.onnx":0:0))
    scf.yield
  }
  func.return %c0 : index
}
// CHECK: net.onnx: Linear 'head': func.call: no header of the runtime defines the function 'nobody'
