// RUN: tinyml-opt %s -p lower-tdsl-to-loops --verify-diagnostics | filecheck %s

func.func @f(%X: memref<1x4x4x2xf32>, %Y: memref<1x2x2x2xf32>) {
  tdsl.maxpool %X {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : memref<1x4x4x2xf32> into %Y : memref<1x2x2x2xf32>
  func.return
}
// CHECK: tdsl.maxpool is not supported yet: it has no lowering to loops
