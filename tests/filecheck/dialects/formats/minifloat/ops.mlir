// The types of small floats read what they print, and meet fixed point and posits without a cast.

// RUN: %roundtrip
// RUN: %generic
// RUN: tinyml-opt %s -p lower-num-to-exact,lower-exact-to-arith | filecheck %s --check-prefix=BITS

func.func @mixed(%a: !minifloat.f<4, 3>, %b: !minifloat.f<5, 2, 14>, %c: !minifloat.f<2, 1, 0>, %x: !fixed.q<16, 12>) -> !minifloat.f<4, 3, 5> {
  %p = num.mul %b, %x : !minifloat.f<5, 2, 14>, !fixed.q<16, 12> -> !minifloat.f<4, 3, 5>
  func.return %p : !minifloat.f<4, 3, 5>
}
// CHECK-LABEL: func.func @mixed(%a: !minifloat.f<4, 3>, %b: !minifloat.f<5, 2, 14>, %c: !minifloat.f<2, 1, 0>, %x: !fixed.q<16, 12>) -> !minifloat.f<4, 3, 5>
// GENERIC: function_type = (!minifloat.f<4, 3>, !minifloat.f<5, 2, 14>, !minifloat.f<2, 1, 0>, !fixed.q<16, 12>) -> !minifloat.f<4, 3, 5>

// A number is an integer by a table; a result is found by its rank among the middles between numbers.
// BITS-LABEL: func.func @mixed(%a: i8
// BITS: memref.load %decoding_table
// BITS: arith.muli
// BITS: func.call @tm_rank_s32
