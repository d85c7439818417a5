// RUN: tinyml-opt %s -p lower-tdsl-to-loops --split-input-file | filecheck %s

// A product by a column is a contraction over the rows: one accumulator per row.
func.func @matmul(%X: memref<3x1x!fixed.q<16, 12>>, %p: memref<2x1x!fixed.q<16, 8>>) {
  %W = scratch.constant dense<1> : tensor<2x3xi16> -> memref<2x3x!fixed.q<16, 12>, #scratch.flash>
  tdsl.matmul %W, %X {acc = !fixed.acc<32, 24>, bound = array<i64: -98301, 98301>} : memref<2x3x!fixed.q<16, 12>, #scratch.flash>, memref<3x1x!fixed.q<16, 12>> into %p : memref<2x1x!fixed.q<16, 8>>
  func.return
}
// CHECK-LABEL: func.func @matmul
// CHECK: [[rows:%.*]] = scratch.slice %W[%{{.*}}] : {{.*}} to memref<2x3x!fixed.q<16, 12>, #scratch.flash>
// CHECK-NEXT: [[x:%.*]] = scratch.slice %X
// CHECK-NEXT: num.contract [[i:%.*]] to 2 {
// CHECK-NEXT: %sum = num.zero : !fixed.acc<32, 24>
// CHECK-NEXT: num.products %sum, [[rows]], [[x]] :
// CHECK: num.finish {{.*}} {bound = array<i64: -98301, 98301>} : !fixed.acc<32, 24> -> !fixed.q<16, 8>
// CHECK-NEXT: memref.store {{.*}}, %p{{\[}}[[i]],

// -----

// A column of a matrix is every fourth element of a view that begins with its first one.
func.func @columns(%X: memref<3x4x!fixed.q<8, 4>>, %p: memref<2x4x!fixed.q<8, 4>>) {
  %W = scratch.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8> -> memref<2x3x!fixed.q<8, 4>, #scratch.flash>
  tdsl.matmul %W, %X {acc = !fixed.acc<16, 8>, bound = array<i64: -1905, 1905>} : memref<2x3x!fixed.q<8, 4>, #scratch.flash>, memref<3x4x!fixed.q<8, 4>> into %p : memref<2x4x!fixed.q<8, 4>>
  func.return
}
// CHECK-LABEL: func.func @columns
// CHECK: scf.for %[[I:.*]] =
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[COLUMN:.*]] = scratch.slice %X[%[[J]]] : memref<3x4x!fixed.q<8, 4>> to memref<9x!fixed.q<8, 4>>
// CHECK: num.call #num.strided_dot<4>(%sum, %{{.*}}, %[[COLUMN]]) :

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
// CHECK-LABEL: func.func @matmul_sum
// CHECK: [[B:%.*]] = scratch.constant dense<{{\[}}[160], [-192]]> : tensor<2x1xi16> -> memref<2x1x!fixed.q<13, 8>, #scratch.flash>
// CHECK: [[first:%.*]] = memref.load [[B]]
// CHECK-NEXT: %sum = num.start [[first]] : !fixed.q<13, 8> -> !fixed.acc<16, 8>
// CHECK: [[wx:%.*]] = num.products %sum, {{.*}} -> !fixed.acc<16, 8>
// CHECK-NEXT: [[finer:%.*]] = num.align [[wx]] : !fixed.acc<16, 8> -> !fixed.acc<16, 10>
// CHECK: [[both:%.*]] = num.products [[finer]], {{.*}} -> !fixed.acc<16, 10>
// CHECK-NEXT: num.finish [[both]] {bound = array<i64: -3000, 3000>}

// Rows with scales of their own: each sum is shifted before it is rounded.
func.func @rows(%X: memref<3x1x!fixed.q<8, 7>>, %p: memref<2x1x!fixed.q<8, 5>>) {
  %W = scratch.constant dense<1> : tensor<2x3xi8> -> memref<2x3x!fixed.q<8, 7>, #scratch.flash>
  tdsl.matmul %W, %X {acc = !fixed.acc<32, 14>, bound = array<i64: -381, 381>, row_shifts = array<i8: 0, 3>} : memref<2x3x!fixed.q<8, 7>, #scratch.flash>, memref<3x1x!fixed.q<8, 7>> into %p : memref<2x1x!fixed.q<8, 5>>
  func.return
}
// CHECK-LABEL: func.func @rows
// CHECK: %row_shifts = scratch.constant dense<[0, 3]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
// CHECK: num.contract [[i:%.*]] to
// CHECK: [[sum:%.*]] = num.products
// CHECK-NEXT: [[places:%.*]] = memref.load %row_shifts{{\[}}[[i]]]
// CHECK-NEXT: [[shifted:%.*]] = num.shift [[sum]], [[places]] : !fixed.acc<32, 14>
// CHECK-NEXT: num.finish [[shifted]] {bound = array<i64: -381, 381>}

// -----

// Three arrays in flash hold the entries; the dense constant is gone.
func.func @spmv(%X: memref<3x1xf32>, %p: memref<2x1xf32>) {
  %W = scratch.constant dense<[[0.0, 2.0, 3.0], [0.0, 0.0, 4.0]]> : tensor<2x3xf32> -> memref<2x3xf32, #scratch.csr>
  tdsl.spmv %W, %X : memref<2x3xf32, #scratch.csr>, memref<3x1xf32> into %p : memref<2x1xf32>
  func.return
}
// CHECK-LABEL: func.func @spmv
// CHECK-NOT: scratch.csr
// CHECK: scratch.constant dense<[2.000000e+00, 3.000000e+00, 4.000000e+00]> {{.*}} -> memref<3xf32, #scratch.flash>
// CHECK-NEXT: %W_gaps = scratch.constant dense<[1, 1, 2]> : tensor<3xi8>
// CHECK-NEXT: %W_lengths = scratch.constant dense<[2, 1]> : tensor<2xi8>
// CHECK: num.contract {{%.*}} to 2
// CHECK: num.sparse_products %sum, %W, %W_gaps, %W_lengths,

// -----

// A matrix of zeros has no entry to store, but C has no empty arrays.
func.func @zeros(%X: memref<3x1xf32>, %p: memref<2x1xf32>) {
  %W = scratch.constant dense<0.0> : tensor<2x3xf32> -> memref<2x3xf32, #scratch.csr>
  tdsl.spmv %W, %X : memref<2x3xf32, #scratch.csr>, memref<3x1xf32> into %p : memref<2x1xf32>
  func.return
}
// CHECK-LABEL: func.func @zeros
// CHECK: -> memref<1xf32, #scratch.flash>
// CHECK: %W_lengths = scratch.constant dense<0> : tensor<2xi8>

// -----

// A scalar is loaded once, an axis of extent 1 repeats.
func.func @broadcast(%X: memref<2x3xf32>, %s: memref<f32>, %r: memref<1x3xf32>) {
  tdsl.mul %X, %s : memref<2x3xf32>, memref<f32> into %X : memref<2x3xf32>
  tdsl.add %X, %r : memref<2x3xf32>, memref<1x3xf32> into %X : memref<2x3xf32>
  func.return
}
// CHECK-LABEL: func.func @broadcast
// CHECK: [[scalar:%.*]] = memref.load %s[]
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: [[x:%.*]] = memref.load %X
// CHECK-NEXT: num.mul [[x]], [[scalar]] : f32, f32 -> f32
// CHECK: scf.for [[i:%.*]] =
// CHECK-NEXT: scf.for [[j:%.*]] =
// CHECK-NEXT: memref.load %X{{\[}}[[i]], [[j]]]
// CHECK-NEXT: memref.load %r[{{.*}}, [[j]]]
// CHECK-NEXT: num.add

// -----

// Only the part is written where the whole is there already; elsewhere the whole is copied first.
func.func @insert(%p: memref<2xf32>, %X: memref<4xf32>, %Y: memref<4xf32>, %i: index) {
  tdsl.insert_slice %p, %X[%i] : memref<2xf32>, memref<4xf32> into %X : memref<4xf32>
  tdsl.insert_slice %p, %X[%i] : memref<2xf32>, memref<4xf32> into %Y : memref<4xf32>
  func.return
}
// CHECK-LABEL: func.func @insert
// CHECK: scf.for [[k:%.*]] =
// CHECK-NEXT: [[v:%.*]] = memref.load %p{{\[}}[[k]]]
// CHECK-NEXT: [[at:%.*]] = arith.addi [[k]], %i : index
// CHECK-NEXT: memref.store [[v]], %X{{\[}}[[at]]]
// CHECK: scf.for
// CHECK-NEXT: memref.load %X
// CHECK-NEXT: memref.store {{.*}}, %Y
// CHECK: scf.for
// CHECK-NEXT: memref.load %p

// -----

func.func @moves(%X: memref<2x3xf32>, %t: memref<3x2xf32>, %r: memref<2x3xf32>, %s: memref<2x2xf32>, %c1: index) {
  tdsl.transpose %X {permutation = array<i64: 1, 0>} : memref<2x3xf32> into %t : memref<3x2xf32>
  tdsl.reverse %X {axis = 1 : i64} : memref<2x3xf32> into %r : memref<2x3xf32>
  tdsl.slice %X[%c1, %c1] : memref<2x3xf32> into %s : memref<2x2xf32>
  tdsl.fill {value = 0.25 : f64} into %s : memref<2x2xf32>
  func.return
}
// CHECK-LABEL: func.func @moves
// CHECK: scf.for [[i:%.*]] =
// CHECK-NEXT: scf.for [[j:%.*]] =
// CHECK-NEXT: [[v:%.*]] = memref.load %X{{\[}}[[j]], [[i]]]
// CHECK-NEXT: memref.store [[v]], %t{{\[}}[[i]], [[j]]]
// CHECK: [[last:%.*]] = arith.constant 2 : index
// CHECK: arith.subi [[last]],
// CHECK: memref.store {{.*}}, %r
// CHECK: arith.addi {{.*}}, %c1
// CHECK: memref.store {{.*}}, %s
// CHECK: num.constant {value = 2.500000e-01 : f64} -> f32
// CHECK: memref.store {{.*}}, %s

// -----

// The first of equal elements wins; the label is a loop variable, not memory.
func.func @decisions(%X: memref<3x1x!fixed.q<8, 4>>, %s: memref<1x1x!fixed.q<8, 4>>, %Y: memref<3x1x!fixed.q<8, 4>>) -> (index, index) {
  %l = tdsl.argmax %X : memref<3x1x!fixed.q<8, 4>>
  %g = tdsl.sign %s : memref<1x1x!fixed.q<8, 4>>
  %c = tdsl.at_least %s {threshold = 0.5 : f64} : memref<1x1x!fixed.q<8, 4>>
  tdsl.select %c, %X, %Y : memref<3x1x!fixed.q<8, 4>>, memref<3x1x!fixed.q<8, 4>> into %Y : memref<3x1x!fixed.q<8, 4>>
  func.return %l, %g : index, index
}
// CHECK-LABEL: func.func @decisions
// CHECK: scf.for [[i:%.*]] = {{.*}} iter_args([[best:%.*]] = %best, [[at:%.*]] = {{.*}}) -> (!fixed.q<8, 4>, index)
// CHECK-NEXT: [[v:%.*]] = memref.load
// CHECK-NEXT: [[greater:%.*]] = num.greater [[v]], [[best]]
// CHECK-NEXT: arith.select [[greater]], [[v]], [[best]] : !fixed.q<8, 4>
// CHECK-NEXT: arith.select [[greater]], [[i]], [[at]] : index
// CHECK: num.constant {value = 0.000000e+00 : f64} -> !fixed.q<8, 4>
// CHECK: num.greater
// CHECK: [[c:%.*]] = num.at_least {{.*}} {threshold = 5.000000e-01 : f64}
// CHECK: scf.for
// CHECK: arith.select [[c]], {{.*}} : !fixed.q<8, 4>

// -----

// A pass for each mark finds the greatest element that has none; the number of elements stands for none found yet.
func.func @masks(%X: memref<7x1x!fixed.q<8, 4>>, %Y: memref<7x1x!fixed.q<8, 7>>) {
  tdsl.top_k_mask %X {count = 2 : i64} : memref<7x1x!fixed.q<8, 4>> into %Y : memref<7x1x!fixed.q<8, 7>>
  func.return
}
// CHECK-LABEL: func.func @masks
// CHECK: [[zero:%.*]] = num.constant {value = 0.000000e+00 : f64} -> !fixed.q<8, 7>
// CHECK-NEXT: [[one:%.*]] = num.constant {value = 1.000000e+00 : f64} -> !fixed.q<8, 7>
// CHECK: [[none:%.*]] = arith.constant 7 : index
// CHECK: memref.store [[zero]]
// CHECK: {{%.*}}, [[found:%.*]] = scf.for {{.*}} iter_args([[best:%.*]] = {{%.*}}, [[at:%.*]] = [[none]]) -> (!fixed.q<8, 4>, index)
// CHECK: num.greater {{%.*}}, [[best]]
// CHECK: arith.cmpi eq, [[at]], [[none]] : index
// CHECK: num.greater {{%.*}}, [[zero]] : !fixed.q<8, 7>, !fixed.q<8, 7>
// CHECK: memref.store [[one]], {{%.*\[}}[[found]]]

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
// CHECK-LABEL: func.func @moves
// CHECK: num.neg
// CHECK: [[last:%.*]] = arith.constant 3 : index
// CHECK: scf.for [[i:%.*]] =
// CHECK-NEXT: [[at:%.*]] = arith.subi [[last]], [[i]] : index
// CHECK-NEXT: [[v:%.*]] = memref.load {{.*}}{{\[}}[[at]]]
// CHECK-NEXT: memref.store [[v]], {{.*}}{{\[}}[[at]]]
// CHECK: scf.for [[i:%.*]] =
// CHECK-NEXT: [[v:%.*]] = memref.load {{.*}}{{\[}}[[i]]]
// CHECK-NEXT: memref.store [[v]], {{.*}}{{\[}}[[i]]]

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
// CHECK-LABEL: func.func @offset
// CHECK: %B{{.*}} = scratch.constant dense<{{\[\[}}82], [-109]]>
// CHECK: scratch.slice %X[%{{.*}}] : memref<3x1x!zeroskew.q<8, 0.5, 3>> to memref<3x!zeroskew.q<8, 0.5, 0>>
// CHECK: %[[START:.*]] = memref.load %B
// CHECK-NEXT: num.start %[[START]] : !zeroskew.q<32, 0.25, 0> -> !zeroskew.acc<32, 0.25>
// CHECK: scratch.constant dense<{{\[\[}}-18], [-9]]>

// -----

// The start that absorbs the offset of the left factor has one row, whatever the row of the result.
func.func @offset_of_rows(%X: memref<3x2x!zeroskew.q<8, 0.5, 3>>, %p: memref<3x2x!zeroskew.q<8, 1.0, 0>>) {
  %W = scratch.constant dense<[[1, 2], [4, -6]]> : tensor<2x2xi8> -> memref<2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  tdsl.matmul %X, %W {acc = !zeroskew.acc<32, 0.25>} : memref<3x2x!zeroskew.q<8, 0.5, 3>>, memref<2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash> into %p : memref<3x2x!zeroskew.q<8, 1.0, 0>>
  func.return
}
// CHECK-LABEL: func.func @offset_of_rows
// CHECK: %[[START:.*]] = scratch.constant dense<{{\[\[}}-15, 12]]>
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK: scf.for
// CHECK: scf.for %[[COLUMN:.*]] =
// CHECK: memref.load %[[START]][%[[ZERO]], %[[COLUMN]]]

// -----

// Backwards, in steps of two.
func.func @strided(%X: memref<2x5xf32>, %s: memref<2x3xf32>, %i: index, %j: index) {
  tdsl.slice %X[%i, %j] {strides = array<i64: 1, -2>} : memref<2x5xf32> into %s : memref<2x3xf32>
  func.return
}
// CHECK-LABEL: func.func @strided
// CHECK: scf.for %{{.*}} =
// CHECK-NEXT: scf.for [[column:%.*]] =
// CHECK: [[distance:%.*]] = arith.muli [[column]], %{{.*}}
// CHECK-NEXT: [[at:%.*]] = arith.subi %j, [[distance]]
// CHECK-NEXT: memref.load %X{{\[}}{{.*}}, [[at]]]

// -----

// Sums that lie in memory start from numbers, and are finished in the scale of their row; a row of a product has its own.
func.func @partial_sums(%b: memref<2x!zeroskew.q<32, [0.005, 0.015], 0>>, %w: memref<2x3x!zeroskew.q<8, [0.01, 0.03], 0>>, %x: memref<3x1x!zeroskew.q<8, 0.5, 0>>, %i: index, %sums: memref<1x2x!zeroskew.acc<32, [0.005, 0.015]>>, %y: memref<1x2x!zeroskew.q<8, 0.5, 7>>, %r: memref<1x1x!zeroskew.q<8, 0.5, 7>>) {
  tdsl.start %b : memref<2x!zeroskew.q<32, [0.005, 0.015], 0>> into %sums : memref<1x2x!zeroskew.acc<32, [0.005, 0.015]>>
  tdsl.finish %sums : memref<1x2x!zeroskew.acc<32, [0.005, 0.015]>> into %y : memref<1x2x!zeroskew.q<8, 0.5, 7>>
  tdsl.row_product %w[%i], %x : memref<2x3x!zeroskew.q<8, [0.01, 0.03], 0>>, memref<3x1x!zeroskew.q<8, 0.5, 0>> into %r : memref<1x1x!zeroskew.q<8, 0.5, 7>>
  func.return
}
// CHECK-LABEL: func.func @partial_sums
// CHECK: scf.for [[c:%[^ ]+]] =
// CHECK: [[number:%[^ ]+]] = memref.load %b{{\[}}[[c]]]
// CHECK: num.start [[number]] : !zeroskew.q<32, [0.005, 0.015], 0> -> !zeroskew.acc<32, [0.005, 0.015]>
// CHECK: scf.for [[c:%[^ ]+]] =
// CHECK: [[level:%[^ ]+]] = num.level %{{.*}} row [[c]] :
// CHECK-NEXT: num.finish [[level]] :
// CHECK: [[start:%[^ ]+]] = arith.muli %i,
// CHECK-NEXT: [[row:%[^ ]+]] = scratch.slice %w{{\[}}[[start]]]
// CHECK: num.call #num.dot(%sum, [[row]],
// CHECK-NEXT: num.level %{{.*}} row %i :
