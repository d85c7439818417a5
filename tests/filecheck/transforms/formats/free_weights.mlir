// RUN: tinyml-opt %s -p free-weights,choose-accumulators --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p choose-accumulators --split-input-file | filecheck %s --check-prefix=KNOWN

// The weights are 1 and 2, but may become 127 each: 2 * 127 * 32767 instead of 3 * 32767.
func.func @predict(%X: tensor<2x1x!fixed.q<16, 12>>) -> tensor<1x1x!fixed.q<16, 8>> {
  %W = tdsl.const dense<[[1, 2]]> : tensor<1x2xi8> -> tensor<1x2x!fixed.q<8, 4>>
  %p = tdsl.matmul %W, %X : tensor<1x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 8>>
  func.return %p : tensor<1x1x!fixed.q<16, 8>>
}
// CHECK: func.func @predict
// CHECK-SAME: attributes {tinyml.weights_as_data}
// CHECK: bound = array<i64: -8322818, 8322818>
// KNOWN: bound = array<i64: -98301, 98301>

// -----

// A matrix that is indexed out of a stack is data, too.
func.func @stack(%X: tensor<1x2x!fixed.q<16, 12>>) -> tensor<1x1x!fixed.q<16, 8>> {
  %i = arith.constant 0 : index
  %W = tdsl.const dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xi8> -> tensor<2x2x1x!fixed.q<8, 4>>
  %w = tdsl.index %W[%i] : tensor<2x2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
  %p = tdsl.matmul %X, %w : tensor<1x2x!fixed.q<16, 12>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<16, 8>>
  func.return %p : tensor<1x1x!fixed.q<16, 8>>
}
// CHECK: func.func @stack
// CHECK: bound = array<i64: -8322818, 8322818>
// KNOWN: func.func @stack
// KNOWN: bound = array<i64: -229369, 229369>

// -----

// There is room for the forest itself, or for the one that the attribute states. A vote of 8 bits has 9 as a raw of the
// sums, whose scale is finer by one bit.
func.func @forest(%X: tensor<1x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<16, 5>> attributes {tinyml.forest_room = array<i64: 5, 6, 7>} {
  %votes = tdsl.const dense<[[1], [2]]> : tensor<2x1xi8> -> tensor<2x1x!fixed.q<8, 4>>
  %y = tdsl.forest %X, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<[0, -2, -1]> : tensor<3xi32>} : tensor<1x1x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<16, 5>>
  func.return %y : tensor<1x1x!fixed.q<16, 5>>
}
// CHECK: func.func @forest
// CHECK-SAME: tinyml.forest_room = array<i64: 5, 6, 7, 9>
// KNOWN: func.func @forest

// -----

func.func @alone(%X: tensor<1x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<16, 4>> {
  %votes = tdsl.const dense<[[1], [2]]> : tensor<2x1xi8> -> tensor<2x1x!fixed.q<8, 4>>
  %y = tdsl.forest %X, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<[0, -2, -1]> : tensor<3xi32>} : tensor<1x1x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<16, 4>>
  func.return %y : tensor<1x1x!fixed.q<16, 4>>
}
// CHECK: func.func @alone
// CHECK-SAME: tinyml.forest_room = array<i64: 3, 1, 2, 8>
// KNOWN: func.func @alone

// -----

// Votes of posits have at most the raw 95, which is 126 units of 2^-6 in the format of the sums: 8 bits.
func.func @posits(%X: tensor<1x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<16, 6>> {
  %votes = tdsl.const dense<[[32], [64]]> : tensor<2x1xi8> -> tensor<2x1x!posit.p<8, 0, -6, 1>>
  %y = tdsl.forest %X, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<[0, -2, -1]> : tensor<3xi32>} : tensor<1x1x!fixed.q<8, 4>>, tensor<2x1x!posit.p<8, 0, -6, 1>> -> tensor<1x1x!fixed.q<16, 6>>
  func.return %y : tensor<1x1x!fixed.q<16, 6>>
}
// CHECK: func.func @posits
// CHECK-SAME: tinyml.forest_room = array<i64: 3, 1, 2, 8>
// KNOWN: func.func @posits

// -----

// A sparse matrix with room, and an added sample whose addend, 4 * -32, is below the least sum, -127.
func.func @lists(%X: tensor<1x1x!fixed.q<8, 0>>) -> tensor<1x1x!fixed.q<8, 0>> attributes {tinyml.sample_room = 3 : i64, tdsl.interface = #tdsl.interface<stored = [2, "samples", "fit fewer"]>} {
  %W = tdsl.const dense<[[1], [2], [0]]> : tensor<3x1xi8> -> tensor<3x1x!fixed.q<8, 0>>
  %b = tdsl.const dense<[[-1], [-2], [-32]]> : tensor<3x1xi8> -> tensor<3x1x!fixed.q<8, -2>>
  %near = tdsl.matmul_sum %W, %X from %b : tensor<3x1x!fixed.q<8, -2>> : tensor<3x1x!fixed.q<8, 0>>, tensor<1x1x!fixed.q<8, 0>> -> tensor<3x1x!fixed.q<8, 0>>
  %mask = tdsl.top_k_mask %near {count = 1 : i64} : tensor<3x1x!fixed.q<8, 0>> -> tensor<3x1x!fixed.q<8, 0>>
  %V = tdsl.const dense<[[0, 1, 0]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<8, 0>, #tdsl.csr>
  %y = tdsl.spmv %V, %mask {room = 1 : i64} : tensor<1x3x!fixed.q<8, 0>, #tdsl.csr>, tensor<3x1x!fixed.q<8, 0>> -> tensor<1x1x!fixed.q<8, 0>>
  func.return %y : tensor<1x1x!fixed.q<8, 0>>
}
// CHECK: func.func @lists
// CHECK-SAME: tinyml.weights_as_data
// CHECK: tdsl.spmv {{.*}}room = 1 : i64
// KNOWN: func.func @lists
