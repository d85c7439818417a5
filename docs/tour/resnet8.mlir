// MLPerf Tiny's resnet8 with its formats (L1); all weights of a layer are alike.
func.func @resnet8(%image: tensor<1x32x32x3x!zeroskew.q<8, 0.5, -3>>) -> tensor<10x1x!zeroskew.q<8, 0.5, -3>> {
  %F1 = tdsl.const dense<1> : tensor<16x3x3x3xi8> -> tensor<16x3x3x3x!zeroskew.q<8, 0.015625, 0>>
  %b1 = tdsl.const dense<9> : tensor<16xi32> -> tensor<16x!zeroskew.q<32, 0.0078125, 0>>
  %p1 = tdsl.pad %image {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x32x32x3x!zeroskew.q<8, 0.5, -3>> -> tensor<1x34x34x3x!zeroskew.q<8, 0.5, -3>>
  %y1 = tdsl.conv2d %F1, %p1 from %b1 : tensor<16x!zeroskew.q<32, 0.0078125, 0>> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<16x3x3x3x!zeroskew.q<8, 0.015625, 0>>, tensor<1x34x34x3x!zeroskew.q<8, 0.5, -3>> -> tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>>
  %r1 = tdsl.relu %y1 : tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>> -> tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>>
  %F2 = tdsl.const dense<1> : tensor<16x3x3x16xi8> -> tensor<16x3x3x16x!zeroskew.q<8, 0.015625, 0>>
  %b2 = tdsl.const dense<9> : tensor<16xi32> -> tensor<16x!zeroskew.q<32, 0.0078125, 0>>
  %p2 = tdsl.pad %r1 {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>> -> tensor<1x34x34x16x!zeroskew.q<8, 0.5, -3>>
  %y2 = tdsl.conv2d %F2, %p2 from %b2 : tensor<16x!zeroskew.q<32, 0.0078125, 0>> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<16x3x3x16x!zeroskew.q<8, 0.015625, 0>>, tensor<1x34x34x16x!zeroskew.q<8, 0.5, -3>> -> tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>>
  %r2 = tdsl.relu %y2 : tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>> -> tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>>
  %F3 = tdsl.const dense<1> : tensor<16x3x3x16xi8> -> tensor<16x3x3x16x!zeroskew.q<8, 0.015625, 0>>
  %b3 = tdsl.const dense<9> : tensor<16xi32> -> tensor<16x!zeroskew.q<32, 0.0078125, 0>>
  %p3 = tdsl.pad %r2 {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>> -> tensor<1x34x34x16x!zeroskew.q<8, 0.5, -3>>
  %y3 = tdsl.conv2d %F3, %p3 from %b3 : tensor<16x!zeroskew.q<32, 0.0078125, 0>> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<16x3x3x16x!zeroskew.q<8, 0.015625, 0>>, tensor<1x34x34x16x!zeroskew.q<8, 0.5, -3>> -> tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>>
  %s1 = tdsl.add %r1, %y3 : tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>>, tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>> -> tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>>
  %r3 = tdsl.relu %s1 : tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>> -> tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>>
  %F4 = tdsl.const dense<1> : tensor<32x3x3x16xi8> -> tensor<32x3x3x16x!zeroskew.q<8, 0.015625, 0>>
  %b4 = tdsl.const dense<9> : tensor<32xi32> -> tensor<32x!zeroskew.q<32, 0.0078125, 0>>
  %p4 = tdsl.pad %r3 {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>> -> tensor<1x33x33x16x!zeroskew.q<8, 0.5, -3>>
  %y4 = tdsl.conv2d %F4, %p4 from %b4 : tensor<32x!zeroskew.q<32, 0.0078125, 0>> {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<32x3x3x16x!zeroskew.q<8, 0.015625, 0>>, tensor<1x33x33x16x!zeroskew.q<8, 0.5, -3>> -> tensor<1x16x16x32x!zeroskew.q<8, 0.5, -3>>
  %r4 = tdsl.relu %y4 : tensor<1x16x16x32x!zeroskew.q<8, 0.5, -3>> -> tensor<1x16x16x32x!zeroskew.q<8, 0.5, -3>>
  %F5 = tdsl.const dense<1> : tensor<32x3x3x32xi8> -> tensor<32x3x3x32x!zeroskew.q<8, 0.015625, 0>>
  %b5 = tdsl.const dense<9> : tensor<32xi32> -> tensor<32x!zeroskew.q<32, 0.0078125, 0>>
  %p5 = tdsl.pad %r4 {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x16x16x32x!zeroskew.q<8, 0.5, -3>> -> tensor<1x18x18x32x!zeroskew.q<8, 0.5, -3>>
  %y5 = tdsl.conv2d %F5, %p5 from %b5 : tensor<32x!zeroskew.q<32, 0.0078125, 0>> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<32x3x3x32x!zeroskew.q<8, 0.015625, 0>>, tensor<1x18x18x32x!zeroskew.q<8, 0.5, -3>> -> tensor<1x16x16x32x!zeroskew.q<8, 0.5, -3>>
  %F6 = tdsl.const dense<1> : tensor<32x1x1x16xi8> -> tensor<32x1x1x16x!zeroskew.q<8, 0.015625, 0>>
  %b6 = tdsl.const dense<9> : tensor<32xi32> -> tensor<32x!zeroskew.q<32, 0.0078125, 0>>
  %y6 = tdsl.conv2d %F6, %r3 from %b6 : tensor<32x!zeroskew.q<32, 0.0078125, 0>> {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<32x1x1x16x!zeroskew.q<8, 0.015625, 0>>, tensor<1x32x32x16x!zeroskew.q<8, 0.5, -3>> -> tensor<1x16x16x32x!zeroskew.q<8, 0.5, -3>>
  %s2 = tdsl.add %y6, %y5 : tensor<1x16x16x32x!zeroskew.q<8, 0.5, -3>>, tensor<1x16x16x32x!zeroskew.q<8, 0.5, -3>> -> tensor<1x16x16x32x!zeroskew.q<8, 0.5, -3>>
  %r6 = tdsl.relu %s2 : tensor<1x16x16x32x!zeroskew.q<8, 0.5, -3>> -> tensor<1x16x16x32x!zeroskew.q<8, 0.5, -3>>
  %F7 = tdsl.const dense<1> : tensor<64x3x3x32xi8> -> tensor<64x3x3x32x!zeroskew.q<8, 0.015625, 0>>
  %b7 = tdsl.const dense<9> : tensor<64xi32> -> tensor<64x!zeroskew.q<32, 0.0078125, 0>>
  %p7 = tdsl.pad %r6 {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x16x16x32x!zeroskew.q<8, 0.5, -3>> -> tensor<1x17x17x32x!zeroskew.q<8, 0.5, -3>>
  %y7 = tdsl.conv2d %F7, %p7 from %b7 : tensor<64x!zeroskew.q<32, 0.0078125, 0>> {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<64x3x3x32x!zeroskew.q<8, 0.015625, 0>>, tensor<1x17x17x32x!zeroskew.q<8, 0.5, -3>> -> tensor<1x8x8x64x!zeroskew.q<8, 0.5, -3>>
  %r7 = tdsl.relu %y7 : tensor<1x8x8x64x!zeroskew.q<8, 0.5, -3>> -> tensor<1x8x8x64x!zeroskew.q<8, 0.5, -3>>
  %F8 = tdsl.const dense<1> : tensor<64x3x3x64xi8> -> tensor<64x3x3x64x!zeroskew.q<8, 0.015625, 0>>
  %b8 = tdsl.const dense<9> : tensor<64xi32> -> tensor<64x!zeroskew.q<32, 0.0078125, 0>>
  %p8 = tdsl.pad %r7 {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x8x8x64x!zeroskew.q<8, 0.5, -3>> -> tensor<1x10x10x64x!zeroskew.q<8, 0.5, -3>>
  %y8 = tdsl.conv2d %F8, %p8 from %b8 : tensor<64x!zeroskew.q<32, 0.0078125, 0>> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<64x3x3x64x!zeroskew.q<8, 0.015625, 0>>, tensor<1x10x10x64x!zeroskew.q<8, 0.5, -3>> -> tensor<1x8x8x64x!zeroskew.q<8, 0.5, -3>>
  %F9 = tdsl.const dense<1> : tensor<64x1x1x32xi8> -> tensor<64x1x1x32x!zeroskew.q<8, 0.015625, 0>>
  %b9 = tdsl.const dense<9> : tensor<64xi32> -> tensor<64x!zeroskew.q<32, 0.0078125, 0>>
  %y9 = tdsl.conv2d %F9, %r6 from %b9 : tensor<64x!zeroskew.q<32, 0.0078125, 0>> {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<64x1x1x32x!zeroskew.q<8, 0.015625, 0>>, tensor<1x16x16x32x!zeroskew.q<8, 0.5, -3>> -> tensor<1x8x8x64x!zeroskew.q<8, 0.5, -3>>
  %s3 = tdsl.add %y9, %y8 : tensor<1x8x8x64x!zeroskew.q<8, 0.5, -3>>, tensor<1x8x8x64x!zeroskew.q<8, 0.5, -3>> -> tensor<1x8x8x64x!zeroskew.q<8, 0.5, -3>>
  %r9 = tdsl.relu %s3 : tensor<1x8x8x64x!zeroskew.q<8, 0.5, -3>> -> tensor<1x8x8x64x!zeroskew.q<8, 0.5, -3>>
  %mean = tdsl.mean %r9 {axes = array<i64: 1, 2>} : tensor<1x8x8x64x!zeroskew.q<8, 0.5, -3>> -> tensor<1x1x1x64x!zeroskew.q<8, 0.5, -3>>
  %column = tdsl.reshape %mean : tensor<1x1x1x64x!zeroskew.q<8, 0.5, -3>> -> tensor<64x1x!zeroskew.q<8, 0.5, -3>>
  %W = tdsl.const dense<2> : tensor<10x64xi8> -> tensor<10x64x!zeroskew.q<8, 0.015625, 0>>
  %scores = tdsl.matmul %W, %column : tensor<10x64x!zeroskew.q<8, 0.015625, 0>>, tensor<64x1x!zeroskew.q<8, 0.5, -3>> -> tensor<10x1x!zeroskew.q<8, 0.5, -3>>
  func.return %scores : tensor<10x1x!zeroskew.q<8, 0.5, -3>>
}
