// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/features.npz}" --verify-diagnostics | filecheck %s

func.func @fewer(%X: tensor<3x1xf32>) -> tensor<3x1xf32> attributes {tdsl.interface = #tdsl.interface<input = <scales = [1.0, 2.0], offsets = [1.0, 2.0]>>} {
  func.return %X : tensor<3x1xf32>
}
// CHECK: 'scales' and 'offsets' of the input need a number for each of 3 features
