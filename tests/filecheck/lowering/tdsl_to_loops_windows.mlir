// RUN: tinyml-opt %s -p lower-tdsl-to-loops,canonicalize --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p lower-tdsl-to-loops,simplify,cse,simplify,cse,dce --split-input-file | tinyml-opt --split-input-file | filecheck %s --check-prefix=KEPT

// Each row of the window is copied where it lies in the image, and filled elsewhere.
func.func @window(%X: memref<1x4x5x2x!fixed.q<8, 7>>, %w: memref<1x3x3x2x!fixed.q<8, 7>>, %top: index, %left: index) {
  tdsl.window %X[%top, %left] {dilations = array<i64: 1, 1>, margins = array<i64: 1, 0, 0, 1>} : memref<1x4x5x2x!fixed.q<8, 7>> into %w : memref<1x3x3x2x!fixed.q<8, 7>>
  func.return
}
// CHECK-LABEL: func.func @window
// CHECK: [[zero:%.*]] = num.constant {value = 0.000000e+00 : f64}
// CHECK: scf.for [[i:%.*]] =
// CHECK: [[down:%.*]] = arith.addi %top, [[i]]
// CHECK: arith.cmpi slt, [[down]],
// CHECK: scf.for
// CHECK: memref.store [[zero]]
// CHECK: scratch.copy_run {{.*}} {most = 6 : i64}
// CHECK: scf.for
// CHECK: memref.store [[zero]]

// -----

// A window that lies in the image is only copied; constants in flash are copied one by one.
func.func @inside(%X: memref<1x4x5x2x!fixed.q<8, 7>>, %F: memref<1x4x5x2x!fixed.q<8, 7>, #scratch.flash>, %w: memref<1x2x2x2x!fixed.q<8, 7>>, %top: index, %left: index) {
  tdsl.window %X[%top, %left] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : memref<1x4x5x2x!fixed.q<8, 7>> into %w : memref<1x2x2x2x!fixed.q<8, 7>>
  tdsl.window %F[%top, %left] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : memref<1x4x5x2x!fixed.q<8, 7>, #scratch.flash> into %w : memref<1x2x2x2x!fixed.q<8, 7>>
  func.return
}
// CHECK-LABEL: func.func @inside
// CHECK-NOT: num.constant
// CHECK: scratch.copy_run {{.*}} {most = 4 : i64}
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.load
// CHECK: memref.store

// -----

// The channels of a window meet their filters, and the starts of sums absorb the zero point of the image.
func.func @depthwise(%w: memref<1x2x1x2x!zeroskew.q<8, 0.5, 3>>, %y: memref<1x1x1x2x!zeroskew.q<8, 1.0, 0>>) {
  %F = scratch.constant dense<[[[[1]], [[2]]], [[[3]], [[4]]]]> : tensor<2x2x1x1xi8> -> memref<2x2x1x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  tdsl.conv2d %F, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : memref<2x2x1x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<1x2x1x2x!zeroskew.q<8, 0.5, 3>> into %y : memref<1x1x1x2x!zeroskew.q<8, 1.0, 0>>
  func.return
}
// CHECK-LABEL: func.func @depthwise
// CHECK: %start = scratch.constant dense<[-9, -21]> : tensor<2xi32>
// CHECK: [[window:%.*]] = scratch.slice %w[%{{.*}}] : {{.*}} to memref<4x!zeroskew.q<8, 0.5, 0>>
// CHECK: num.contract {{%.*}} to 2
// CHECK: num.start
// CHECK: num.products {{%.*}}, {{%.*}}, [[window]] {channels}

// -----

// Windows beside each other are gathered one after the other; all filters meet them at once, a single window by rows.
func.func @several(%X: memref<1x3x4x1x!zeroskew.q<8, 0.5, 3>>, %w: memref<2x2x2x1x!zeroskew.q<8, 0.5, 3>>, %y: memref<2x1x1x2x!zeroskew.q<8, 1.0, 0>>, %v: memref<1x2x2x1x!zeroskew.q<8, 0.5, 3>>, %z: memref<1x1x1x2x!zeroskew.q<8, 1.0, 0>>, %top: index, %left: index) {
  %F = scratch.constant dense<[[[[1], [2]], [[3], [4]]], [[[5], [6]], [[7], [8]]]]> : tensor<2x2x2x1xi8> -> memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  tdsl.window %X[%top, %left] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>, across = 2 : i64} : memref<1x3x4x1x!zeroskew.q<8, 0.5, 3>> into %w : memref<2x2x2x1x!zeroskew.q<8, 0.5, 3>>
  tdsl.conv2d %F, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<2x2x2x1x!zeroskew.q<8, 0.5, 3>> into %y : memref<2x1x1x2x!zeroskew.q<8, 1.0, 0>>
  tdsl.conv2d %F, %v {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<1x2x2x1x!zeroskew.q<8, 0.5, 3>> into %z : memref<1x1x1x2x!zeroskew.q<8, 1.0, 0>>
  func.return
}
// CHECK-LABEL: func.func @several
// CHECK: scf.for [[n:%.*]] =
// CHECK: [[across:%.*]] = arith.muli [[n]],
// CHECK: [[place:%.*]] = arith.muli [[n]],
// CHECK: [[window:%.*]] = scratch.slice %w{{\[}}[[place]]] : {{.*}} to memref<4x
// CHECK: arith.addi %left, [[across]]
// CHECK: scratch.copy_run {{.*}} to [[window]]
// CHECK: scratch.constant dense<[-30, -78]> : tensor<2xi32>
// CHECK: [[results:%.*]] = scratch.slice %y[{{.*}}] : {{.*}} to memref<2x2x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: num.contract [[window:%.*]], [[row:%.*]] to 2, 2 {
// CHECK: num.products %sum, {{%.*}}, {{%.*}} {spacing = array<i64: 1, 0, 4>} : !zeroskew.acc<32, 0.25>, memref<2x4x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<8x!zeroskew.q<8, 0.5, 0>> ->
// CHECK: memref.store {{%.*}}, [[results]]{{\[}}[[window]], [[row]]]
// CHECK: num.contract
// CHECK: num.start
// CHECK: num.products
// CHECK: num.finish

// -----

// The rows of a ring begin where the first one lies, and go on at its beginning.
func.func @rows(%X: memref<1x3x5x2x!fixed.q<8, 7>>, %w: memref<1x3x3x2x!fixed.q<8, 7>>, %top: index, %left: index) {
  tdsl.window %X[%top, %left] {dilations = array<i64: 1, 1>, margins = array<i64: 1, 0, 0, 0>, ring = array<i64: 9, 5>} : memref<1x3x5x2x!fixed.q<8, 7>> into %w : memref<1x3x3x2x!fixed.q<8, 7>>
  func.return
}
// CHECK-LABEL: func.func @rows
// CHECK: [[three:%.*]] = arith.constant 3 : index
// CHECK: [[above:%.*]] = arith.addi %top, [[three]]
// CHECK: [[slot:%.*]] = arith.remsi [[above]], [[three]]
// CHECK: scf.for [[i:%.*]] =
// CHECK: [[row:%.*]] = arith.addi [[slot]], [[i]]
// CHECK: [[beyond:%.*]] = arith.cmpi sge, [[row]], [[three]]
// CHECK: [[back:%.*]] = arith.subi [[row]], [[three]]
// CHECK: arith.select [[beyond]], [[back]], [[row]]
// CHECK: scratch.copy_run

// -----

// The pixels of a ring of pixels may go on at its beginning within a row of the window.
func.func @pixels(%X: memref<1x1x14x2x!fixed.q<8, 7>>, %w: memref<1x3x3x2x!fixed.q<8, 7>>, %top: index, %left: index) {
  tdsl.window %X[%top, %left] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>, ring = array<i64: 9, 5>} : memref<1x1x14x2x!fixed.q<8, 7>> into %w : memref<1x3x3x2x!fixed.q<8, 7>>
  func.return
}
// CHECK-LABEL: func.func @pixels
// CHECK: [[slots:%.*]] = arith.constant 14 : index
// CHECK: [[place:%.*]] = arith.remsi %{{.*}}, [[slots]]
// CHECK: [[rest:%.*]] = arith.subi [[slots]], [[place]]
// CHECK: arith.minsi %{{.*}}, [[rest]]
// CHECK: scratch.copy_run
// CHECK: scratch.copy_run

// -----

// The windows of a tile overlap in memory; so do those of channels. A filter of a single pixel meets several rows.
func.func @tiles(%w: memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>>, %y: memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>, %z: memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>, %v: memref<1x2x3x2x!zeroskew.q<8, 1.0, 0>>) {
  %F = scratch.constant dense<1> : tensor<2x2x2x2xi8> -> memref<2x2x2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  %G = scratch.constant dense<1> : tensor<2x2x2x1xi8> -> memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  %H = scratch.constant dense<1> : tensor<2x1x1x2xi8> -> memref<2x1x1x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  tdsl.conv2d %F, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_tile", rows = 2, runs = 2, length = 4, pitch = 6, step = 2, count = 2, zero = 0>} : memref<2x2x2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>> into %y : memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>
  tdsl.conv2d %G, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64, tile = #num.tile_kernel<"tm_channels", rows = 2, runs = 2, length = 4, pitch = 6, step = 2, count = 2, zero = 0>} : memref<2x2x2x1x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>> into %z : memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>
  tdsl.conv2d %H, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_tile", rows = 2, runs = 1, length = 2, pitch = 0, step = 2, count = 6, zero = 0>} : memref<2x1x1x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>> into %v : memref<1x2x3x2x!zeroskew.q<8, 1.0, 0>>
  func.return
}
// CHECK-LABEL: func.func @tiles
// CHECK: num.contract {{.*}} to 2, 2 by #num.tile_kernel<"tm_tile", rows = 2, runs = 2, length = 4, pitch = 6, step = 2, count = 2, zero = 0> {
// CHECK: num.products {{.*}} {spacing = array<i64: 2, 6, 2>}
// CHECK: num.contract {{.*}} to 2, 2 by #num.tile_kernel<"tm_channels", {{.*}}> {
// CHECK: num.products {{.*}} {spacing = array<i64: 2, 6, 2>, channels}
// CHECK: num.contract {{.*}} to 6, 2 by #num.tile_kernel<"tm_tile", {{.*}}> {
// CHECK: num.products {{.*}} {spacing = array<i64: 1, 0, 2>}
// KEPT-LABEL: func.func @tiles
// KEPT: num.contract {{.*}} to 2, 2 by #num.tile_kernel<"tm_tile",
// KEPT-LABEL: func.func @no_tile(

// -----

// Windows without a tile become loops, wherever they lie.
func.func @no_tile(%w: memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>>, %y: memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>) {
  %F = scratch.constant dense<1> : tensor<2x2x2x2xi8> -> memref<2x2x2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  tdsl.conv2d %F, %w {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : memref<2x2x2x2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>, memref<1x2x3x2x!zeroskew.q<8, 0.5, 3>> into %y : memref<1x1x2x2x!zeroskew.q<8, 1.0, 0>>
  func.return
}
// CHECK-LABEL: func.func @no_tile
// CHECK-NOT: num.contract
// CHECK: num.mac

// -----

// A window that the loop around moves by a pixel states so: two of its four elements in a row are new.
func.func @slides(%X: memref<1x4x5x2x!fixed.q<8, 7>>, %w: memref<1x2x2x2x!fixed.q<8, 7>>, %top: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %j = %zero to %four step %one {
    tdsl.window %X[%top, %j] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : memref<1x4x5x2x!fixed.q<8, 7>> into %w : memref<1x2x2x2x!fixed.q<8, 7>>
    tdsl.window %X[%j, %top] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : memref<1x4x5x2x!fixed.q<8, 7>> into %w : memref<1x2x2x2x!fixed.q<8, 7>>
  }
  func.return
}
// CHECK-LABEL: func.func @slides
// CHECK: scratch.copy_run {{.*}} {most = 4 : i64, step = 2 : i64}
// CHECK: scratch.copy_run {{.*}} {most = 4 : i64}
