// RUN: tinyml-opt %s -p mark-weights --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'mark-weights{weights_at="0x20000" target=uno}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'mark-weights{weights_at="0xFFFC" target=mega}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'mark-weights{weights_at=".weights" target=mega}' --split-input-file | filecheck %s

// Numbers of a format are data, tables of integers and numbers in RAM are not. Limits are stated for formats that have
// fewer raws than their storage.
func.func @free() attributes {tinyml.weights_as_data} {
  %w = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>, #scratch.flash>
  %one = scratch.constant dense<1> : tensor<1xi8> -> memref<1x!fixed.q<8, 4>, #scratch.flash>
  %table = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %ram = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>>
  %full = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2x!zeroskew.q<8, 0.5, 0>, #scratch.flash>
  %start = scratch.constant dense<[1, 2]> : tensor<2xi32> -> memref<2x!zeroskew.q<32, 0.5, 0>, #scratch.flash>
  %posit = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2x!posit.p<8, 2>, #scratch.flash>
  %window = scratch.constant dense<[0, 64]> : tensor<2xi8> -> memref<2x!posit.p<8, 2, -10, 3>, #scratch.flash>
  %real = scratch.constant dense<1.0> : tensor<2xf32> -> memref<2xf32, #scratch.flash>
  func.return
}
// CHECK-LABEL: func.func @free
// CHECK: %w = scratch.constant {{.*}}xi8> {tinyml.data, tinyml.limits = array<i64: -127, 127>} -> memref<2x!fixed.q<8, 4>, #scratch.flash>
// CHECK: %one = scratch.constant {{.*}}xi8> {tinyml.data, tinyml.limits = array<i64: -127, 127>} -> memref<1x!fixed.q<8, 4>, #scratch.flash>
// CHECK: %table = scratch.constant {{.*}}xi8> -> memref<2xi8, #scratch.flash>
// CHECK: %ram = scratch.constant {{.*}}xi8> -> memref<2x!fixed.q<8, 4>>
// CHECK: %full = scratch.constant {{.*}}xi8> {tinyml.data} ->
// CHECK: %start = scratch.constant {{.*}}xi32> {tinyml.data, tinyml.limits = array<i64: -1610612736, 1610612736>} ->
// CHECK: %posit = scratch.constant {{.*}}xi8> {tinyml.data} ->
// CHECK: %window = scratch.constant {{.*}}xi8> {tinyml.data, tinyml.limits = array<i64: -87, 87>} ->
// CHECK: %real = scratch.constant {{.*}}xf32> {tinyml.data} ->

// -----

// Without the attribute of the function, weights are a part of the program.
func.func @known() {
  %w = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>, #scratch.flash>
  func.return
}
// CHECK-LABEL: func.func @known
// CHECK-NOT: tinyml.data
