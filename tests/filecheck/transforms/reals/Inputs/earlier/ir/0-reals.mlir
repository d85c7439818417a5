func.func @earlier(%X: tensor<1x1xf32> {tdsl.profile = #tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 1.0]>}) -> tensor<1x1xf32> {
  %W = tdsl.const dense<1.5> : tensor<1x1xf32> {tdsl.profile = [#tdsl.profile<0.0, 1.5, [0.0, 0.0, 0.0, 0.0, 1.5]>]} -> tensor<1x1xf32>
  %p = tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<0.0, 1.5, [0.0, 0.0, 0.0, 0.0, 1.5]>]} : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %p : tensor<1x1xf32>
}
