// RUN: tinyml-opt %s -p inline-runtime --split-input-file | filecheck %s

// A limit shifts, then clamps.
func.func @limit(%x: i24) -> i8 {
  %right = arith.constant 5 : i8
  %bits = arith.constant 8 : i8
  %y = func.call @tm_limit_i24_i8(%x, %right, %bits) : (i24, i8, i8) -> i8
  func.return %y : i8
}
func.func private @tm_limit_i24_i8(i24, i8, i8) -> i8
// CHECK-LABEL: func.func @limit
// CHECK: [[shift:%.*]] = arith.constant 5 : i24
// CHECK: [[shifted:%.*]] = arith.shrsi %x, [[shift]] : i24
// CHECK: [[least:%.*]] = arith.constant -127 : i24
// CHECK: [[raised:%.*]] = arith.maxsi [[shifted]], [[least]] : i24
// CHECK: arith.constant 127 : i24
// CHECK: [[clamped:%.*]] = arith.minsi [[raised]]
// CHECK: arith.trunci [[clamped]] : i24 to i8
// CHECK-NOT: func.func private

// -----

// An interpolation reads two entries of the table itself, not of its cast.
func.func @table(%x: i16) -> i16 {
  %t = scratch.constant dense<[1, 2, 3]> : tensor<3xi16> -> memref<3xi16, #scratch.flash>
  %any = "memref.cast"(%t) : (memref<3xi16, #scratch.flash>) -> memref<?xi16>
  %last = arith.constant 10 : i16
  %scale = arith.constant 4 : i8
  %y = func.call @tm_interpolate_s16(%any, %x, %last, %scale) : (memref<?xi16>, i16, i16, i8) -> i16
  func.return %y : i16
}
func.func private @tm_interpolate_s16(memref<?xi16>, i16, i16, i8) -> i16
// CHECK-LABEL: func.func @table
// CHECK: memref.load %t
// CHECK: memref.load %t

// -----

// What is not an integer program stays a call.
func.func @floats(%x: f32) -> i16 {
  %y = func.call @tm_expf(%x) : (f32) -> f32
  %z = func.call @tm_f32_to_bf16(%y) : (f32) -> i16
  %r = arith.constant 1 : i8
  %w = func.call @tm_multiply_i16(%z, %z, %r) : (i16, i16, i8) -> i16
  func.return %w : i16
}
func.func private @tm_expf(f32) -> f32
func.func private @tm_f32_to_bf16(f32) -> i16
func.func private @tm_multiply_i16(i16, i16, i8) -> i16
// CHECK: func.call @tm_expf
// CHECK: func.call @tm_f32_to_bf16
// CHECK-NOT: func.call
// CHECK-LABEL: func.func private @tm_expf
// CHECK-LABEL: func.func private @tm_f32_to_bf16
// CHECK-NOT: func.func private
