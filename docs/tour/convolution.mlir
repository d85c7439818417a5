// A convolution and a dense layer on a quantised image, with their formats (L1).
func.func @life(%image: tensor<1x4x6x4x!zeroskew.q<8, 0.5, 0>>) -> tensor<4x1x!zeroskew.q<8, 128.0, 0>> {
  %F = tdsl.const dense<1> : tensor<2x3x3x4xi8> -> tensor<2x3x3x4x!zeroskew.q<8, 0.5, 0>>
  %bias = tdsl.const dense<[9, -9]> : tensor<2xi32> -> tensor<2x!zeroskew.q<32, 0.25, 0>>
  %W = tdsl.const dense<2> : tensor<4x16xi8> -> tensor<4x16x!zeroskew.q<8, 0.5, 0>>
  %y = tdsl.conv2d %F, %image from %bias : tensor<2x!zeroskew.q<32, 0.25, 0>> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x3x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x4x6x4x!zeroskew.q<8, 0.5, 0>> -> tensor<1x2x4x2x!zeroskew.q<8, 64.0, -3>>
  %column = tdsl.reshape %y : tensor<1x2x4x2x!zeroskew.q<8, 64.0, -3>> -> tensor<16x1x!zeroskew.q<8, 64.0, -3>>
  %scores = tdsl.matmul %W, %column : tensor<4x16x!zeroskew.q<8, 0.5, 0>>, tensor<16x1x!zeroskew.q<8, 64.0, -3>> -> tensor<4x1x!zeroskew.q<8, 128.0, 0>>
  func.return %scores : tensor<4x1x!zeroskew.q<8, 128.0, 0>>
}
