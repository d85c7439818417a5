// RUN: tinyml-opt %s -p 'tile-windows{target=cortex-m4},cse' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p tile-windows --split-input-file | filecheck %s --check-prefix=HOST

// An image one pixel wide is a row: its tiles run along it, a quarter of it at once, with the padding before it and the
// sum behind it. A target without tiles takes pixel by pixel of the image as it is.
func.func @padded(%X: tensor<1x8x1x2x!zeroskew.q<8, 0.5, 3>>, %Y: tensor<1x8x1x2x!zeroskew.q<8, 8.0, 0>>) -> tensor<1x8x1x2x!zeroskew.q<8, 8.0, 0>> {
  %F = tdsl.const dense<1> : tensor<2x3x1x1xi8> -> tensor<2x3x1x1x!zeroskew.q<8, 0.5, 0>>
  %p = tdsl.pad %X {low = array<i64: 0, 1, 0, 0>, high = array<i64: 0, 1, 0, 0>} : tensor<1x8x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x10x1x2x!zeroskew.q<8, 0.5, 3>>
  %y = tdsl.conv2d %F, %p {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x3x1x1x!zeroskew.q<8, 0.5, 0>>, tensor<1x10x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x8x1x2x!zeroskew.q<8, 8.0, 0>>
  %z = tdsl.add %y, %Y : tensor<1x8x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x8x1x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x8x1x2x!zeroskew.q<8, 8.0, 0>>
  func.return %z : tensor<1x8x1x2x!zeroskew.q<8, 8.0, 0>>
}
// CHECK-LABEL: func.func @padded(%X: tensor<1x8x1x2x!zeroskew.q<8, 0.5, 3>>, %Y: tensor<1x8x1x2x!zeroskew.q<8, 8.0, 0>>) -> tensor<1x8x1x2x!zeroskew.q<8, 8.0, 0>> {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<2x1x3x1xi8> -> tensor<2x1x3x1x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: [[vX_1:%.*]] = tdsl.reshape %X : tensor<1x8x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x8x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vY_1:%.*]] = tdsl.reshape %Y : tensor<1x8x1x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x8x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: %z = tensor.empty() : tensor<1x1x8x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vz_1:%.*]] = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vz_2:%.*]] = %z) -> (tensor<1x1x8x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: [[v4:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v5:%.*]] = arith.muli [[v3]], [[v4]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.subi [[v5]], [[v2]] : index
// CHECK-NEXT: %window = tdsl.window [[vX_1]]{{\[}}[[v0]], [[v6]]] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 1, 1>} : tensor<1x1x8x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x6x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: %y = tdsl.conv2d %F, %window {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64, tile = #num.tile_kernel<"tm_cm_channel_tile_s8", rows = 2, runs = 1, length = 6, pitch = 0, step = 2, count = 4, zero = 0>} : tensor<2x1x3x1x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x6x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v7:%.*]] = tdsl.slice [[vY_1]]{{\[}}[[v0]], [[v0]], [[v5]], [[v0]]] : tensor<1x1x8x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vz_3:%.*]] = tdsl.add %y, [[v7]] : tensor<1x1x4x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x4x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v8:%.*]] = tdsl.insert_slice [[vz_3]], [[vz_2]]{{\[}}[[v0]], [[v0]], [[v5]], [[v0]]] : tensor<1x1x4x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x8x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x8x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: scf.yield [[v8]] : tensor<1x1x8x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: [[vz_4:%.*]] = tdsl.reshape [[vz_1]] : tensor<1x1x8x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x8x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: func.return [[vz_4]] : tensor<1x8x1x2x!zeroskew.q<8, 8.0, 0>>
// HOST-LABEL: func.func @padded
// HOST-NOT: tensor<1x1x8x2x
// HOST: func.return

// -----

// Strides and dilations of rows become those of columns.
func.func @steps(%X: tensor<1x9x1x2x!zeroskew.q<8, 0.5, 3>>) -> (tensor<1x4x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x5x1x2x!zeroskew.q<8, 8.0, 0>>) {
  %F = tdsl.const dense<1> : tensor<2x3x1x2xi8> -> tensor<2x3x1x2x!zeroskew.q<8, 0.5, 0>>
  %G = tdsl.const dense<2> : tensor<2x3x1x2xi8> -> tensor<2x3x1x2x!zeroskew.q<8, 0.5, 0>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 2, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x1x2x!zeroskew.q<8, 0.5, 0>>, tensor<1x9x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x4x1x2x!zeroskew.q<8, 8.0, 0>>
  %z = tdsl.conv2d %G, %X {strides = array<i64: 1, 1>, dilations = array<i64: 2, 1>, groups = 1 : i64} : tensor<2x3x1x2x!zeroskew.q<8, 0.5, 0>>, tensor<1x9x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x5x1x2x!zeroskew.q<8, 8.0, 0>>
  func.return %y, %z : tensor<1x4x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x5x1x2x!zeroskew.q<8, 8.0, 0>>
}
// CHECK-LABEL: func.func @steps(%X: tensor<1x9x1x2x!zeroskew.q<8, 0.5, 3>>) -> (tensor<1x4x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x5x1x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<2x1x3x2xi8> -> tensor<2x1x3x2x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: %G = tdsl.const dense<2> : tensor<2x1x3x2xi8> -> tensor<2x1x3x2x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: [[vX_1:%.*]] = tdsl.reshape %X : tensor<1x9x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x9x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = tdsl.slice [[vX_1]]{{\[}}[[v0]], [[v0]], [[v0]], [[v0]]] : tensor<1x1x9x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x9x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: %y = tdsl.conv2d %F, [[v1]] {strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 2, runs = 1, length = 6, pitch = 0, step = 4, count = 4, zero = 0>} : tensor<2x1x3x2x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x9x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.reshape %y : tensor<1x1x4x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x4x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: %z = tensor.empty() : tensor<1x1x5x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: %window = tdsl.window [[vX_1]]{{\[}}[[v0]], [[v0]]] {dilations = array<i64: 1, 2>, margins = array<i64: 0, 0, 0, 0>, across = 1 : i64} : tensor<1x1x9x2x!zeroskew.q<8, 0.5, 3>> -> tensor<3x1x3x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vz_1:%.*]] = tdsl.conv2d %G, %window {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 2, runs = 1, length = 6, pitch = 0, step = 6, count = 3, zero = 0>} : tensor<2x1x3x2x!zeroskew.q<8, 0.5, 0>>, tensor<3x1x3x2x!zeroskew.q<8, 0.5, 3>> -> tensor<3x1x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vz_2:%.*]] = tdsl.reshape [[vz_1]] : tensor<3x1x1x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x3x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v2:%.*]] = tdsl.insert_slice [[vz_2]], %z{{\[}}[[v0]], [[v0]], [[v0]], [[v0]]] : tensor<1x1x3x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x5x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x5x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v3:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[vwindow_1:%.*]] = tdsl.window [[vX_1]]{{\[}}[[v0]], [[v3]]] {dilations = array<i64: 1, 2>, margins = array<i64: 0, 0, 0, 0>, across = 1 : i64} : tensor<1x1x9x2x!zeroskew.q<8, 0.5, 3>> -> tensor<2x1x3x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vz_3:%.*]] = tdsl.conv2d %G, [[vwindow_1]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 2, runs = 1, length = 6, pitch = 0, step = 6, count = 2, zero = 0>} : tensor<2x1x3x2x!zeroskew.q<8, 0.5, 0>>, tensor<2x1x3x2x!zeroskew.q<8, 0.5, 3>> -> tensor<2x1x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vz_4:%.*]] = tdsl.reshape [[vz_3]] : tensor<2x1x1x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x2x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vz_5:%.*]] = tdsl.insert_slice [[vz_4]], [[v2]]{{\[}}[[v0]], [[v0]], [[v3]], [[v0]]] : tensor<1x1x2x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x5x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x5x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vz_6:%.*]] = tdsl.reshape [[vz_5]] : tensor<1x1x5x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x5x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: func.return [[vy_1]], [[vz_6]] : tensor<1x4x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x5x1x2x!zeroskew.q<8, 8.0, 0>>

// -----

// One window is no tile. Nothing is left of a row that no kernel takes.
func.func @others(%X: tensor<1x3x1x2x!zeroskew.q<8, 0.5, 3>>, %Y: tensor<1x8x1x1xf32>) -> (tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x6x1x1xf32>) {
  %F = tdsl.const dense<1> : tensor<2x3x1x2xi8> -> tensor<2x3x1x2x!zeroskew.q<8, 0.5, 0>>
  %G = tdsl.const dense<1.0> : tensor<1x3x1x1xf32> -> tensor<1x3x1x1xf32>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x1x2x!zeroskew.q<8, 0.5, 0>>, tensor<1x3x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>
  %z = tdsl.conv2d %G, %Y {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x3x1x1xf32>, tensor<1x8x1x1xf32> -> tensor<1x6x1x1xf32>
  func.return %y, %z : tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x6x1x1xf32>
}
// CHECK-LABEL: func.func @others(%X: tensor<1x3x1x2x!zeroskew.q<8, 0.5, 3>>, %Y: tensor<1x8x1x1xf32>) -> (tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x6x1x1xf32>) {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<2x6xi8> -> tensor<2x6x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: %G = tdsl.const dense<1.000000e+00> : tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %y = tensor.empty() : tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = tdsl.slice %X{{\[}}[[v0]], [[v0]], [[v0]], [[v0]]] : tensor<1x3x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x3x1x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v2:%.*]] = tdsl.reshape [[v1]] : tensor<1x3x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<6x1x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.matmul %F, [[v2]] : tensor<2x6x!zeroskew.q<8, 0.5, 0>>, tensor<6x1x!zeroskew.q<8, 0.5, 3>> -> tensor<2x1x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vy_2:%.*]] = tdsl.reshape [[vy_1]] : tensor<2x1x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vy_3:%.*]] = tdsl.insert_slice [[vy_2]], %y{{\[}}[[v0]], [[v0]], [[v0]], [[v0]]] : tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: %z = tensor.empty() : tensor<1x6x1x1xf32>
// CHECK-NEXT: [[v3:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vz_1:%.*]] = scf.for [[v5:%.*]] = [[v0]] to [[v3]] step [[v4]] iter_args([[vz_2:%.*]] = %z) -> (tensor<1x6x1x1xf32>) {
// CHECK-NEXT: [[v6:%.*]] = tdsl.slice %Y{{\[}}[[v0]], [[v5]], [[v0]], [[v0]]] : tensor<1x8x1x1xf32> -> tensor<1x3x1x1xf32>
// CHECK-NEXT: [[v7:%.*]] = tdsl.reshape [[v6]] : tensor<1x3x1x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: [[vz_3:%.*]] = tdsl.matmul %G, [[v7]] : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: [[vz_4:%.*]] = tdsl.reshape [[vz_3]] : tensor<1x1xf32> -> tensor<1x1x1x1xf32>
// CHECK-NEXT: [[v8:%.*]] = tdsl.insert_slice [[vz_4]], [[vz_2]]{{\[}}[[v0]], [[v5]], [[v0]], [[v0]]] : tensor<1x1x1x1xf32>, tensor<1x6x1x1xf32> -> tensor<1x6x1x1xf32>
// CHECK-NEXT: scf.yield [[v8]] : tensor<1x6x1x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vy_3]], [[vz_1]] : tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x6x1x1xf32>

// -----

// Windows of a single pixel, too, where rows of the image do not divide into equal parts that are small enough; where
// they do, several rows are taken at once.
func.func @single(%X: tensor<1x13x1x4x!zeroskew.q<8, 0.5, 3>>, %Y: tensor<1x12x1x4x!zeroskew.q<8, 0.5, 3>>) -> (tensor<1x13x1x128x!zeroskew.q<8, 8.0, 0>>, tensor<1x12x1x128x!zeroskew.q<8, 8.0, 0>>) {
  %F = tdsl.const dense<1> : tensor<128x1x1x4xi8> -> tensor<128x1x1x4x!zeroskew.q<8, 0.5, 0>>
  %G = tdsl.const dense<2> : tensor<128x1x1x4xi8> -> tensor<128x1x1x4x!zeroskew.q<8, 0.5, 0>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<128x1x1x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x13x1x4x!zeroskew.q<8, 0.5, 3>> -> tensor<1x13x1x128x!zeroskew.q<8, 8.0, 0>>
  %z = tdsl.conv2d %G, %Y {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<128x1x1x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x12x1x4x!zeroskew.q<8, 0.5, 3>> -> tensor<1x12x1x128x!zeroskew.q<8, 8.0, 0>>
  func.return %y, %z : tensor<1x13x1x128x!zeroskew.q<8, 8.0, 0>>, tensor<1x12x1x128x!zeroskew.q<8, 8.0, 0>>
}
// CHECK-LABEL: func.func @single(%X: tensor<1x13x1x4x!zeroskew.q<8, 0.5, 3>>, %Y: tensor<1x12x1x4x!zeroskew.q<8, 0.5, 3>>) -> (tensor<1x13x1x128x!zeroskew.q<8, 8.0, 0>>, tensor<1x12x1x128x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<128x1x1x4xi8> -> tensor<128x1x1x4x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: %G = tdsl.const dense<2> : tensor<128x1x1x4xi8> -> tensor<128x1x1x4x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: [[vX_1:%.*]] = tdsl.reshape %X : tensor<1x13x1x4x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x13x4x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: %y = tensor.empty() : tensor<1x1x13x128x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = tdsl.slice [[vX_1]]{{\[}}[[v0]], [[v0]], [[v0]], [[v0]]] : tensor<1x1x13x4x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x9x4x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.conv2d %F, [[v1]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 128, runs = 1, length = 4, pitch = 0, step = 4, count = 9, zero = 0>} : tensor<128x1x1x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x9x4x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x9x128x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v2:%.*]] = tdsl.insert_slice [[vy_1]], %y{{\[}}[[v0]], [[v0]], [[v0]], [[v0]]] : tensor<1x1x9x128x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x13x128x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x13x128x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v3:%.*]] = arith.constant 9 : index
// CHECK-NEXT: [[v4:%.*]] = tdsl.slice [[vX_1]]{{\[}}[[v0]], [[v0]], [[v3]], [[v0]]] : tensor<1x1x13x4x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x4x4x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vy_2:%.*]] = tdsl.conv2d %F, [[v4]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 128, runs = 1, length = 4, pitch = 0, step = 4, count = 4, zero = 0>} : tensor<128x1x1x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x4x4x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x4x128x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vy_3:%.*]] = tdsl.insert_slice [[vy_2]], [[v2]]{{\[}}[[v0]], [[v0]], [[v3]], [[v0]]] : tensor<1x1x4x128x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x13x128x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x13x128x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vy_4:%.*]] = tdsl.reshape [[vy_3]] : tensor<1x1x13x128x!zeroskew.q<8, 8.0, 0>> -> tensor<1x13x1x128x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: %z = tensor.empty() : tensor<1x12x1x128x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v5:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v6:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vz_1:%.*]] = scf.for [[v7:%.*]] = [[v0]] to [[v5]] step [[v6]] iter_args([[vz_2:%.*]] = %z) -> (tensor<1x12x1x128x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: [[v8:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v9:%.*]] = arith.muli [[v7]], [[v8]] : index
// CHECK-NEXT: [[v10:%.*]] = tdsl.slice %Y{{\[}}[[v0]], [[v9]], [[v0]], [[v0]]] : tensor<1x12x1x4x!zeroskew.q<8, 0.5, 3>> -> tensor<1x6x1x4x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vz_3:%.*]] = tdsl.conv2d %G, [[v10]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 128, runs = 1, length = 4, pitch = 0, step = 4, count = 6, zero = 0>} : tensor<128x1x1x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x6x1x4x!zeroskew.q<8, 0.5, 3>> -> tensor<1x6x1x128x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v11:%.*]] = tdsl.insert_slice [[vz_3]], [[vz_2]]{{\[}}[[v0]], [[v9]], [[v0]], [[v0]]] : tensor<1x6x1x128x!zeroskew.q<8, 8.0, 0>>, tensor<1x12x1x128x!zeroskew.q<8, 8.0, 0>> -> tensor<1x12x1x128x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: scf.yield [[v11]] : tensor<1x12x1x128x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vy_4]], [[vz_1]] : tensor<1x13x1x128x!zeroskew.q<8, 8.0, 0>>, tensor<1x12x1x128x!zeroskew.q<8, 8.0, 0>>

// -----

// Thirteen pixels have no equal tiles: five are taken at once, and the last three behind the loop. Where memory is
// limited, however much is left, they are computed one by one, so that results can overwrite the image.
func.func @prime(%X: tensor<1x15x1x2x!zeroskew.q<8, 0.5, 3>>) -> (tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>) {
  %F = tdsl.const dense<1> : tensor<2x3x1x1xi8> -> tensor<2x3x1x1x!zeroskew.q<8, 0.5, 0>>
  %G = tdsl.const dense<2> : tensor<2x3x1x1xi8> -> tensor<2x3x1x1x!zeroskew.q<8, 0.5, 0>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x3x1x1x!zeroskew.q<8, 0.5, 0>>, tensor<1x15x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>
  %z = tdsl.conv2d %G, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64, tinyml.room = array<i64: 4096, 4096>} : tensor<2x3x1x1x!zeroskew.q<8, 0.5, 0>>, tensor<1x15x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>
  func.return %y, %z : tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>
}
// CHECK-LABEL: func.func @prime(%X: tensor<1x15x1x2x!zeroskew.q<8, 0.5, 3>>) -> (tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<2x1x3x1xi8> -> tensor<2x1x3x1x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: %G = tdsl.const dense<2> : tensor<2x3x1x1xi8> -> tensor<2x3x1x1x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: [[vX_1:%.*]] = tdsl.reshape %X : tensor<1x15x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x15x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: %y = tensor.empty() : tensor<1x1x13x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vy_1:%.*]] = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vy_2:%.*]] = %y) -> (tensor<1x1x13x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: [[v4:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[v5:%.*]] = arith.muli [[v3]], [[v4]] : index
// CHECK-NEXT: [[v6:%.*]] = tdsl.slice [[vX_1]]{{\[}}[[v0]], [[v0]], [[v5]], [[v0]]] : tensor<1x1x15x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x7x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vy_3:%.*]] = tdsl.conv2d %F, [[v6]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64, tile = #num.tile_kernel<"tm_cm_channel_tile_s8", rows = 2, runs = 1, length = 6, pitch = 0, step = 2, count = 5, zero = 0>} : tensor<2x1x3x1x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x7x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x5x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v7:%.*]] = tdsl.insert_slice [[vy_3]], [[vy_2]]{{\[}}[[v0]], [[v0]], [[v5]], [[v0]]] : tensor<1x1x5x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x13x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x13x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: scf.yield [[v7]] : tensor<1x1x13x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v8:%.*]] = arith.constant 10 : index
// CHECK-NEXT: [[v9:%.*]] = tdsl.slice [[vX_1]]{{\[}}[[v0]], [[v0]], [[v8]], [[v0]]] : tensor<1x1x15x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x5x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vy_4:%.*]] = tdsl.conv2d %F, [[v9]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64, tile = #num.tile_kernel<"tm_cm_channel_tile_s8", rows = 2, runs = 1, length = 6, pitch = 0, step = 2, count = 3, zero = 0>} : tensor<2x1x3x1x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x5x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x3x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vy_5:%.*]] = tdsl.insert_slice [[vy_4]], [[vy_1]]{{\[}}[[v0]], [[v0]], [[v8]], [[v0]]] : tensor<1x1x3x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x13x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x13x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vy_6:%.*]] = tdsl.reshape [[vy_5]] : tensor<1x1x13x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: %z = tensor.empty() : tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v10:%.*]] = arith.constant 13 : index
// CHECK-NEXT: [[vz_1:%.*]] = scf.for [[v11:%.*]] = [[v0]] to [[v10]] step [[v2]] iter_args([[vz_2:%.*]] = %z) -> (tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: [[v12:%.*]] = tdsl.slice %X{{\[}}[[v0]], [[v11]], [[v0]], [[v0]]] : tensor<1x15x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x3x1x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vz_3:%.*]] = tdsl.conv2d %G, [[v12]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x3x1x1x!zeroskew.q<8, 0.5, 0>>, tensor<1x3x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v13:%.*]] = tdsl.insert_slice [[vz_3]], [[vz_2]]{{\[}}[[v0]], [[v11]], [[v0]], [[v0]]] : tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: scf.yield [[v13]] : tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vy_6]], [[vz_1]] : tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x13x1x2x!zeroskew.q<8, 8.0, 0>>

// -----

// Initial sums that differ from pixel to pixel: the convolution is unchanged.
func.func @begun(%X: tensor<1x8x1x2xf32>, %B: tensor<1x8x1x2xf32>) -> tensor<1x8x1x2xf32> {
  %F = tdsl.const dense<1.0> : tensor<2x1x1x1xf32> -> tensor<2x1x1x1xf32>
  %y = tdsl.conv2d %F, %X from %B : tensor<1x8x1x2xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x1x1x1xf32>, tensor<1x8x1x2xf32> -> tensor<1x8x1x2xf32>
  func.return %y : tensor<1x8x1x2xf32>
}
// CHECK-LABEL: func.func @begun
// CHECK-NOT: scf.for
// CHECK: tdsl.conv2d %F, %X from %B
// HOST-LABEL: func.func @begun
// HOST-NOT: scf.for
// HOST: tdsl.conv2d %F, %X from %B
