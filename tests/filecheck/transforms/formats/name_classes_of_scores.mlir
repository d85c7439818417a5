// RUN: not tinyml-opt %s -p 'name-classes{classes="no","yes"}' 2>&1 | filecheck %s
// RUN: tinyml-opt %s -p 'name-classes{classes="no","yes" outputs=class}' | filecheck %s --check-prefix=CLASS

// A single score decides between two classes, once it is asked for the class.
func.func @score(%X: tensor<1x1xf32>) -> tensor<1x1xf32> {
  func.return %X : tensor<1x1xf32>
}
// CHECK: --classes names classes, but the model computes none
// CLASS: #tdsl.interface<classes = ["no", "yes"]>
