// RUN: not tinyml-opt %s -p lower-stablehlo-to-tdsl 2>&1 | filecheck %s

// The message names the place of the op, behind the name of its result.
func.func @pretty(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = stablehlo.tanh %x : tensor<2xf32>
  func.return %y : tensor<2xf32>
}
// CHECK: stablehlo_to_tdsl_invalid.mlir:5:8: stablehlo.tanh stands in its own syntax
