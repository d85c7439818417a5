// RUN: tinyml-opt %s -p 'tile-segment{first=y.0 last=s.2 by=channels},canonicalize,cse' | filecheck %s --check-prefixes=LOOP,SUMS
// RUN: tinyml-opt %s -p 'tile-segment{first=y.0 last=z.1 by=channels},canonicalize,cse' | filecheck %s --check-prefixes=LOOP,WHOLE
// RUN: not tinyml-opt %s -p 'tile-segment{first=y.0 last=y.0 by=channels}' 2>&1 | filecheck %s --check-prefix=SINGLE
// RUN: tinyml-opt %s -p 'tile-segment{first=y.0 last=s.2 by=channels sums=16},canonicalize,cse' | filecheck %s --check-prefix=EXACT
// RUN: tinyml-opt %s -p 'tile-segment{first=y.0 last=s.2 by=channels sums=8},canonicalize,cse' | filecheck %s --check-prefix=ROUNDED
// RUN: not tinyml-opt %s -p 'tile-segment{first=y.0 last=s.2 by=channels sums=24}' 2>&1 | filecheck %s --check-prefix=WIDTH

// An inverted bottleneck: a channel of the wide images at a time, which is generated, continued, and added to sums that
// begin with the bias. Without the last convolution, each channel is put into the whole image.
func.func @bottleneck(%X: tensor<1x4x5x2x!fixed.q<8, 7>>) -> tensor<1x2x3x3x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<6x1x1x2xi8> -> tensor<6x1x1x2x!fixed.q<8, 7>>
  %G = tdsl.const dense<2> : tensor<6x3x3x1xi8> -> tensor<6x3x3x1x!fixed.q<8, 7>>
  %H = tdsl.const dense<3> : tensor<3x1x1x6xi8> -> tensor<3x1x1x6x!fixed.q<8, 7>>
  %b = tdsl.const dense<[7, 8, 9]> : tensor<3xi8> -> tensor<3x!fixed.q<8, 5>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<6x1x1x2x!fixed.q<8, 7>>, tensor<1x4x5x2x!fixed.q<8, 7>> -> tensor<1x4x5x6x!fixed.q<8, 5>>
  %r = tdsl.relu %y : tensor<1x4x5x6x!fixed.q<8, 5>> -> tensor<1x4x5x6x!fixed.q<8, 5>>
  %z = tdsl.conv2d %G, %r {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 6 : i64} : tensor<6x3x3x1x!fixed.q<8, 7>>, tensor<1x4x5x6x!fixed.q<8, 5>> -> tensor<1x2x3x6x!fixed.q<8, 5>>
  %s = tdsl.conv2d %H, %z from %b : tensor<3x!fixed.q<8, 5>> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x1x1x6x!fixed.q<8, 7>>, tensor<1x2x3x6x!fixed.q<8, 5>> -> tensor<1x2x3x3x!fixed.q<8, 5>>
  func.return %s : tensor<1x2x3x3x!fixed.q<8, 5>>
}
// SUMS: [[weights:%.*]] = tdsl.const dense<3> : tensor<6x3x1xi8> -> tensor<6x3x1x!fixed.q<8, 7>>
// SUMS: [[start:%.*]] = tdsl.start %b : tensor<3x!fixed.q<8, 5>> -> tensor<1x2x3x3x!fixed.acc<32, 12>>
// SUMS: [[sums:%.*]] = scf.for [[c:%.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = [[start]])
// WHOLE: [[start:%.*]] = tensor.empty() : tensor<1x2x3x6x!fixed.q<8, 5>>
// WHOLE: [[whole:%.*]] = scf.for [[c:%.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = [[start]])
// LOOP: tensor.empty() : tensor<1x4x5x1x!fixed.q<8, 5>>
// LOOP: [[y:%.*]] = tdsl.row_product %F{{\[}}[[c]]], %{{.*}} -> tensor<1x1x!fixed.q<8, 5>>
// LOOP: tdsl.relu %{{.*}} -> tensor<1x1x1x1x!fixed.q<8, 5>>
// SUMS: tensor.empty() : tensor<1x2x3x1x!fixed.q<8, 5>>
// LOOP: tdsl.window %{{.*}} : tensor<1x4x5x1x!fixed.q<8, 5>> -> tensor<1x3x3x1x!fixed.q<8, 5>>
// LOOP: tdsl.row_product %G{{\[}}[[c]]], %{{.*}} -> tensor<1x1x!fixed.q<8, 5>>
// WHOLE: tdsl.insert_slice %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, [[c]]] : {{.*}} -> tensor<1x2x3x6x!fixed.q<8, 5>>
// WHOLE: tdsl.conv2d %H, [[whole]] from %b
// SUMS: [[w:%.*]] = tdsl.index [[weights]]{{\[}}[[c]]] : tensor<6x3x1x!fixed.q<8, 7>> -> tensor<3x1x!fixed.q<8, 7>>
// SUMS: tdsl.mac %{{.*}}, [[w]], %{{.*}} -> tensor<3x1x!fixed.acc<32, 12>>
// SUMS: tdsl.finish [[sums]] {bound = array<i64: -1390, 3438>} : tensor<1x2x3x3x!fixed.acc<32, 12>> -> tensor<1x2x3x3x!fixed.q<8, 5>>
// SINGLE: 'y.0' to 'y.0' do not run by channels: a single op needs all channels, of its operand or of its result
// WIDTH: sums have 32, 16, 8 bits, got 24

// The bound proves that 16 bits are enough. In 8 bits, each contribution is rounded, and the bias comes last.
// EXACT: tdsl.start %b : tensor<3x!fixed.q<8, 5>> -> tensor<1x2x3x3x!fixed.acc<16, 12>>
// EXACT: tdsl.mac %{{.*}} -> tensor<3x1x!fixed.acc<16, 12>>
// EXACT: tdsl.finish %{{.*}} {bound = array<i64: -1390, 3438>} : tensor<1x2x3x3x!fixed.acc<16, 12>>
// ROUNDED: tdsl.fill {value = 0.000000e+00 : f64} -> tensor<1x2x3x3x!fixed.q<8, 5>>
// ROUNDED: [[part:%.*]] = tdsl.matmul %{{.*}} -> tensor<3x1x!fixed.q<8, 5>>
// ROUNDED: tdsl.add %{{.*}}, [[part]] : {{.*}} -> tensor<3x1x!fixed.q<8, 5>>
// ROUNDED: tdsl.add %{{.*}}, %b : {{.*}} -> tensor<1x2x3x3x!fixed.q<8, 5>>
