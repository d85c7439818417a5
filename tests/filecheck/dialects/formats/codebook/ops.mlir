// The type of codebooks reads what it prints, and meets fixed point without a cast.

// RUN: %roundtrip
// RUN: %generic
// RUN: tinyml-opt %s -p lower-num-to-exact,lower-exact-to-arith | filecheck %s --check-prefix=BITS

func.func @mixed(%w: !codebook.c<2, 12, [-900, -37, 0, 412]>, %x: !fixed.q<16, 12>) -> !fixed.q<16, 11> {
  %p = num.mul %w, %x : !codebook.c<2, 12, [-900, -37, 0, 412]>, !fixed.q<16, 12> -> !fixed.q<16, 11>
  func.return %p : !fixed.q<16, 11>
}
// CHECK-LABEL: func.func @mixed(%w: !codebook.c<2, 12, [-900, -37, 0, 412]>, %x: !fixed.q<16, 12>) -> !fixed.q<16, 11>
// GENERIC: function_type = (!codebook.c<2, 12, [-900, -37, 0, 412]>, !fixed.q<16, 12>) -> !fixed.q<16, 11>

// The table has an entry for each number, the first one for the least raw.
// BITS-LABEL: func.func @mixed(%w: i8
// BITS: scratch.constant dense<[-900, -37, 0, 412]> : tensor<4xi16>
// BITS: memref.load %decoding_table
// BITS: func.call @tm_multiply_i16
