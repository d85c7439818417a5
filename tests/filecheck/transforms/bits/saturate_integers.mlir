// RUN: tinyml-opt %s -p saturate-integers --split-input-file | filecheck %s

// Limits of integers with a sign, then without a sign; narrower integers are widened for the call.
builtin.module attributes {tinyml.target = "cortex-m4"} {
  func.func @limits(%x: i32, %y: i24) -> (i32, i24, i32) {
    %low = arith.constant -32768 : i32
    %high = arith.constant 32767 : i32
    %above = arith.maxsi %x, %low : i32
    %a = arith.minsi %above, %high : i32
    %least = arith.constant -128 : i24
    %most = arith.constant 127 : i24
    %over = arith.maxsi %y, %least : i24
    %b = arith.minsi %over, %most : i24
    %zero = arith.constant 0 : i32
    %byte = arith.constant 255 : i32
    %positive = arith.maxsi %x, %zero : i32
    %c = arith.minsi %positive, %byte : i32
    func.return %a, %b, %c : i32, i24, i32
  }
}
// CHECK-LABEL: func.func @limits
// CHECK: [[bits:%.*]] = arith.constant 16 : i8
// CHECK-NEXT: [[a:%.*]] = func.call @tm_saturate_s32(%x, [[bits]]) : (i32, i8) -> i32
// CHECK: [[wide:%.*]] = arith.extsi %y : i24 to i32
// CHECK-NEXT: [[bits:%.*]] = arith.constant 8 : i8
// CHECK-NEXT: [[b:%.*]] = func.call @tm_saturate_s32([[wide]], [[bits]])
// CHECK-NEXT: [[narrow:%.*]] = arith.trunci [[b]] : i32 to i24
// CHECK: [[bits:%.*]] = arith.constant 8 : i8
// CHECK-NEXT: [[c:%.*]] = func.call @tm_saturate_u32(%x, [[bits]])
// CHECK-NEXT: func.return [[a]], [[narrow]], [[c]]
// CHECK: func.func private @tm_saturate_s32(i32, i8) -> i32
// CHECK: func.func private @tm_saturate_u32(i32, i8) -> i32

// -----

// One less than a limit, a maximum with another reader, and integers of 64 bits and indices are compared as before.
builtin.module attributes {tinyml.target = "cortex-m4"} {
  func.func @others(%x: i32, %z: i64, %i: index) -> (i32, i32, i32, i64, index) {
    %low = arith.constant -127 : i32
    %high = arith.constant 127 : i32
    %above = arith.maxsi %x, %low : i32
    %a = arith.minsi %above, %high : i32
    %zero = arith.constant 0 : i32
    %least = arith.constant 0 : i32
    %shared = arith.maxsi %x, %least : i32
    %b = arith.minsi %shared, %high : i32
    %low64 = arith.constant -128 : i64
    %high64 = arith.constant 127 : i64
    %over = arith.maxsi %z, %low64 : i64
    %c = arith.minsi %over, %high64 : i64
    %first = arith.constant 0 : index
    %last = arith.constant 127 : index
    %behind = arith.maxsi %i, %first : index
    %d = arith.minsi %behind, %last : index
    func.return %a, %b, %shared, %c, %d : i32, i32, i32, i64, index
  }
}
// CHECK-LABEL: func.func @others
// CHECK-NOT: call

// -----

// Without saturating instructions, nothing changes.
builtin.module attributes {tinyml.target = "cortex-m0"} {
  func.func @plain(%x: i32) -> i32 {
    %low = arith.constant -128 : i32
    %high = arith.constant 127 : i32
    %above = arith.maxsi %x, %low : i32
    %a = arith.minsi %above, %high : i32
    func.return %a : i32
  }
}
// CHECK-LABEL: func.func @plain
// CHECK-NOT: call

// -----

// Two bits are the fewest with a call; limits of one bit are compared.
builtin.module attributes {tinyml.target = "cortex-m4"} {
  func.func @least(%x: i32) -> (i32, i32) {
    %low = arith.constant -2 : i32
    %high = arith.constant 1 : i32
    %above = arith.maxsi %x, %low : i32
    %a = arith.minsi %above, %high : i32
    %minus = arith.constant -1 : i32
    %zero = arith.constant 0 : i32
    %over = arith.maxsi %x, %minus : i32
    %b = arith.minsi %over, %zero : i32
    func.return %a, %b : i32, i32
  }
}
// CHECK-LABEL: func.func @least(%x: i32) -> (i32, i32) {
// CHECK-NEXT: %low = arith.constant -2 : i32
// CHECK-NEXT: %high = arith.constant 1 : i32
// CHECK-NEXT: [[bits:%.*]] = arith.constant 2 : i8
// CHECK-NEXT: %a = func.call @tm_saturate_s32(%x, [[bits]]) : (i32, i8) -> i32
// CHECK-NEXT: %minus = arith.constant -1 : i32
// CHECK-NEXT: %zero = arith.constant 0 : i32
// CHECK-NEXT: %over = arith.maxsi %x, %minus : i32
// CHECK-NEXT: %b = arith.minsi %over, %zero : i32
// CHECK-NEXT: func.return %a, %b : i32, i32

// -----

// An upper limit one above or one below those of a call.
builtin.module attributes {tinyml.target = "cortex-m4"} {
  func.func @even(%x: i32) -> (i32, i32) {
    %low = arith.constant -129 : i32
    %high = arith.constant 128 : i32
    %above = arith.maxsi %x, %low : i32
    %a = arith.minsi %above, %high : i32
    %zero = arith.constant 0 : i32
    %most = arith.constant 254 : i32
    %positive = arith.maxsi %x, %zero : i32
    %b = arith.minsi %positive, %most : i32
    func.return %a, %b : i32, i32
  }
}
// CHECK-LABEL: func.func @even
// CHECK-NOT: call
