// RUN: tinyml-opt %s -p 'tile-segment{first=y.0 last=z.1 by=strips patches=3},canonicalize,cse' | filecheck %s
// RUN: not tinyml-opt %s -p 'tile-segment{first=y.0 last=z.1 by=strips patches=4}' 2>&1 | filecheck %s --check-prefix=MANY
// RUN: not tinyml-opt %s -p 'tile-segment{first=y.0 last=z.1 by=strips patches=0}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not tinyml-opt %s -p 'receive-input{input=callback},tile-segment{first=X.0 last=z.2 by=strips}' 2>&1 | filecheck %s --check-prefix=ARRIVES

// Three strips of one column of the depthwise convolution. Each needs 3 of the 5 columns before, of which a ring stores
// 3 rows, and runs over all rows of the images.
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
// CHECK: scf.for [[x:%[0-9]+]] = %
// CHECK: arith.remsi [[x]], %{{.*}} : index
// CHECK: tdsl.insert_slice %{{.*}} -> tensor<1x3x3x6x!fixed.q<8, 5>>
// CHECK: tdsl.window %{{.*}} ring = array<i64: 4, 5>} : tensor<1x3x3x6x!fixed.q<8, 5>> -> tensor<1x3x3x6x!fixed.q<8, 5>>
// MANY: 'y.0' to 'z.1' do not run by strips: expected 1 to 3 strips of 3 columns, got 4
// NONE: 'y.0' to 'z.1' do not run by strips: expected 1 to 3 strips of 3 columns, got 0
// ARRIVES: do not run by strips: the rows of {{.*}} arrive once, but every strip reads them
