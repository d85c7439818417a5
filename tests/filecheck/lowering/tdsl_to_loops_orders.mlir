// RUN: tinyml-opt %s -p 'lower-tdsl-to-scratch,pack-scratch,check-packing,lower-tdsl-to-loops,canonicalize' | filecheck %s

// A window of an image whose channels come first is gathered channel by channel: 20 elements apart, columns 1, rows 5.
// An insertion in another order goes the other way.
func.func @f(%X: tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> {
  %i = arith.constant 1 : index
  %z = arith.constant 0 : index
  %w = tdsl.window %X[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>, axes = array<i64: 0, 2, 3, 1>} : tensor<1x3x4x5xf32> -> tensor<1x2x2x3xf32>
  %e = tensor.empty() : tensor<1x3x4x5xf32>
  %y = tdsl.insert_slice %w, %e[%z, %z, %i, %i] {axes = array<i64: 0, 2, 3, 1>} : tensor<1x2x2x3xf32>, tensor<1x3x4x5xf32> -> tensor<1x3x4x5xf32>
  func.return %y : tensor<1x3x4x5xf32>
}
// CHECK: [[C20:%.*]] = arith.constant 20 : index
// CHECK: scf.for [[ROW:%.*]] =
// CHECK: scf.for [[C:%.*]] =
// CHECK: arith.muli [[C]], [[C20]]
// CHECK: scf.for
// CHECK: memref.load
// CHECK: memref.store
