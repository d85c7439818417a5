// RUN: tinyml-opt %s -p lower-tdsl-to-loops --split-input-file | filecheck %s

// A product by a column is a contraction over the rows: one accumulator per row.
func.func @matmul(%X: memref<3x1x!fixed.q<16, 12>>, %p: memref<2x1x!fixed.q<16, 8>>) {
  %W = scratch.constant dense<1> : tensor<2x3xi16> -> memref<2x3x!fixed.q<16, 12>, #scratch.flash>
  tdsl.matmul %W, %X {acc = !fixed.acc<32, 24>, bound = array<i64: -98301, 98301>} : memref<2x3x!fixed.q<16, 12>, #scratch.flash>, memref<3x1x!fixed.q<16, 12>> into %p : memref<2x1x!fixed.q<16, 8>>
  func.return
}
// CHECK-LABEL: func.func @matmul(%X: memref<3x1x!fixed.q<16, 12>>, %p: memref<2x1x!fixed.q<16, 8>>) {
// CHECK-NEXT: %W = scratch.constant dense<1> : tensor<2x3xi16> -> memref<2x3x!fixed.q<16, 12>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %W{{\[}}[[v0]]] : memref<2x3x!fixed.q<16, 12>, #scratch.flash> to memref<2x3x!fixed.q<16, 12>, #scratch.flash>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<3x1x!fixed.q<16, 12>> to memref<3x!fixed.q<16, 12>>
// CHECK-NEXT: num.contract [[v3:%.*]] to 2 {
// CHECK-NEXT: %sum = num.zero : !fixed.acc<32, 24>
// CHECK-NEXT: [[v4:%.*]] = num.products %sum, [[v1]], [[v2]] : !fixed.acc<32, 24>, memref<2x3x!fixed.q<16, 12>, #scratch.flash>, memref<3x!fixed.q<16, 12>> -> !fixed.acc<32, 24>
// CHECK-NEXT: [[v5:%.*]] = num.finish [[v4]] {bound = array<i64: -98301, 98301>} : !fixed.acc<32, 24> -> !fixed.q<16, 8>
// CHECK-NEXT: memref.store [[v5]], %p{{\[}}[[v3]], [[v0]]] : memref<2x1x!fixed.q<16, 8>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// A column of a matrix is every fourth element of a view that begins with its first one.
func.func @columns(%X: memref<3x4x!fixed.q<8, 4>>, %p: memref<2x4x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8> -> memref<2x3x!fixed.q<8, 4>, #scratch.flash>
  tdsl.matmul %W, %X {acc = !fixed.acc<16, 8>, bound = array<i64: -1905, 1905>} : memref<2x3x!fixed.q<8, 4>, #scratch.flash>, memref<3x4x!fixed.q<8, 4>> into %p : memref<2x4x!fixed.q<8, 4>>
  func.return
}
// CHECK-LABEL: func.func @columns(%X: memref<3x4x!fixed.q<8, 4>>, %p: memref<2x4x!fixed.q<8, 4>>) {
// CHECK-NEXT: %W = scratch.constant dense<{{\[\[}}1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8> -> memref<2x3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 3 : index
// CHECK-NEXT: scf.for [[v5:%.*]] = [[v1]] to [[v0]] step [[v2]] {
// CHECK-NEXT: scf.for [[v6:%.*]] = [[v1]] to [[v3]] step [[v2]] {
// CHECK-NEXT: %sum = num.zero : !fixed.acc<16, 8>
// CHECK-NEXT: [[v7:%.*]] = arith.muli [[v5]], [[v4]] : index
// CHECK-NEXT: [[v8:%.*]] = scratch.slice %W{{\[}}[[v7]]] : memref<2x3x!fixed.q<8, 4>, #scratch.flash> to memref<3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: [[v9:%.*]] = scratch.slice %X{{\[}}[[v6]]] : memref<3x4x!fixed.q<8, 4>> to memref<9x!fixed.q<8, 4>>
// CHECK-NEXT: [[v10:%.*]] = num.call #num.strided_dot<4>(%sum, [[v8]], [[v9]]) : (!fixed.acc<16, 8>, memref<3x!fixed.q<8, 4>, #scratch.flash>, memref<9x!fixed.q<8, 4>>) -> !fixed.acc<16, 8>
// CHECK-NEXT: [[v11:%.*]] = num.finish [[v10]] {bound = array<i64: -1905, 1905>} : !fixed.acc<16, 8> -> !fixed.q<8, 4>
// CHECK-NEXT: memref.store [[v11]], %p{{\[}}[[v5]], [[v6]]] : memref<2x4x!fixed.q<8, 4>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// One sum for two products: it starts from a constant that is kept in units of the first one, 2^-8, and goes on in units
// of the second one, 2^-10.
func.func @matmul_sum(%X: memref<3x1x!fixed.q<8, 4>>, %Y: memref<2x1x!fixed.q<8, 6>>, %p: memref<2x1x!fixed.q<8, 2>>) {
  %W = scratch.constant dense<1> : tensor<2x3xi8> -> memref<2x3x!fixed.q<8, 4>, #scratch.flash>
  %U = scratch.constant dense<1> : tensor<2x2xi8> -> memref<2x2x!fixed.q<8, 4>, #scratch.flash>
  %B = scratch.constant dense<[[5], [-6]]> : tensor<2x1xi8> -> memref<2x1x!fixed.q<8, 3>, #scratch.flash>
  tdsl.matmul_sum %W, %X, %U, %Y from %B : memref<2x1x!fixed.q<8, 3>, #scratch.flash> {acc = !fixed.acc<16, 10>, bound = array<i64: -3000, 3000>} : memref<2x3x!fixed.q<8, 4>, #scratch.flash>, memref<3x1x!fixed.q<8, 4>>, memref<2x2x!fixed.q<8, 4>, #scratch.flash>, memref<2x1x!fixed.q<8, 6>> into %p : memref<2x1x!fixed.q<8, 2>>
  func.return
}
// CHECK-LABEL: func.func @matmul_sum(%X: memref<3x1x!fixed.q<8, 4>>, %Y: memref<2x1x!fixed.q<8, 6>>, %p: memref<2x1x!fixed.q<8, 2>>) {
// CHECK-NEXT: %W = scratch.constant dense<1> : tensor<2x3xi8> -> memref<2x3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %U = scratch.constant dense<1> : tensor<2x2xi8> -> memref<2x2x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %B = scratch.constant dense<{{\[\[}}160], [-192]]> : tensor<2x1xi16> -> memref<2x1x!fixed.q<13, 8>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %W{{\[}}[[v0]]] : memref<2x3x!fixed.q<8, 4>, #scratch.flash> to memref<2x3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<3x1x!fixed.q<8, 4>> to memref<3x!fixed.q<8, 4>>
// CHECK-NEXT: [[v3:%.*]] = scratch.slice %U{{\[}}[[v0]]] : memref<2x2x!fixed.q<8, 4>, #scratch.flash> to memref<2x2x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: [[v4:%.*]] = scratch.slice %Y{{\[}}[[v0]]] : memref<2x1x!fixed.q<8, 6>> to memref<2x!fixed.q<8, 6>>
// CHECK-NEXT: num.contract [[v5:%.*]] to 2 {
// CHECK-NEXT: [[v6:%.*]] = memref.load %B{{\[}}[[v5]], [[v0]]] : memref<2x1x!fixed.q<13, 8>, #scratch.flash>
// CHECK-NEXT: %sum = num.start [[v6]] : !fixed.q<13, 8> -> !fixed.acc<16, 8>
// CHECK-NEXT: [[v7:%.*]] = num.products %sum, [[v1]], [[v2]] : !fixed.acc<16, 8>, memref<2x3x!fixed.q<8, 4>, #scratch.flash>, memref<3x!fixed.q<8, 4>> -> !fixed.acc<16, 8>
// CHECK-NEXT: [[v8:%.*]] = num.align [[v7]] : !fixed.acc<16, 8> -> !fixed.acc<16, 10>
// CHECK-NEXT: [[v9:%.*]] = num.products [[v8]], [[v3]], [[v4]] : !fixed.acc<16, 10>, memref<2x2x!fixed.q<8, 4>, #scratch.flash>, memref<2x!fixed.q<8, 6>> -> !fixed.acc<16, 10>
// CHECK-NEXT: [[v10:%.*]] = num.finish [[v9]] {bound = array<i64: -3000, 3000>} : !fixed.acc<16, 10> -> !fixed.q<8, 2>
// CHECK-NEXT: memref.store [[v10]], %p{{\[}}[[v5]], [[v0]]] : memref<2x1x!fixed.q<8, 2>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// Rows with scales of their own: each sum is shifted before it is rounded.
func.func @rows(%X: memref<3x1x!fixed.q<8, 7>>, %p: memref<2x1x!fixed.q<8, 5>>) {
  %W = scratch.constant dense<1> : tensor<2x3xi8> -> memref<2x3x!fixed.q<8, 7>, #scratch.flash>
  tdsl.matmul %W, %X {acc = !fixed.acc<32, 14>, bound = array<i64: -381, 381>, row_shifts = array<i8: 0, 3>} : memref<2x3x!fixed.q<8, 7>, #scratch.flash>, memref<3x1x!fixed.q<8, 7>> into %p : memref<2x1x!fixed.q<8, 5>>
  func.return
}
// CHECK-LABEL: func.func @rows(%X: memref<3x1x!fixed.q<8, 7>>, %p: memref<2x1x!fixed.q<8, 5>>) {
// CHECK-NEXT: %W = scratch.constant dense<1> : tensor<2x3xi8> -> memref<2x3x!fixed.q<8, 7>, #scratch.flash>
// CHECK-NEXT: %row_shifts = scratch.constant dense<[0, 3]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %W{{\[}}[[v0]]] : memref<2x3x!fixed.q<8, 7>, #scratch.flash> to memref<2x3x!fixed.q<8, 7>, #scratch.flash>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<3x1x!fixed.q<8, 7>> to memref<3x!fixed.q<8, 7>>
// CHECK-NEXT: num.contract [[v3:%.*]] to 2 {
// CHECK-NEXT: %sum = num.zero : !fixed.acc<32, 14>
// CHECK-NEXT: [[v4:%.*]] = num.products %sum, [[v1]], [[v2]] : !fixed.acc<32, 14>, memref<2x3x!fixed.q<8, 7>, #scratch.flash>, memref<3x!fixed.q<8, 7>> -> !fixed.acc<32, 14>
// CHECK-NEXT: [[v5:%.*]] = memref.load %row_shifts{{\[}}[[v3]]] : memref<2xi8, #scratch.flash>
// CHECK-NEXT: [[v6:%.*]] = num.shift [[v4]], [[v5]] : !fixed.acc<32, 14> -> !fixed.acc<32, 14>
// CHECK-NEXT: [[v7:%.*]] = num.finish [[v6]] {bound = array<i64: -381, 381>} : !fixed.acc<32, 14> -> !fixed.q<8, 5>
// CHECK-NEXT: memref.store [[v7]], %p{{\[}}[[v3]], [[v0]]] : memref<2x1x!fixed.q<8, 5>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// Three arrays in flash hold the entries; the dense constant is gone.
func.func @spmv(%X: memref<3x1xf32>, %p: memref<2x1xf32>) {
  %W = scratch.constant dense<[[0.0, 2.0, 3.0], [0.0, 0.0, 4.0]]> : tensor<2x3xf32> -> memref<2x3xf32, #scratch.csr>
  tdsl.spmv %W, %X : memref<2x3xf32, #scratch.csr>, memref<3x1xf32> into %p : memref<2x1xf32>
  func.return
}
// CHECK-LABEL: func.func @spmv(%X: memref<3x1xf32>, %p: memref<2x1xf32>) {
// CHECK-NEXT: %W = scratch.constant dense<[2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<3xf32> -> memref<3xf32, #scratch.flash>
// CHECK-NEXT: %W_gaps = scratch.constant dense<[1, 1, 2]> : tensor<3xi8> -> memref<3xi8, #scratch.flash>
// CHECK-NEXT: %W_lengths = scratch.constant dense<[2, 1]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<3x1xf32> to memref<3xf32>
// CHECK-NEXT: num.contract [[v2:%.*]] to 2 {
// CHECK-NEXT: %sum = num.zero : f32
// CHECK-NEXT: [[v3:%.*]] = num.sparse_products %sum, %W, %W_gaps, %W_lengths, [[v1]] : f32, memref<3xf32, #scratch.flash>, memref<3xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<3xf32> -> f32
// CHECK-NEXT: [[v4:%.*]] = num.finish [[v3]] : f32 -> f32
// CHECK-NEXT: memref.store [[v4]], %p{{\[}}[[v2]], [[v0]]] : memref<2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// With room for five entries, two more are zero. Rows of up to three entries have lengths of a byte.
func.func @room(%X: memref<3x1xf32>, %p: memref<2x1xf32>) {
  %W = scratch.constant dense<[[0.0, 2.0, 3.0], [0.0, 0.0, 4.0]]> : tensor<2x3xf32> -> memref<2x3xf32, #scratch.csr>
  tdsl.spmv %W, %X {room = 5 : i64} : memref<2x3xf32, #scratch.csr>, memref<3x1xf32> into %p : memref<2x1xf32>
  func.return
}
// CHECK-LABEL: func.func @room(
// CHECK-NEXT: %W = scratch.constant dense<[2.000000e+00, 3.000000e+00, 4.000000e+00, 0.000000e+00, 0.000000e+00]> : tensor<5xf32> {tinyml.data} -> memref<5xf32, #scratch.flash>
// CHECK-NEXT: %W_gaps = scratch.constant dense<[1, 1, 2, 0, 0]> : tensor<5xi8> {tinyml.data, tinyml.gaps = array<i64: 0, 3>} -> memref<5xi8, #scratch.flash>
// CHECK-NEXT: %W_lengths = scratch.constant dense<[2, 1]> : tensor<2xi8> {tinyml.data, tinyml.lengths = array<i64: 0, 5>} -> memref<2xi8, #scratch.flash>

// -----

// Lengths have the type of the longest row for which there is room, here 255 entries.
func.func @bytes(%x: memref<255x1xf32>, %p: memref<1x1xf32>) {
  %W = scratch.constant dense<1.0> : tensor<1x255xf32> -> memref<1x255xf32, #scratch.csr>
  tdsl.spmv %W, %x {room = 300 : i64} : memref<1x255xf32, #scratch.csr>, memref<255x1xf32> into %p : memref<1x1xf32>
  func.return
}
// CHECK-LABEL: func.func @bytes(
// CHECK: %W_lengths = scratch.constant dense<-1> : tensor<1xi8>

// -----

func.func @words(%X: memref<256x1xf32>, %p: memref<1x1xf32>) {
  %W = scratch.constant dense<1.0> : tensor<1x256xf32> -> memref<1x256xf32, #scratch.csr>
  tdsl.spmv %W, %X {room = 256 : i64} : memref<1x256xf32, #scratch.csr>, memref<256x1xf32> into %p : memref<1x1xf32>
  func.return
}
// CHECK-LABEL: func.func @words(
// CHECK: %W_lengths = scratch.constant dense<256> : tensor<1xi16>

// -----

// A matrix of zeros has no entry to store, but C has no empty arrays.
func.func @zeros(%X: memref<3x1xf32>, %p: memref<2x1xf32>) {
  %W = scratch.constant dense<0.0> : tensor<2x3xf32> -> memref<2x3xf32, #scratch.csr>
  tdsl.spmv %W, %X : memref<2x3xf32, #scratch.csr>, memref<3x1xf32> into %p : memref<2x1xf32>
  func.return
}
// CHECK-LABEL: func.func @zeros(%X: memref<3x1xf32>, %p: memref<2x1xf32>) {
// CHECK-NEXT: %W = scratch.constant dense<0.000000e+00> : tensor<1xf32> -> memref<1xf32, #scratch.flash>
// CHECK-NEXT: %W_gaps = scratch.constant dense<0> : tensor<1xi8> -> memref<1xi8, #scratch.flash>
// CHECK-NEXT: %W_lengths = scratch.constant dense<0> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<3x1xf32> to memref<3xf32>
// CHECK-NEXT: num.contract [[v2:%.*]] to 2 {
// CHECK-NEXT: %sum = num.zero : f32
// CHECK-NEXT: [[v3:%.*]] = num.sparse_products %sum, %W, %W_gaps, %W_lengths, [[v1]] : f32, memref<1xf32, #scratch.flash>, memref<1xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<3xf32> -> f32
// CHECK-NEXT: [[v4:%.*]] = num.finish [[v3]] : f32 -> f32
// CHECK-NEXT: memref.store [[v4]], %p{{\[}}[[v2]], [[v0]]] : memref<2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// A scalar is loaded once, an axis of extent 1 repeats.
func.func @broadcast(%X: memref<2x3xf32>, %s: memref<f32>, %r: memref<1x3xf32>) {
  tdsl.mul %X, %s : memref<2x3xf32>, memref<f32> into %X : memref<2x3xf32>
  tdsl.add %X, %r : memref<2x3xf32>, memref<1x3xf32> into %X : memref<2x3xf32>
  func.return
}
// CHECK-LABEL: func.func @broadcast(%X: memref<2x3xf32>, %s: memref<f32>, %r: memref<1x3xf32>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = memref.load %s[] : memref<f32>
// CHECK-NEXT: num.nest [[v2:%.*]], [[v3:%.*]] to 2, 3 {
// CHECK-NEXT: [[v4:%.*]] = memref.load %X{{\[}}[[v2]], [[v3]]] : memref<2x3xf32>
// CHECK-NEXT: [[v5:%.*]] = num.mul [[v4]], [[v1]] : f32, f32 -> f32
// CHECK-NEXT: memref.store [[v5]], %X{{\[}}[[v2]], [[v3]]] : memref<2x3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[v6:%.*]] = arith.constant 0 : index
// CHECK-NEXT: num.nest [[v7:%.*]], [[v8:%.*]] to 2, 3 {
// CHECK-NEXT: [[v9:%.*]] = memref.load %X{{\[}}[[v7]], [[v8]]] : memref<2x3xf32>
// CHECK-NEXT: [[v10:%.*]] = memref.load %r{{\[}}[[v6]], [[v8]]] : memref<1x3xf32>
// CHECK-NEXT: [[v11:%.*]] = num.add [[v9]], [[v10]] : f32, f32 -> f32
// CHECK-NEXT: memref.store [[v11]], %X{{\[}}[[v7]], [[v8]]] : memref<2x3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// Only the part is written where the whole is there already; elsewhere the whole is copied first.
func.func @insert(%p: memref<2xf32>, %X: memref<4xf32>, %Y: memref<4xf32>, %i: index) {
  tdsl.insert_slice %p, %X[%i] : memref<2xf32>, memref<4xf32> into %X : memref<4xf32>
  tdsl.insert_slice %p, %X[%i] : memref<2xf32>, memref<4xf32> into %Y : memref<4xf32>
  func.return
}
// CHECK-LABEL: func.func @insert(%p: memref<2xf32>, %X: memref<4xf32>, %Y: memref<4xf32>, %i: index) {
// CHECK-NEXT: num.nest [[v0:%.*]] to 2 {
// CHECK-NEXT: [[v1:%.*]] = memref.load %p{{\[}}[[v0]]] : memref<2xf32>
// CHECK-NEXT: [[v2:%.*]] = affine.apply affine_map<(d0)[s0] -> ((d0 + s0))> ([[v0]])[%i]
// CHECK-NEXT: memref.store [[v1]], %X{{\[}}[[v2]]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[v3:%.*]] to 4 {
// CHECK-NEXT: [[v4:%.*]] = memref.load %X{{\[}}[[v3]]] : memref<4xf32>
// CHECK-NEXT: memref.store [[v4]], %Y{{\[}}[[v3]]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[v5:%.*]] to 2 {
// CHECK-NEXT: [[v6:%.*]] = memref.load %p{{\[}}[[v5]]] : memref<2xf32>
// CHECK-NEXT: [[v7:%.*]] = affine.apply affine_map<(d0)[s0] -> ((d0 + s0))> ([[v5]])[%i]
// CHECK-NEXT: memref.store [[v6]], %Y{{\[}}[[v7]]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

func.func @moves(%X: memref<2x3xf32>, %t: memref<3x2xf32>, %r: memref<2x3xf32>, %s: memref<2x2xf32>, %c1: index) {
  tdsl.transpose %X {permutation = array<i64: 1, 0>} : memref<2x3xf32> into %t : memref<3x2xf32>
  tdsl.reverse %X {axis = 1 : i64} : memref<2x3xf32> into %r : memref<2x3xf32>
  tdsl.slice %X[%c1, %c1] : memref<2x3xf32> into %s : memref<2x2xf32>
  tdsl.fill {value = 0.25 : f64} into %s : memref<2x2xf32>
  func.return
}
// CHECK-LABEL: func.func @moves(%X: memref<2x3xf32>, %t: memref<3x2xf32>, %r: memref<2x3xf32>, %s: memref<2x2xf32>, %c1: index) {
// CHECK-NEXT: num.nest [[v0:%.*]], [[v1:%.*]] to 3, 2 {
// CHECK-NEXT: [[v2:%.*]] = memref.load %X{{\[}}[[v1]], [[v0]]] : memref<2x3xf32>
// CHECK-NEXT: memref.store [[v2]], %t{{\[}}[[v0]], [[v1]]] : memref<3x2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[v3:%.*]], [[v4:%.*]] to 2, 3 {
// CHECK-NEXT: [[v5:%.*]] = affine.apply affine_map<(d0) -> (((d0 * -1) + 2))> ([[v4]])
// CHECK-NEXT: [[v6:%.*]] = memref.load %X{{\[}}[[v3]], [[v5]]] : memref<2x3xf32>
// CHECK-NEXT: memref.store [[v6]], %r{{\[}}[[v3]], [[v4]]] : memref<2x3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[v7:%.*]], [[v8:%.*]] to 2, 2 {
// CHECK-NEXT: [[v9:%.*]] = affine.apply affine_map<(d0)[s0] -> ((d0 + s0))> ([[v7]])[%c1]
// CHECK-NEXT: [[v10:%.*]] = affine.apply affine_map<(d0)[s0] -> ((d0 + s0))> ([[v8]])[%c1]
// CHECK-NEXT: [[v11:%.*]] = memref.load %X{{\[}}[[v9]], [[v10]]] : memref<2x3xf32>
// CHECK-NEXT: memref.store [[v11]], %s{{\[}}[[v7]], [[v8]]] : memref<2x2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[v12:%.*]] = num.constant {value = 2.500000e-01 : f64} -> f32
// CHECK-NEXT: num.nest [[v13:%.*]], [[v14:%.*]] to 2, 2 {
// CHECK-NEXT: memref.store [[v12]], %s{{\[}}[[v13]], [[v14]]] : memref<2x2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// The first of equal elements wins; the label is a loop variable, not memory.
func.func @decisions(%X: memref<3x1x!fixed.q<8, 4>>, %s: memref<1x1x!fixed.q<8, 4>>, %Y: memref<3x1x!fixed.q<8, 4>>) -> (index, index) {
  %l = tdsl.argmax %X : memref<3x1x!fixed.q<8, 4>>
  %g = tdsl.sign %s : memref<1x1x!fixed.q<8, 4>>
  %c = tdsl.at_least %s {threshold = 0.5 : f64} : memref<1x1x!fixed.q<8, 4>>
  tdsl.select %c, %X, %Y : memref<3x1x!fixed.q<8, 4>>, memref<3x1x!fixed.q<8, 4>> into %Y : memref<3x1x!fixed.q<8, 4>>
  func.return %l, %g : index, index
}
// CHECK-LABEL: func.func @decisions(%X: memref<3x1x!fixed.q<8, 4>>, %s: memref<1x1x!fixed.q<8, 4>>, %Y: memref<3x1x!fixed.q<8, 4>>) -> (index, index) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<3x1x!fixed.q<8, 4>> to memref<3x!fixed.q<8, 4>>
// CHECK-NEXT: %best = memref.load [[v1]]{{\[}}[[v0]]] : memref<3x!fixed.q<8, 4>>
// CHECK-NEXT: [[v2:%.*]], %l = num.reduce %best, [[v0]] {first = 1 : i64, extent = 3 : i64, kinds = ["greatest", "place"]} : !fixed.q<8, 4>, index -> !fixed.q<8, 4>, index {
// CHECK-NEXT: ^bb0([[v3:%.*]]: index, [[v4:%.*]]: !fixed.q<8, 4>, [[v5:%.*]]: index):
// CHECK-NEXT: [[v6:%.*]] = memref.load [[v1]]{{\[}}[[v3]]] : memref<3x!fixed.q<8, 4>>
// CHECK-NEXT: [[v7:%.*]] = num.greater [[v6]], [[v4]] : !fixed.q<8, 4>, !fixed.q<8, 4>
// CHECK-NEXT: [[v8:%.*]] = arith.select [[v7]], [[v6]], [[v4]] : !fixed.q<8, 4>
// CHECK-NEXT: [[v9:%.*]] = arith.select [[v7]], [[v3]], [[v5]] : index
// CHECK-NEXT: num.next [[v8]], [[v9]] : !fixed.q<8, 4>, index
// CHECK-NEXT: }
// CHECK-NEXT: [[v10:%.*]] = num.constant {value = 0.000000e+00 : f64} -> !fixed.q<8, 4>
// CHECK-NEXT: [[v11:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v12:%.*]] = memref.load %s{{\[}}[[v11]], [[v11]]] : memref<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: [[v13:%.*]] = num.greater [[v12]], [[v10]] : !fixed.q<8, 4>, !fixed.q<8, 4>
// CHECK-NEXT: [[v14:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %g = arith.select [[v13]], [[v14]], [[v11]] : index
// CHECK-NEXT: [[v15:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v16:%.*]] = memref.load %s{{\[}}[[v15]], [[v15]]] : memref<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: %c = num.at_least [[v16]] {threshold = 5.000000e-01 : f64} : !fixed.q<8, 4>
// CHECK-NEXT: [[v17:%.*]] = arith.constant 0 : index
// CHECK-NEXT: num.nest [[v18:%.*]] to 3 {
// CHECK-NEXT: [[v19:%.*]] = memref.load %X{{\[}}[[v18]], [[v17]]] : memref<3x1x!fixed.q<8, 4>>
// CHECK-NEXT: [[v20:%.*]] = memref.load %Y{{\[}}[[v18]], [[v17]]] : memref<3x1x!fixed.q<8, 4>>
// CHECK-NEXT: [[v21:%.*]] = arith.select %c, [[v19]], [[v20]] : !fixed.q<8, 4>
// CHECK-NEXT: memref.store [[v21]], %Y{{\[}}[[v18]], [[v17]]] : memref<3x1x!fixed.q<8, 4>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %l, %g : index, index

// -----

// A pass for each mark finds the greatest element that has none; the number of elements stands for none found yet.
func.func @masks(%X: memref<7x1x!fixed.q<8, 4>>, %Y: memref<7x1x!fixed.q<8, 7>>) {
  tdsl.top_k_mask %X {count = 2 : i64} : memref<7x1x!fixed.q<8, 4>> into %Y : memref<7x1x!fixed.q<8, 7>>
  func.return
}
// CHECK-LABEL: func.func @masks(%X: memref<7x1x!fixed.q<8, 4>>, %Y: memref<7x1x!fixed.q<8, 7>>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<7x1x!fixed.q<8, 4>> to memref<7x!fixed.q<8, 4>>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %Y{{\[}}[[v0]]] : memref<7x1x!fixed.q<8, 7>> to memref<7x!fixed.q<8, 7>>
// CHECK-NEXT: [[v3:%.*]] = num.constant {value = 0.000000e+00 : f64} -> !fixed.q<8, 7>
// CHECK-NEXT: [[v4:%.*]] = num.constant {value = 1.000000e+00 : f64} -> !fixed.q<8, 7>
// CHECK-NEXT: [[v5:%.*]] = memref.load [[v1]]{{\[}}[[v0]]] : memref<7x!fixed.q<8, 4>>
// CHECK-NEXT: [[v6:%.*]] = arith.constant 7 : index
// CHECK-NEXT: [[v7:%.*]] = arith.constant 1 : index
// CHECK-NEXT: scf.for [[v8:%.*]] = [[v0]] to [[v6]] step [[v7]] {
// CHECK-NEXT: memref.store [[v3]], [[v2]]{{\[}}[[v8]]] : memref<7x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v9:%.*]] = arith.constant 2 : index
// CHECK-NEXT: scf.for [[v10:%.*]] = [[v0]] to [[v9]] step [[v7]] {
// CHECK-NEXT: [[v11:%.*]], [[v12:%.*]] = scf.for [[v13:%.*]] = [[v0]] to [[v6]] step [[v7]] iter_args([[v14:%.*]] = [[v5]], [[v15:%.*]] = [[v6]]) -> (!fixed.q<8, 4>, index) {
// CHECK-NEXT: [[v16:%.*]] = memref.load [[v1]]{{\[}}[[v13]]] : memref<7x!fixed.q<8, 4>>
// CHECK-NEXT: [[v17:%.*]] = num.greater [[v16]], [[v14]] : !fixed.q<8, 4>, !fixed.q<8, 4>
// CHECK-NEXT: [[v18:%.*]] = arith.select [[v17]], [[v13]], [[v15]] : index
// CHECK-NEXT: [[v19:%.*]] = arith.cmpi eq, [[v15]], [[v6]] : index
// CHECK-NEXT: [[v20:%.*]] = arith.select [[v19]], [[v13]], [[v18]] : index
// CHECK-NEXT: [[v21:%.*]] = memref.load [[v2]]{{\[}}[[v13]]] : memref<7x!fixed.q<8, 7>>
// CHECK-NEXT: [[v22:%.*]] = num.greater [[v21]], [[v3]] : !fixed.q<8, 7>, !fixed.q<8, 7>
// CHECK-NEXT: [[v23:%.*]] = arith.select [[v22]], [[v15]], [[v20]] : index
// CHECK-NEXT: [[v24:%.*]] = arith.cmpi eq, [[v23]], [[v13]] : index
// CHECK-NEXT: [[v25:%.*]] = arith.select [[v24]], [[v16]], [[v14]] : !fixed.q<8, 4>
// CHECK-NEXT: scf.yield [[v25]], [[v23]] : !fixed.q<8, 4>, index
// CHECK-NEXT: }
// CHECK-NEXT: memref.store [[v4]], [[v2]]{{\[}}[[v12]]] : memref<7x!fixed.q<8, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// An operand that lies at its place in the result is not copied. One that lies four bytes behind is.
func.func @in_place(%x: memref<2xf32>) {
  %arena = scratch.arena {alignment = 4 : i64} : memref<20xi8>
  %a = scratch.view %arena[0] : memref<20xi8> to memref<2xf32>
  %b = scratch.view %arena[12] : memref<20xi8> to memref<2xf32>
  %out = scratch.view %arena[0] : memref<20xi8> to memref<4xf32>
  tdsl.concat %a, %b {axis = 0 : i64} : memref<2xf32>, memref<2xf32> into %out : memref<4xf32>
  func.return
}
// CHECK-LABEL: func.func @in_place(%x: memref<2xf32>) {
// CHECK-NEXT: %arena = scratch.arena {alignment = 4 : i64} : memref<20xi8>
// CHECK-NEXT: %a = scratch.view %arena[0 : i64] : memref<20xi8> to memref<2xf32>
// CHECK-NEXT: %b = scratch.view %arena[12 : i64] : memref<20xi8> to memref<2xf32>
// CHECK-NEXT: %out = scratch.view %arena[0 : i64] : memref<20xi8> to memref<4xf32>
// CHECK-NEXT: num.nest [[v0:%.*]] to 2 {
// CHECK-NEXT: [[v1:%.*]] = memref.load %b{{\[}}[[v0]]] : memref<2xf32>
// CHECK-NEXT: [[v2:%.*]] = affine.apply affine_map<(d0) -> ((d0 + 2))> ([[v0]])
// CHECK-NEXT: memref.store [[v1]], %out{{\[}}[[v2]]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// A buffer that moves up begins with its last element, one that moves down with its first.
func.func @moves(%X: memref<4xf32>) -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<20xi8>
  %a = scratch.view %arena[0] : memref<20xi8> to memref<4xf32>
  %b = scratch.view %arena[4] : memref<20xi8> to memref<4xf32>
  %c = scratch.view %arena[0] : memref<20xi8> to memref<4xf32>
  tdsl.neg %X : memref<4xf32> into %a : memref<4xf32>
  scratch.move %a to %b : memref<4xf32> to memref<4xf32>
  scratch.move %b to %c : memref<4xf32> to memref<4xf32>
  func.return %c : memref<4xf32>
}
// CHECK-LABEL: func.func @moves(%X: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 4 : i64} : memref<20xi8>
// CHECK-NEXT: %a = scratch.view %arena[0 : i64] : memref<20xi8> to memref<4xf32>
// CHECK-NEXT: %b = scratch.view %arena[4 : i64] : memref<20xi8> to memref<4xf32>
// CHECK-NEXT: %c = scratch.view %arena[0 : i64] : memref<20xi8> to memref<4xf32>
// CHECK-NEXT: num.nest [[v0:%.*]] to 4 {
// CHECK-NEXT: [[v1:%.*]] = memref.load %X{{\[}}[[v0]]] : memref<4xf32>
// CHECK-NEXT: [[v2:%.*]] = num.neg [[v1]] : f32 -> f32
// CHECK-NEXT: memref.store [[v2]], %a{{\[}}[[v0]]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[v3:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v4:%.*]] = scratch.slice %a{{\[}}[[v3]]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: [[v5:%.*]] = scratch.slice %b{{\[}}[[v3]]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: num.nest [[v6:%.*]] to 4 {
// CHECK-NEXT: [[v7:%.*]] = affine.apply affine_map<(d0) -> (((d0 * -1) + 3))> ([[v6]])
// CHECK-NEXT: [[v8:%.*]] = memref.load [[v4]]{{\[}}[[v7]]] : memref<4xf32>
// CHECK-NEXT: memref.store [[v8]], [[v5]]{{\[}}[[v7]]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[v9:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v10:%.*]] = scratch.slice %b{{\[}}[[v9]]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: [[v11:%.*]] = scratch.slice %c{{\[}}[[v9]]] : memref<4xf32> to memref<4xf32>
// CHECK-NEXT: num.nest [[v12:%.*]] to 4 {
// CHECK-NEXT: [[v13:%.*]] = memref.load [[v10]]{{\[}}[[v12]]] : memref<4xf32>
// CHECK-NEXT: memref.store [[v13]], [[v11]]{{\[}}[[v12]]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %c : memref<4xf32>

// -----

// The raws of X, which are 3 greater than what is multiplied, are taken as they are: sums start from -3 times what the
// row adds up to, and from the bias.
func.func @offset(%X: memref<3x1x!zeroskew.q<8, 0.5, 3>>, %p: memref<2x1x!zeroskew.q<8, 1.0, 0>>) {
  %W = scratch.constant dense<[[1, 2, 3], [4, 5, -6]]> : tensor<2x3xi8> -> memref<2x3x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  %B = scratch.constant dense<[[100], [-100]]> : tensor<2x1xi32> -> memref<2x1x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
  tdsl.matmul_sum %W, %X from %B : memref<2x1x!zeroskew.q<32, 0.25, 0>, #scratch.flash> {acc = !zeroskew.acc<32, 0.25>} : memref<2x3x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<3x1x!zeroskew.q<8, 0.5, 3>> into %p : memref<2x1x!zeroskew.q<8, 1.0, 0>>
  tdsl.matmul %W, %X {acc = !zeroskew.acc<32, 0.25>} : memref<2x3x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<3x1x!zeroskew.q<8, 0.5, 3>> into %p : memref<2x1x!zeroskew.q<8, 1.0, 0>>
  func.return
}
// CHECK-LABEL: func.func @offset(%X: memref<3x1x!zeroskew.q<8, 0.5, 3>>, %p: memref<2x1x!zeroskew.q<8, 1.0, 0>>) {
// CHECK-NEXT: %W = scratch.constant dense<{{\[\[}}1, 2, 3], [4, 5, -6]]> : tensor<2x3xi8> -> memref<2x3x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: %B = scratch.constant dense<{{\[\[}}82], [-109]]> : tensor<2x1xi32> -> memref<2x1x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %W{{\[}}[[v0]]] : memref<2x3x!zeroskew.q<8, 0.5, 0>, #scratch.flash> to memref<2x3x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<3x1x!zeroskew.q<8, 0.5, 3>> to memref<3x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: num.contract [[v3:%.*]] to 2 {
// CHECK-NEXT: [[v4:%.*]] = memref.load %B{{\[}}[[v3]], [[v0]]] : memref<2x1x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: %sum = num.start [[v4]] : !zeroskew.q<32, 0.25, 0> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v5:%.*]] = num.products %sum, [[v1]], [[v2]] : !zeroskew.acc<32, 0.25>, memref<2x3x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<3x!zeroskew.q<8, 0.5, 0>> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v6:%.*]] = num.finish [[v5]] : !zeroskew.acc<32, 0.25> -> !zeroskew.q<8, 1.0, 0>
// CHECK-NEXT: memref.store [[v6]], %p{{\[}}[[v3]], [[v0]]] : memref<2x1x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: %start = scratch.constant dense<{{\[\[}}-18], [-9]]> : tensor<2x1xi32> -> memref<2x1x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: [[v7:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v8:%.*]] = scratch.slice %W{{\[}}[[v7]]] : memref<2x3x!zeroskew.q<8, 0.5, 0>, #scratch.flash> to memref<2x3x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: [[v9:%.*]] = scratch.slice %X{{\[}}[[v7]]] : memref<3x1x!zeroskew.q<8, 0.5, 3>> to memref<3x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: num.contract [[v10:%.*]] to 2 {
// CHECK-NEXT: [[v11:%.*]] = memref.load %start{{\[}}[[v10]], [[v7]]] : memref<2x1x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: [[vsum_1:%.*]] = num.start [[v11]] : !zeroskew.q<32, 0.25, 0> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v12:%.*]] = num.products [[vsum_1]], [[v8]], [[v9]] : !zeroskew.acc<32, 0.25>, memref<2x3x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<3x!zeroskew.q<8, 0.5, 0>> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v13:%.*]] = num.finish [[v12]] : !zeroskew.acc<32, 0.25> -> !zeroskew.q<8, 1.0, 0>
// CHECK-NEXT: memref.store [[v13]], %p{{\[}}[[v10]], [[v7]]] : memref<2x1x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-LABEL: func.func @offset_of_rows
// CHECK-NEXT: %W = scratch.constant dense<{{\[\[}}1, 2], [4, -6]]> : tensor<2x2xi8> -> memref<2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: %start = scratch.constant dense<{{\[\[}}-15, 12]]> : tensor<1x2xi32> -> memref<1x2x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 2 : index
// CHECK-NEXT: scf.for [[v4:%.*]] = [[v1]] to [[v0]] step [[v2]] {
// CHECK-NEXT: scf.for [[v5:%.*]] = [[v1]] to [[v3]] step [[v2]] {
// CHECK-NEXT: [[v6:%.*]] = memref.load %start{{\[}}[[v1]], [[v5]]] : memref<1x2x!zeroskew.q<32, 0.25, 0>, #scratch.flash>
// CHECK-NEXT: %sum = num.start [[v6]] : !zeroskew.q<32, 0.25, 0> -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v7:%.*]] = arith.muli [[v4]], [[v3]] : index
// CHECK-NEXT: [[v8:%.*]] = scratch.slice %X{{\[}}[[v7]]] : memref<3x2x!zeroskew.q<8, 0.5, 3>> to memref<2x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: [[v9:%.*]] = scratch.slice %W{{\[}}[[v5]]] : memref<2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash> to memref<3x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
// CHECK-NEXT: [[v10:%.*]] = num.call #num.strided_dot<2>(%sum, [[v8]], [[v9]]) : (!zeroskew.acc<32, 0.25>, memref<2x!zeroskew.q<8, 0.5, 0>>, memref<3x!zeroskew.q<8, 0.5, 0>, #scratch.flash>) -> !zeroskew.acc<32, 0.25>
// CHECK-NEXT: [[v11:%.*]] = num.finish [[v10]] : !zeroskew.acc<32, 0.25> -> !zeroskew.q<8, 1.0, 0>
// CHECK-NEXT: memref.store [[v11]], %p{{\[}}[[v4]], [[v5]]] : memref<3x2x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// The start that absorbs the offset of the left factor has one row, whatever the row of the result.
func.func @offset_of_rows(%X: memref<3x2x!zeroskew.q<8, 0.5, 3>>, %p: memref<3x2x!zeroskew.q<8, 1.0, 0>>) {
  %W = scratch.constant dense<[[1, 2], [4, -6]]> : tensor<2x2xi8> -> memref<2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  tdsl.matmul %X, %W {acc = !zeroskew.acc<32, 0.25>} : memref<3x2x!zeroskew.q<8, 0.5, 3>>, memref<2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash> into %p : memref<3x2x!zeroskew.q<8, 1.0, 0>>
  func.return
}

// -----

// Backwards, in steps of two.
func.func @strided(%X: memref<2x5xf32>, %s: memref<2x3xf32>, %i: index, %j: index) {
  tdsl.slice %X[%i, %j] {strides = array<i64: 1, -2>} : memref<2x5xf32> into %s : memref<2x3xf32>
  func.return
}
// CHECK-LABEL: func.func @strided(%X: memref<2x5xf32>, %s: memref<2x3xf32>, %i: index, %j: index) {
// CHECK-NEXT: num.nest [[v0:%.*]], [[v1:%.*]] to 2, 3 {
// CHECK-NEXT: [[v2:%.*]] = affine.apply affine_map<(d0)[s0] -> ((d0 + s0))> ([[v0]])[%i]
// CHECK-NEXT: [[v3:%.*]] = affine.apply affine_map<(d0)[s0] -> (((d0 * -2) + s0))> ([[v1]])[%j]
// CHECK-NEXT: [[v4:%.*]] = memref.load %X{{\[}}[[v2]], [[v3]]] : memref<2x5xf32>
// CHECK-NEXT: memref.store [[v4]], %s{{\[}}[[v0]], [[v1]]] : memref<2x3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// Sums that lie in memory start from numbers, and are finished in the scale of their row; a row of a product has its own.
func.func @partial_sums(%b: memref<2x!zeroskew.q<32, [0.005, 0.015], 0>>, %w: memref<2x3x!zeroskew.q<8, [0.01, 0.03], 0>>, %x: memref<3x1x!zeroskew.q<8, 0.5, 0>>, %i: index, %sums: memref<1x2x!zeroskew.acc<32, [0.005, 0.015]>>, %y: memref<1x2x!zeroskew.q<8, 0.5, 7>>, %r: memref<1x1x!zeroskew.q<8, 0.5, 7>>) {
  tdsl.start %b : memref<2x!zeroskew.q<32, [0.005, 0.015], 0>> into %sums : memref<1x2x!zeroskew.acc<32, [0.005, 0.015]>>
  tdsl.finish %sums : memref<1x2x!zeroskew.acc<32, [0.005, 0.015]>> into %y : memref<1x2x!zeroskew.q<8, 0.5, 7>>
  tdsl.row_product %w[%i], %x : memref<2x3x!zeroskew.q<8, [0.01, 0.03], 0>>, memref<3x1x!zeroskew.q<8, 0.5, 0>> into %r : memref<1x1x!zeroskew.q<8, 0.5, 7>>
  func.return
}
// CHECK-LABEL: func.func @partial_sums(%b: memref<2x!zeroskew.q<32, [0.005, 0.015], 0>>, %w: memref<2x3x!zeroskew.q<8, [0.01, 0.03], 0>>, %x: memref<3x1x!zeroskew.q<8, 0.5, 0>>, %i: index, %sums: memref<1x2x!zeroskew.acc<32, [0.005, 0.015]>>, %y: memref<1x2x!zeroskew.q<8, 0.5, 7>>, %r: memref<1x1x!zeroskew.q<8, 0.5, 7>>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: num.nest [[v1:%.*]] to 2 {
// CHECK-NEXT: [[v2:%.*]] = memref.load %b{{\[}}[[v1]]] : memref<2x!zeroskew.q<32, [0.005, 0.015], 0>>
// CHECK-NEXT: [[v3:%.*]] = num.start [[v2]] : !zeroskew.q<32, [0.005, 0.015], 0> -> !zeroskew.acc<32, [0.005, 0.015]>
// CHECK-NEXT: memref.store [[v3]], %sums{{\[}}[[v0]], [[v1]]] : memref<1x2x!zeroskew.acc<32, [0.005, 0.015]>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v4:%.*]] = arith.constant 0 : index
// CHECK-NEXT: num.nest [[v5:%.*]] to 2 {
// CHECK-NEXT: [[v6:%.*]] = memref.load %sums{{\[}}[[v4]], [[v5]]] : memref<1x2x!zeroskew.acc<32, [0.005, 0.015]>>
// CHECK-NEXT: [[v7:%.*]] = num.level [[v6]] row [[v5]] : !zeroskew.acc<32, [0.005, 0.015]> -> !zeroskew.acc<32, 0.5>
// CHECK-NEXT: [[v8:%.*]] = num.finish [[v7]] : !zeroskew.acc<32, 0.5> -> !zeroskew.q<8, 0.5, 7>
// CHECK-NEXT: memref.store [[v8]], %y{{\[}}[[v4]], [[v5]]] : memref<1x2x!zeroskew.q<8, 0.5, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v9:%.*]] = arith.constant 0 : index
// CHECK-NEXT: %sum = num.zero : !zeroskew.acc<32, [0.004999999888241291, 0.014999999664723873]>
// CHECK-NEXT: [[v10:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v11:%.*]] = arith.muli %i, [[v10]] : index
// CHECK-NEXT: [[v12:%.*]] = scratch.slice %w{{\[}}[[v11]]] : memref<2x3x!zeroskew.q<8, [0.01, 0.03], 0>> to memref<3x!zeroskew.q<8, [0.01, 0.03], 0>>
// CHECK-NEXT: [[v13:%.*]] = scratch.slice %x{{\[}}[[v9]]] : memref<3x1x!zeroskew.q<8, 0.5, 0>> to memref<3x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: [[v14:%.*]] = num.call #num.dot(%sum, [[v12]], [[v13]]) : (!zeroskew.acc<32, [0.004999999888241291, 0.014999999664723873]>, memref<3x!zeroskew.q<8, [0.01, 0.03], 0>>, memref<3x!zeroskew.q<8, 0.5, 0>>) -> !zeroskew.acc<32, [0.004999999888241291, 0.014999999664723873]>
// CHECK-NEXT: [[v15:%.*]] = num.level [[v14]] row %i : !zeroskew.acc<32, [0.004999999888241291, 0.014999999664723873]> -> !zeroskew.acc<32, 0.5>
// CHECK-NEXT: [[v16:%.*]] = num.finish [[v15]] : !zeroskew.acc<32, 0.5> -> !zeroskew.q<8, 0.5, 7>
// CHECK-NEXT: memref.store [[v16]], %r{{\[}}[[v9]], [[v9]]] : memref<1x1x!zeroskew.q<8, 0.5, 7>>
// CHECK-NEXT: func.return

// -----

// Before packing, buffers have no address and do not overlap.
func.func @unplaced(%X: memref<4xf32>) -> memref<4xf32> {
  %a = scratch.alloc : memref<4xf32>
  %b = scratch.alloc : memref<4xf32>
  tdsl.neg %X : memref<4xf32> into %a : memref<4xf32>
  scratch.move %a to %b : memref<4xf32> to memref<4xf32>
  func.return %b : memref<4xf32>
}
// CHECK-LABEL: func.func @unplaced(%X: memref<4xf32>) -> memref<4xf32> {
// CHECK: memref.store [[NEGATED:%.*]], %a{{\[}}[[AT:%.*]]] : memref<4xf32>
// CHECK: num.nest [[I:%.*]] to 4 {
// CHECK-NEXT: [[X:%.*]] = memref.load %a{{\[}}[[I]]] : memref<4xf32>
// CHECK-NEXT: memref.store [[X]], %b{{\[}}[[I]]] : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %b : memref<4xf32>
