// RUN: tinyml-opt %s -p cse,dce --split-input-file | filecheck %s

// Equal expressions are computed once, also where one stands in a loop: they are pure, and read no memory.
func.func @twice(%x: tensor<3x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %w = tdsl.const dense<1.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %v = tdsl.const dense<1.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %step = arith.constant 1 : index
  %a = tdsl.matmul %w, %x : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %b = tdsl.tanh %a : tensor<2x1xf32> -> tensor<2x1xf32>
  %z = scf.for %i = %from to %to step %step iter_args(%h = %b) -> (tensor<2x1xf32>) {
    %c = tdsl.matmul %v, %x : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
    %d = tdsl.tanh %c : tensor<2x1xf32> -> tensor<2x1xf32>
    %e = tdsl.mul %d, %h : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    scf.yield %e : tensor<2x1xf32>
  }
  func.return %b, %z : tensor<2x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @twice
// CHECK-COUNT-1: tdsl.const
// CHECK-COUNT-1: tdsl.matmul
// CHECK-COUNT-1: tdsl.tanh
// CHECK-NOT: tdsl.tanh
// CHECK: tdsl.mul %b, %h

// -----

// Attributes and types are part of an expression: another rounding, axis or scheme is another one.
func.func @different(%x: tensor<2x3x!fixed.q<8, 4>>) -> (tensor<2x3x!fixed.q<8, 7>>, tensor<2x3x!fixed.q<8, 6>>, tensor<2x3x!fixed.q<8, 7>>) {
  %a = tdsl.tanh %x : tensor<2x3x!fixed.q<8, 4>> -> tensor<2x3x!fixed.q<8, 7>>
  %b = tdsl.tanh %x : tensor<2x3x!fixed.q<8, 4>> -> tensor<2x3x!fixed.q<8, 6>>
  %c = tdsl.tanh %x {scheme = "seedot"} : tensor<2x3x!fixed.q<8, 4>> -> tensor<2x3x!fixed.q<8, 7>>
  func.return %a, %b, %c : tensor<2x3x!fixed.q<8, 7>>, tensor<2x3x!fixed.q<8, 6>>, tensor<2x3x!fixed.q<8, 7>>
}
// CHECK-LABEL: func.func @different
// CHECK-COUNT-3: tdsl.tanh

// -----

// Operations with a region of scalars merge like any other.
func.func @maps(%x: tensor<4x!fixed.q<8, 4>>) -> (tensor<4x!fixed.q<8, 7>>, tensor<4x!fixed.q<8, 7>>) {
  %a = tdsl.map %x : tensor<4x!fixed.q<8, 4>> -> tensor<4x!fixed.q<8, 7>> {
  ^bb0(%e: !fixed.q<8, 4>):
    %t = num.tanh %e : !fixed.q<8, 4> -> !fixed.q<8, 7>
    tdsl.yield %t : !fixed.q<8, 7>
  }
  %b = tdsl.map %x : tensor<4x!fixed.q<8, 4>> -> tensor<4x!fixed.q<8, 7>> {
  ^bb0(%e: !fixed.q<8, 4>):
    %t = num.tanh %e : !fixed.q<8, 4> -> !fixed.q<8, 7>
    tdsl.yield %t : !fixed.q<8, 7>
  }
  func.return %a, %b : tensor<4x!fixed.q<8, 7>>, tensor<4x!fixed.q<8, 7>>
}
// CHECK-LABEL: func.func @maps
// CHECK-COUNT-1: tdsl.map
// CHECK-NOT: tdsl.map
// CHECK: func.return %a, %a

// -----

// A tile is part of a convolution: equal ones are computed once, and keep it.
func.func @tiles(%f: tensor<5x3x3x3xf32>, %x: tensor<1x4x4x3xf32>) -> (tensor<1x2x2x5xf32>, tensor<1x2x2x5xf32>, tensor<1x2x2x5xf32>) {
  %a = tdsl.conv2d %f, %x {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_tile", rows = 5, runs = 3, length = 9, pitch = 12, step = 3, count = 2, zero = 0>} : tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x5xf32>
  %b = tdsl.conv2d %f, %x {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_tile", rows = 5, runs = 3, length = 9, pitch = 12, step = 3, count = 2, zero = 0>} : tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x5xf32>
  %c = tdsl.conv2d %f, %x {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, tile = #num.tile_kernel<"tm_tile", rows = 5, runs = 3, length = 9, pitch = 12, step = 3, count = 2, zero = 1>} : tensor<5x3x3x3xf32>, tensor<1x4x4x3xf32> -> tensor<1x2x2x5xf32>
  func.return %a, %b, %c : tensor<1x2x2x5xf32>, tensor<1x2x2x5xf32>, tensor<1x2x2x5xf32>
}
// CHECK-LABEL: func.func @tiles
// CHECK: %a = tdsl.conv2d {{.*}} tile = #num.tile_kernel<"tm_tile", rows = 5, runs = 3, length = 9, pitch = 12, step = 3, count = 2, zero = 0>}
// CHECK-NEXT: %c = tdsl.conv2d {{.*}} count = 2, zero = 1>}
// CHECK-NEXT: func.return %a, %a, %c
