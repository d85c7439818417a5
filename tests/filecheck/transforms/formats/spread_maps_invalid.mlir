// RUN: not tinyml-opt %s -p spread-maps 2>&1 | filecheck %s

// No op on tensors is a sum of products.
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = tdsl.map %x : tensor<2xf32> -> tensor<2xf32> {
  ^bb0(%a: f32):
    %c = num.combine %a {terms = array<i64: -1>} : f32 -> f32
    tdsl.yield %c : f32
  }
  func.return %y : tensor<2xf32>
}
// CHECK: spread_maps_invalid.mlir:7:5: pass 'spread-maps': 'num.combine' in a tdsl.map has no op on tensors that formats are chosen for
