// Sums of products that are rounded once, and steps of transforms on memory.

// RUN: %roundtrip

func.func @steps(%a: !fixed.q<16, 15>, %b: !fixed.s<16, 15>, %x: memref<16x!fixed.q<16, 14>>, %w: memref<12x!fixed.s<16, 15>, #scratch.flash>) {
  %y = num.combine %a, %b, %a {terms = array<i64: 2, -1>} : !fixed.q<16, 15>, !fixed.s<16, 15>, !fixed.q<16, 15> -> !fixed.q<16, 14>
// CHECK: %y = num.combine %a, %b, %a {terms = array<i64: 2, -1>} : !fixed.q<16, 15>, !fixed.s<16, 15>, !fixed.q<16, 15> -> !fixed.q<16, 14>
  num.transform %x with %w {function = "tm_butterflies4_i16", numbers = array<i64: 1, 2, 2>, steps = 2 : i64} : memref<16x!fixed.q<16, 14>>, memref<12x!fixed.s<16, 15>, #scratch.flash>
// CHECK-NEXT: num.transform %x with %w {function = "tm_butterflies4_i16", numbers = array<i64: 1, 2, 2>, steps = 2 : i64}
  num.transform %x {function = "tm_butterflies2_i16", numbers = array<i64: 4, 1>, steps = 4 : i64} : memref<16x!fixed.q<16, 14>>
// CHECK-NEXT: num.transform %x {function = "tm_butterflies2_i16", numbers = array<i64: 4, 1>, steps = 4 : i64} : memref<16x!fixed.q<16, 14>>
  func.return
}
