// RUN: tinyml-opt %s -p fold-rounding,canonicalize --split-input-file | filecheck %s

// A sum that started from zero starts from the half, also where it is narrowed before the half is added.
builtin.module attributes {tinyml.target = "uno"} {
  func.func @zero(%w: memref<?xi8>, %x: memref<?xi8>, %n: index) -> (i32, i16) {
    %zero = arith.constant 0 : i32
    %half = arith.constant 64 : i32
    %narrow_half = arith.constant 32 : i16
    %a = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %zero) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %b = func.call @tm_distance_s8_s8_s32(%w, %x, %n, %zero) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %y = arith.addi %a, %half : i32
    %c = arith.trunci %b : i32 to i16
    %z = arith.addi %c, %narrow_half : i16
    func.return %y, %z : i32, i16
  }
  func.func private @tm_dot_s8_s8_s32(memref<?xi8>, memref<?xi8>, index, i32) -> i32 attributes {tinyml.kernel = #num.kernel<"tm_dot_s8_s8_s32">}
  func.func private @tm_distance_s8_s8_s32(memref<?xi8>, memref<?xi8>, index, i32) -> i32 attributes {tinyml.kernel = #num.kernel<"tm_distance_s8_s8_s32">}
}
// CHECK-LABEL: func.func @zero
// CHECK: [[half:%.*]] = arith.constant 64 : i32
// CHECK-NEXT: %a = func.call @tm_dot_s8_s8_s32(%w, %x, %n, [[half]])
// CHECK-NEXT: [[less:%.*]] = arith.constant 32 : i32
// CHECK-NEXT: %b = func.call @tm_distance_s8_s8_s32(%w, %x, %n, [[less]])
// CHECK-NEXT: %c = arith.trunci %b
// CHECK-NEXT: func.return %a, %c

// -----

// A bias has the half in it: in its own units, which are coarser than those that the sum ends in.
builtin.module attributes {tinyml.target = "uno"} {
  func.func @bias(%w: memref<?xi8>, %x: memref<?xi8>, %n: index, %i: index) -> i32 {
    %bias = scratch.constant dense<[1, -100, 90]> : tensor<3xi8> -> memref<3xi8, #scratch.flash>
    %four = arith.constant 4 : i32
    %half = arith.constant 32 : i32
    %loaded = memref.load %bias[%i] : memref<3xi8, #scratch.flash>
    %start = arith.extsi %loaded : i8 to i32
    %a = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %start) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %aligned = arith.muli %a, %four : i32
    %b = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %aligned) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %y = arith.addi %b, %half : i32
    func.return %y : i32
  }
  func.func private @tm_dot_s8_s8_s32(memref<?xi8>, memref<?xi8>, index, i32) -> i32 attributes {tinyml.kernel = #num.kernel<"tm_dot_s8_s8_s32">}
}
// CHECK-LABEL: func.func @bias
// CHECK: scratch.constant dense<[9, -92, 98]> : tensor<3xi8>
// CHECK: %b = func.call
// CHECK-NEXT: func.return %b

// -----

// Elements without room for it, a half that is no whole number of coarse units, a sum with another reader.
builtin.module attributes {tinyml.target = "uno"} {
  func.func @left(%w: memref<?xi8>, %x: memref<?xi8>, %n: index, %i: index) -> (i32, i32, i32, i32) {
    %bias = scratch.constant dense<[1, -100, 127]> : tensor<3xi8> -> memref<3xi8, #scratch.flash>
    %zero = arith.constant 0 : i32
    %four = arith.constant 4 : i32
    %one = arith.constant 1 : i32
    %loaded = memref.load %bias[%i] : memref<3xi8, #scratch.flash>
    %start = arith.extsi %loaded : i8 to i32
    %a = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %start) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %full = arith.addi %a, %one : i32
    %b = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %zero) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %aligned = arith.muli %b, %four : i32
    %c = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %aligned) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %coarse = arith.addi %c, %one : i32
    %d = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %zero) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %read = arith.addi %d, %one : i32
    func.return %full, %coarse, %read, %d : i32, i32, i32, i32
  }
  func.func private @tm_dot_s8_s8_s32(memref<?xi8>, memref<?xi8>, index, i32) -> i32 attributes {tinyml.kernel = #num.kernel<"tm_dot_s8_s8_s32">}
}
// CHECK-LABEL: func.func @left
// CHECK: scratch.constant dense<[1, -100, 127]>
// CHECK: %full = arith.addi %a
// CHECK: %coarse = arith.addi %c
// CHECK: %read = arith.addi %d
