// What is not written in TOSA is said in one line.

// RUN: tinyml-opt %s -p lower-tdsl-to-tosa --verify-diagnostics --split-input-file | filecheck %s

func.func @wide(%x: tensor<4x!zeroskew.q<16, 0.5, 0>>) -> tensor<4x!zeroskew.q<16, 0.5, 0>> {
  func.return %x : tensor<4x!zeroskew.q<16, 0.5, 0>>
}
// CHECK: elements of !zeroskew.q<16, 0.5, 0> are not written in TOSA, expected zero-skew integers of 8 bits

// -----

func.func @normalised(%x: tensor<4x!zeroskew.q<8, 0.5, 0>>) -> tensor<4x!zeroskew.q<8, 0.5, 0>> {
  %y = tdsl.normalise %x : tensor<4x!zeroskew.q<8, 0.5, 0>> -> tensor<4x!zeroskew.q<8, 0.5, 0>>
  func.return %y : tensor<4x!zeroskew.q<8, 0.5, 0>>
}
// CHECK: tdsl.normalise: not written in TOSA

// -----

func.func @pairs(%x: tensor<2x2x!zeroskew.q<8, 0.5, 0>>) -> tensor<2x2x!zeroskew.q<8, 0.5, 0>> {
  %y = tdsl.matmul %x, %x : tensor<2x2x!zeroskew.q<8, 0.5, 0>>, tensor<2x2x!zeroskew.q<8, 0.5, 0>> -> tensor<2x2x!zeroskew.q<8, 0.5, 0>>
  func.return %y : tensor<2x2x!zeroskew.q<8, 0.5, 0>>
}
// CHECK: tdsl.matmul: products of two tensors that are computed are not written in TOSA

// -----

func.func @great(%x: tensor<2x!zeroskew.q<8, 1024.0, 0>>) -> tensor<2x!zeroskew.q<8, 0.00001, 0>> {
  %y = tdsl.cast %x : tensor<2x!zeroskew.q<8, 1024.0, 0>> -> tensor<2x!zeroskew.q<8, 0.00001, 0>>
  func.return %y : tensor<2x!zeroskew.q<8, 0.00001, 0>>
}
// CHECK: tdsl.cast: a factor of 1.02e+08 is too great for tosa.rescale

// -----

// 8 bits may be shifted left by 22, which leaves 31; a product of them by 14.
func.func @most(%x: tensor<2x!zeroskew.q<8, 2097152.0, 0>>) -> tensor<2x!zeroskew.q<8, 1.0, 0>> {
  %y = tdsl.cast %x : tensor<2x!zeroskew.q<8, 2097152.0, 0>> -> tensor<2x!zeroskew.q<8, 1.0, 0>>
  func.return %y : tensor<2x!zeroskew.q<8, 1.0, 0>>
}
// CHECK-LABEL: func.func @most
// CHECK: dense<9> : tensor<1xi8>

// -----

func.func @more(%x: tensor<2x!zeroskew.q<8, 4194304.0, 0>>) -> tensor<2x!zeroskew.q<8, 1.0, 0>> {
  %y = tdsl.cast %x : tensor<2x!zeroskew.q<8, 4194304.0, 0>> -> tensor<2x!zeroskew.q<8, 1.0, 0>>
  func.return %y : tensor<2x!zeroskew.q<8, 1.0, 0>>
}
// CHECK: tdsl.cast: a factor of 4.19e+06 is too great for tosa.rescale

// -----

func.func @product(%x: tensor<2x!zeroskew.q<8, 8192.0, 0>>, %y: tensor<2x!zeroskew.q<8, 1.0, 0>>) -> tensor<2x!zeroskew.q<8, 1.0, 0>> {
  %p = tdsl.mul %x, %y : tensor<2x!zeroskew.q<8, 8192.0, 0>>, tensor<2x!zeroskew.q<8, 1.0, 0>> -> tensor<2x!zeroskew.q<8, 1.0, 0>>
  func.return %p : tensor<2x!zeroskew.q<8, 1.0, 0>>
}
// CHECK-LABEL: func.func @product
// CHECK: dense<17> : tensor<1xi8>

// -----

func.func @great_product(%x: tensor<2x!zeroskew.q<8, 16384.0, 0>>, %y: tensor<2x!zeroskew.q<8, 1.0, 0>>) -> tensor<2x!zeroskew.q<8, 1.0, 0>> {
  %p = tdsl.mul %x, %y : tensor<2x!zeroskew.q<8, 16384.0, 0>>, tensor<2x!zeroskew.q<8, 1.0, 0>> -> tensor<2x!zeroskew.q<8, 1.0, 0>>
  func.return %p : tensor<2x!zeroskew.q<8, 1.0, 0>>
}
// CHECK: tdsl.mul: a factor of 1.64e+04 is too great for tosa.rescale

// -----

// Weights of 3 and -4 and a bias of 252 make sums of at most 7 * 2^8 + 252, below 2^11; a bias of 256 reaches it.
func.func @sum(%x: tensor<2x1x!zeroskew.q<8, 1.0, 0>>) -> tensor<1x1x!zeroskew.q<8, 0.0000019073486328125, 0>> {
  %w = tdsl.const dense<[[3, -4]]> : tensor<1x2xi8> -> tensor<1x2x!zeroskew.q<8, 1.0, 0>>
  %b = tdsl.const dense<[[252]]> : tensor<1x1xi32> -> tensor<1x1x!zeroskew.q<32, 1.0, 0>>
  %y = tdsl.matmul_sum %w, %x from %b : tensor<1x1x!zeroskew.q<32, 1.0, 0>> : tensor<1x2x!zeroskew.q<8, 1.0, 0>>, tensor<2x1x!zeroskew.q<8, 1.0, 0>> -> tensor<1x1x!zeroskew.q<8, 0.0000019073486328125, 0>>
  func.return %y : tensor<1x1x!zeroskew.q<8, 0.0000019073486328125, 0>>
}
// CHECK-LABEL: func.func @sum
// CHECK: dense<11> : tensor<1xi8>

// -----

func.func @great_sum(%x: tensor<2x1x!zeroskew.q<8, 1.0, 0>>) -> tensor<1x1x!zeroskew.q<8, 0.0000019073486328125, 0>> {
  %w = tdsl.const dense<[[3, -4]]> : tensor<1x2xi8> -> tensor<1x2x!zeroskew.q<8, 1.0, 0>>
  %b = tdsl.const dense<[[256]]> : tensor<1x1xi32> -> tensor<1x1x!zeroskew.q<32, 1.0, 0>>
  %y = tdsl.matmul_sum %w, %x from %b : tensor<1x1x!zeroskew.q<32, 1.0, 0>> : tensor<1x2x!zeroskew.q<8, 1.0, 0>>, tensor<2x1x!zeroskew.q<8, 1.0, 0>> -> tensor<1x1x!zeroskew.q<8, 0.0000019073486328125, 0>>
  func.return %y : tensor<1x1x!zeroskew.q<8, 0.0000019073486328125, 0>>
}
// CHECK: tdsl.matmul_sum: a factor of 5.24e+05 is too great for tosa.rescale

// -----

// Two numbers of 8 bits sum to less than 2^9.
func.func @mean(%x: tensor<2x!zeroskew.q<8, 2097152.0, 0>>) -> tensor<1x!zeroskew.q<8, 1.0, 0>> {
  %m = tdsl.mean %x {axes = array<i64: 0>} : tensor<2x!zeroskew.q<8, 2097152.0, 0>> -> tensor<1x!zeroskew.q<8, 1.0, 0>>
  func.return %m : tensor<1x!zeroskew.q<8, 1.0, 0>>
}
// CHECK-LABEL: func.func @mean
// CHECK: dense<10> : tensor<1xi8>

// -----

func.func @great_mean(%x: tensor<2x!zeroskew.q<8, 4194304.0, 0>>) -> tensor<1x!zeroskew.q<8, 1.0, 0>> {
  %m = tdsl.mean %x {axes = array<i64: 0>} : tensor<2x!zeroskew.q<8, 4194304.0, 0>> -> tensor<1x!zeroskew.q<8, 1.0, 0>>
  func.return %m : tensor<1x!zeroskew.q<8, 1.0, 0>>
}
// CHECK: tdsl.mean: a factor of 2.1e+06 is too great for tosa.rescale
