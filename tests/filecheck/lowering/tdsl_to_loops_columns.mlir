// RUN: tinyml-opt %s -p lower-tdsl-to-loops --split-input-file | filecheck %s

// A mean of each row is loaded once, before the elements of the row.
func.func @rows(%X: memref<2x3xf32>, %m: memref<2x1xf32>, %Y: memref<2x3xf32>) {
  tdsl.sub %X, %m : memref<2x3xf32>, memref<2x1xf32> into %Y : memref<2x3xf32>
  func.return
}
// CHECK-LABEL: func.func @rows
// CHECK: scf.for [[i:%.*]] = {{.*}} {
// CHECK: [[m:%.*]] = memref.load %m{{\[}}[[i]], {{.*}}] : memref<2x1xf32>
// CHECK: num.nest %{{.*}} to 3 {
// CHECK: num.sub {{.*}}, [[m]] : f32, f32 -> f32
// CHECK: memref.store

// -----

// Rows of one element are a nest over the rows, and so are elements that a row of numbers is subtracted from.
func.func @others(%X: memref<2x1xf32>, %m: memref<2x1xf32>, %Z: memref<2x3xf32>, %r: memref<1x3xf32>, %Y: memref<2x1xf32>, %W: memref<2x3xf32>) {
  tdsl.sub %X, %m : memref<2x1xf32>, memref<2x1xf32> into %Y : memref<2x1xf32>
  tdsl.sub %Z, %r : memref<2x3xf32>, memref<1x3xf32> into %W : memref<2x3xf32>
  func.return
}
// CHECK-LABEL: func.func @others
// CHECK-NOT: scf.for
// CHECK: num.nest %{{.*}} to 2 {
// CHECK-NOT: scf.for
// CHECK: num.nest %{{.*}}, %{{.*}} to 2, 3 {
