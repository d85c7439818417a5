// RUN: tinyml-opt %s -p 'plan-execution,tile-windows' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'plan-execution{mode=auto ram=2000},tile-windows' --split-input-file | filecheck %s --check-prefix=AMPLE

// Windows are gathered from the planes, and the result is written as planes, unless there is memory for faster copies.
func.func @planes(%X: tensor<1x3x6x6x!fixed.q<8, 4>> {tdsl.order = array<i64: 0, 1, 2, 3>}) -> tensor<1x4x4x4x!fixed.q<8, 4>> {
  %W = tdsl.const dense<1> : tensor<4x3x3x3xi8> -> tensor<4x3x3x3x!fixed.q<8, 7>>
  %t = tdsl.transpose %X {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x3x6x6x!fixed.q<8, 4>> -> tensor<1x6x6x3x!fixed.q<8, 4>>
  %c = tdsl.conv2d %W, %t {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x3x3x3x!fixed.q<8, 7>>, tensor<1x6x6x3x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  %y = tdsl.transpose %c {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x4x4x4x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  func.return %y : tensor<1x4x4x4x!fixed.q<8, 4>>
}
// CHECK-NOT: tdsl.transpose
// CHECK: tdsl.window %X[{{.*}}] {{.*}}axes = array<i64: 0, 2, 3, 1>
// CHECK: tdsl.insert_slice {{.*}} {axes = array<i64: 0, 2, 3, 1>}
// CHECK-NOT: tdsl.transpose
// AMPLE: [[T:%.*]] = tdsl.transpose %X {tinyml.copied
// AMPLE: tdsl.window [[T]]
// AMPLE: tdsl.transpose {{.*}} {tinyml.copied
