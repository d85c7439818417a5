// An inverted bottleneck: 1 to 32 to 4 channels, 12 x 12 to 5 x 5 pixels.
func.func @bottleneck(%X: tensor<1x12x12x1x!fixed.q<8, 7>>) -> tensor<1x5x5x4x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<32x1x1x1xi8> -> tensor<32x1x1x1x!fixed.q<8, 7>>
  %G = tdsl.const dense<2> : tensor<32x3x3x1xi8> -> tensor<32x3x3x1x!fixed.q<8, 7>>
  %H = tdsl.const dense<3> : tensor<4x1x1x32xi8> -> tensor<4x1x1x32x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<32x1x1x1x!fixed.q<8, 7>>, tensor<1x12x12x1x!fixed.q<8, 7>> -> tensor<1x12x12x32x!fixed.q<8, 5>>
  %z = tdsl.conv2d %G, %y {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, groups = 32 : i64} : tensor<32x3x3x1x!fixed.q<8, 7>>, tensor<1x12x12x32x!fixed.q<8, 5>> -> tensor<1x5x5x32x!fixed.q<8, 5>>
  %s = tdsl.conv2d %H, %z {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x1x1x32x!fixed.q<8, 7>>, tensor<1x5x5x32x!fixed.q<8, 5>> -> tensor<1x5x5x4x!fixed.q<8, 5>>
  func.return %s : tensor<1x5x5x4x!fixed.q<8, 5>>
}
