// RUN: tinyml-opt %s -p 'name-classes{classes="a","b","c"}' --split-input-file --verify-diagnostics | filecheck %s

// Scores of several classes decide when they are asked to; a single one may be a regressor's.
func.func @scores(%X: tensor<3x1xf32>) -> tensor<3x1xf32> {
  func.return %X : tensor<3x1xf32>
}
// CHECK: --classes names classes, but the model computes none: --outputs class lets it decide by its 3 scores

// -----

func.func @two(%X: tensor<2x1xf32>) -> tensor<2x1xf32> {
  func.return %X : tensor<2x1xf32>
}
// CHECK: --classes names classes, but the model computes none: --outputs class lets it decide by its 2 scores

// -----

func.func @one(%X: tensor<1x1xf32>) -> tensor<1x1xf32> {
  func.return %X : tensor<1x1xf32>
}
// CHECK: --classes names classes, but the model computes none{{$}}

// -----

// A single score is of two classes.
func.func @sign(%X: tensor<1x1xf32>) -> (index, tensor<1x1xf32>) {
  %label = tdsl.sign %X : tensor<1x1xf32>
  func.return %label, %X : index, tensor<1x1xf32>
}
// CHECK: --classes has 3 names, the model has 2 classes: a, b, c
