// RUN: tinyml-opt %s -p 'tile-segment{first=y.0 last=z.1 by=blocks},canonicalize,cse' | filecheck %s

// The four pixels under a window of the pool are computed together; no ring of the convolution's result is kept.
func.func @pooled(%X: tensor<1x8x8x2x!fixed.q<8, 7>>) -> tensor<1x3x3x4x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<4x3x3x2xi8> -> tensor<4x3x3x2x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x3x3x2x!fixed.q<8, 7>>, tensor<1x8x8x2x!fixed.q<8, 7>> -> tensor<1x6x6x4x!fixed.q<8, 5>>
  %z = tdsl.max_pool %y {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : tensor<1x6x6x4x!fixed.q<8, 5>> -> tensor<1x3x3x4x!fixed.q<8, 5>>
  func.return %z : tensor<1x3x3x4x!fixed.q<8, 5>>
}
// CHECK: [[whole:%.*]] = tensor.empty() : tensor<1x3x3x4x!fixed.q<8, 5>>
// CHECK: scf.for {{.*}} -> (tensor<1x3x3x4x!fixed.q<8, 5>>)
// CHECK: scf.for {{.*}} -> (tensor<1x3x3x4x!fixed.q<8, 5>>)
// CHECK: [[block:%.*]] = tensor.empty() : tensor<1x2x2x4x!fixed.q<8, 5>>
// CHECK: scf.for {{.*}} -> (tensor<1x2x2x4x!fixed.q<8, 5>>)
// CHECK: scf.for {{.*}} -> (tensor<1x2x2x4x!fixed.q<8, 5>>)
// CHECK: tdsl.window %X
// CHECK: tdsl.max_pool
// CHECK: tdsl.insert_slice
