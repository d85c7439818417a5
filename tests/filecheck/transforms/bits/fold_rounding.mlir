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

// -----

// Elements that reach the ends of their type with the half, one element alone, and a start that is no zero.
builtin.module attributes {tinyml.target = "uno"} {
  func.func @limits(%w: memref<?xi8>, %x: memref<?xi8>, %n: index, %i: index) -> (i32, i32, i32, i32) {
    %most = scratch.constant dense<[-128, 126]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
    %least = scratch.constant dense<[-127, 127]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
    %alone = scratch.constant dense<[7]> : tensor<1xi8> -> memref<1xi8, #scratch.flash>
    %one = arith.constant 1 : i32
    %down = arith.constant -1 : i32
    %ten = arith.constant 10 : i32
    %first = memref.load %most[%i] : memref<2xi8, #scratch.flash>
    %second = memref.load %least[%i] : memref<2xi8, #scratch.flash>
    %third = memref.load %alone[%i] : memref<1xi8, #scratch.flash>
    %a_start = arith.extsi %first : i8 to i32
    %b_start = arith.extsi %second : i8 to i32
    %c_start = arith.extsi %third : i8 to i32
    %a = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %a_start) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %b = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %b_start) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %c = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %c_start) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %d = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %ten) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %e = arith.addi %a, %one : i32
    %f = arith.addi %b, %down : i32
    %g = arith.addi %c, %one : i32
    %h = arith.addi %d, %one : i32
    func.return %e, %f, %g, %h : i32, i32, i32, i32
  }
  func.func private @tm_dot_s8_s8_s32(memref<?xi8>, memref<?xi8>, index, i32) -> i32 attributes {tinyml.kernel = #num.kernel<"tm_dot_s8_s8_s32">}
}
// CHECK-LABEL: func.func @limits
// CHECK-NEXT: %most = scratch.constant dense<[-127, 127]>
// CHECK-NEXT: %least = scratch.constant dense<[-128, 126]>
// CHECK-NEXT: %alone = scratch.constant dense<8>
// CHECK: [[start:%.*]] = arith.constant 11 : i32
// CHECK-NEXT: %d = func.call @tm_dot_s8_s8_s32(%w, %x, %n, [[start]])
// CHECK-NEXT: func.return %a, %b, %c, %d

// -----

// Less than the least element, an array with two readers, a product by zero, and one by a negative number.
builtin.module attributes {tinyml.target = "uno"} {
  func.func @beyond(%w: memref<?xi8>, %x: memref<?xi8>, %n: index, %i: index) -> (i32, i32, i32, i32, i8) {
    %least = scratch.constant dense<[-128, 5]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
    %shared = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
    %one = arith.constant 1 : i32
    %down = arith.constant -1 : i32
    %none = arith.constant 0 : i32
    %minus = arith.constant -4 : i32
    %first = memref.load %least[%i] : memref<2xi8, #scratch.flash>
    %second = memref.load %shared[%i] : memref<2xi8, #scratch.flash>
    %third = memref.load %shared[%i] : memref<2xi8, #scratch.flash>
    %a_start = arith.extsi %first : i8 to i32
    %b_start = arith.extsi %second : i8 to i32
    %a = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %a_start) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %b = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %b_start) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %c = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %none) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %c_start = arith.muli %c, %none : i32
    %d = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %c_start) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %e = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %none) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %e_start = arith.muli %e, %minus : i32
    %f = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %e_start) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %g = arith.addi %a, %down : i32
    %h = arith.addi %b, %one : i32
    %j = arith.addi %d, %one : i32
    %k = arith.addi %f, %one : i32
    func.return %g, %h, %j, %k, %third : i32, i32, i32, i32, i8
  }
  func.func private @tm_dot_s8_s8_s32(memref<?xi8>, memref<?xi8>, index, i32) -> i32 attributes {tinyml.kernel = #num.kernel<"tm_dot_s8_s8_s32">}
}
// CHECK-LABEL: func.func @beyond
// CHECK: %least = scratch.constant dense<[-128, 5]>
// CHECK-NEXT: %shared = scratch.constant dense<[1, 2]>
// CHECK: %g = arith.addi %a
// CHECK-NEXT: %h = arith.addi %b
// CHECK-NEXT: %j = arith.addi %d
// CHECK-NEXT: %k = arith.addi %f

// -----

// What is no sum: an element, and what other functions return.
builtin.module attributes {tinyml.target = "uno"} {
  func.func @others(%i: index) -> (i32, i32) {
    %array = scratch.constant dense<[1, 2]> : tensor<2xi32> -> memref<2xi32, #scratch.flash>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %element = memref.load %array[%i] : memref<2xi32, #scratch.flash>
    %a = func.call @of_ours(%zero) : (i32) -> i32
    %b = arith.addi %element, %one : i32
    %c = arith.addi %a, %one : i32
    func.return %b, %c : i32, i32
  }
  func.func private @of_ours(i32) -> i32
}
// CHECK-LABEL: func.func @others
// CHECK: scratch.constant dense<[1, 2]>
// CHECK: %a = func.call @of_ours(%zero)
// CHECK-NEXT: %b = arith.addi %element, %one
// CHECK-NEXT: %c = arith.addi %a, %one

// -----

// A bias that is data is not known, so that the half cannot be in it.
builtin.module attributes {tinyml.target = "uno"} {
  func.func @data(%w: memref<?xi8>, %x: memref<?xi8>, %n: index, %i: index) -> i32 {
    %bias = scratch.constant dense<[1, -100, 90]> : tensor<3xi8> {tinyml.data} -> memref<3xi8, #scratch.flash>
    %half = arith.constant 32 : i32
    %loaded = memref.load %bias[%i] : memref<3xi8, #scratch.flash>
    %start = arith.extsi %loaded : i8 to i32
    %a = func.call @tm_dot_s8_s8_s32(%w, %x, %n, %start) : (memref<?xi8>, memref<?xi8>, index, i32) -> i32
    %y = arith.addi %a, %half : i32
    func.return %y : i32
  }
  func.func private @tm_dot_s8_s8_s32(memref<?xi8>, memref<?xi8>, index, i32) -> i32 attributes {tinyml.kernel = #num.kernel<"tm_dot_s8_s8_s32">}
}
// CHECK-LABEL: func.func @data
// CHECK: scratch.constant dense<[1, -100, 90]>
// CHECK: arith.addi %a, %half : i32
