// RUN: tinyml-opt %s -p "fold-input-unit{input_unit=g16384}" --split-input-file | filecheck %s --check-prefix=POWER
// RUN: tinyml-opt %s -p "fold-input-unit{input_unit=\"0.5+3:s10\"}" --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p "fold-input-unit{input_unit=\"0.5+3:s10\"},fold-input-unit{input_unit=int8}" --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p "fold-input-unit{input_unit=\"uint8:255\"}" --split-input-file | filecheck %s --check-prefix=BYTES
// RUN: tinyml-opt %s -p fold-input-unit --split-input-file | filecheck %s --check-prefix=NONE

// A real is 0.5 * raw + 3, and the numbers of `!fixed.s<10, 9>` are raw / 512: weights and bias make up for both. A unit
// that is a power of two changes nothing but the format.
func.func @dense(%X: tensor<2x1xf32>) -> tensor<1x1xf32> attributes {tdsl.interface = #tdsl.interface<input = <range = [-253.0, 259.0]>>} {
  %W = tdsl.const dense<[[2.0, -1.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %y = tdsl.matmul %W, %X : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @dense(%X: tensor<2x1xf32>) -> tensor<1x1xf32> attributes {tdsl.interface = #tdsl.interface<input = <range = [-1.0, 1.0], scales = [256.0], offsets = [3.0], unit = "0.5+3:s10", format = !fixed.s<10, 9>>>} {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}5.120000e+02, -2.560000e+02]]> : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %y = tdsl.matmul %W, %X : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %bias = tdsl.const dense<3.000000e+00> : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.add %y, %bias : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return [[vy_1]] : tensor<1x1xf32>
// POWER-LABEL: func.func @dense(%X: tensor<2x1xf32>) -> {{.*}}#tdsl.interface<input = <range = [-253.0, 259.0], unit = "g16384", format = !fixed.s<16, 14>>>
// POWER-NEXT: tdsl.const dense<{{\[\[}}2.000000e+00, -1.000000e+00]]>
// POWER-LABEL: func.func @steps(
// Bytes are signed once their upper bit is flipped: 128 stands for 0.
// BYTES-LABEL: func.func @dense
// BYTES-SAME: range = [-2.9765625, 1.0234375], scales = [128.0], offsets = [128.0], unit = "uint8:255", format = !fixed.byte<8, 7>
// BYTES-LABEL: func.func @steps(
// NONE-LABEL: func.func @dense(%X: tensor<2x1xf32>) -> {{.*}}#tdsl.interface<input = <range = [-253.0, 259.0]>>
// NONE-LABEL: func.func @steps(

// -----

// A row of the input at a computed index, as recurrent networks read it.
func.func @steps(%X: tensor<3x2xf32>) -> tensor<1x1xf32> {
  %W = tdsl.const dense<[[2.0], [-1.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %i = arith.constant 1 : index
  %x = tdsl.index %X[%i] : tensor<3x2xf32> -> tensor<2xf32>
  %row = tdsl.reshape %x : tensor<2xf32> -> tensor<1x2xf32>
  %y = tdsl.matmul %row, %W : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @steps(%X: tensor<3x2xf32>) -> tensor<1x1xf32> attributes {tdsl.interface = #tdsl.interface<input = <scales = [256.0], offsets = [3.0], unit = "0.5+3:s10", format = !fixed.s<10, 9>>>} {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}5.120000e+02], [-2.560000e+02]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %i = arith.constant 1 : index
// CHECK-NEXT: %x = tdsl.index %X[%i] : tensor<3x2xf32> -> tensor<2xf32>
// CHECK-NEXT: [[vx_1:%.*]] = tdsl.reshape %x : tensor<2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %y = tdsl.matmul [[vx_1]], %W : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %bias = tdsl.const dense<3.000000e+00> : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.add %y, %bias : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return [[vy_1]] : tensor<1x1xf32>

// -----

// The real 0 around an image is raw -6, or -6 / 512; the greatest element of a window stays the greatest.
func.func @image(%X: tensor<1x2x2x1xf32>) -> tensor<1x1x1x1xf32> {
  %W = tdsl.const dense<2.0> : tensor<1x2x2x1xf32> -> tensor<1x2x2x1xf32>
  %padded = tdsl.pad %X {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x2x2x1xf32> -> tensor<1x4x4x1xf32>
  %pooled = tdsl.max_pool %padded {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : tensor<1x4x4x1xf32> -> tensor<1x2x2x1xf32>
  %y = tdsl.conv2d %W, %pooled {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x1x1x1xf32>
  func.return %y : tensor<1x1x1x1xf32>
}
// CHECK-LABEL: func.func @image(%X: tensor<1x2x2x1xf32>) -> tensor<1x1x1x1xf32> attributes {tdsl.interface = #tdsl.interface<input = <scales = [256.0], offsets = [3.0], unit = "0.5+3:s10", format = !fixed.s<10, 9>>>} {
// CHECK-NEXT: %W = tdsl.const dense<5.120000e+02> : tensor<1x2x2x1xf32> -> tensor<1x2x2x1xf32>
// CHECK-NEXT: %padded = tdsl.pad %X {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>, value = -0.01171875 : f64} : tensor<1x2x2x1xf32> -> tensor<1x4x4x1xf32>
// CHECK-NEXT: %pooled = tdsl.max_pool %padded {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : tensor<1x4x4x1xf32> -> tensor<1x2x2x1xf32>
// CHECK-NEXT: %y = tdsl.conv2d %W, %pooled {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32> -> tensor<1x1x1x1xf32>
// CHECK-NEXT: %bias = tdsl.const dense<2.400000e+01> : tensor<1xf32> -> tensor<1xf32>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.add %y, %bias : tensor<1x1x1x1xf32>, tensor<1xf32> -> tensor<1x1x1x1xf32>
// CHECK-NEXT: func.return [[vy_1]] : tensor<1x1x1x1xf32>

// -----

// Thresholds of trees become those of raws: 4 is (4 - 3) / 256.
func.func @tree(%X: tensor<1x2xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[1.0], [2.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %y = tdsl.forest %X, %votes {features = dense<1> : tensor<1xi16>, thresholds = dense<4.0> : tensor<1xf32>, children = dense<[[-1, -2]]> : tensor<1x2xi16>, roots = dense<0> : tensor<1xi16>} : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @tree(%X: tensor<1x2xf32>) -> tensor<1x1xf32> attributes {tdsl.interface = #tdsl.interface<input = <scales = [256.0], offsets = [3.0], unit = "0.5+3:s10", format = !fixed.s<10, 9>>>} {
// CHECK-NEXT: %votes = tdsl.const dense<{{\[\[}}1.000000e+00], [2.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.forest %X, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<3.906250e-03> : tensor<1xf64>, children = dense<{{\[\[}}-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %y : tensor<1x1xf32>

// -----

// Other ops read features that are computed from the integers first, at the beginning.
func.func @distance(%X: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %y = tdsl.tanh %X : tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @distance(%X: tensor<2x1xf32>) -> tensor<2x1xf32> attributes {tdsl.interface = #tdsl.interface<input = <scales = [256.0], offsets = [3.0], unit = "0.5+3:s10", format = !fixed.s<10, 9>>>} {
// CHECK-NEXT: %scale = tdsl.const dense<2.560000e+02> : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %features = tdsl.mul %X, %scale : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %offset = tdsl.const dense<3.000000e+00> : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: [[vfeatures_1:%.*]] = tdsl.add %features, %offset : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.tanh [[vfeatures_1]] : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %y : tensor<2x1xf32>
// POWER-LABEL: func.func @distance
// POWER-NEXT: tdsl.tanh %X
