// RUN: tinyml-opt %s -p 'tile-windows{target=cortex-m4}' | filecheck %s
// RUN: tinyml-opt %s -p 'tile-windows{target=cortex-m55}' | filecheck %s --check-prefix=MVE

// Sums in fixed point are shifted by a tile of at least 2^14 products: 32 rows of 32 weights by 16 windows.
func.func @rows(%X: tensor<1x1x16x32x!fixed.q<8, 4>>) -> tensor<1x1x16x32x!fixed.q<8, 4>> {
  %F = tdsl.const dense<1> : tensor<32x1x1x32xi8> -> tensor<32x1x1x32x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<32x1x1x32x!fixed.q<8, 7>>, tensor<1x1x16x32x!fixed.q<8, 4>> -> tensor<1x1x16x32x!fixed.q<8, 4>>
  func.return %y : tensor<1x1x16x32x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @rows
// CHECK: tdsl.conv2d {{.*}}tile = #num.tile_kernel<"tm_cm_shift_tile_s8", rows = 32, runs = 1, length = 32, pitch = 0, step = 32, count = 16, zero = 0, right = 7>
// MVE-LABEL: func.func @rows
// MVE: tdsl.conv2d {{.*}}tile = #num.tile_kernel<"tm_mve_shift_tile_s8", rows = 32, runs = 1, length = 32, pitch = 0, step = 32, count = 16, zero = 0, right = 7>

// One window less has fewer products, and becomes a loop over windows.
func.func @fewer(%X: tensor<1x1x15x32x!fixed.q<8, 4>>) -> tensor<1x1x15x32x!fixed.q<8, 4>> {
  %F = tdsl.const dense<1> : tensor<32x1x1x32xi8> -> tensor<32x1x1x32x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<32x1x1x32x!fixed.q<8, 7>>, tensor<1x1x15x32x!fixed.q<8, 4>> -> tensor<1x1x15x32x!fixed.q<8, 4>>
  func.return %y : tensor<1x1x15x32x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @fewer
// CHECK-NOT: tile =
// CHECK: func.return
// MVE-LABEL: func.func @fewer
// MVE-NOT: tile =
// MVE: func.return

// A result that is finer than the accumulator is not shifted to the right.
func.func @finer(%X: tensor<1x1x16x32x!fixed.q<8, 0>>) -> tensor<1x1x16x32x!fixed.q<8, 4>> {
  %F = tdsl.const dense<1> : tensor<32x1x1x32xi8> -> tensor<32x1x1x32x!fixed.q<8, 4>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<32x1x1x32x!fixed.q<8, 4>>, tensor<1x1x16x32x!fixed.q<8, 0>> -> tensor<1x1x16x32x!fixed.q<8, 4>>
  func.return %y : tensor<1x1x16x32x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @finer
// CHECK-NOT: tile =
// CHECK: func.return
