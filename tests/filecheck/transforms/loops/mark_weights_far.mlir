// RUN: tinyml-opt %s -p 'mark-weights{weights_at="0x10000" target=mega}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'mark-weights{weights_at="0xFFFC" target=mega}' --split-input-file | filecheck %s --check-prefix=NEAR
// RUN: tinyml-opt %s -p 'mark-weights{weights_at=".weights" target=mega}' --split-input-file | filecheck %s --check-prefix=SECTION
// RUN: tinyml-opt %s -p 'mark-weights{weights_at=".weights" target=mega},place-constants{target=mega near=0}' --split-input-file | filecheck %s --check-prefix=PLACED

// A kernel for far weights, and the element loads of the starts. The table is no data.
func.func @row(%x: memref<8x!fixed.q<8, 4>>) -> !fixed.q<8, 4> attributes {tinyml.weights_as_data} {
  %zero = arith.constant 0 : index
  %W = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8> -> memref<8x!fixed.q<8, 3>, #scratch.flash>
  %start = scratch.constant dense<[3, -4]> : tensor<2xi16> -> memref<2x!fixed.q<16, 7>, #scratch.flash>
  %table = scratch.constant dense<[0, 1]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %first = memref.load %start[%zero] : memref<2x!fixed.q<16, 7>, #scratch.flash>
  %begin = num.start %first : !fixed.q<16, 7> -> !fixed.acc<24, 7>
  %sum = num.call #num.dot(%begin, %W, %x) by #num.kernel<"tm_dot_s8_s8_s24"> : (!fixed.acc<24, 7>, memref<8x!fixed.q<8, 3>, #scratch.flash>, memref<8x!fixed.q<8, 4>>) -> !fixed.acc<24, 7>
  %z = num.finish %sum {bound = array<i64: -9000, 9000>} : !fixed.acc<24, 7> -> !fixed.q<8, 4>
  func.return %z : !fixed.q<8, 4>
}
// CHECK-LABEL: func.func @row(
// CHECK: %W = scratch.constant {{.*}} far {tinyml.data{{.*}}} ->
// CHECK: %start = scratch.constant {{.*}} far {tinyml.data{{.*}}} ->
// CHECK: %table = scratch.constant dense<[0, 1]> : tensor<2xi8> -> memref
// CHECK: num.call #num.dot{{.*}} by #num.far_kernel<#num.kernel<"tm_dot_s8_s8_s24">>
// NEAR-LABEL: func.func @row(
// NEAR-NOT: far
// NEAR: func.func @columns(
// NEAR-NOT: far
// SECTION-LABEL: func.func @row(
// SECTION-NOT: far
// SECTION: func.func @columns(
// Data moves together or not at all, whatever the limit of other constants is.
// PLACED-LABEL: func.func @row(
// PLACED: %W = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8> {tinyml.data, tinyml.limits = array<i64: -127, 127>}

// -----

// No kernel adds a far row to sums: the call becomes a loop.
func.func @columns(%x: memref<1x!fixed.q<8, 4>>, %sums: memref<8x!fixed.acc<32, 7>>) attributes {tinyml.weights_as_data} {
  %zero = arith.constant 0 : index
  %f = memref.load %x[%zero] : memref<1x!fixed.q<8, 4>>
  %W = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8> -> memref<8x!fixed.q<8, 3>, #scratch.flash>
  num.call #num.axpy(%sums, %W, %f) by #num.kernel<"tm_axpy_s8_s8_s32"> : (memref<8x!fixed.acc<32, 7>>, memref<8x!fixed.q<8, 3>, #scratch.flash>, !fixed.q<8, 4>) -> ()
  func.return
}
// CHECK-LABEL: func.func @columns(
// CHECK: %W = scratch.constant {{.*}} far {tinyml.data{{.*}}} ->
// CHECK-NOT: num.call
// CHECK: scf.for %{{.*}} to
// CHECK: memref.load %W[
// CHECK: num.mac

// -----

// Positions of entries, which are data already, move with the weights.
func.func @gaps() attributes {tinyml.weights_as_data} {
  %gaps = scratch.constant dense<[1, 2]> : tensor<2xi8> {tinyml.data} -> memref<2xi8, #scratch.flash>
  func.return
}
// CHECK-LABEL: func.func @gaps(
// CHECK: %gaps = scratch.constant {{.*}} far {tinyml.data

// -----

// The blob has 32 bytes more than the array, and an array in C at most 32,767 bytes.
func.func @array(%x: memref<32735x!fixed.q<8, 4>>) attributes {tinyml.weights_as_data} {
  %w = scratch.constant dense<1> : tensor<32735xi8> -> memref<32735x!fixed.q<8, 4>, #scratch.flash>
  func.return
}
// SECTION-LABEL: func.func @array(
// SECTION-NOT: far

// -----

func.func @larger_array(%x: memref<32736x!fixed.q<8, 4>>) attributes {tinyml.weights_as_data} {
  %w = scratch.constant dense<1> : tensor<32736xi8> -> memref<32736x!fixed.q<8, 4>, #scratch.flash>
  func.return
}
// SECTION-LABEL: func.func @larger_array(
// SECTION: far {tinyml.data

// -----

// The short addresses reach 64,512 bytes of constants, with or without those of the blob.
func.func @constants() attributes {tinyml.weights_as_data} {
  %w = scratch.constant dense<1> : tensor<4xi8> -> memref<4x!fixed.q<8, 4>, #scratch.flash>
  %table = scratch.constant dense<1> : tensor<64508xi8> -> memref<64508xi8, #scratch.flash>
  func.return
}
// SECTION-LABEL: func.func @constants(
// SECTION-NOT: far

// -----

func.func @more_constants() attributes {tinyml.weights_as_data} {
  %w = scratch.constant dense<1> : tensor<5xi8> -> memref<5x!fixed.q<8, 4>, #scratch.flash>
  %table = scratch.constant dense<1> : tensor<64508xi8> -> memref<64508xi8, #scratch.flash>
  func.return
}
// SECTION-LABEL: func.func @more_constants(
// SECTION: %w = scratch.constant {{.*}} far {tinyml.data
// SECTION: %table = scratch.constant dense<1> : tensor<64508xi8> ->

// -----

// The arrays of a forest are made later: 6 * 5454 bytes of nodes, 2 of a root, 7 of votes and 2 of the number of trees,
// and the head of 32 bytes.
func.func @forest(%x: memref<1xi8>, %leaves: memref<1xi16>) attributes {tinyml.weights_as_data, tinyml.forest_room = array<i64: 1, 5454, 7, 8>} {
  num.call #num.coded_forest<{features = dense<0> : tensor<1xi32>, thresholds = dense<5> : tensor<1xi8>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, votes = dense<[[0], [1]]> : tensor<2x1xi16>}, time = 20, once = 60, call = 12, stack = 4>(%leaves, %x) by #num.code_kernel<"tm_forest_code", "0123"> : (memref<1xi16>, memref<1xi8>) -> ()
  func.return
}
// CHECK-LABEL: func.func @forest(
// CHECK-SAME: tinyml.far_forest
// NEAR-LABEL: func.func @forest(
// NEAR-NOT: tinyml.far_forest
// SECTION-LABEL: func.func @forest(
// SECTION-NOT: tinyml.far_forest

// -----

func.func @larger_forest(%x: memref<1xi8>, %leaves: memref<1xi16>) attributes {tinyml.weights_as_data, tinyml.forest_room = array<i64: 1, 5454, 8, 8>} {
  num.call #num.coded_forest<{features = dense<0> : tensor<1xi32>, thresholds = dense<5> : tensor<1xi8>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, votes = dense<[[0], [1]]> : tensor<2x1xi16>}, time = 20, once = 60, call = 12, stack = 4>(%leaves, %x) by #num.code_kernel<"tm_forest_code", "0123"> : (memref<1xi16>, memref<1xi8>) -> ()
  func.return
}
// SECTION-LABEL: func.func @larger_forest(
// SECTION-SAME: tinyml.far_forest
