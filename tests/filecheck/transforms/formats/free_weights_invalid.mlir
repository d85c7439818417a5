// RUN: tinyml-opt %s -p free-weights --split-input-file --verify-diagnostics | filecheck %s

// CHECK: --weights-at: the zeros of this sparse matrix are a part of the program
func.func @sparse(%X: tensor<2x1x!fixed.q<8, 4>>) -> tensor<2x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[1, 0], [0, 2]]> : tensor<2x2xi8> -> tensor<2x2x!fixed.q<8, 4>, #tdsl.csr>
  %p = tdsl.spmv %W, %X : tensor<2x2x!fixed.q<8, 4>, #tdsl.csr>, tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
  func.return %p : tensor<2x1x!fixed.q<8, 4>>
}

// -----

// A vote of at most 2 raws twice needs 4 bits, and the sums have 3.
// CHECK: --weights-at: the sums of votes are rounded: use the format fixed
func.func @rounds(%X: tensor<1x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<3, 4>> {
  %votes = tdsl.const dense<[[1], [2]]> : tensor<2x1xi8> -> tensor<2x1x!fixed.q<3, 4>>
  %y = tdsl.forest %X, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<[0, -2]> : tensor<2xi32>} : tensor<1x1x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<3, 4>> -> tensor<1x1x!fixed.q<3, 4>>
  func.return %y : tensor<1x1x!fixed.q<3, 4>>
}

// -----

// CHECK: --weights-at: a forest in a blob compares integers, its input has floats
func.func @floats(%X: tensor<1x1xf32>) -> tensor<1x1x!fixed.q<16, 4>> {
  %votes = tdsl.const dense<[[1], [2]]> : tensor<2x1xi8> -> tensor<2x1x!fixed.q<8, 4>>
  %y = tdsl.forest %X, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x1xf32>, tensor<2x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<16, 4>>
  func.return %y : tensor<1x1x!fixed.q<16, 4>>
}

// -----

// The third sample was added, but another one may be farther: the least sum is -128, its addend -127.
// CHECK: --weights-at: in this format, no number ranks below all samples: use the format fixed
func.func @nearest(%X: tensor<1x1x!fixed.q<8, 0>>) -> tensor<3x1x!fixed.q<8, 0>> attributes {tinyml.sample_room = 3 : i64, tdsl.interface = #tdsl.interface<stored = [2, "samples", "fit fewer"]>} {
  %W = tdsl.const dense<[[1], [2], [0]]> : tensor<3x1xi8> -> tensor<3x1x!fixed.q<8, 0>>
  %b = tdsl.const dense<[[-1], [-2], [-30]]> : tensor<3x1xi8> -> tensor<3x1x!fixed.q<8, -2>>
  %near = tdsl.matmul_sum %W, %X from %b : tensor<3x1x!fixed.q<8, -2>> : tensor<3x1x!fixed.q<8, 0>>, tensor<1x1x!fixed.q<8, 0>> -> tensor<3x1x!fixed.q<8, 0>>
  %mask = tdsl.top_k_mask %near {count = 1 : i64} : tensor<3x1x!fixed.q<8, 0>> -> tensor<3x1x!fixed.q<8, 0>>
  func.return %mask : tensor<3x1x!fixed.q<8, 0>>
}
