// Forests read what they print: on reals, in formats, on buffers, with children that are leaves and trees of one leaf.

// RUN: %roundtrip

func.func @forests(%x: tensor<1x3xf32>, %votes: tensor<3x2xf32>, %q: tensor<3x!fixed.q<8, 4>>, %p: tensor<3x2x!fixed.q<8, 7>>) {
  %sums = tdsl.forest %x, %votes {features = dense<[2, 0]> : tensor<2xi32>, thresholds = dense<[0.5, -1.25]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0, -2]> : tensor<2xi32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: %sums = tdsl.forest %x, %votes {
// CHECK-SAME: features = dense<[2, 0]> : tensor<2xi32>
// CHECK-SAME: thresholds = dense<[5.000000e-01, -1.250000e+00]> : tensor<2xf64>
// CHECK-SAME: children = dense<{{\[\[}}1, -1], [-2, -3]]> : tensor<2x2xi32>
// CHECK-SAME: roots = dense<[0, -2]> : tensor<2xi32>
// CHECK-SAME: tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
  %wide = tdsl.forest %q, %p {features = dense<1> : tensor<1xi32>, thresholds = dense<0.1> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, shares = dense<[[0.25, 0.75]]> : tensor<1x2xf32>} : tensor<3x!fixed.q<8, 4>>, tensor<3x2x!fixed.q<8, 7>> -> tensor<1x2x!fixed.q<16, 7>>
// CHECK: %wide = tdsl.forest %q, %p {
// CHECK-SAME: thresholds = dense<1.000000e-01> : tensor<1xf64>
// CHECK-SAME: shares = dense<{{\[\[}}2.500000e-01, 7.500000e-01]]> : tensor<1x2xf32>
// CHECK-SAME: tensor<3x!fixed.q<8, 4>>, tensor<3x2x!fixed.q<8, 7>> -> tensor<1x2x!fixed.q<16, 7>>
  func.return
}

func.func @buffers(%x: memref<1x3x!fixed.q<8, 4>>, %votes: memref<2x1x!fixed.q<8, 7>, #scratch.flash>, %sums: memref<1x1x!fixed.q<8, 7>>) {
  tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.1> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : memref<1x3x!fixed.q<8, 4>>, memref<2x1x!fixed.q<8, 7>, #scratch.flash> into %sums : memref<1x1x!fixed.q<8, 7>>
// CHECK: tdsl.forest %x, %votes
// CHECK-SAME: into %sums : memref<1x1x!fixed.q<8, 7>>
  func.return
}
