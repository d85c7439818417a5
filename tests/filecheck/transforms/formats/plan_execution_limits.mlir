// RUN: tinyml-opt %s -p plan-execution --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'plan-execution{mode=ordinary ram=400}' --split-input-file | filecheck %s --check-prefix=RAM
// RUN: tinyml-opt %s -p 'plan-execution{mode=ordinary ram=141}' --split-input-file | filecheck %s --check-prefix=LEAST

// Of the bytes of a limit that are not alive, half are for tiles. Without a limit, tiles are as large as kernels want.
func.func @given(%X: tensor<1x6x6x3x!fixed.q<8, 4>>) -> tensor<1x4x4x4x!fixed.q<8, 4>> {
  %W = tdsl.const dense<1> : tensor<4x3x3x3xi8> -> tensor<4x3x3x3x!fixed.q<8, 7>>
  %c = tdsl.conv2d %W, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x3x3x3x!fixed.q<8, 7>>, tensor<1x6x6x3x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  func.return %c : tensor<1x4x4x4x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @given(
// CHECK-NOT: tinyml.room
// CHECK-LABEL: func.func @searched(
// RAM-LABEL: func.func @given(
// RAM: tinyml.room = array<i64: 6144, 129>
// LEAST-LABEL: func.func @given(
// LEAST: tinyml.room = array<i64: 6144, 0>

// -----

// The limit that a search recorded includes the 108 bytes of the input.
func.func @searched(%X: tensor<1x6x6x3x!fixed.q<8, 4>>) -> tensor<1x4x4x4x!fixed.q<8, 4>> attributes {tdsl.ram = 400 : i64} {
  %W = tdsl.const dense<1> : tensor<4x3x3x3xi8> -> tensor<4x3x3x3x!fixed.q<8, 7>>
  %c = tdsl.conv2d %W, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x3x3x3x!fixed.q<8, 7>>, tensor<1x6x6x3x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  func.return %c : tensor<1x4x4x4x!fixed.q<8, 4>>
}
// CHECK: tinyml.room = array<i64: 6144, 75>
// RAM-LABEL: func.func @searched(
// RAM: tinyml.room = array<i64: 6144, 129>

// -----

// Of three images each is copied or left where it is.
func.func @three(%X0: tensor<1x3x6x6x!fixed.q<8, 4>>, %X1: tensor<1x3x6x6x!fixed.q<8, 4>>, %X2: tensor<1x3x6x6x!fixed.q<8, 4>>) -> tensor<1x4x4x4x!fixed.q<8, 4>> attributes {tdsl.interface = #tdsl.interface<input = <order = [0, 1, 2, 3]>>} {
  %W = tdsl.const dense<1> : tensor<4x3x3x3xi8> -> tensor<4x3x3x3x!fixed.q<8, 7>>
  %t0 = tdsl.transpose %X0 {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x3x6x6x!fixed.q<8, 4>> -> tensor<1x6x6x3x!fixed.q<8, 4>>
  %c0 = tdsl.conv2d %W, %t0 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x3x3x3x!fixed.q<8, 7>>, tensor<1x6x6x3x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  %t1 = tdsl.transpose %X1 {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x3x6x6x!fixed.q<8, 4>> -> tensor<1x6x6x3x!fixed.q<8, 4>>
  %c1 = tdsl.conv2d %W, %t1 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x3x3x3x!fixed.q<8, 7>>, tensor<1x6x6x3x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  %t2 = tdsl.transpose %X2 {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x3x6x6x!fixed.q<8, 4>> -> tensor<1x6x6x3x!fixed.q<8, 4>>
  %c2 = tdsl.conv2d %W, %t2 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x3x3x3x!fixed.q<8, 7>>, tensor<1x6x6x3x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  %s1 = tdsl.add %c0, %c1 : tensor<1x4x4x4x!fixed.q<8, 4>>, tensor<1x4x4x4x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  %s2 = tdsl.add %s1, %c2 : tensor<1x4x4x4x!fixed.q<8, 4>>, tensor<1x4x4x4x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  func.return %s2 : tensor<1x4x4x4x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @three(
// CHECK: %t0 = tdsl.transpose %X0 {{.*}}copied
// CHECK: %t1 = tdsl.transpose %X1 {{.*}}copied
// CHECK: %t2 = tdsl.transpose %X2 {permutation = array<i64: 0, 2, 3, 1>} :

// -----

// Of four, all are copied or none.
func.func @four(%X0: tensor<1x3x6x6x!fixed.q<8, 4>>, %X1: tensor<1x3x6x6x!fixed.q<8, 4>>, %X2: tensor<1x3x6x6x!fixed.q<8, 4>>, %X3: tensor<1x3x6x6x!fixed.q<8, 4>>) -> tensor<1x4x4x4x!fixed.q<8, 4>> attributes {tdsl.interface = #tdsl.interface<input = <order = [0, 1, 2, 3]>>} {
  %W = tdsl.const dense<1> : tensor<4x3x3x3xi8> -> tensor<4x3x3x3x!fixed.q<8, 7>>
  %t0 = tdsl.transpose %X0 {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x3x6x6x!fixed.q<8, 4>> -> tensor<1x6x6x3x!fixed.q<8, 4>>
  %c0 = tdsl.conv2d %W, %t0 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x3x3x3x!fixed.q<8, 7>>, tensor<1x6x6x3x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  %t1 = tdsl.transpose %X1 {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x3x6x6x!fixed.q<8, 4>> -> tensor<1x6x6x3x!fixed.q<8, 4>>
  %c1 = tdsl.conv2d %W, %t1 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x3x3x3x!fixed.q<8, 7>>, tensor<1x6x6x3x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  %t2 = tdsl.transpose %X2 {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x3x6x6x!fixed.q<8, 4>> -> tensor<1x6x6x3x!fixed.q<8, 4>>
  %c2 = tdsl.conv2d %W, %t2 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x3x3x3x!fixed.q<8, 7>>, tensor<1x6x6x3x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  %t3 = tdsl.transpose %X3 {permutation = array<i64: 0, 2, 3, 1>} : tensor<1x3x6x6x!fixed.q<8, 4>> -> tensor<1x6x6x3x!fixed.q<8, 4>>
  %c3 = tdsl.conv2d %W, %t3 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x3x3x3x!fixed.q<8, 7>>, tensor<1x6x6x3x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  %s1 = tdsl.add %c0, %c1 : tensor<1x4x4x4x!fixed.q<8, 4>>, tensor<1x4x4x4x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  %s2 = tdsl.add %s1, %c2 : tensor<1x4x4x4x!fixed.q<8, 4>>, tensor<1x4x4x4x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  %s3 = tdsl.add %s2, %c3 : tensor<1x4x4x4x!fixed.q<8, 4>>, tensor<1x4x4x4x!fixed.q<8, 4>> -> tensor<1x4x4x4x!fixed.q<8, 4>>
  func.return %s3 : tensor<1x4x4x4x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @four(
// CHECK-NOT: copied
// CHECK: func.return
