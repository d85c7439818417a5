// RUN: not tinyml-opt %s -p 'drop-monotone{outputs=class}' 2>&1 | filecheck %s

func.func @matrix(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  func.return %x : tensor<2x4xf32>
}
// CHECK: outputs=class needs a vector of scores, or a single one; the program gives 2x4
