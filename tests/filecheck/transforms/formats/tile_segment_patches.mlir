// RUN: tinyml-opt %s -p 'tile-segment{first=y.0 last=z.1 by=patches},canonicalize,cse' | filecheck %s
// RUN: not tinyml-opt %s -p 'tile-segment{first=y.0 last=z.1 by=patches patches=3}' 2>&1 | filecheck %s --check-prefix=MANY

// Four tiles of the 2x3 pixels of the depthwise convolution: the greatest is 1x2, and needs 3x4 of the 4x5 pixels before.
// Each tile computes the pixels from the first that it needs up to, and without, the last, in places modulo 3 and 4.
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
// CHECK: [[result:%.*]] = tensor.empty() : tensor<1x2x3x6x!fixed.q<8, 5>>
// CHECK-DAG: [[three:%.*]] = arith.constant 3 : index
// CHECK-DAG: [[four:%.*]] = arith.constant 4 : index
// CHECK: scf.for [[i:%.*]] = {{.*}} iter_args(%{{.*}} = [[result]])
// CHECK: [[top:%.*]] = arith.divsi
// CHECK: [[bottom:%.*]] = arith.minsi %{{.*}}, [[four]] : index
// CHECK: scf.for [[j:%[0-9]+]] = %
// CHECK: [[part:%.*]] = tensor.empty() : tensor<1x3x4x6x!fixed.q<8, 5>>
// CHECK: scf.for [[y:%.*]] = [[top]] to [[bottom]] step %{{.*}} iter_args(%{{.*}} = [[part]])
// CHECK: scf.for [[x:%[0-9]+]] = %
// CHECK: [[row:%.*]] = arith.remsi [[y]], [[three]] : index
// CHECK: [[column:%.*]] = arith.remsi [[x]], [[four]] : index
// CHECK: tdsl.insert_slice %{{.*}}, %{{.*}}[%{{.*}}, [[row]], [[column]], %{{.*}}]
// CHECK: tdsl.window %{{.*}} ring = array<i64: 4, 5>} : tensor<1x3x4x6x!fixed.q<8, 5>> -> tensor<1x3x3x6x!fixed.q<8, 5>>
// CHECK: tdsl.insert_slice %{{.*}} -> tensor<1x2x3x6x!fixed.q<8, 5>>
// MANY: 'y.0' to 'z.1' do not run by patches: 3 x 3 patches do not divide 2 x 3 pixels
