// RUN: tinyml-opt %s -p fold-into-starts --split-input-file | filecheck %s

// A sum of two products, the first of which is in units twice as large: its start takes half of the amount.
func.func @rounded(%w: memref<?xi16>, %x: memref<?xi16>) -> (i32, i32) {
  %n = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %half = arith.constant 8192 : i32
  %first = func.call @tm_dot_s16_s16_s32(%w, %x, %n, %zero) : (memref<?xi16>, memref<?xi16>, index, i32) -> i32
  %aligned = arith.muli %first, %two : i32
  %sum = func.call @tm_dot_s16_s16_s32(%w, %x, %n, %aligned) : (memref<?xi16>, memref<?xi16>, index, i32) -> i32
  %y = arith.addi %sum, %half : i32
  func.return %y, %y : i32, i32
}
func.func private @tm_dot_s16_s16_s32(memref<?xi16>, memref<?xi16>, index, i32) -> i32
// CHECK: func.func @rounded
// CHECK: [[start:%.*]] = arith.constant 4096 : i32
// CHECK-NEXT: %first = func.call @tm_dot_s16_s16_s32(%w, %x, %n, [[start]])
// CHECK-NEXT: %aligned = arith.muli %first, %two : i32
// CHECK-NEXT: %y = func.call @tm_dot_s16_s16_s32(%w, %x, %n, %aligned)
// CHECK-NEXT: func.return %y, %y : i32, i32

// -----

// Not where the sum is used as it is, starts from something else, or comes from a function that is no kernel.
func.func @not_folded(%w: memref<?xi16>, %x: memref<?xi16>, %b: i32) -> (i32, i32, i32, i32) {
  %n = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %half = arith.constant 8192 : i32
  %a = func.call @tm_dot_s16_s16_s32(%w, %x, %n, %zero) : (memref<?xi16>, memref<?xi16>, index, i32) -> i32
  %y = arith.addi %a, %half : i32
  %c = func.call @tm_dot_s16_s16_s32(%w, %x, %n, %b) : (memref<?xi16>, memref<?xi16>, index, i32) -> i32
  %z = arith.addi %c, %half : i32
  %d = func.call @other(%zero) : (i32) -> i32
  %u = arith.addi %d, %half : i32
  func.return %a, %y, %z, %u : i32, i32, i32, i32
}
func.func private @tm_dot_s16_s16_s32(memref<?xi16>, memref<?xi16>, index, i32) -> i32
func.func private @other(i32) -> i32
// CHECK: func.func @not_folded
// CHECK: func.call @tm_dot_s16_s16_s32(%w, %x, %n, %zero)
// CHECK: %y = arith.addi %a, %half
// CHECK: %z = arith.addi %c, %half
// CHECK: %u = arith.addi %d, %half
