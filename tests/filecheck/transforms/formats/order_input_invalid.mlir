// RUN: not tinyml-opt %s -p 'order-input{input-order=channels-last}' 2>&1 | filecheck %s

func.func @dense(%X: tensor<1x3x4xf32>) -> tensor<12x1xf32> {
  %y = tdsl.reshape %X : tensor<1x3x4xf32> -> tensor<12x1xf32>
  func.return %y : tensor<12x1xf32>
}
// CHECK: nothing reads the input, 1x3x4, as an image or a sequence whose channels come first: leave out --input-order channels-last
