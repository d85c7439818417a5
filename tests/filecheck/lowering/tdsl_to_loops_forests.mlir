// RUN: tinyml-opt %s -p lower-tdsl-to-loops,canonicalize --split-input-file | filecheck %s

// A threshold is the greatest raw below: 0.1 is 1.6 sixteenths, -0.1 is -1.6. What every number of the format decides
// alike is no node: 8 is beyond 127 sixteenths. Leaves of equal votes are one, and a node with two of them is none.
func.func @exact(%x: memref<1x3x!fixed.q<8, 4>>, %sums: memref<1x2x!fixed.q<16, 7>>) {
  %votes = scratch.constant dense<[[1, 2], [3, 4], [1, 2], [5, 6]]> : tensor<4x2xi8> -> memref<4x2x!fixed.q<8, 7>, #scratch.flash>
  tdsl.forest %x, %votes {features = dense<[1, 2, 0, 1]> : tensor<4xi32>, thresholds = dense<[0.1, -0.1, 8.0, 0.0]> : tensor<4xf64>, children = dense<[[1, 2], [-1, -2], [-2, -3], [-1, -3]]> : tensor<4x2xi32>, roots = dense<[0, 3, -4]> : tensor<3xi32>} : memref<1x3x!fixed.q<8, 4>>, memref<4x2x!fixed.q<8, 7>, #scratch.flash> into %sums : memref<1x2x!fixed.q<16, 7>>
  func.return
}
// CHECK-LABEL: func.func @exact
// CHECK: num.forest
// CHECK-SAME: features = dense<[1, 2]> : tensor<2xi32>
// CHECK-SAME: thresholds = dense<[1, -2]> : tensor<2xi8>
// CHECK-SAME: children = dense<{{\[\[}}1, -2], [-1, -2]]> : tensor<2x2xi32>
// CHECK-SAME: roots = dense<[0, -1, -3]> : tensor<3xi32>
// CHECK-SAME: votes = dense<{{\[\[}}1, 2], [3, 4], [5, 6]]> : tensor<3x2xi16>

// -----

// Eight bits do not hold the sums: each addition rounds, after a walk that stores the leaf of each tree.
func.func @rounded(%x: memref<1x1x!fixed.q<8, 4>>, %sums: memref<1x1x!fixed.q<8, 7>>) {
  %votes = scratch.constant dense<[[100], [50]]> : tensor<2x1xi8> -> memref<2x1x!fixed.q<8, 7>, #scratch.flash>
  tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<[0, -1]> : tensor<2xi32>} : memref<1x1x!fixed.q<8, 4>>, memref<2x1x!fixed.q<8, 7>, #scratch.flash> into %sums : memref<1x1x!fixed.q<8, 7>>
  func.return
}
// CHECK-LABEL: func.func @rounded
// CHECK: %leaves = memref.alloca() : memref<2xi16>
// CHECK: num.forest %leaves
// CHECK-SAME: votes = dense<{{\[\[}}0, 0], [1, 0], [0, 2]]> : tensor<3x2xi16>
// CHECK: scf.for
// CHECK: memref.load %leaves
// CHECK: num.add
