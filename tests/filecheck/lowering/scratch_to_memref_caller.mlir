// What works in place takes a buffer of the arena: an array of the caller has no place there.
// RUN: not tinyml-opt %s -p buffers-to-upstream 2>&1 | filecheck %s

func.func @given(%X: memref<1x4x4x1xf32>) -> memref<1x2x2x1xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %y = scratch.view %arena[0 : i64] : memref<16xi8> to memref<1x2x2x1xf32>
  %F = scratch.constant dense<1.0> : tensor<1x3x3x1xf32> -> memref<1x3x3x1xf32, #scratch.flash>
  tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, turns = array<i64: 2>} : memref<1x3x3x1xf32, #scratch.flash>, memref<1x4x4x1xf32> into %y : memref<1x2x2x1xf32>
  func.return %y : memref<1x2x2x1xf32>
}
// CHECK: an op that works in place takes a buffer of the arena, got an array of the caller
