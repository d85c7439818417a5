// RUN: tinyml-opt %s -p "fill-missing" --split-input-file --verify-diagnostics | filecheck %s

func.func @two(%X: tensor<1x2xf32>) -> tensor<1x2xf32> attributes {tdsl.interface = #tdsl.interface<input = <missing>>} {
  %a = tdsl.impute %X {values = array<f64: 1.0, 0.0>} : tensor<1x2xf32> -> tensor<1x2xf32>
  %b = tdsl.impute %X {values = array<f64: 1.0, 0.5>} : tensor<1x2xf32> -> tensor<1x2xf32>
  %y = tdsl.mul %a, %b : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  func.return %y : tensor<1x2xf32>
}
// CHECK: two imputers replace one feature by different numbers, 0 among them: put one SimpleImputer() before both
