// The shapes of a small LeNet for digits of 28 x 28 pixels; all weights are 0.
func.func @lenet(%X: tensor<1x28x28x1xf32>) -> tensor<10x1xf32> {
  %F1 = tdsl.const dense<0.0> : tensor<6x5x5x1xf32> -> tensor<6x5x5x1xf32>
  %F2 = tdsl.const dense<0.0> : tensor<12x5x5x6xf32> -> tensor<12x5x5x6xf32>
  %W = tdsl.const dense<0.0> : tensor<10x192xf32> -> tensor<10x192xf32>
  %conv1 = tdsl.conv2d %F1, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<6x5x5x1xf32>, tensor<1x28x28x1xf32> -> tensor<1x24x24x6xf32>
  %relu1 = tdsl.relu %conv1 : tensor<1x24x24x6xf32> -> tensor<1x24x24x6xf32>
  %pool1 = tdsl.max_pool %relu1 {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : tensor<1x24x24x6xf32> -> tensor<1x12x12x6xf32>
  %conv2 = tdsl.conv2d %F2, %pool1 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<12x5x5x6xf32>, tensor<1x12x12x6xf32> -> tensor<1x8x8x12xf32>
  %relu2 = tdsl.relu %conv2 : tensor<1x8x8x12xf32> -> tensor<1x8x8x12xf32>
  %pool2 = tdsl.max_pool %relu2 {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : tensor<1x8x8x12xf32> -> tensor<1x4x4x12xf32>
  %flat = tdsl.reshape %pool2 : tensor<1x4x4x12xf32> -> tensor<192x1xf32>
  %scores = tdsl.matmul %W, %flat : tensor<10x192xf32>, tensor<192x1xf32> -> tensor<10x1xf32>
  func.return %scores : tensor<10x1xf32>
}
