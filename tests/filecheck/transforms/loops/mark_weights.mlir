// RUN: tinyml-opt %s -p mark-weights --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'mark-weights{weights_at="0x20000" target=uno}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'mark-weights{weights_at="0xFFFC" target=mega}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'mark-weights{weights_at=".weights" target=mega}' --split-input-file | filecheck %s

// Numbers of a format are data, tables of integers and numbers in RAM are not.
func.func @free() attributes {tinyml.weights_as_data} {
  %w = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>, #scratch.flash>
  %one = scratch.constant dense<1> : tensor<1xi8> -> memref<1x!fixed.q<8, 4>, #scratch.flash>
  %table = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %ram = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>>
  func.return
}
// CHECK-LABEL: func.func @free
// CHECK: %w = scratch.constant {{.*}}xi8> {tinyml.data} -> memref<2x!fixed.q<8, 4>, #scratch.flash>
// CHECK: %one = scratch.constant {{.*}}xi8> {tinyml.data} -> memref<1x!fixed.q<8, 4>, #scratch.flash>
// CHECK: %table = scratch.constant
// CHECK-NOT: tinyml.data

// -----

// Without the attribute of the function, weights are a part of the program.
func.func @known() {
  %w = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>, #scratch.flash>
  func.return
}
// CHECK-LABEL: func.func @known
// CHECK-NOT: tinyml.data
