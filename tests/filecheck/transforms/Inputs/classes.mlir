func.func @classes(%X: tensor<2x1xf32>) -> tensor<3x1xf32> {
  %W1 = tdsl.const dense<[[0.81, -1.37], [-0.43, 1.91], [1.21, 0.57]]> : tensor<3x2xf32> -> tensor<3x2xf32>
  %B1 = tdsl.const dense<[[0.31], [-0.17], [0.043]]> : tensor<3x1xf32> -> tensor<3x1xf32>
  %W2 = tdsl.const dense<[[0.713, -0.229, 0.331], [-0.513, 0.837, 0.119], [0.0291, 0.347, -0.633]]> : tensor<3x3xf32> -> tensor<3x3xf32>
  %h = tdsl.matmul %W1, %X : tensor<3x2xf32>, tensor<2x1xf32> -> tensor<3x1xf32>
  %a = tdsl.add %h, %B1 : tensor<3x1xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
  %r = tdsl.relu %a : tensor<3x1xf32> -> tensor<3x1xf32>
  %s = tdsl.matmul %W2, %r : tensor<3x3xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
  func.return %s : tensor<3x1xf32>
}
