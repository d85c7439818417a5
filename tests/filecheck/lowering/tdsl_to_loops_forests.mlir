// RUN: tinyml-opt %s -p lower-tdsl-to-loops,canonicalize --split-input-file | filecheck %s

// A threshold is the greatest raw below: 0.1 is 1.6 sixteenths, -0.1 is -1.6. What every number of the format decides
// alike is no node: 8 is beyond 127 sixteenths. Leaves of equal votes are one, and a node with two of them is none.
func.func @exact(%x: memref<1x3x!fixed.q<8, 4>>, %sums: memref<1x2x!fixed.q<16, 7>>) {
  %votes = scratch.constant dense<[[1, 2], [3, 4], [1, 2], [5, 6]]> : tensor<4x2xi8> -> memref<4x2x!fixed.q<8, 7>, #scratch.flash>
  tdsl.forest %x, %votes {features = dense<[1, 2, 0, 1]> : tensor<4xi32>, thresholds = dense<[0.1, -0.1, 8.0, 0.0]> : tensor<4xf64>, children = dense<[[1, 2], [-1, -2], [-2, -3], [-1, -3]]> : tensor<4x2xi32>, roots = dense<[0, 3, -4]> : tensor<3xi32>} : memref<1x3x!fixed.q<8, 4>>, memref<4x2x!fixed.q<8, 7>, #scratch.flash> into %sums : memref<1x2x!fixed.q<16, 7>>
  func.return
}
// CHECK-LABEL: func.func @exact(%x: memref<1x3x!fixed.q<8, 4>>, %sums: memref<1x2x!fixed.q<16, 7>>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %x{{\[}}[[v0]]] : memref<1x3x!fixed.q<8, 4>> to memref<3x!fixed.q<8, 4>>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %sums{{\[}}[[v0]]] : memref<1x2x!fixed.q<16, 7>> to memref<2x!fixed.q<16, 7>>
// CHECK-NEXT: num.forest [[v2]], [[v1]] {features = dense<[1, 2]> : tensor<2xi32>, thresholds = dense<[1, -2]> : tensor<2xi8>, children = dense<{{\[\[}}1, -2], [-1, -2]]> : tensor<2x2xi32>, roots = dense<[0, -1, -3]> : tensor<3xi32>, votes = dense<{{\[\[}}1, 2], [3, 4], [5, 6]]> : tensor<3x2xi16>} : memref<2x!fixed.q<16, 7>>, memref<3x!fixed.q<8, 4>>
// CHECK-NEXT: func.return

// -----

// Eight bits do not hold the sums: each addition rounds, after a walk that stores the leaf of each tree.
func.func @rounded(%x: memref<1x1x!fixed.q<8, 4>>, %sums: memref<1x1x!fixed.q<8, 7>>) {
  %votes = scratch.constant dense<[[100], [50]]> : tensor<2x1xi8> -> memref<2x1x!fixed.q<8, 7>, #scratch.flash>
  tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<[0, -1]> : tensor<2xi32>} : memref<1x1x!fixed.q<8, 4>>, memref<2x1x!fixed.q<8, 7>, #scratch.flash> into %sums : memref<1x1x!fixed.q<8, 7>>
  func.return
}
// CHECK-LABEL: func.func @rounded(%x: memref<1x1x!fixed.q<8, 4>>, %sums: memref<1x1x!fixed.q<8, 7>>) {
// CHECK-NEXT: %leaves = memref.alloca() : memref<2xi16>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %x{{\[}}[[v0]]] : memref<1x1x!fixed.q<8, 4>> to memref<1x!fixed.q<8, 4>>
// CHECK-NEXT: num.forest %leaves, [[v1]] {features = dense<0> : tensor<1xi32>, thresholds = dense<8> : tensor<1xi8>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<[0, -3]> : tensor<2xi32>, votes = dense<{{\[\[}}0, 0], [1, 0], [0, 2]]> : tensor<3x2xi16>} : memref<2xi16>, memref<1x!fixed.q<8, 4>>
// CHECK-NEXT: %votes = scratch.constant dense<{{\[\[}}100], [50], [100]]> : tensor<3x1xi8> -> memref<3x1x!fixed.q<8, 7>, #scratch.flash>
// CHECK-NEXT: [[v2:%.*]] = num.constant {value = 0.000000e+00 : f64} -> !fixed.q<8, 7>
// CHECK-NEXT: [[v3:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v5:%.*]] = scf.for [[v6:%.*]] = [[v0]] to [[v3]] step [[v4]] iter_args([[v7:%.*]] = [[v2]]) -> (!fixed.q<8, 7>) {
// CHECK-NEXT: [[v8:%.*]] = memref.load %leaves{{\[}}[[v6]]] : memref<2xi16>
// CHECK-NEXT: [[v9:%.*]] = arith.extui [[v8]] : i16 to i32
// CHECK-NEXT: [[v10:%.*]] = arith.index_cast [[v9]] : i32 to index
// CHECK-NEXT: [[v11:%.*]] = memref.load %votes{{\[}}[[v10]], [[v0]]] : memref<3x1x!fixed.q<8, 7>, #scratch.flash>
// CHECK-NEXT: [[v12:%.*]] = num.add [[v7]], [[v11]] : !fixed.q<8, 7>, !fixed.q<8, 7> -> !fixed.q<8, 7>
// CHECK-NEXT: scf.yield [[v12]] : !fixed.q<8, 7>
// CHECK-NEXT: }
// CHECK-NEXT: memref.store [[v5]], %sums{{\[}}[[v0]], [[v0]]] : memref<1x1x!fixed.q<8, 7>>
// CHECK-NEXT: func.return
