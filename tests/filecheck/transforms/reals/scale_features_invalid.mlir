// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/features.npz}" --split-input-file --verify-diagnostics | filecheck %s

func.func @fewer(%X: tensor<3x1xf32> {tdsl.feature_scales = array<f32: 1.0, 2.0>, tdsl.feature_zeros = array<f32: 1.0, 2.0>}) -> tensor<3x1xf32> {
  func.return %X : tensor<3x1xf32>
}
// CHECK: tdsl.feature_scales and tdsl.feature_zeros need an f32 for each of 3 features

// -----

func.func @nothing(%X: tensor<3x1xf32> {tdsl.feature_scales = array<f32: 1.0, 0.0, 2.0>, tdsl.feature_zeros = array<f32: 1.0, 2.0, 0.0>}) -> tensor<3x1xf32> {
  func.return %X : tensor<3x1xf32>
}
// CHECK: tdsl.feature_scales and tdsl.feature_zeros must be finite, and no scale zero

// -----

func.func @alone(%X: tensor<3x1xf32> {tdsl.feature_scales = array<f32: 1.0, 3.0, 2.0>}) -> tensor<3x1xf32> {
  func.return %X : tensor<3x1xf32>
}
// CHECK: tdsl.feature_scales and tdsl.feature_zeros belong together
