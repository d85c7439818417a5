// Sums of products that are rounded once, and steps of transforms on memory.

// RUN: %roundtrip

func.func @steps(%a: !fixed.q<16, 15>, %b: !fixed.s<16, 15>, %x: memref<16x!fixed.q<16, 14>>, %w: memref<12x!fixed.s<16, 15>, #scratch.flash>) {
  %y = num.combine %a, %b, %a {terms = array<i64: 2, -1>} : !fixed.q<16, 15>, !fixed.s<16, 15>, !fixed.q<16, 15> -> !fixed.q<16, 14>
// CHECK: %y = num.combine %a, %b, %a {terms = array<i64: 2, -1>} : !fixed.q<16, 15>, !fixed.s<16, 15>, !fixed.q<16, 15> -> !fixed.q<16, 14>
  num.call #num.transform<"tm_butterflies4_i16", [1, 2, 2], steps = 2>(%x, %w) : (memref<16x!fixed.q<16, 14>>, memref<12x!fixed.s<16, 15>, #scratch.flash>) -> ()
// CHECK-NEXT: num.call #num.transform<"tm_butterflies4_i16", [1, 2, 2], steps = 2>(%x, %w)
  num.call #num.transform<"tm_butterflies2_i16", [4, 1], steps = 4>(%x) : (memref<16x!fixed.q<16, 14>>) -> ()
// CHECK-NEXT: num.call #num.transform<"tm_butterflies2_i16", [4, 1], steps = 4>(%x) : (memref<16x!fixed.q<16, 14>>) -> ()
  func.return
}
