// RUN: tinyml-opt %s -p 'plan-execution,tile-windows' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'plan-execution{mode=auto ram=2000},tile-windows' --split-input-file | filecheck %s --check-prefix=AMPLE
// RUN: tinyml-opt %s -p 'plan-execution{mode=rows target=ecp5-25k},tile-windows' --split-input-file | filecheck %s --check-prefix=LOGIC
// RUN: tinyml-opt %s -p 'plan-execution{mode=rows},tile-windows,lower-tdsl-to-scratch,pack-scratch,check-packing,lower-tdsl-to-loops' --split-input-file | filecheck %s --check-prefix=LOOPS

// Windows are gathered from the planes, and the result is written as planes, unless there is memory for faster copies.
func.func @planes(%X: tensor<1x3x6x6x!fixed.q<8, 4>>) -> tensor<1x4x4x4x!fixed.q<8, 4>> attributes {tdsl.interface = #tdsl.interface<input = <order = [0, 1, 2, 3]>>} {
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
// AMPLE-LABEL: func.func @planes(
// AMPLE: [[T:%.*]] = tdsl.transpose %X {{.*}}copied
// AMPLE: tdsl.window [[T]]
// AMPLE: tdsl.transpose {{.*}}copied

// -----

// An image that may be overwritten is transposed in place, and its pixels are freed one by one; hardware cannot do that.
func.func @overwritten(%X: tensor<1x3x6x6x!fixed.q<8, 4>>) -> tensor<1x6x6x3x!fixed.q<8, 4>> attributes {tdsl.interface = #tdsl.interface<input = <order = [0, 1, 2, 3], reused>>} {
  %W = tdsl.const dense<1> : tensor<3x3x3x3xi8> -> tensor<3x3x3x3x!fixed.q<8, 7>>
  %t = tdsl.transpose %X {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x3x6x6x!fixed.q<8, 4>> -> tensor<1x6x6x3x!fixed.q<8, 4>>
  %p = tdsl.pad %t {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x6x6x3x!fixed.q<8, 4>> -> tensor<1x8x8x3x!fixed.q<8, 4>>
  %y = tdsl.conv2d %W, %p {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<3x3x3x3x!fixed.q<8, 7>>, tensor<1x8x8x3x!fixed.q<8, 4>> -> tensor<1x6x6x3x!fixed.q<8, 4>>
  func.return %y : tensor<1x6x6x3x!fixed.q<8, 4>>
}
// CHECK-LABEL: @overwritten
// CHECK: [[T:%.*]] = tdsl.transpose %X {permutation = array<i64: 0, 2, 3, 1>, in_place}
// CHECK: tdsl.window [[T]]
// LOGIC-LABEL: @overwritten
// LOGIC-NOT: in_place
// LOOPS-LABEL: @overwritten
// LOOPS: [[X:%.*]] = scratch.view %arena[{{.*}}] {{.*}}input
// LOOPS: [[T:%.*]] = scratch.slice [[X]]
// LOOPS: scratch.turn [[X]][%{{.*}}] : %{{.*}} x %{{.*}} {pixel = 1 : i64, bits = 8 : i64} : memref<1x3x6x6x!fixed.q<8, 4>>
