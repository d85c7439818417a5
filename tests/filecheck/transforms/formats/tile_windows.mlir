// RUN: tinyml-opt %s -p tile-windows,cse --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'tile-windows{target=cortex-m4},cse' --split-input-file | filecheck %s --check-prefix=TILES
// RUN: tinyml-opt %s -p 'tile-windows{target=cortex-m4 ram=9000},cse' --split-input-file | filecheck %s --check-prefix=LIMITED
// RUN: tinyml-opt %s -p 'tile-windows{target=cortex-m4 flash=90000},cse' --split-input-file | filecheck %s --check-prefix=LINES

// The product, the bias and the activation of one pixel are inserted at once; no padded image is made.
func.func @padded(%X: tensor<1x4x4x2x!fixed.q<8, 7>>) -> tensor<1x4x2x3x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<3x3x3x2xi8> -> tensor<3x3x3x2x!fixed.q<8, 7>>
  %B = tdsl.const dense<[1, 2, 3]> : tensor<3xi8> -> tensor<3x!fixed.q<8, 6>>
  %padded = tdsl.pad %X {low = array<i64: 0, 1, 0, 0>, high = array<i64: 0, 1, 1, 0>, value = 5.000000e-01 : f64} : tensor<1x4x4x2x!fixed.q<8, 7>> -> tensor<1x6x5x2x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %padded from %B : tensor<3x!fixed.q<8, 6>> {strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64, acc = !fixed.acc<32, 14>, row_shifts = array<i8: 0, 1, 2>} : tensor<3x3x3x2x!fixed.q<8, 7>>, tensor<1x6x5x2x!fixed.q<8, 7>> -> tensor<1x4x2x3x!fixed.q<8, 5>>
  %r = tdsl.relu %y : tensor<1x4x2x3x!fixed.q<8, 5>> -> tensor<1x4x2x3x!fixed.q<8, 5>>
  func.return %r : tensor<1x4x2x3x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @padded
// CHECK-NOT: tdsl.pad
// CHECK: [[F:%.*]] = tdsl.const {{.*}} -> tensor<3x18x!fixed.q<8, 7>>
// CHECK: [[B:%.*]] = tdsl.const {{.*}} -> tensor<3x1x!fixed.q<8, 6>>
// CHECK: [[whole:%.*]] = tensor.empty() : tensor<1x4x2x3x!fixed.q<8, 5>>
// CHECK: [[rows:%.*]] = scf.for [[y:%.*]] = %{{.*}} iter_args([[before:%.*]] = [[whole]])
// CHECK: scf.for [[x:%.*]] = %{{.*}} iter_args([[pixels:%.*]] = [[before]])
// CHECK: [[top:%.*]] = arith.subi [[y]],
// CHECK: [[left:%.*]] = arith.muli [[x]],
// CHECK: %window = tdsl.window %X{{\[}}[[top]], [[left]]] {dilations = array<i64: 1, 1>, margins = array<i64: 1, 1, 0, 1>, value = 5.000000e-01 : f64}
// CHECK: [[column:%.*]] = tdsl.reshape %window : tensor<1x3x3x2x!fixed.q<8, 7>> -> tensor<18x1x!fixed.q<8, 7>>
// CHECK: [[product:%.*]] = tdsl.matmul_sum [[F]], [[column]] from [[B]] : tensor<3x1x!fixed.q<8, 6>> {acc = !fixed.acc<32, 14>, row_shifts = array<i8: 0, 1, 2>}
// CHECK: [[pixel:%.*]] = tdsl.reshape [[product]] : tensor<3x1x!fixed.q<8, 5>> -> tensor<1x1x1x3x!fixed.q<8, 5>>
// CHECK: [[activated:%.*]] = tdsl.relu [[pixel]]
// CHECK: tdsl.insert_slice [[activated]], [[pixels]]{{\[}}{{.*}}, [[y]], [[x]], {{.*}}]
// CHECK: func.return [[rows]]

// -----

// A pixel of the image is a view; the other image is added pixel by pixel, a sum per channel as it is.
func.func @pointwise(%X: tensor<1x4x4x2x!fixed.q<8, 7>>, %Y: tensor<1x2x2x3x!fixed.q<8, 5>>, %c: tensor<3x!fixed.q<8, 5>>) -> tensor<1x2x2x3x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<3x1x1x2xi8> -> tensor<3x1x1x2x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x1x1x2x!fixed.q<8, 7>>, tensor<1x4x4x2x!fixed.q<8, 7>> -> tensor<1x2x2x3x!fixed.q<8, 5>>
  %s = tdsl.add %Y, %y : tensor<1x2x2x3x!fixed.q<8, 5>>, tensor<1x2x2x3x!fixed.q<8, 5>> -> tensor<1x2x2x3x!fixed.q<8, 5>>
  %m = tdsl.mul %s, %c : tensor<1x2x2x3x!fixed.q<8, 5>>, tensor<3x!fixed.q<8, 5>> -> tensor<1x2x2x3x!fixed.q<8, 5>>
  func.return %m : tensor<1x2x2x3x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @pointwise
// CHECK-NOT: tdsl.window
// CHECK: [[part:%.*]] = tdsl.slice %X{{.*}} -> tensor<1x1x1x2x!fixed.q<8, 7>>
// CHECK: [[column:%.*]] = tdsl.reshape [[part]]
// CHECK: [[product:%.*]] = tdsl.matmul %{{.*}}, [[column]]
// CHECK: [[pixel:%.*]] = tdsl.reshape [[product]]
// CHECK: [[other:%.*]] = tdsl.slice %Y
// CHECK: [[sum:%.*]] = tdsl.add [[other]], [[pixel]] : tensor<1x1x1x3x!fixed.q<8, 5>>, tensor<1x1x1x3x!fixed.q<8, 5>>
// CHECK: tdsl.mul [[sum]], %c : tensor<1x1x1x3x!fixed.q<8, 5>>, tensor<3x!fixed.q<8, 5>>

// -----

// Groups are convolved in the window; an op that two others read stays behind the loops, as does a smaller shape.
func.func @depthwise(%X: tensor<1x3x3x2x!fixed.q<8, 7>>, %row: tensor<1x2x1x1x!fixed.q<8, 5>>) -> tensor<1x2x2x2x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<2x2x2x1xi8> -> tensor<2x2x2x1x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x2x2x1x!fixed.q<8, 7>>, tensor<1x3x3x2x!fixed.q<8, 7>> -> tensor<1x2x2x2x!fixed.q<8, 5>>
  %s = tdsl.mul %y, %row : tensor<1x2x2x2x!fixed.q<8, 5>>, tensor<1x2x1x1x!fixed.q<8, 5>> -> tensor<1x2x2x2x!fixed.q<8, 5>>
  func.return %s : tensor<1x2x2x2x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @depthwise
// CHECK: %window = tdsl.window %X{{.*}} margins = array<i64: 0, 0, 0, 0>
// CHECK: tdsl.conv2d %F, %window {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} {{.*}} -> tensor<1x1x1x2x!fixed.q<8, 5>>
// CHECK: %s = tdsl.mul %{{.*}}, %row

// -----

// Two convolutions share a filter: the bounds of both sums are those of its numbers, in whatever shape.
func.func @shared(%x: tensor<1x2x2x2x!fixed.q<16, 14>>) -> (tensor<1x2x2x2x!fixed.q<16, 12>>, tensor<1x2x2x2x!fixed.q<16, 12>>) {
  %F = tdsl.const dense<[[[[1, 2]]], [[[-3, 4]]]]> : tensor<2x1x1x2xi16> -> tensor<2x1x1x2x!fixed.q<16, 15>>
  %p = tdsl.conv2d %F, %x {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, acc = !fixed.acc<32, 29>, bound = array<i64: -229369, 229369>} : tensor<2x1x1x2x!fixed.q<16, 15>>, tensor<1x2x2x2x!fixed.q<16, 14>> -> tensor<1x2x2x2x!fixed.q<16, 12>>
  %q = tdsl.conv2d %F, %p {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, acc = !fixed.acc<32, 27>, bound = array<i64: -229369, 229369>} : tensor<2x1x1x2x!fixed.q<16, 15>>, tensor<1x2x2x2x!fixed.q<16, 12>> -> tensor<1x2x2x2x!fixed.q<16, 12>>
  func.return %p, %q : tensor<1x2x2x2x!fixed.q<16, 12>>, tensor<1x2x2x2x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @shared
// CHECK: [[F:%.*]] = tdsl.reshape %F : tensor<2x1x1x2x!fixed.q<16, 15>> -> tensor<2x2x!fixed.q<16, 15>>
// CHECK: tdsl.matmul [[F]], {{.*}} {acc = !fixed.acc<32, 29>, bound = array<i64: -229369, 229369>}
// CHECK: tdsl.matmul [[F]], {{.*}} {acc = !fixed.acc<32, 27>, bound = array<i64: -229369, 229369>}

// -----

// Pixels of a row at once where the target has a kernel for them and memory is not limited: the input tile
// under them is gathered, with its padding.
func.func @tiles(%X: tensor<1x4x5x2x!zeroskew.q<8, 0.5, 3>>) -> tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>> {
  %F = tdsl.const dense<1> : tensor<2x3x3x2xi8> -> tensor<2x3x3x2x!zeroskew.q<8, 0.5, 0>>
  %padded = tdsl.pad %X {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x4x5x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x6x7x2x!zeroskew.q<8, 0.5, 3>>
  %y = tdsl.conv2d %F, %padded {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x3x2x!zeroskew.q<8, 0.5, 0>>, tensor<1x6x7x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>>
  func.return %y : tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>>
}
// CHECK-LABEL: func.func @tiles
// CHECK-NOT: across
// CHECK-LABEL: func.func @dilated(
// TILES-LABEL: func.func @tiles
// TILES: [[F:%.*]] = tdsl.const {{.*}} -> tensor<2x3x3x2x!zeroskew.q<8, 0.5, 0>>
// TILES: scf.for
// TILES-NOT: scf.for
// TILES: [[input:%.*]] = tdsl.window %X{{.*}} {dilations = array<i64: 1, 1>, margins = array<i64: 1, 1, 1, 1>} : {{.*}} -> tensor<1x3x7x2x!zeroskew.q<8, 0.5, 3>>
// TILES: [[row:%.*]] = tdsl.conv2d [[F]], [[input]] {{.*}} tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 2, runs = 3, length = 6, pitch = 14, step = 2, count = 5, zero = 0>} {{.*}} -> tensor<1x1x5x2x!zeroskew.q<8, 8.0, 0>>
// TILES: tdsl.insert_slice [[row]],
// LIMITED-LABEL: func.func @tiles
// LIMITED: -> tensor<1x3x3x2x!zeroskew.q<8, 0.5, 3>>

// -----

// Windows of dilated rows are gathered one after the other; those of channels, too.
func.func @dilated(%X: tensor<1x2x6x2x!zeroskew.q<8, 0.5, 3>>) -> (tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>) {
  %F = tdsl.const dense<1> : tensor<2x1x2x2xi8> -> tensor<2x1x2x2x!zeroskew.q<8, 0.5, 0>>
  %G = tdsl.const dense<1> : tensor<2x1x2x1xi8> -> tensor<2x1x2x1x!zeroskew.q<8, 0.5, 0>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 2>, groups = 1 : i64} : tensor<2x1x2x2x!zeroskew.q<8, 0.5, 0>>, tensor<1x2x6x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>
  %z = tdsl.conv2d %G, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 2>, groups = 2 : i64} : tensor<2x1x2x1x!zeroskew.q<8, 0.5, 0>>, tensor<1x2x6x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>
  func.return %y, %z : tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>
}
// TILES-LABEL: func.func @dilated
// TILES: tdsl.window %X{{.*}} across = 1 : i64} : {{.*}} -> tensor<4x1x2x2x!zeroskew.q<8, 0.5, 3>>
// TILES: tdsl.conv2d {{.*}} groups = 1 : i64, tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 2, runs = 1, length = 4, pitch = 0, step = 4, count = 4, zero = 0>} {{.*}} -> tensor<4x1x1x2x!zeroskew.q<8, 8.0, 0>>
// TILES: tdsl.window %X{{.*}} across = 1 : i64} : {{.*}} -> tensor<4x1x2x2x!zeroskew.q<8, 0.5, 3>>
// TILES: tdsl.conv2d {{.*}} groups = 2 : i64, tile = #num.tile_kernel<"tm_cm_channel_tile_s8", rows = 2, runs = 1, length = 4, pitch = 0, step = 4, count = 4, zero = 0>} {{.*}} -> tensor<4x1x1x2x!zeroskew.q<8, 8.0, 0>>
// LIMITED-LABEL: func.func @dilated

// -----

// Pixels that nothing pads or overlaps are taken in several rows at once, where they lie. All of them are the result.
func.func @rows(%X: tensor<1x4x3x2x!zeroskew.q<8, 0.5, 3>>) -> tensor<1x4x3x2x!zeroskew.q<8, 8.0, 0>> {
  %F = tdsl.const dense<1> : tensor<2x1x1x2xi8> -> tensor<2x1x1x2x!zeroskew.q<8, 0.5, 0>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x2x!zeroskew.q<8, 0.5, 0>>, tensor<1x4x3x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x4x3x2x!zeroskew.q<8, 8.0, 0>>
  func.return %y : tensor<1x4x3x2x!zeroskew.q<8, 8.0, 0>>
}
// TILES-LABEL: func.func @rows
// TILES-NOT: scf.for
// TILES: tdsl.conv2d {{.*}} tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 2, runs = 1, length = 2, pitch = 0, step = 2, count = 12, zero = 0>} {{.*}} tensor<1x4x3x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x4x3x2x!zeroskew.q<8, 8.0, 0>>
// TILES-NEXT: func.return %y
// LIMITED-LABEL: func.func @rows
// LIMITED: scf.for
// LIMITED-LABEL: func.func @lines(

// -----

// Under a limit on flash kernels may take two rows at once: a tile then has all their pixels; the last row is alone.
func.func @lines(%X: tensor<1x7x6x4x!zeroskew.q<8, 0.5, 3>>) -> tensor<1x5x4x2x!zeroskew.q<8, 8.0, 0>> {
  %F = tdsl.const dense<1> : tensor<2x3x3x4xi8> -> tensor<2x3x3x4x!zeroskew.q<8, 0.5, 0>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x3x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x7x6x4x!zeroskew.q<8, 0.5, 3>> -> tensor<1x5x4x2x!zeroskew.q<8, 8.0, 0>>
  func.return %y : tensor<1x5x4x2x!zeroskew.q<8, 8.0, 0>>
}
// LINES-LABEL: func.func @tiles
// LINES: -> tensor<1x3x7x2x!zeroskew.q<8, 0.5, 3>>
// LINES-LABEL: func.func @dilated(
// LINES-LABEL: func.func @lines
// LINES: scf.for [[pair:%[0-9]+]] =
// LINES: [[y:%.*]] = arith.muli [[pair]],
// LINES: [[input:%.*]] = tdsl.slice %X[{{%.*}}, [[y]], {{.*}}] {{.*}} -> tensor<1x4x6x4x!zeroskew.q<8, 0.5, 3>>
// LINES: [[rows:%.*]] = tdsl.conv2d {{%.*}}, [[input]] {{.*}} tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 2, runs = 3, length = 12, pitch = 24, step = 4, count = 4, zero = 0>} {{.*}} -> tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>
// LINES: tdsl.insert_slice [[rows]],
// LINES-NOT: scf.for
// LINES: tdsl.conv2d {{.*}} tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 2, runs = 3, length = 12, pitch = 24, step = 4, count = 4, zero = 0>} {{.*}} -> tensor<1x1x4x2x!zeroskew.q<8, 8.0, 0>>
// LINES-LABEL: func.func @images(
// TILES-LABEL: func.func @lines
// TILES: tdsl.conv2d {{.*}} -> tensor<1x1x4x2x!zeroskew.q<8, 8.0, 0>>
// TILES-LABEL: func.func @images(

// -----

// Several images stay, and a single window of grouped channels; one of all channels, and several windows, do not.
func.func @images(%X: tensor<2x3x3x2x!fixed.q<8, 7>>) -> tensor<2x2x2x1x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<1x2x2x2xi8> -> tensor<1x2x2x2x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x2x2x2x!fixed.q<8, 7>>, tensor<2x3x3x2x!fixed.q<8, 7>> -> tensor<2x2x2x1x!fixed.q<8, 5>>
  func.return %y : tensor<2x2x2x1x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @images
// CHECK: tdsl.conv2d %F, %X

// -----

func.func @window(%X: tensor<1x2x2x2x!fixed.q<8, 7>>) -> tensor<1x1x1x2x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<2x2x2x1xi8> -> tensor<2x2x2x1x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x2x2x1x!fixed.q<8, 7>>, tensor<1x2x2x2x!fixed.q<8, 7>> -> tensor<1x1x1x2x!fixed.q<8, 5>>
  func.return %y : tensor<1x1x1x2x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @window
// CHECK: tdsl.conv2d %F, %X

// -----

func.func @whole_window(%X: tensor<1x2x2x2x!fixed.q<8, 7>>) -> tensor<1x1x1x1x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<1x2x2x2xi8> -> tensor<1x2x2x2x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x2x2x2x!fixed.q<8, 7>>, tensor<1x2x2x2x!fixed.q<8, 7>> -> tensor<1x1x1x1x!fixed.q<8, 5>>
  func.return %y : tensor<1x1x1x1x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @whole_window
// CHECK-NOT: tdsl.conv2d
// CHECK: tdsl.matmul

// -----

func.func @windows(%X: tensor<1x3x3x2x!fixed.q<8, 7>>) -> tensor<1x2x2x2x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<2x2x2x1xi8> -> tensor<2x2x2x1x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x2x2x1x!fixed.q<8, 7>>, tensor<1x3x3x2x!fixed.q<8, 7>> -> tensor<1x2x2x2x!fixed.q<8, 5>>
  func.return %y : tensor<1x2x2x2x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @windows
// CHECK: tdsl.conv2d %F, %window
