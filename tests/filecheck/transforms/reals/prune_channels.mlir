// RUN: tinyml-opt %s -p 'prune-channels{ram=27 bits=8 mode=ordinary}' | filecheck %s
// RUN: tinyml-opt %s -p 'prune-channels{ram=48 bits=8 mode=ordinary}' | filecheck %s --check-prefix=FITS
// RUN: not tinyml-opt %s -p 'prune-channels{ram=11 bits=8 mode=ordinary}' 2>&1 | filecheck %s --check-prefix=LEAST
// RUN: not tinyml-opt %s -p 'prune-channels{ram=27 mode=columns}' 2>&1 | filecheck %s --check-prefix=MODE
// RUN: not tinyml-opt %s -p 'prune-channels{ram=27 bits=8 importance=%S/../Inputs/linear.npz}' 2>&1 | filecheck %s --check-prefix=FILE

// Both convolutions make what is added: of their four channels, the least in both filters together go. The depthwise
// convolution behind the sum loses its filters, the dense layer its columns.
func.func @residual(%X: tensor<1x2x2x1xf32>) -> tensor<2x1xf32> {
  %A = tdsl.const dense<[[[[9.0]]], [[[1.0]]], [[[2.0]]], [[[7.0]]]]> : tensor<4x1x1x1xf32> -> tensor<4x1x1x1xf32>
  %B = tdsl.const dense<[[[[1.0]]], [[[2.0]]], [[[1.0]]], [[[5.0]]]]> : tensor<4x1x1x1xf32> -> tensor<4x1x1x1xf32>
  %C = tdsl.const dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]]> : tensor<4x1x1x1xf32> -> tensor<4x1x1x1xf32>
  %b = tdsl.const dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> -> tensor<4xf32>
  %W = tdsl.const dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32> -> tensor<2x4xf32>
  %y = tdsl.conv2d %A, %X from %b : tensor<4xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x4xf32>
  %z = tdsl.conv2d %B, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x4xf32>
  %s = tdsl.add %y, %z : tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32> -> tensor<1x2x2x4xf32>
  %d = tdsl.conv2d %C, %s {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 4 : i64} : tensor<4x1x1x1xf32>, tensor<1x2x2x4xf32> -> tensor<1x2x2x4xf32>
  %m = tdsl.mean %d {axes = array<i64: 1, 2>} : tensor<1x2x2x4xf32> -> tensor<1x1x1x4xf32>
  %v = tdsl.reshape %m : tensor<1x1x1x4xf32> -> tensor<4x1xf32>
  %p = tdsl.matmul %W, %v : tensor<2x4xf32>, tensor<4x1xf32> -> tensor<2x1xf32>
  func.return %p : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @residual(%X: tensor<1x2x2x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %A = tdsl.const dense<{{\[\[}}{{\[\[}}9.000000e+00]]], {{\[\[}}[7.000000e+00]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
// CHECK-NEXT: %B = tdsl.const dense<{{\[\[}}{{\[\[}}1.000000e+00]]], {{\[\[}}[5.000000e+00]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
// CHECK-NEXT: %C = tdsl.const dense<{{\[\[}}{{\[\[}}1.000000e+00]]], {{\[\[}}[4.000000e+00]]]]> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
// CHECK-NEXT: %b = tdsl.const dense<[1.000000e+00, 4.000000e+00]> : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1.000000e+00, 4.000000e+00], [5.000000e+00, 8.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %y = tdsl.conv2d %A, %X from %b : tensor<2xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
// CHECK-NEXT: %z = tdsl.conv2d %B, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x2x2x2xf32>
// CHECK-NEXT: %s = tdsl.add %y, %z : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32> -> tensor<1x2x2x2xf32>
// CHECK-NEXT: %d = tdsl.conv2d %C, %s {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x1x1x1xf32>, tensor<1x2x2x2xf32> -> tensor<1x2x2x2xf32>
// CHECK-NEXT: %m = tdsl.mean %d {axes = array<i64: 1, 2>} : tensor<1x2x2x2xf32> -> tensor<1x1x1x2xf32>
// CHECK-NEXT: %v = tdsl.reshape %m : tensor<1x1x1x2xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %p = tdsl.matmul %W, %v : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %p : tensor<2x1xf32>

// FITS: tdsl.matmul %W, %v : tensor<2x4xf32>, tensor<4x1xf32> -> tensor<2x1xf32>
// LEAST: error: {{.*}}cannot be pruned to 11 bytes: at 12 bytes no channel of input, y.0, z.1, which are alive at the peak, can go and save memory
// MODE: error: {{.*}}unknown mode 'columns' (one of ordinary
// FILE: error: {{.*}}linear.npz: pass 'prune-channels': has no array `A`, the importance of 4 channels
