// RUN: tinyml-opt %s -p shorten-sums --split-input-file | filecheck %s

// Sums and conversions of bytes with unlike scales, with both roundings.
builtin.module attributes {tinyml.target = "uno"} {
  func.func @unlike(%a: !zeroskew.q<8, 0.0513, -128>, %b: !zeroskew.q<8, 0.0719, 3>, %c: !zeroskew.q<4, 0.0719, 3, even>) {
    %twice = num.add %a, %b : !zeroskew.q<8, 0.0513, -128>, !zeroskew.q<8, 0.0719, 3> -> !zeroskew.q<8, 0.0977, -5>
    %once = num.add %a, %c : !zeroskew.q<8, 0.0513, -128>, !zeroskew.q<4, 0.0719, 3, even> -> !zeroskew.q<8, 0.0977, -5, even>
    %converted = num.convert %b : !zeroskew.q<8, 0.0719, 3> -> !zeroskew.q<8, 0.0313, 0>
    func.return
  }
}
// CHECK-LABEL: func.func @unlike
// CHECK-NEXT: %twice = num.weighted_sum %a, %b {weights = array<i32: 8809326, 12346795>, start = {{[0-9]+}} : i64}
// CHECK-NEXT: %once = num.weighted_sum %a, %c {weights = array<i32: 8809326, 12346795>, start = {{[0-9]+}} : i64}
// CHECK-NEXT: %converted = num.weighted_sum %b {weights = array<i32: {{[0-9]+}}>, start = {{-?[0-9]+}} : i64} : !zeroskew.q<8, 0.0719, 3> -> !zeroskew.q<8, 0.0313, 0>

// -----

// Halves that are rounded away from zero have weights above the quotients of the scales; those rounded to even have none.
// One scale: nothing is converted. 16 bits: too many operands. Fixed point: conversions are shifts. A weight of 2^31 does
// not fit, one of 2^30 does.
builtin.module attributes {tinyml.target = "uno"} {
  func.func @others(%a: !zeroskew.q<8, 0.5, 0>, %b: !zeroskew.q<8, 0.5, 3>, %c: !zeroskew.q<16, 0.0313, 0>, %d: !fixed.q<8, 4>, %e: !zeroskew.q<8, 64.0, 0>) {
    %half = num.add %a, %b : !zeroskew.q<8, 0.5, 0>, !zeroskew.q<8, 0.5, 3> -> !zeroskew.q<8, 1.0, 0>
    %even = num.add %a, %b : !zeroskew.q<8, 0.5, 0>, !zeroskew.q<8, 0.5, 3> -> !zeroskew.q<8, 1.0, 0, even>
    %same = num.add %a, %a : !zeroskew.q<8, 0.5, 0>, !zeroskew.q<8, 0.5, 0> -> !zeroskew.q<8, 0.5, 0>
    %wide = num.convert %c : !zeroskew.q<16, 0.0313, 0> -> !zeroskew.q<8, 0.0517, 0>
    %fixed = num.add %d, %d : !fixed.q<8, 4>, !fixed.q<8, 4> -> !fixed.q<8, 3>
    %least = num.convert %e : !zeroskew.q<8, 64.0, 0> -> !zeroskew.q<8, 0.5, 0>
    %most = num.convert %e : !zeroskew.q<8, 64.0, 0> -> !zeroskew.q<8, 1.0, 0>
    func.return
  }
}
// CHECK-LABEL: func.func @others
// CHECK-NEXT: %half = num.weighted_sum %a, %b {weights = array<i32: 8388609, 8388609>, start = -16777220 : i64}
// CHECK-NEXT: %even = num.add
// CHECK-NEXT: %same = num.add
// CHECK-NEXT: %wide = num.convert
// CHECK-NEXT: %fixed = num.add
// CHECK-NEXT: %least = num.convert
// CHECK-NEXT: %most = num.weighted_sum

// -----

// An AVR without MUL, and a chip with other products.
builtin.module attributes {tinyml.target = "attiny85"} {
  func.func @without(%a: !zeroskew.q<8, 0.0513, -128>, %b: !zeroskew.q<8, 0.0719, 3>) {
    %sum = num.add %a, %b : !zeroskew.q<8, 0.0513, -128>, !zeroskew.q<8, 0.0719, 3> -> !zeroskew.q<8, 0.0977, -5>
    func.return
  }
}
// CHECK-LABEL: func.func @without
// CHECK-NEXT: %sum = num.add

// -----

builtin.module attributes {tinyml.target = "cortex-m4"} {
  func.func @other_chip(%a: !zeroskew.q<8, 0.0513, -128>, %b: !zeroskew.q<8, 0.0719, 3>) {
    %sum = num.add %a, %b : !zeroskew.q<8, 0.0513, -128>, !zeroskew.q<8, 0.0719, 3> -> !zeroskew.q<8, 0.0977, -5>
    func.return
  }
}
// CHECK-LABEL: func.func @other_chip
// CHECK-NEXT: %sum = num.add
