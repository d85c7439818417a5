// RUN: tinyml-opt %s -p 'tile-windows{target=cortex-m4}' | filecheck %s
// RUN: tinyml-opt %s -p 'tile-windows{target=cortex-m55}' | filecheck %s --check-prefix=MVE
// RUN: tinyml-opt %s -p 'tile-windows{target=cortex-m0}' | filecheck %s --check-prefix=M0
// RUN: tinyml-opt %s -p 'tile-windows{target=riscv}' | filecheck %s --check-prefix=RV

// Sums in fixed point are shifted by tiles that compute at least 2^10 products per inference: 16 rows of four weights by
// 16 windows.
func.func @rows(%X: tensor<1x1x16x4x!fixed.q<8, 4>>) -> tensor<1x1x16x16x!fixed.q<8, 4>> {
  %F = tdsl.const dense<1> : tensor<16x1x1x4xi8> -> tensor<16x1x1x4x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<16x1x1x4x!fixed.q<8, 7>>, tensor<1x1x16x4x!fixed.q<8, 4>> -> tensor<1x1x16x16x!fixed.q<8, 4>>
  func.return %y : tensor<1x1x16x16x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @rows
// CHECK: tdsl.conv2d {{.*}}tile = #num.tile_kernel<"tm_cm_shift_tile_s8", rows = 16, runs = 1, length = 4, pitch = 0, step = 4, count = {{[0-9]+}}, zero = 0, right = 7>
// MVE-LABEL: func.func @rows
// MVE: tdsl.conv2d {{.*}}tile = #num.tile_kernel<"tm_mve_shift_tile_s8", rows = 16, runs = 1, length = 4, pitch = 0, step = 4, count = {{[0-9]+}}, zero = 0, right = 7>
// M0-LABEL: func.func @rows
// M0: tdsl.conv2d {{.*}}tile = #num.tile_kernel<"tm_cm_small_shift_tile_s8", rows = 16, runs = 1, length = 4, pitch = 0, step = 4, count = {{[0-9]+}}, zero = 0, right = 7>
// RV-LABEL: func.func @rows
// RV: tdsl.conv2d {{.*}}tile = #num.tile_kernel<"tm_rv_shift_tile_s8", rows = 16, runs = 1, length = 4, pitch = 0, step = 4, count = {{[0-9]+}}, zero = 0, right = 7>

// One window less has fewer products, and becomes a loop over windows.
func.func @fewer(%X: tensor<1x1x15x4x!fixed.q<8, 4>>) -> tensor<1x1x15x16x!fixed.q<8, 4>> {
  %F = tdsl.const dense<1> : tensor<16x1x1x4xi8> -> tensor<16x1x1x4x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<16x1x1x4x!fixed.q<8, 7>>, tensor<1x1x15x4x!fixed.q<8, 4>> -> tensor<1x1x15x16x!fixed.q<8, 4>>
  func.return %y : tensor<1x1x15x16x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @fewer
// CHECK-NOT: tile =
// CHECK: func.return
// MVE-LABEL: func.func @fewer
// MVE-NOT: tile =
// MVE: func.return
// M0-LABEL: func.func @fewer
// M0-NOT: tile =
// M0: func.return
// RV-LABEL: func.func @fewer
// RV-NOT: tile =
// RV: func.return

// The products are those of several calls: a call computes a row of 16 windows of an image of 8 rows.
func.func @calls(%X: tensor<1x10x18x4x!fixed.q<8, 4>>) -> tensor<1x8x16x4x!fixed.q<8, 4>> {
  %F = tdsl.const dense<1> : tensor<4x3x3x4xi8> -> tensor<4x3x3x4x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x3x3x4x!fixed.q<8, 7>>, tensor<1x10x18x4x!fixed.q<8, 4>> -> tensor<1x8x16x4x!fixed.q<8, 4>>
  func.return %y : tensor<1x8x16x4x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @calls
// CHECK: tdsl.conv2d {{.*}}tile = #num.tile_kernel<"tm_cm_shift_tile_s8", rows = 4, runs = 3, length = 12, pitch = 72, step = 4, count = 16, zero = 0, right = 7>
// MVE-LABEL: func.func @calls
// MVE: tdsl.conv2d {{.*}}tile = #num.tile_kernel<"tm_mve_shift_tile_s8", rows = 4, runs = 3, length = 12, pitch = 72, step = 4, count = 16, zero = 0, right = 7>
// M0-LABEL: func.func @calls
// M0: tdsl.conv2d {{.*}}tile = #num.tile_kernel<"tm_cm_small_shift_tile_s8", rows = 4, runs = 3, length = 12, pitch = 72, step = 4, count = 16, zero = 0, right = 7>
// RV-LABEL: func.func @calls
// RV: tdsl.conv2d {{.*}}tile = #num.tile_kernel<"tm_rv_shift_tile_s8", rows = 4, runs = 3, length = 12, pitch = 72, step = 4, count = 16, zero = 0, right = 7>

// Depthwise filters have tiles for any number of products.
func.func @channels(%X: tensor<1x6x6x2x!fixed.q<8, 4>>) -> tensor<1x4x4x2x!fixed.q<8, 4>> {
  %F = tdsl.const dense<1> : tensor<2x3x3x1xi8> -> tensor<2x3x3x1x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x3x3x1x!fixed.q<8, 7>>, tensor<1x6x6x2x!fixed.q<8, 4>> -> tensor<1x4x4x2x!fixed.q<8, 4>>
  func.return %y : tensor<1x4x4x2x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @channels
// CHECK: tdsl.conv2d {{.*}}tile = #num.tile_kernel<"tm_cm_shift_channel_s8", rows = 2, runs = 3, length = 6, pitch = 12, step = 2, count = 4, zero = 0, right = 7>
// MVE-LABEL: func.func @channels
// MVE: tdsl.conv2d {{.*}}tile = #num.tile_kernel<"tm_mve_shift_channel_s8", rows = 2, runs = 3, length = 6, pitch = 12, step = 2, count = 4, zero = 0, right = 7>
// M0-LABEL: func.func @channels
// M0: tdsl.conv2d {{.*}}tile = #num.tile_kernel<"tm_cm_small_shift_channel_s8", rows = 2, runs = 3, length = 6, pitch = 12, step = 2, count = 4, zero = 0, right = 7>
// RV-LABEL: func.func @channels
// RV: tdsl.conv2d {{.*}}tile = #num.tile_kernel<"tm_rv_shift_channel_s8", rows = 2, runs = 3, length = 6, pitch = 12, step = 2, count = 4, zero = 0, right = 7>

// A result that is finer than the accumulator is not shifted to the right.
func.func @finer(%X: tensor<1x1x16x32x!fixed.q<8, 0>>) -> tensor<1x1x16x32x!fixed.q<8, 4>> {
  %F = tdsl.const dense<1> : tensor<32x1x1x32xi8> -> tensor<32x1x1x32x!fixed.q<8, 4>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<32x1x1x32x!fixed.q<8, 4>>, tensor<1x1x16x32x!fixed.q<8, 0>> -> tensor<1x1x16x32x!fixed.q<8, 4>>
  func.return %y : tensor<1x1x16x32x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @finer
// CHECK-NOT: tile =
// CHECK: func.return
