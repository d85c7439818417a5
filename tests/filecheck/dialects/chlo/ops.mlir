// Every op reads what it prints, and tinyml-opt keeps it.

// RUN: %roundtrip

func.func @ops(%x: tensor<2x4xf32>) {
  %erf = "chlo.erf"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %erf = "chlo.erf"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %erfc = "chlo.erfc"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %erfc = "chlo.erfc"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %square = "chlo.square"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %square = "chlo.square"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return
}
