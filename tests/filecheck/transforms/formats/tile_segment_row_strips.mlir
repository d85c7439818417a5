// RUN: tinyml-opt %s -p 'tile-segment{first=y.0 last=z.1 by=row-strips patches=2},canonicalize,cse' | filecheck %s
// RUN: not tinyml-opt %s -p 'tile-segment{first=y.0 last=z.1 by=row-strips patches=3}' 2>&1 | filecheck %s --check-prefix=MANY

// Two strips of one row of the depthwise convolution. Each needs 3 of the 4 rows before, of which a ring stores 3 columns,
// and runs over all columns of the images.
func.func @bottleneck(%X: tensor<1x4x5x2x!fixed.q<8, 7>>) -> tensor<1x2x3x6x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<6x1x1x2xi8> -> tensor<6x1x1x2x!fixed.q<8, 7>>
  %G = tdsl.const dense<2> : tensor<6x3x3x1xi8> -> tensor<6x3x3x1x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<6x1x1x2x!fixed.q<8, 7>>, tensor<1x4x5x2x!fixed.q<8, 7>> -> tensor<1x4x5x6x!fixed.q<8, 5>>
  %z = tdsl.conv2d %G, %y {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 6 : i64} : tensor<6x3x3x1x!fixed.q<8, 7>>, tensor<1x4x5x6x!fixed.q<8, 5>> -> tensor<1x2x3x6x!fixed.q<8, 5>>
  func.return %z : tensor<1x2x3x6x!fixed.q<8, 5>>
}
// CHECK-DAG: tensor.empty() : tensor<1x3x3x6x!fixed.q<8, 5>>
// CHECK-DAG: tensor.empty() : tensor<1x2x3x6x!fixed.q<8, 5>>
// CHECK: scf.for [[strip:%[0-9]+]] = %
// CHECK: scf.for [[tick:%[0-9]+]] = %
// CHECK: scf.for [[y:%[0-9]+]] = %
// CHECK: arith.remsi [[y]], %{{.*}} : index
// CHECK: tdsl.insert_slice %{{.*}} -> tensor<1x3x3x6x!fixed.q<8, 5>>
// CHECK: tdsl.window %{{.*}} ring = array<i64: 4, 5>} : tensor<1x3x3x6x!fixed.q<8, 5>> -> tensor<1x3x3x6x!fixed.q<8, 5>>
// MANY: 'y.0' to 'z.1' do not run by row-strips: expected 1 to 2 strips of 2 rows, got 3
