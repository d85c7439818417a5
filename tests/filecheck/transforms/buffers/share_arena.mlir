// RUN: tinyml-opt %s -p share-arena,check-sharing --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p share-arena{packer=branch-and-bound},check-sharing --split-input-file | filecheck %s --check-prefix=BOUND

// Scratch of both functions takes the same bytes, and states do not: 4 + 8 bytes of state, and the greater scratch.
func.func @one(%i: index) -> memref<2xf32> {
  %arena = scratch.arena {alignment = 4 : i64, lower_bound = 12 : i64} : memref<12xi8>
  %kept = scratch.view %arena[0 : i64] {live = [-1 : i64, 2 : i64], state} : memref<12xi8> to memref<1xf32>
  %y = scratch.view %arena[4 : i64] {live = [0 : i64, 2 : i64]} : memref<12xi8> to memref<2xf32>
  tdsl.fill {value = 1.0 : f64} into %y : memref<2xf32>
  tdsl.neg %kept : memref<1xf32> into %kept : memref<1xf32>
  func.return %y : memref<2xf32>
}
func.func @two(%X: memref<4xf32>) -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64, lower_bound = 24 : i64} : memref<24xi8>
  %kept = scratch.view %arena[16 : i64] {live = [-1 : i64, 2 : i64], state} : memref<24xi8> to memref<2xf32>
  %y = scratch.view %arena[0 : i64] {live = [0 : i64, 2 : i64]} : memref<24xi8> to memref<4xf32>
  tdsl.neg %X : memref<4xf32> into %y : memref<4xf32>
  tdsl.neg %kept : memref<2xf32> into %kept : memref<2xf32>
  func.return %y : memref<4xf32>
}
// CHECK: builtin.module attributes {scratch.shared = {bytes = 28 : i64, alignment = 4 : i64, lower_bound = 28 : i64, proof = "peak", checked = ["exact-cover", "branch-and-bound"]}}
// CHECK-LABEL: func.func @one
// CHECK-NEXT: scratch.arena {alignment = 4 : i64} : memref<20xi8>
// CHECK-NEXT: %kept = scratch.view %arena[8 : i64] {live = [-1 : i64, 2 : i64], state}
// CHECK-NEXT: %y = scratch.view %arena[12 : i64] {live = [0 : i64, 2 : i64]}
// CHECK-LABEL: func.func @two
// CHECK-NEXT: scratch.arena {alignment = 4 : i64} : memref<28xi8>
// CHECK-NEXT: %kept = scratch.view %arena[0 : i64] {live = [-1 : i64, 2 : i64], state}
// CHECK-NEXT: %y = scratch.view %arena[12 : i64] {live = [0 : i64, 2 : i64]}
// BOUND: scratch.shared = {bytes = 28 : i64

// -----

// Without states the arena is that of the larger function, to the byte. A function without buffers takes nothing.
func.func @small(%X: memref<1xf32>) -> index {
  %arena = scratch.arena {alignment = 4 : i64} : memref<4xi8>
  %y = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<4xi8> to memref<1xf32>
  tdsl.neg %X : memref<1xf32> into %y : memref<1xf32>
  %l = tdsl.argmax %y : memref<1xf32>
  func.return %l : index
}
func.func @large(%X: memref<3xf32>) -> index {
  %arena = scratch.arena {alignment = 4 : i64} : memref<12xi8>
  %y = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<12xi8> to memref<3xf32>
  tdsl.neg %X : memref<3xf32> into %y : memref<3xf32>
  %l = tdsl.argmax %y : memref<3xf32>
  func.return %l : index
}
func.func @none(%X: memref<3xf32>) -> index {
  %l = tdsl.argmax %X : memref<3xf32>
  func.return %l : index
}
// CHECK: scratch.shared = {bytes = 12 : i64, alignment = 4 : i64, lower_bound = 12 : i64
// CHECK-LABEL: func.func @small
// CHECK-NEXT: scratch.arena {alignment = 4 : i64} : memref<4xi8>
// CHECK-LABEL: func.func @large
// CHECK-NEXT: scratch.arena {alignment = 4 : i64} : memref<12xi8>
// CHECK-LABEL: func.func @none
// CHECK-NOT: scratch.arena
// BOUND: scratch.shared = {bytes = 12 : i64

// -----

// A result overlaps its operand as in each function alone: 8 bytes suffice for both.
func.func @over(%X: memref<2xf32>) -> memref<2xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<8xi8>
  %a = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<8xi8> to memref<2xf32>
  %b = scratch.view %arena[0 : i64] {live = [1 : i64, 2 : i64]} : memref<8xi8> to memref<2xf32>
  tdsl.neg %X : memref<2xf32> into %a : memref<2xf32>
  tdsl.exp %a : memref<2xf32> into %b : memref<2xf32>
  func.return %b : memref<2xf32>
}
func.func @again(%X: memref<2xf32>) -> memref<2xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<8xi8>
  %b = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<8xi8> to memref<2xf32>
  tdsl.neg %X : memref<2xf32> into %b : memref<2xf32>
  func.return %b : memref<2xf32>
}
// CHECK: scratch.shared = {bytes = 8 : i64, alignment = 4 : i64, lower_bound = 8 : i64
// BOUND: scratch.shared = {bytes = 8 : i64
