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
