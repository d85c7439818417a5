// RUN: tinyml-opt %s -p 'tile-segment{first=y.0 last=z.1},canonicalize,cse' | filecheck %s --check-prefix=ROWS
// RUN: tinyml-opt %s -p 'tile-segment{first=y.0 last=z.1 by=pixels},canonicalize,cse' | filecheck %s --check-prefix=PIXELS

// Three rows of the image between are enough for the windows of the second convolution, and 19 of its 64 pixels.
func.func @chain(%X: tensor<1x8x8x2x!fixed.q<8, 7>>) -> tensor<1x8x8x3x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<4x3x3x2xi8> -> tensor<4x3x3x2x!fixed.q<8, 7>>
  %G = tdsl.const dense<2> : tensor<3x3x3x4xi8> -> tensor<3x3x3x4x!fixed.q<8, 7>>
  %p = tdsl.pad %X {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x8x8x2x!fixed.q<8, 7>> -> tensor<1x10x10x2x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %p {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x3x3x2x!fixed.q<8, 7>>, tensor<1x10x10x2x!fixed.q<8, 7>> -> tensor<1x8x8x4x!fixed.q<8, 5>>
  %r = tdsl.relu %y : tensor<1x8x8x4x!fixed.q<8, 5>> -> tensor<1x8x8x4x!fixed.q<8, 5>>
  %q = tdsl.pad %r {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x8x8x4x!fixed.q<8, 5>> -> tensor<1x10x10x4x!fixed.q<8, 5>>
  %z = tdsl.conv2d %G, %q {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x3x3x4x!fixed.q<8, 7>>, tensor<1x10x10x4x!fixed.q<8, 5>> -> tensor<1x8x8x3x!fixed.q<8, 5>>
  func.return %z : tensor<1x8x8x3x!fixed.q<8, 5>>
}
// ROWS: [[ring:%.*]] = tensor.empty() : tensor<1x3x8x4x!fixed.q<8, 5>>
// ROWS: [[whole:%.*]] = tensor.empty() : tensor<1x8x8x3x!fixed.q<8, 5>>
// ROWS: [[nine:%.*]] = arith.constant 9 : index
// ROWS: scf.for [[t:%.*]] = %{{.*}} to [[nine]] step %{{.*}} iter_args([[r:%.*]] = [[ring]], [[z:%.*]] = [[whole]])
// ROWS: [[end:%.*]] = arith.minsi
// ROWS: [[below:%.*]] = arith.subi [[t]],
// ROWS: [[start:%.*]] = arith.maxsi [[below]],
// ROWS: [[rows:%.*]] = scf.for [[y:%.*]] = [[t]] to [[end]] step %{{.*}} iter_args(%{{.*}} = [[r]])
// ROWS: [[slot:%.*]] = arith.remsi [[y]],
// ROWS: tdsl.window %X
// ROWS: tdsl.insert_slice %{{.*}}, %{{.*}}[%{{.*}}, [[slot]],
// ROWS: scf.for %{{.*}} = [[start]] to [[t]] step %{{.*}} iter_args(%{{.*}} = [[z]])
// ROWS: tdsl.window [[rows]]{{.*}} ring = array<i64: 8, 8>} : tensor<1x3x8x4x!fixed.q<8, 5>>

// PIXELS: tensor.empty() : tensor<1x1x19x4x!fixed.q<8, 5>>
// PIXELS: scf.for {{.*}} -> (tensor<1x1x19x4x!fixed.q<8, 5>>, tensor<1x8x8x3x!fixed.q<8, 5>>)
// PIXELS: scf.for {{.*}} -> (tensor<1x1x19x4x!fixed.q<8, 5>>, tensor<1x8x8x3x!fixed.q<8, 5>>)
// PIXELS: tdsl.window %{{.*}} ring = array<i64: 8, 8>} : tensor<1x1x19x4x!fixed.q<8, 5>>
