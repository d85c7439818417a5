func.func @earlier(%x: tensor<1x2xf32> {tdsl.profile = #tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 1.0]>}) -> tensor<1x1xf32> attributes {tdsl.interface = #tdsl.interface<input = <read = [1]>, stored = [2, "inner nodes in 2 trees", "fewer trees"]>} {
  %votes = tdsl.const dense<[[0.0], [0.5], [1.0]]> : tensor<3x1xf32> {tdsl.profile = [#tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 1.0]>]} -> tensor<3x1xf32>
  %sums = tdsl.forest %x, %votes {features = dense<[1, 0]> : tensor<2xi32>, thresholds = dense<[0.5, 0.25]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0, -3]> : tensor<2xi32>, tdsl.profile = [#tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 1.0]>]} : tensor<1x2xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
