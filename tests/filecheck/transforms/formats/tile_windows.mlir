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
// CHECK-LABEL: func.func @padded(%X: tensor<1x4x4x2x!fixed.q<8, 7>>) -> tensor<1x4x2x3x!fixed.q<8, 5>> {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<3x18xi8> -> tensor<3x18x!fixed.q<8, 7>>
// CHECK-NEXT: %B = tdsl.const dense<{{\[\[}}1], [2], [3]]> : tensor<3x1xi8> -> tensor<3x1x!fixed.q<8, 6>>
// CHECK-NEXT: %r = tensor.empty() : tensor<1x4x2x3x!fixed.q<8, 5>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vr_1:%.*]] = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vr_2:%.*]] = %r) -> (tensor<1x4x2x3x!fixed.q<8, 5>>) {
// CHECK-NEXT: [[v4:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[vr_3:%.*]] = scf.for [[v5:%.*]] = [[v0]] to [[v4]] step [[v2]] iter_args([[vr_4:%.*]] = [[vr_2]]) -> (tensor<1x4x2x3x!fixed.q<8, 5>>) {
// CHECK-NEXT: [[v6:%.*]] = arith.subi [[v3]], [[v2]] : index
// CHECK-NEXT: [[v7:%.*]] = arith.muli [[v5]], [[v4]] : index
// CHECK-NEXT: %window = tdsl.window %X{{\[}}[[v6]], [[v7]]] {dilations = array<i64: 1, 1>, margins = array<i64: 1, 1, 0, 1>, value = 5.000000e-01 : f64} : tensor<1x4x4x2x!fixed.q<8, 7>> -> tensor<1x3x3x2x!fixed.q<8, 7>>
// CHECK-NEXT: [[vwindow_1:%.*]] = tdsl.reshape %window : tensor<1x3x3x2x!fixed.q<8, 7>> -> tensor<18x1x!fixed.q<8, 7>>
// CHECK-NEXT: %y = tdsl.matmul_sum %F, [[vwindow_1]] from %B : tensor<3x1x!fixed.q<8, 6>> {acc = !fixed.acc<32, 14>, row_shifts = array<i8: 0, 1, 2>} : tensor<3x18x!fixed.q<8, 7>>, tensor<18x1x!fixed.q<8, 7>> -> tensor<3x1x!fixed.q<8, 5>>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.reshape %y : tensor<3x1x!fixed.q<8, 5>> -> tensor<1x1x1x3x!fixed.q<8, 5>>
// CHECK-NEXT: [[vr_5:%.*]] = tdsl.relu [[vy_1]] : tensor<1x1x1x3x!fixed.q<8, 5>> -> tensor<1x1x1x3x!fixed.q<8, 5>>
// CHECK-NEXT: [[v8:%.*]] = tdsl.insert_slice [[vr_5]], [[vr_4]]{{\[}}[[v0]], [[v3]], [[v5]], [[v0]]] : tensor<1x1x1x3x!fixed.q<8, 5>>, tensor<1x4x2x3x!fixed.q<8, 5>> -> tensor<1x4x2x3x!fixed.q<8, 5>>
// CHECK-NEXT: scf.yield [[v8]] : tensor<1x4x2x3x!fixed.q<8, 5>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[vr_3]] : tensor<1x4x2x3x!fixed.q<8, 5>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vr_1]] : tensor<1x4x2x3x!fixed.q<8, 5>>

// -----

// A pixel of the image is a view; the other image is added pixel by pixel, a sum per channel as it is.
func.func @pointwise(%X: tensor<1x4x4x2x!fixed.q<8, 7>>, %Y: tensor<1x2x2x3x!fixed.q<8, 5>>, %c: tensor<3x!fixed.q<8, 5>>) -> tensor<1x2x2x3x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<3x1x1x2xi8> -> tensor<3x1x1x2x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x1x1x2x!fixed.q<8, 7>>, tensor<1x4x4x2x!fixed.q<8, 7>> -> tensor<1x2x2x3x!fixed.q<8, 5>>
  %s = tdsl.add %Y, %y : tensor<1x2x2x3x!fixed.q<8, 5>>, tensor<1x2x2x3x!fixed.q<8, 5>> -> tensor<1x2x2x3x!fixed.q<8, 5>>
  %m = tdsl.mul %s, %c : tensor<1x2x2x3x!fixed.q<8, 5>>, tensor<3x!fixed.q<8, 5>> -> tensor<1x2x2x3x!fixed.q<8, 5>>
  func.return %m : tensor<1x2x2x3x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @pointwise(%X: tensor<1x4x4x2x!fixed.q<8, 7>>, %Y: tensor<1x2x2x3x!fixed.q<8, 5>>, %c: tensor<3x!fixed.q<8, 5>>) -> tensor<1x2x2x3x!fixed.q<8, 5>> {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<3x2xi8> -> tensor<3x2x!fixed.q<8, 7>>
// CHECK-NEXT: %m = tensor.empty() : tensor<1x2x2x3x!fixed.q<8, 5>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vm_1:%.*]] = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vm_2:%.*]] = %m) -> (tensor<1x2x2x3x!fixed.q<8, 5>>) {
// CHECK-NEXT: [[vm_3:%.*]] = scf.for [[v4:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vm_4:%.*]] = [[vm_2]]) -> (tensor<1x2x2x3x!fixed.q<8, 5>>) {
// CHECK-NEXT: [[v5:%.*]] = arith.muli [[v3]], [[v1]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.muli [[v4]], [[v1]] : index
// CHECK-NEXT: [[v7:%.*]] = tdsl.slice %X{{\[}}[[v0]], [[v5]], [[v6]], [[v0]]] : tensor<1x4x4x2x!fixed.q<8, 7>> -> tensor<1x1x1x2x!fixed.q<8, 7>>
// CHECK-NEXT: [[v8:%.*]] = tdsl.reshape [[v7]] : tensor<1x1x1x2x!fixed.q<8, 7>> -> tensor<2x1x!fixed.q<8, 7>>
// CHECK-NEXT: %y = tdsl.matmul %F, [[v8]] : tensor<3x2x!fixed.q<8, 7>>, tensor<2x1x!fixed.q<8, 7>> -> tensor<3x1x!fixed.q<8, 5>>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.reshape %y : tensor<3x1x!fixed.q<8, 5>> -> tensor<1x1x1x3x!fixed.q<8, 5>>
// CHECK-NEXT: [[v9:%.*]] = tdsl.slice %Y{{\[}}[[v0]], [[v3]], [[v4]], [[v0]]] : tensor<1x2x2x3x!fixed.q<8, 5>> -> tensor<1x1x1x3x!fixed.q<8, 5>>
// CHECK-NEXT: %s = tdsl.add [[v9]], [[vy_1]] : tensor<1x1x1x3x!fixed.q<8, 5>>, tensor<1x1x1x3x!fixed.q<8, 5>> -> tensor<1x1x1x3x!fixed.q<8, 5>>
// CHECK-NEXT: [[vm_5:%.*]] = tdsl.mul %s, %c : tensor<1x1x1x3x!fixed.q<8, 5>>, tensor<3x!fixed.q<8, 5>> -> tensor<1x1x1x3x!fixed.q<8, 5>>
// CHECK-NEXT: [[v10:%.*]] = tdsl.insert_slice [[vm_5]], [[vm_4]]{{\[}}[[v0]], [[v3]], [[v4]], [[v0]]] : tensor<1x1x1x3x!fixed.q<8, 5>>, tensor<1x2x2x3x!fixed.q<8, 5>> -> tensor<1x2x2x3x!fixed.q<8, 5>>
// CHECK-NEXT: scf.yield [[v10]] : tensor<1x2x2x3x!fixed.q<8, 5>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[vm_3]] : tensor<1x2x2x3x!fixed.q<8, 5>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vm_1]] : tensor<1x2x2x3x!fixed.q<8, 5>>

// -----

// Groups are convolved in the window; an op that two others read stays behind the loops, as does a smaller shape.
func.func @depthwise(%X: tensor<1x3x3x2x!fixed.q<8, 7>>, %row: tensor<1x2x1x1x!fixed.q<8, 5>>) -> tensor<1x2x2x2x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<2x2x2x1xi8> -> tensor<2x2x2x1x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x2x2x1x!fixed.q<8, 7>>, tensor<1x3x3x2x!fixed.q<8, 7>> -> tensor<1x2x2x2x!fixed.q<8, 5>>
  %s = tdsl.mul %y, %row : tensor<1x2x2x2x!fixed.q<8, 5>>, tensor<1x2x1x1x!fixed.q<8, 5>> -> tensor<1x2x2x2x!fixed.q<8, 5>>
  func.return %s : tensor<1x2x2x2x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @depthwise(%X: tensor<1x3x3x2x!fixed.q<8, 7>>, %row: tensor<1x2x1x1x!fixed.q<8, 5>>) -> tensor<1x2x2x2x!fixed.q<8, 5>> {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<2x2x2x1xi8> -> tensor<2x2x2x1x!fixed.q<8, 7>>
// CHECK-NEXT: %y = tensor.empty() : tensor<1x2x2x2x!fixed.q<8, 5>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vy_1:%.*]] = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vy_2:%.*]] = %y) -> (tensor<1x2x2x2x!fixed.q<8, 5>>) {
// CHECK-NEXT: [[vy_3:%.*]] = scf.for [[v4:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vy_4:%.*]] = [[vy_2]]) -> (tensor<1x2x2x2x!fixed.q<8, 5>>) {
// CHECK-NEXT: %window = tdsl.window %X{{\[}}[[v3]], [[v4]]] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : tensor<1x3x3x2x!fixed.q<8, 7>> -> tensor<1x2x2x2x!fixed.q<8, 7>>
// CHECK-NEXT: [[vy_5:%.*]] = tdsl.conv2d %F, %window {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x2x2x1x!fixed.q<8, 7>>, tensor<1x2x2x2x!fixed.q<8, 7>> -> tensor<1x1x1x2x!fixed.q<8, 5>>
// CHECK-NEXT: [[v5:%.*]] = tdsl.insert_slice [[vy_5]], [[vy_4]]{{\[}}[[v0]], [[v3]], [[v4]], [[v0]]] : tensor<1x1x1x2x!fixed.q<8, 5>>, tensor<1x2x2x2x!fixed.q<8, 5>> -> tensor<1x2x2x2x!fixed.q<8, 5>>
// CHECK-NEXT: scf.yield [[v5]] : tensor<1x2x2x2x!fixed.q<8, 5>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[vy_3]] : tensor<1x2x2x2x!fixed.q<8, 5>>
// CHECK-NEXT: }
// CHECK-NEXT: %s = tdsl.mul [[vy_1]], %row : tensor<1x2x2x2x!fixed.q<8, 5>>, tensor<1x2x1x1x!fixed.q<8, 5>> -> tensor<1x2x2x2x!fixed.q<8, 5>>
// CHECK-NEXT: func.return %s : tensor<1x2x2x2x!fixed.q<8, 5>>

// -----

// Two convolutions share a filter: the bounds of both sums are those of its numbers, in whatever shape.
func.func @shared(%x: tensor<1x2x2x2x!fixed.q<16, 14>>) -> (tensor<1x2x2x2x!fixed.q<16, 12>>, tensor<1x2x2x2x!fixed.q<16, 12>>) {
  %F = tdsl.const dense<[[[[1, 2]]], [[[-3, 4]]]]> : tensor<2x1x1x2xi16> -> tensor<2x1x1x2x!fixed.q<16, 15>>
  %p = tdsl.conv2d %F, %x {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, acc = !fixed.acc<32, 29>, bound = array<i64: -229369, 229369>} : tensor<2x1x1x2x!fixed.q<16, 15>>, tensor<1x2x2x2x!fixed.q<16, 14>> -> tensor<1x2x2x2x!fixed.q<16, 12>>
  %q = tdsl.conv2d %F, %p {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, acc = !fixed.acc<32, 27>, bound = array<i64: -229369, 229369>} : tensor<2x1x1x2x!fixed.q<16, 15>>, tensor<1x2x2x2x!fixed.q<16, 12>> -> tensor<1x2x2x2x!fixed.q<16, 12>>
  func.return %p, %q : tensor<1x2x2x2x!fixed.q<16, 12>>, tensor<1x2x2x2x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @shared(%x: tensor<1x2x2x2x!fixed.q<16, 14>>) -> (tensor<1x2x2x2x!fixed.q<16, 12>>, tensor<1x2x2x2x!fixed.q<16, 12>>) {
// CHECK-NEXT: %F = tdsl.const dense<{{\[\[}}{{\[\[}}1, 2]]], {{\[\[}}[-3, 4]]]]> : tensor<2x1x1x2xi16> -> tensor<2x1x1x2x!fixed.q<16, 15>>
// CHECK-NEXT: [[vF_1:%.*]] = tdsl.reshape %F : tensor<2x1x1x2x!fixed.q<16, 15>> -> tensor<2x2x!fixed.q<16, 15>>
// CHECK-NEXT: %p = tensor.empty() : tensor<1x2x2x2x!fixed.q<16, 12>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vp_1:%.*]] = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vp_2:%.*]] = %p) -> (tensor<1x2x2x2x!fixed.q<16, 12>>) {
// CHECK-NEXT: [[vp_3:%.*]] = scf.for [[v4:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vp_4:%.*]] = [[vp_2]]) -> (tensor<1x2x2x2x!fixed.q<16, 12>>) {
// CHECK-NEXT: [[v5:%.*]] = tdsl.slice %x{{\[}}[[v0]], [[v3]], [[v4]], [[v0]]] : tensor<1x2x2x2x!fixed.q<16, 14>> -> tensor<1x1x1x2x!fixed.q<16, 14>>
// CHECK-NEXT: [[v6:%.*]] = tdsl.reshape [[v5]] : tensor<1x1x1x2x!fixed.q<16, 14>> -> tensor<2x1x!fixed.q<16, 14>>
// CHECK-NEXT: [[vp_5:%.*]] = tdsl.matmul [[vF_1]], [[v6]] {acc = !fixed.acc<32, 29>, bound = array<i64: -229369, 229369>} : tensor<2x2x!fixed.q<16, 15>>, tensor<2x1x!fixed.q<16, 14>> -> tensor<2x1x!fixed.q<16, 12>>
// CHECK-NEXT: [[vp_6:%.*]] = tdsl.reshape [[vp_5]] : tensor<2x1x!fixed.q<16, 12>> -> tensor<1x1x1x2x!fixed.q<16, 12>>
// CHECK-NEXT: [[v7:%.*]] = tdsl.insert_slice [[vp_6]], [[vp_4]]{{\[}}[[v0]], [[v3]], [[v4]], [[v0]]] : tensor<1x1x1x2x!fixed.q<16, 12>>, tensor<1x2x2x2x!fixed.q<16, 12>> -> tensor<1x2x2x2x!fixed.q<16, 12>>
// CHECK-NEXT: scf.yield [[v7]] : tensor<1x2x2x2x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[vp_3]] : tensor<1x2x2x2x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: %q = scf.for [[v8:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vq_1:%.*]] = %p) -> (tensor<1x2x2x2x!fixed.q<16, 12>>) {
// CHECK-NEXT: [[vq_2:%.*]] = scf.for [[v9:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vq_3:%.*]] = [[vq_1]]) -> (tensor<1x2x2x2x!fixed.q<16, 12>>) {
// CHECK-NEXT: [[v10:%.*]] = tdsl.slice [[vp_1]]{{\[}}[[v0]], [[v8]], [[v9]], [[v0]]] : tensor<1x2x2x2x!fixed.q<16, 12>> -> tensor<1x1x1x2x!fixed.q<16, 12>>
// CHECK-NEXT: [[v11:%.*]] = tdsl.reshape [[v10]] : tensor<1x1x1x2x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 12>>
// CHECK-NEXT: [[vq_4:%.*]] = tdsl.matmul [[vF_1]], [[v11]] {acc = !fixed.acc<32, 27>, bound = array<i64: -229369, 229369>} : tensor<2x2x!fixed.q<16, 15>>, tensor<2x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 12>>
// CHECK-NEXT: [[vq_5:%.*]] = tdsl.reshape [[vq_4]] : tensor<2x1x!fixed.q<16, 12>> -> tensor<1x1x1x2x!fixed.q<16, 12>>
// CHECK-NEXT: [[v12:%.*]] = tdsl.insert_slice [[vq_5]], [[vq_3]]{{\[}}[[v0]], [[v8]], [[v9]], [[v0]]] : tensor<1x1x1x2x!fixed.q<16, 12>>, tensor<1x2x2x2x!fixed.q<16, 12>> -> tensor<1x2x2x2x!fixed.q<16, 12>>
// CHECK-NEXT: scf.yield [[v12]] : tensor<1x2x2x2x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[vq_2]] : tensor<1x2x2x2x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vp_1]], %q : tensor<1x2x2x2x!fixed.q<16, 12>>, tensor<1x2x2x2x!fixed.q<16, 12>>

// -----

// Pixels of a row at once where the target has a kernel for them and memory is not limited: the input tile
// under them is gathered, with its padding.
func.func @tiles(%X: tensor<1x4x5x2x!zeroskew.q<8, 0.5, 3>>) -> tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>> {
  %F = tdsl.const dense<1> : tensor<2x3x3x2xi8> -> tensor<2x3x3x2x!zeroskew.q<8, 0.5, 0>>
  %padded = tdsl.pad %X {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x4x5x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x6x7x2x!zeroskew.q<8, 0.5, 3>>
  %y = tdsl.conv2d %F, %padded {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x3x2x!zeroskew.q<8, 0.5, 0>>, tensor<1x6x7x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>>
  func.return %y : tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>>
}
// CHECK-LABEL: func.func @tiles(%X: tensor<1x4x5x2x!zeroskew.q<8, 0.5, 3>>) -> tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>> {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<2x18xi8> -> tensor<2x18x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: %y = tensor.empty() : tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vy_1:%.*]] = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vy_2:%.*]] = %y) -> (tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: [[v4:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[vy_3:%.*]] = scf.for [[v5:%.*]] = [[v0]] to [[v4]] step [[v2]] iter_args([[vy_4:%.*]] = [[vy_2]]) -> (tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: [[v6:%.*]] = arith.subi [[v3]], [[v2]] : index
// CHECK-NEXT: [[v7:%.*]] = arith.subi [[v5]], [[v2]] : index
// CHECK-NEXT: %window = tdsl.window %X{{\[}}[[v6]], [[v7]]] {dilations = array<i64: 1, 1>, margins = array<i64: 1, 1, 1, 1>} : tensor<1x4x5x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x3x3x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vwindow_1:%.*]] = tdsl.reshape %window : tensor<1x3x3x2x!zeroskew.q<8, 0.5, 3>> -> tensor<18x1x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vy_5:%.*]] = tdsl.matmul %F, [[vwindow_1]] : tensor<2x18x!zeroskew.q<8, 0.5, 0>>, tensor<18x1x!zeroskew.q<8, 0.5, 3>> -> tensor<2x1x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vy_6:%.*]] = tdsl.reshape [[vy_5]] : tensor<2x1x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v8:%.*]] = tdsl.insert_slice [[vy_6]], [[vy_4]]{{\[}}[[v0]], [[v3]], [[v5]], [[v0]]] : tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: scf.yield [[v8]] : tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[vy_3]] : tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vy_1]] : tensor<1x4x5x2x!zeroskew.q<8, 8.0, 0>>
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
// CHECK-LABEL: func.func @dilated(%X: tensor<1x2x6x2x!zeroskew.q<8, 0.5, 3>>) -> (tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<2x4xi8> -> tensor<2x4x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: %G = tdsl.const dense<1> : tensor<2x1x2x1xi8> -> tensor<2x1x2x1x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: %y = tensor.empty() : tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vy_1:%.*]] = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vy_2:%.*]] = %y) -> (tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: [[v4:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[vy_3:%.*]] = scf.for [[v5:%.*]] = [[v0]] to [[v4]] step [[v2]] iter_args([[vy_4:%.*]] = [[vy_2]]) -> (tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: %window = tdsl.window %X{{\[}}[[v3]], [[v5]]] {dilations = array<i64: 1, 2>, margins = array<i64: 0, 0, 0, 0>} : tensor<1x2x6x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x2x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vwindow_1:%.*]] = tdsl.reshape %window : tensor<1x1x2x2x!zeroskew.q<8, 0.5, 3>> -> tensor<4x1x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vy_5:%.*]] = tdsl.matmul %F, [[vwindow_1]] : tensor<2x4x!zeroskew.q<8, 0.5, 0>>, tensor<4x1x!zeroskew.q<8, 0.5, 3>> -> tensor<2x1x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vy_6:%.*]] = tdsl.reshape [[vy_5]] : tensor<2x1x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v6:%.*]] = tdsl.insert_slice [[vy_6]], [[vy_4]]{{\[}}[[v0]], [[v3]], [[v5]], [[v0]]] : tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: scf.yield [[v6]] : tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[vy_3]] : tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: %z = scf.for [[v7:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vz_1:%.*]] = %y) -> (tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: [[v8:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[vz_2:%.*]] = scf.for [[v9:%.*]] = [[v0]] to [[v8]] step [[v2]] iter_args([[vz_3:%.*]] = [[vz_1]]) -> (tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: [[vwindow_2:%.*]] = tdsl.window %X{{\[}}[[v7]], [[v9]]] {dilations = array<i64: 1, 2>, margins = array<i64: 0, 0, 0, 0>} : tensor<1x2x6x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x2x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vz_4:%.*]] = tdsl.conv2d %G, [[vwindow_2]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x1x2x1x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x2x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v10:%.*]] = tdsl.insert_slice [[vz_4]], [[vz_3]]{{\[}}[[v0]], [[v7]], [[v9]], [[v0]]] : tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: scf.yield [[v10]] : tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[vz_2]] : tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vy_1]], %z : tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x2x4x2x!zeroskew.q<8, 8.0, 0>>
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
// CHECK-LABEL: func.func @rows(%X: tensor<1x4x3x2x!zeroskew.q<8, 0.5, 3>>) -> tensor<1x4x3x2x!zeroskew.q<8, 8.0, 0>> {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<2x2xi8> -> tensor<2x2x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: %y = tensor.empty() : tensor<1x4x3x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vy_1:%.*]] = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vy_2:%.*]] = %y) -> (tensor<1x4x3x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: [[v4:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[vy_3:%.*]] = scf.for [[v5:%.*]] = [[v0]] to [[v4]] step [[v2]] iter_args([[vy_4:%.*]] = [[vy_2]]) -> (tensor<1x4x3x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: [[v6:%.*]] = tdsl.slice %X{{\[}}[[v0]], [[v3]], [[v5]], [[v0]]] : tensor<1x4x3x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x1x2x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[v7:%.*]] = tdsl.reshape [[v6]] : tensor<1x1x1x2x!zeroskew.q<8, 0.5, 3>> -> tensor<2x1x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vy_5:%.*]] = tdsl.matmul %F, [[v7]] : tensor<2x2x!zeroskew.q<8, 0.5, 0>>, tensor<2x1x!zeroskew.q<8, 0.5, 3>> -> tensor<2x1x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vy_6:%.*]] = tdsl.reshape [[vy_5]] : tensor<2x1x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v8:%.*]] = tdsl.insert_slice [[vy_6]], [[vy_4]]{{\[}}[[v0]], [[v3]], [[v5]], [[v0]]] : tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x4x3x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x4x3x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: scf.yield [[v8]] : tensor<1x4x3x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[vy_3]] : tensor<1x4x3x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vy_1]] : tensor<1x4x3x2x!zeroskew.q<8, 8.0, 0>>
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
// CHECK-LABEL: func.func @lines(%X: tensor<1x7x6x4x!zeroskew.q<8, 0.5, 3>>) -> tensor<1x5x4x2x!zeroskew.q<8, 8.0, 0>> {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<2x36xi8> -> tensor<2x36x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: %y = tensor.empty() : tensor<1x5x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vy_1:%.*]] = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vy_2:%.*]] = %y) -> (tensor<1x5x4x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: [[v4:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[vy_3:%.*]] = scf.for [[v5:%.*]] = [[v0]] to [[v4]] step [[v2]] iter_args([[vy_4:%.*]] = [[vy_2]]) -> (tensor<1x5x4x2x!zeroskew.q<8, 8.0, 0>>) {
// CHECK-NEXT: %window = tdsl.window %X{{\[}}[[v3]], [[v5]]] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : tensor<1x7x6x4x!zeroskew.q<8, 0.5, 3>> -> tensor<1x3x3x4x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vwindow_1:%.*]] = tdsl.reshape %window : tensor<1x3x3x4x!zeroskew.q<8, 0.5, 3>> -> tensor<36x1x!zeroskew.q<8, 0.5, 3>>
// CHECK-NEXT: [[vy_5:%.*]] = tdsl.matmul %F, [[vwindow_1]] : tensor<2x36x!zeroskew.q<8, 0.5, 0>>, tensor<36x1x!zeroskew.q<8, 0.5, 3>> -> tensor<2x1x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[vy_6:%.*]] = tdsl.reshape [[vy_5]] : tensor<2x1x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: [[v6:%.*]] = tdsl.insert_slice [[vy_6]], [[vy_4]]{{\[}}[[v0]], [[v3]], [[v5]], [[v0]]] : tensor<1x1x1x2x!zeroskew.q<8, 8.0, 0>>, tensor<1x5x4x2x!zeroskew.q<8, 8.0, 0>> -> tensor<1x5x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: scf.yield [[v6]] : tensor<1x5x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[vy_3]] : tensor<1x5x4x2x!zeroskew.q<8, 8.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vy_1]] : tensor<1x5x4x2x!zeroskew.q<8, 8.0, 0>>
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
// CHECK-LABEL: func.func @images(%X: tensor<2x3x3x2x!fixed.q<8, 7>>) -> tensor<2x2x2x1x!fixed.q<8, 5>> {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<1x2x2x2xi8> -> tensor<1x2x2x2x!fixed.q<8, 7>>
// CHECK-NEXT: %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x2x2x2x!fixed.q<8, 7>>, tensor<2x3x3x2x!fixed.q<8, 7>> -> tensor<2x2x2x1x!fixed.q<8, 5>>
// CHECK-NEXT: func.return %y : tensor<2x2x2x1x!fixed.q<8, 5>>

// -----

func.func @window(%X: tensor<1x2x2x2x!fixed.q<8, 7>>) -> tensor<1x1x1x2x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<2x2x2x1xi8> -> tensor<2x2x2x1x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x2x2x1x!fixed.q<8, 7>>, tensor<1x2x2x2x!fixed.q<8, 7>> -> tensor<1x1x1x2x!fixed.q<8, 5>>
  func.return %y : tensor<1x1x1x2x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @window(%X: tensor<1x2x2x2x!fixed.q<8, 7>>) -> tensor<1x1x1x2x!fixed.q<8, 5>> {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<2x2x2x1xi8> -> tensor<2x2x2x1x!fixed.q<8, 7>>
// CHECK-NEXT: %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x2x2x1x!fixed.q<8, 7>>, tensor<1x2x2x2x!fixed.q<8, 7>> -> tensor<1x1x1x2x!fixed.q<8, 5>>
// CHECK-NEXT: func.return %y : tensor<1x1x1x2x!fixed.q<8, 5>>

// -----

func.func @whole_window(%X: tensor<1x2x2x2x!fixed.q<8, 7>>) -> tensor<1x1x1x1x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<1x2x2x2xi8> -> tensor<1x2x2x2x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x2x2x2x!fixed.q<8, 7>>, tensor<1x2x2x2x!fixed.q<8, 7>> -> tensor<1x1x1x1x!fixed.q<8, 5>>
  func.return %y : tensor<1x1x1x1x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @whole_window(%X: tensor<1x2x2x2x!fixed.q<8, 7>>) -> tensor<1x1x1x1x!fixed.q<8, 5>> {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<1x8xi8> -> tensor<1x8x!fixed.q<8, 7>>
// CHECK-NEXT: %y = tensor.empty() : tensor<1x1x1x1x!fixed.q<8, 5>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = tdsl.slice %X{{\[}}[[v0]], [[v0]], [[v0]], [[v0]]] : tensor<1x2x2x2x!fixed.q<8, 7>> -> tensor<1x2x2x2x!fixed.q<8, 7>>
// CHECK-NEXT: [[v2:%.*]] = tdsl.reshape [[v1]] : tensor<1x2x2x2x!fixed.q<8, 7>> -> tensor<8x1x!fixed.q<8, 7>>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.matmul %F, [[v2]] : tensor<1x8x!fixed.q<8, 7>>, tensor<8x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 5>>
// CHECK-NEXT: [[vy_2:%.*]] = tdsl.reshape [[vy_1]] : tensor<1x1x!fixed.q<8, 5>> -> tensor<1x1x1x1x!fixed.q<8, 5>>
// CHECK-NEXT: [[vy_3:%.*]] = tdsl.insert_slice [[vy_2]], %y{{\[}}[[v0]], [[v0]], [[v0]], [[v0]]] : tensor<1x1x1x1x!fixed.q<8, 5>>, tensor<1x1x1x1x!fixed.q<8, 5>> -> tensor<1x1x1x1x!fixed.q<8, 5>>
// CHECK-NEXT: func.return [[vy_3]] : tensor<1x1x1x1x!fixed.q<8, 5>>

// -----

func.func @windows(%X: tensor<1x3x3x2x!fixed.q<8, 7>>) -> tensor<1x2x2x2x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<2x2x2x1xi8> -> tensor<2x2x2x1x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x2x2x1x!fixed.q<8, 7>>, tensor<1x3x3x2x!fixed.q<8, 7>> -> tensor<1x2x2x2x!fixed.q<8, 5>>
  func.return %y : tensor<1x2x2x2x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @windows(%X: tensor<1x3x3x2x!fixed.q<8, 7>>) -> tensor<1x2x2x2x!fixed.q<8, 5>> {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<2x2x2x1xi8> -> tensor<2x2x2x1x!fixed.q<8, 7>>
// CHECK-NEXT: %y = tensor.empty() : tensor<1x2x2x2x!fixed.q<8, 5>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vy_1:%.*]] = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vy_2:%.*]] = %y) -> (tensor<1x2x2x2x!fixed.q<8, 5>>) {
// CHECK-NEXT: [[vy_3:%.*]] = scf.for [[v4:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vy_4:%.*]] = [[vy_2]]) -> (tensor<1x2x2x2x!fixed.q<8, 5>>) {
// CHECK-NEXT: %window = tdsl.window %X{{\[}}[[v3]], [[v4]]] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : tensor<1x3x3x2x!fixed.q<8, 7>> -> tensor<1x2x2x2x!fixed.q<8, 7>>
// CHECK-NEXT: [[vy_5:%.*]] = tdsl.conv2d %F, %window {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x2x2x1x!fixed.q<8, 7>>, tensor<1x2x2x2x!fixed.q<8, 7>> -> tensor<1x1x1x2x!fixed.q<8, 5>>
// CHECK-NEXT: [[v5:%.*]] = tdsl.insert_slice [[vy_5]], [[vy_4]]{{\[}}[[v0]], [[v3]], [[v4]], [[v0]]] : tensor<1x1x1x2x!fixed.q<8, 5>>, tensor<1x2x2x2x!fixed.q<8, 5>> -> tensor<1x2x2x2x!fixed.q<8, 5>>
// CHECK-NEXT: scf.yield [[v5]] : tensor<1x2x2x2x!fixed.q<8, 5>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[vy_3]] : tensor<1x2x2x2x!fixed.q<8, 5>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return [[vy_1]] : tensor<1x2x2x2x!fixed.q<8, 5>>

// -----

// A bound that follows only from a constant image: its parts have no proof.
func.func @constant() -> tensor<1x1x3x1x!fixed.q<8, 5>> {
  %F = tdsl.const dense<[[[[10, 1, 1]]]]> : tensor<1x1x1x3xi8> -> tensor<1x1x1x3x!fixed.q<8, 7>>
  %X = tdsl.const dense<1> : tensor<1x1x3x3xi8> -> tensor<1x1x3x3x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, acc = !fixed.acc<32, 14>, bound = array<i64: -12, 12>} : tensor<1x1x1x3x!fixed.q<8, 7>>, tensor<1x1x3x3x!fixed.q<8, 7>> -> tensor<1x1x3x1x!fixed.q<8, 5>>
  func.return %y : tensor<1x1x3x1x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @constant() -> tensor<1x1x3x1x!fixed.q<8, 5>> {
// CHECK-NEXT: %F = tdsl.const dense<{{\[\[}}{{\[\[}}10, 1, 1]]]]> : tensor<1x1x1x3xi8> -> tensor<1x1x1x3x!fixed.q<8, 7>>
// CHECK-NEXT: %X = tdsl.const dense<1> : tensor<1x1x3x3xi8> -> tensor<1x1x3x3x!fixed.q<8, 7>>
// CHECK-NEXT: %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, acc = !fixed.acc<32, 14>, bound = array<i64: -12, 12>} : tensor<1x1x1x3x!fixed.q<8, 7>>, tensor<1x1x3x3x!fixed.q<8, 7>> -> tensor<1x1x3x1x!fixed.q<8, 5>>
// CHECK-NEXT: func.return %y : tensor<1x1x3x1x!fixed.q<8, 5>>

// -----

// A line that nothing else reads is computed in four tiles, whose results may take the bytes of earlier tiles. A line
// that is read twice is one tile, and so is a line of 7 pixels, which has no equal tiles of 4.
func.func @line(%X: tensor<1x1x16x4x!zeroskew.q<8, 0.5, 0>>, %Y: tensor<1x1x16x4x!zeroskew.q<8, 0.5, 0>>, %Z: tensor<1x1x7x4x!zeroskew.q<8, 0.5, 0>>) -> (tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x16x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x7x4x!zeroskew.q<8, 8.0, 0>>) {
  %F = tdsl.const dense<1> : tensor<4x1x1x4xi8> -> tensor<4x1x1x4x!zeroskew.q<8, 0.5, 0>>
  %x = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x1x1x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x16x4x!zeroskew.q<8, 0.5, 0>> -> tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>
  %y = tdsl.conv2d %F, %Y {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x1x1x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x16x4x!zeroskew.q<8, 0.5, 0>> -> tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>
  %z = tdsl.conv2d %F, %Z {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x1x1x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x7x4x!zeroskew.q<8, 0.5, 0>> -> tensor<1x1x7x4x!zeroskew.q<8, 8.0, 0>>
  func.return %x, %y, %Y, %z : tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x16x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x7x4x!zeroskew.q<8, 8.0, 0>>
}
// TILES-LABEL: func.func @line(%X: tensor<1x1x16x4x!zeroskew.q<8, 0.5, 0>>, %Y: tensor<1x1x16x4x!zeroskew.q<8, 0.5, 0>>, %Z: tensor<1x1x7x4x!zeroskew.q<8, 0.5, 0>>) -> (tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x16x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x7x4x!zeroskew.q<8, 8.0, 0>>) {
// TILES-NEXT: %F = tdsl.const dense<1> : tensor<4x1x1x4xi8> -> tensor<4x1x1x4x!zeroskew.q<8, 0.5, 0>>
// TILES-NEXT: %x = tensor.empty() : tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>
// TILES-NEXT: [[v0:%.*]] = arith.constant 0 : index
// TILES-NEXT: [[v1:%.*]] = arith.constant 4 : index
// TILES-NEXT: [[v2:%.*]] = arith.constant 1 : index
// TILES-NEXT: [[vx_1:%.*]] = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vx_2:%.*]] = %x) -> (tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>) {
// TILES-NEXT: [[v4:%.*]] = arith.muli [[v3]], [[v1]] : index
// TILES-NEXT: [[v5:%.*]] = tdsl.slice %X{{\[}}[[v0]], [[v0]], [[v4]], [[v0]]] : tensor<1x1x16x4x!zeroskew.q<8, 0.5, 0>> -> tensor<1x1x4x4x!zeroskew.q<8, 0.5, 0>>
// TILES-NEXT: [[vx_3:%.*]] = tdsl.conv2d %F, [[v5]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 4, runs = 1, length = 4, pitch = 0, step = 4, count = 4, zero = 0>} : tensor<4x1x1x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x4x4x!zeroskew.q<8, 0.5, 0>> -> tensor<1x1x4x4x!zeroskew.q<8, 8.0, 0>>
// TILES-NEXT: [[v6:%.*]] = tdsl.insert_slice [[vx_3]], [[vx_2]]{{\[}}[[v0]], [[v0]], [[v4]], [[v0]]] : tensor<1x1x4x4x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>> -> tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>
// TILES-NEXT: scf.yield [[v6]] : tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>
// TILES-NEXT: }
// TILES-NEXT: [[v7:%.*]] = tdsl.slice %Y{{\[}}[[v0]], [[v0]], [[v0]], [[v0]]] : tensor<1x1x16x4x!zeroskew.q<8, 0.5, 0>> -> tensor<1x1x16x4x!zeroskew.q<8, 0.5, 0>>
// TILES-NEXT: %y = tdsl.conv2d %F, [[v7]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 4, runs = 1, length = 4, pitch = 0, step = 4, count = 16, zero = 0>} : tensor<4x1x1x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x16x4x!zeroskew.q<8, 0.5, 0>> -> tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>
// TILES-NEXT: [[v8:%.*]] = tdsl.slice %Z{{\[}}[[v0]], [[v0]], [[v0]], [[v0]]] : tensor<1x1x7x4x!zeroskew.q<8, 0.5, 0>> -> tensor<1x1x7x4x!zeroskew.q<8, 0.5, 0>>
// TILES-NEXT: %z = tdsl.conv2d %F, [[v8]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 4, runs = 1, length = 4, pitch = 0, step = 4, count = 7, zero = 0>} : tensor<4x1x1x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x7x4x!zeroskew.q<8, 0.5, 0>> -> tensor<1x1x7x4x!zeroskew.q<8, 8.0, 0>>
// TILES-NEXT: func.return [[vx_1]], %y, %Y, %z : tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x16x4x!zeroskew.q<8, 8.0, 0>>, tensor<1x1x16x4x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x7x4x!zeroskew.q<8, 8.0, 0>>
