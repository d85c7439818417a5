// An op of each rule for scales.
func.func @scales(%x: tensor<4x1xf32>) -> tensor<1x1xf32> {
  %w = tdsl.const dense<[[0.7793, -0.7316, 1.8008, -1.8622]]> : tensor<1x4xf32> -> tensor<1x4xf32>
  %b = tdsl.const dense<[[0.4]]> : tensor<1x1xf32> -> tensor<1x1xf32>
  %y = tdsl.matmul %w, %x : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  %n = tdsl.neg %y : tensor<1x1xf32> -> tensor<1x1xf32>
  %e = tdsl.exp %n : tensor<1x1xf32> -> tensor<1x1xf32>
  %m = tdsl.mul %y, %b : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  %a = tdsl.add %e, %m : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  %s = tdsl.sub %a, %b : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  %r = tdsl.relu %s : tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %r : tensor<1x1xf32>
}
