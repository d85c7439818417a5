// RUN: tinyml-opt %s -p 'tile-segment{first=y.0 last=z.1 target=cortex-m4},canonicalize,cse' | filecheck %s --check-prefix=ROWS
// RUN: tinyml-opt %s -p 'tile-segment{first=y.0 last=z.1 by=pixels target=cortex-m4},canonicalize,cse' | filecheck %s --check-prefix=PIXELS
// RUN: tinyml-opt %s -p 'plan-execution{mode=rows target=cortex-m4}' | filecheck %s --check-prefix=PLAN

// Rows are computed tile by tile where the target has kernels for them: input tiles of rings, pixels in a row of one.
func.func @chain(%X: tensor<1x8x8x2x!zeroskew.q<8, 0.5, 3>>) -> tensor<1x8x8x2x!zeroskew.q<8, 32.0, 0>> {
  %F = tdsl.const dense<1> : tensor<8x3x3x1xi8> -> tensor<8x3x3x1x!zeroskew.q<8, 0.5, 0>>
  %G = tdsl.const dense<1> : tensor<8x3x3x2xi8> -> tensor<8x3x3x2x!zeroskew.q<8, 0.5, 0>>
  %p = tdsl.pad %X {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x8x8x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x10x10x2x!zeroskew.q<8, 0.5, 3>>
  %y = tdsl.conv2d %G, %p {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<8x3x3x2x!zeroskew.q<8, 0.5, 0>>, tensor<1x10x10x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x8x8x8x!zeroskew.q<8, 8.0, 0>>
  %q = tdsl.pad %y {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x8x8x8x!zeroskew.q<8, 8.0, 0>> -> tensor<1x10x10x8x!zeroskew.q<8, 8.0, 0>>
  %z = tdsl.conv2d %F, %q {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 8 : i64} : tensor<8x3x3x1x!zeroskew.q<8, 0.5, 0>>, tensor<1x10x10x8x!zeroskew.q<8, 8.0, 0>> -> tensor<1x8x8x8x!zeroskew.q<8, 16.0, 0>>
  %H = tdsl.const dense<1> : tensor<2x1x1x8xi8> -> tensor<2x1x1x8x!zeroskew.q<8, 0.5, 0>>
  %u = tdsl.conv2d %H, %z {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x8x!zeroskew.q<8, 0.5, 0>>, tensor<1x8x8x8x!zeroskew.q<8, 16.0, 0>> -> tensor<1x8x8x2x!zeroskew.q<8, 32.0, 0>>
  func.return %u : tensor<1x8x8x2x!zeroskew.q<8, 32.0, 0>>
}
// ROWS: [[ring:%.*]] = tensor.empty() : tensor<1x3x8x8x!zeroskew.q<8, 8.0, 0>>
// ROWS: tdsl.window %X{{.*}} -> tensor<1x3x10x2x!zeroskew.q<8, 0.5, 3>>
// ROWS: tdsl.conv2d {{.*}} groups = 1 : i64, tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 8, runs = 3, length = 6, pitch = 20, step = 2, count = 8, zero = 0>} {{.*}} -> tensor<1x1x8x8x!zeroskew.q<8, 8.0, 0>>
// ROWS: tdsl.window {{.*}} ring = array<i64: 8, 8>} : {{.*}} -> tensor<1x3x10x8x!zeroskew.q<8, 8.0, 0>>
// ROWS: tdsl.conv2d {{.*}} groups = 8 : i64, tile = #num.tile_kernel<"tm_cm_channel_tile_s8", {{.*}} count = 8, zero = 0>} {{.*}} -> tensor<1x1x8x8x!zeroskew.q<8, 16.0, 0>>
// PIXELS: tdsl.window %X{{.*}} -> tensor<1x3x3x2x!zeroskew.q<8, 0.5, 3>>
// PIXELS: tdsl.matmul
// PIXELS: tdsl.window {{.*}} -> tensor<1x3x3x8x!zeroskew.q<8, 8.0, 0>>
// PLAN: tinyml.plan = [{first = "y.0", last = "u.2", by = "rows"}]
// PLAN: tdsl.window {{.*}} -> tensor<1x3x10x8x!zeroskew.q<8, 8.0, 0>>
// PLAN: tdsl.slice {{.*}} -> tensor<1x1x8x8x!zeroskew.q<8, 16.0, 0>>
// PLAN: tdsl.conv2d {{.*}} -> tensor<1x1x8x2x!zeroskew.q<8, 32.0, 0>>

// The kernel of the second convolution has the larger stack frame, which input tiles leave free: the 1392 bytes for a
// row of the first convolution would fit only beside the 64 bytes of its own kernel's stack frame.
func.func @larger_stack_frame(%X: tensor<1x4x56x8x!zeroskew.q<8, 0.5, 3>>) -> tensor<1x4x56x2x!zeroskew.q<8, 32.0, 0>> {
  %F = tdsl.const dense<1> : tensor<8x3x3x1xi8> -> tensor<8x3x3x1x!zeroskew.q<8, 0.5, 0>>
  %G = tdsl.const dense<1> : tensor<2x3x3x8xi8> -> tensor<2x3x3x8x!zeroskew.q<8, 0.5, 0>>
  %p = tdsl.pad %X {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x4x56x8x!zeroskew.q<8, 0.5, 3>> -> tensor<1x6x58x8x!zeroskew.q<8, 0.5, 3>>
  %y = tdsl.conv2d %F, %p {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 8 : i64} : tensor<8x3x3x1x!zeroskew.q<8, 0.5, 0>>, tensor<1x6x58x8x!zeroskew.q<8, 0.5, 3>> -> tensor<1x4x56x8x!zeroskew.q<8, 8.0, 0>>
  %q = tdsl.pad %y {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x4x56x8x!zeroskew.q<8, 8.0, 0>> -> tensor<1x6x58x8x!zeroskew.q<8, 8.0, 0>>
  %z = tdsl.conv2d %G, %q {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x3x8x!zeroskew.q<8, 0.5, 0>>, tensor<1x6x58x8x!zeroskew.q<8, 8.0, 0>> -> tensor<1x4x56x2x!zeroskew.q<8, 32.0, 0>>
  func.return %z : tensor<1x4x56x2x!zeroskew.q<8, 32.0, 0>>
}
// ROWS-LABEL: @larger_stack_frame
// ROWS: tdsl.conv2d {{.*}} groups = 8 : i64, {{.*}} count = 28, zero = 0>
