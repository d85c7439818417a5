// Six numbers in the middle: what they occupy decides in how many bytes of RAM the program works.
func.func @hidden(%X: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %W1 = tdsl.const dense<[[0.42, 0.19], [1.02, -0.82], [0.7, 0.3], [-0.5, 0.9], [0.1, 0.6], [-0.3, -0.2]]> : tensor<6x2xf32> -> tensor<6x2xf32>
  %W2 = tdsl.const dense<[[-0.4, -1.01, 0.3, 0.8, -0.7, 0.5]]> : tensor<1x6xf32> -> tensor<1x6xf32>
  %t1 = tdsl.matmul %W1, %X : tensor<6x2xf32>, tensor<2x1xf32> -> tensor<6x1xf32>
  %t2 = tdsl.relu %t1 : tensor<6x1xf32> -> tensor<6x1xf32>
  %t3 = tdsl.matmul %W2, %t2 : tensor<1x6xf32>, tensor<6x1xf32> -> tensor<1x1xf32>
  func.return %t3 : tensor<1x1xf32>
}
