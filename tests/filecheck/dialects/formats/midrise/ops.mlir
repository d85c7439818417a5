// The type of mid-rise weights reads what it prints, and meets fixed point without a cast.

// RUN: %roundtrip
// RUN: %generic
// RUN: tinyml-opt %s -p lower-num-to-exact,lower-exact-to-arith | filecheck %s --check-prefix=BITS

func.func @mixed(%w: !midrise.q<2, 1>, %x: !fixed.q<8, 7>) -> !fixed.q<8, 5> {
  %p = num.mul %w, %x : !midrise.q<2, 1>, !fixed.q<8, 7> -> !fixed.q<8, 5>
  func.return %p : !fixed.q<8, 5>
}
// CHECK-LABEL: func.func @mixed(%w: !midrise.q<2, 1>, %x: !fixed.q<8, 7>) -> !fixed.q<8, 5>
// CHECK-LABEL: func.func @rounded(
// GENERIC: function_type = (!midrise.q<2, 1>, !fixed.q<8, 7>) -> !fixed.q<8, 5>

// The raw is the integer.
// BITS-LABEL: func.func @mixed(%w: i8, %x: i8) -> (i8)
// BITS-NOT: memref.load
// BITS: arith.muli

// Results are the nearest odd integer.
func.func @rounded(%x: !fixed.q<8, 7>) -> !midrise.q<2, 1> {
  %w = num.convert %x : !fixed.q<8, 7> -> !midrise.q<2, 1>
  func.return %w : !midrise.q<2, 1>
}
// BITS-LABEL: func.func @rounded(%x: i8) -> (i8)
// BITS: arith.shrsi
// BITS: arith.muli
// BITS: arith.addi
