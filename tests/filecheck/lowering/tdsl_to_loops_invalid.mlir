// RUN: tinyml-opt %s -p lower-tdsl-to-loops --verify-diagnostics | filecheck %s

func.func @f(%X: memref<2x3xf32>, %Y: memref<2x3xf32>) {
  tdsl.normalise_l2 %X : memref<2x3xf32> into %Y : memref<2x3xf32>
  func.return
}
// CHECK: tdsl.normalise_l2 is not supported yet: it has no lowering to loops
