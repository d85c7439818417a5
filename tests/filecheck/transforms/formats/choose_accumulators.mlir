// RUN: tinyml-opt %s -p choose-accumulators --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'choose-accumulators{spare=2}' --split-input-file | filecheck %s --check-prefix=SPARE
// RUN: not tinyml-opt %s -p 'choose-accumulators{spare=-1}' --split-input-file 2>&1 | filecheck %s --check-prefix=NEGATIVE

// NEGATIVE: spare must not be negative, got -1

// The proof is the sum of |w| along the worst row, 3 + 127 = 130, times the greatest magnitude of the input, 32767.
func.func @constant(%X: tensor<2x1x!fixed.q<16, 12>>) -> tensor<2x1x!fixed.q<16, 8>> {
  %W = tdsl.const dense<[[1, 2], [3, -127]]> : tensor<2x2xi8> -> tensor<2x2x!fixed.q<8, 4>>
  %p = tdsl.matmul %W, %X : tensor<2x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 8>>
  func.return %p : tensor<2x1x!fixed.q<16, 8>>
}
// CHECK-LABEL: func.func @constant(%X: tensor<2x1x!fixed.q<16, 12>>) -> tensor<2x1x!fixed.q<16, 8>> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1, 2], [3, -127]]> : tensor<2x2xi8> -> tensor<2x2x!fixed.q<8, 4>>
// CHECK-NEXT: %p = tdsl.matmul %W, %X {acc = !fixed.acc<24, 16>, bound = array<i64: -4259710, 4259710>} : tensor<2x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 8>>
// CHECK-NEXT: func.return %p : tensor<2x1x!fixed.q<16, 8>>

// -----

// Indexed out of a stack it may be any matrix of it; on the right it is the columns that count.
func.func @stack(%X: tensor<1x2x!fixed.q<16, 12>>, %i: index) -> tensor<1x2x!fixed.q<16, 8>> {
  %W = tdsl.const dense<[[[1, 2], [3, 4]], [[5, 6], [7, 9]]]> : tensor<2x2x2xi8> -> tensor<2x2x2x!fixed.q<8, 4>>
  %w = tdsl.index %W[%i] : tensor<2x2x2x!fixed.q<8, 4>> -> tensor<2x2x!fixed.q<8, 4>>
  %p = tdsl.matmul %X, %w : tensor<1x2x!fixed.q<16, 12>>, tensor<2x2x!fixed.q<8, 4>> -> tensor<1x2x!fixed.q<16, 8>>
  func.return %p : tensor<1x2x!fixed.q<16, 8>>
}
// CHECK-LABEL: func.func @stack(%X: tensor<1x2x!fixed.q<16, 12>>, %i: index) -> tensor<1x2x!fixed.q<16, 8>> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}[1, 2], [3, 4]], {{\[\[}}5, 6], [7, 9]]]> : tensor<2x2x2xi8> -> tensor<2x2x2x!fixed.q<8, 4>>
// CHECK-NEXT: %w = tdsl.index %W[%i] : tensor<2x2x2x!fixed.q<8, 4>> -> tensor<2x2x!fixed.q<8, 4>>
// CHECK-NEXT: %p = tdsl.matmul %X, %w {acc = !fixed.acc<24, 16>, bound = array<i64: -491505, 491505>} : tensor<1x2x!fixed.q<16, 12>>, tensor<2x2x!fixed.q<8, 4>> -> tensor<1x2x!fixed.q<16, 8>>
// CHECK-NEXT: func.return %p : tensor<1x2x!fixed.q<16, 8>>

// -----

// Of two variables only the formats are known: 3 * 32767 * 32767 needs 64 bits, 3 * 127 * 32767 does not.
func.func @variables(%X: tensor<1x3x!fixed.q<16, 12>>, %Y: tensor<3x1x!fixed.q<16, 12>>, %Z: tensor<3x1x!fixed.q<8, 4>>) -> (tensor<1x1x!fixed.q<16, 8>>, tensor<1x1x!fixed.q<16, 8>>) {
  %p = tdsl.matmul %X, %Y : tensor<1x3x!fixed.q<16, 12>>, tensor<3x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 8>>
  %q = tdsl.matmul %X, %Z : tensor<1x3x!fixed.q<16, 12>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<16, 8>>
  func.return %p, %q : tensor<1x1x!fixed.q<16, 8>>, tensor<1x1x!fixed.q<16, 8>>
}
// CHECK-LABEL: func.func @variables(%X: tensor<1x3x!fixed.q<16, 12>>, %Y: tensor<3x1x!fixed.q<16, 12>>, %Z: tensor<3x1x!fixed.q<8, 4>>) -> (tensor<1x1x!fixed.q<16, 8>>, tensor<1x1x!fixed.q<16, 8>>) {
// CHECK-NEXT: %p = tdsl.matmul %X, %Y {acc = !fixed.acc<64, 24>, bound = array<i64: -3221028867, 3221028867>} : tensor<1x3x!fixed.q<16, 12>>, tensor<3x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 8>>
// CHECK-NEXT: %q = tdsl.matmul %X, %Z {acc = !fixed.acc<32, 16>, bound = array<i64: -12484227, 12484227>} : tensor<1x3x!fixed.q<16, 12>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<16, 8>>
// CHECK-NEXT: func.return %p, %q : tensor<1x1x!fixed.q<16, 8>>, tensor<1x1x!fixed.q<16, 8>>

// -----

// With the rounding, half of the result's last place, the sum fills the accumulator to the last unit, or just does not.
func.func @edges(%X: tensor<2x1x!fixed.q<8, 7>>) -> (tensor<1x1x!fixed.q<8, 0>>, tensor<1x1x!fixed.q<8, 3>>) {
  %V = tdsl.const dense<[[127, 127]]> : tensor<1x2xi8> -> tensor<1x2x!fixed.q<8, 3>>
  %p = tdsl.matmul %V, %X : tensor<1x2x!fixed.q<8, 3>>, tensor<2x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 0>>
  %q = tdsl.matmul %V, %X : tensor<1x2x!fixed.q<8, 3>>, tensor<2x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 3>>
  func.return %p, %q : tensor<1x1x!fixed.q<8, 0>>, tensor<1x1x!fixed.q<8, 3>>
}
// CHECK-LABEL: func.func @edges(%X: tensor<2x1x!fixed.q<8, 7>>) -> (tensor<1x1x!fixed.q<8, 0>>, tensor<1x1x!fixed.q<8, 3>>) {
// CHECK-NEXT: %V = tdsl.const dense<127> : tensor<1x2xi8> -> tensor<1x2x!fixed.q<8, 3>>
// CHECK-NEXT: %p = tdsl.matmul %V, %X {acc = !fixed.acc<24, 10>, bound = array<i64: -32258, 32258>} : tensor<1x2x!fixed.q<8, 3>>, tensor<2x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 0>>
// CHECK-NEXT: %q = tdsl.matmul %V, %X {acc = !fixed.acc<16, 10>, bound = array<i64: -32258, 32258>} : tensor<1x2x!fixed.q<8, 3>>, tensor<2x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 3>>
// CHECK-NEXT: func.return %p, %q : tensor<1x1x!fixed.q<8, 0>>, tensor<1x1x!fixed.q<8, 3>>

// -----

// What the operand's op promises: from 0 to 1 = 64 * 2^-6 for a sigmoid, so positive and negative weights do not add
// up; a square is never negative, also where a row and a column are the same vector.
func.func @one_sided(%X: tensor<3x1x!fixed.q<8, 4>>) -> (tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>) {
  %W = tdsl.const dense<[[100, 100, -50]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<8, 4>>
  %s = tdsl.sigmoid %X : tensor<3x1x!fixed.q<8, 4>> -> tensor<3x1x!fixed.q<8, 6>>
  %p = tdsl.matmul %W, %s : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 6>> -> tensor<1x1x!fixed.q<8, 4>>
  %r = tdsl.transpose %X {permutation = array<i64: 1, 0>} : tensor<3x1x!fixed.q<8, 4>> -> tensor<1x3x!fixed.q<8, 4>>
  %q = tdsl.matmul %r, %X : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %p, %q : tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @one_sided(%X: tensor<3x1x!fixed.q<8, 4>>) -> (tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>) {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}100, 100, -50]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: %s = tdsl.sigmoid %X : tensor<3x1x!fixed.q<8, 4>> -> tensor<3x1x!fixed.q<8, 6>>
// CHECK-NEXT: %p = tdsl.matmul %W, %s {acc = !fixed.acc<16, 10>, bound = array<i64: -3200, 12800>} : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 6>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: %r = tdsl.transpose %X {permutation = array<i64: 1, 0>} : tensor<3x1x!fixed.q<8, 4>> -> tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: %q = tdsl.matmul %r, %X {acc = !fixed.acc<24, 8>, bound = array<i64: 0, 48387>} : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %p, %q : tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>

// -----

// Sums of floats need no proof.
func.func @floats(%X: tensor<1x2xf32>, %Y: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %p = tdsl.matmul %X, %Y : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %p : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @floats(%X: tensor<1x2xf32>, %Y: tensor<2x1xf32>) -> tensor<1x1xf32> {
// CHECK-NEXT: %p = tdsl.matmul %X, %Y {acc = f32} : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %p : tensor<1x1xf32>

// -----

// A sum of products: the finer one last, 3 * 127 + 2^2 * (2 * 127 + 5 * 2^3) in its units.
func.func @sum(%X: tensor<1x1x!fixed.q<8, 4>>, %Y: tensor<1x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[3]]> : tensor<1x1xi8> -> tensor<1x1x!fixed.q<8, 6>>
  %U = tdsl.const dense<[[2]]> : tensor<1x1xi8> -> tensor<1x1x!fixed.q<8, 4>>
  %B = tdsl.const dense<[[5]]> : tensor<1x1xi8> -> tensor<1x1x!fixed.q<8, 5>>
  %p = tdsl.matmul_sum %W, %X, %U, %Y from %B : tensor<1x1x!fixed.q<8, 5>> : tensor<1x1x!fixed.q<8, 6>>, tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %p : tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @sum(%X: tensor<1x1x!fixed.q<8, 4>>, %Y: tensor<1x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
// CHECK-NEXT: %W = tdsl.const dense<3> : tensor<1x1xi8> -> tensor<1x1x!fixed.q<8, 6>>
// CHECK-NEXT: %U = tdsl.const dense<2> : tensor<1x1xi8> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: %B = tdsl.const dense<5> : tensor<1x1xi8> -> tensor<1x1x!fixed.q<8, 5>>
// CHECK-NEXT: %p = tdsl.matmul_sum %U, %Y, %W, %X from %B : tensor<1x1x!fixed.q<8, 5>> {acc = !fixed.acc<16, 10>, bound = array<i64: -1237, 1557>} : tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 6>>, tensor<1x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %p : tensor<1x1x!fixed.q<8, 4>>

// -----

// One bit less and 16 bits are enough. The second matrix fits as it is, the third one has two readers.
func.func @spare(%X: tensor<3x1x!fixed.q<8, 4>>) -> (tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>) {
  %W = tdsl.const dense<[[127, 127, 66]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<8, 4>>
  %V = tdsl.const dense<[[1, 2, 3]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<8, 4>>
  %U = tdsl.const dense<[[127, 127, 65]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<8, 4>>
  %p = tdsl.matmul %W, %X : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  %q = tdsl.matmul %V, %X : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  %r = tdsl.matmul %U, %X : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  %s = tdsl.matmul %U, %X : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %p, %q, %r, %s : tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @spare(%X: tensor<3x1x!fixed.q<8, 4>>) -> (tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>) {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}127, 127, 66]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: %V = tdsl.const dense<{{\[\[}}1, 2, 3]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: %U = tdsl.const dense<{{\[\[}}127, 127, 65]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: %p = tdsl.matmul %W, %X {acc = !fixed.acc<24, 8>, bound = array<i64: -40640, 40640>} : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: %q = tdsl.matmul %V, %X {acc = !fixed.acc<16, 8>, bound = array<i64: -762, 762>} : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: %r = tdsl.matmul %U, %X {acc = !fixed.acc<24, 8>, bound = array<i64: -40513, 40513>} : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: %s = tdsl.matmul %U, %X {acc = !fixed.acc<24, 8>, bound = array<i64: -40513, 40513>} : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %p, %q, %r, %s : tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>, tensor<1x1x!fixed.q<8, 4>>
// SPARE-LABEL: func.func @spare
// SPARE-NEXT: %W = tdsl.const dense<{{\[}}[63, 63, 33]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<7, 3>>
// SPARE: tdsl.matmul %W, %X {acc = !fixed.acc<16, 7>, bound = array<i64: -20193, 20193>}
// SPARE: tdsl.matmul %V, %X {acc = !fixed.acc<16, 8>, bound = array<i64: -762, 762>}
// SPARE: tdsl.matmul %U, %X {acc = !fixed.acc<24, 8>, bound = array<i64: -40513, 40513>}

// -----

// What the sum starts from is as fine as the products are: they give up nothing.
func.func @fine_start(%X: tensor<3x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[127, 127, 4]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<8, 4>>
  %b = tdsl.const dense<[[5]]> : tensor<1x1xi8> -> tensor<1x1x!fixed.q<8, 8>>
  %y = tdsl.matmul_sum %W, %X from %b : tensor<1x1x!fixed.q<8, 8>> : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %y : tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @fine_start(%X: tensor<3x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}127, 127, 4]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<8, 4>>
// CHECK-NEXT: %b = tdsl.const dense<5> : tensor<1x1xi8> -> tensor<1x1x!fixed.q<8, 8>>
// CHECK-NEXT: %y = tdsl.matmul_sum %W, %X from %b : tensor<1x1x!fixed.q<8, 8>> {acc = !fixed.acc<24, 8>, bound = array<i64: -32761, 32771>} : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %y : tensor<1x1x!fixed.q<8, 4>>
// SPARE-LABEL: func.func @fine_start
// SPARE: tdsl.const dense<{{\[}}[127, 127, 4]]>

// -----

// The literature's sums have no proof. SeeDot divides operands by up to half of their bits each, then halves a tree;
// Shiftry only does the latter. Sparse products are divided by what a tree would be.
func.func @published(%W: tensor<2x9x!seedot.q<8, 7>>, %X: tensor<9x1x!seedot.q<8, 6>>, %V: tensor<2x9x!shiftry.q<8, 7>, #tdsl.csr>, %Y: tensor<9x1x!shiftry.q<16, 6>>) -> (tensor<2x1x!seedot.q<8, 2>>, tensor<2x1x!shiftry.q<16, 2>>, tensor<2x1x!shiftry.q<16, 11>>) {
  %p = tdsl.matmul %W, %X : tensor<2x9x!seedot.q<8, 7>>, tensor<9x1x!seedot.q<8, 6>> -> tensor<2x1x!seedot.q<8, 2>>
  %q = tdsl.spmv %V, %Y : tensor<2x9x!shiftry.q<8, 7>, #tdsl.csr>, tensor<9x1x!shiftry.q<16, 6>> -> tensor<2x1x!shiftry.q<16, 2>>
  %V2 = "test.op"() : () -> tensor<2x9x!shiftry.q<8, 7>>
  %r = tdsl.matmul %V2, %Y : tensor<2x9x!shiftry.q<8, 7>>, tensor<9x1x!shiftry.q<16, 6>> -> tensor<2x1x!shiftry.q<16, 11>>
  func.return %p, %q, %r : tensor<2x1x!seedot.q<8, 2>>, tensor<2x1x!shiftry.q<16, 2>>, tensor<2x1x!shiftry.q<16, 11>>
}
// CHECK-LABEL: func.func @published(%W: tensor<2x9x!seedot.q<8, 7>>, %X: tensor<9x1x!seedot.q<8, 6>>, %V: tensor<2x9x!shiftry.q<8, 7>, #tdsl.csr>, %Y: tensor<9x1x!shiftry.q<16, 6>>) -> (tensor<2x1x!seedot.q<8, 2>>, tensor<2x1x!shiftry.q<16, 2>>, tensor<2x1x!shiftry.q<16, 11>>) {
// CHECK-NEXT: %p = tdsl.matmul %W, %X {acc = !seedot.acc<8, 2, [4, 4, 0], 3>} : tensor<2x9x!seedot.q<8, 7>>, tensor<9x1x!seedot.q<8, 6>> -> tensor<2x1x!seedot.q<8, 2>>
// CHECK-NEXT: %q = tdsl.spmv %V, %Y {acc = !shiftry.acc<32, 9, [0, 0, 4], 0>} : tensor<2x9x!shiftry.q<8, 7>, #tdsl.csr>, tensor<9x1x!shiftry.q<16, 6>> -> tensor<2x1x!shiftry.q<16, 2>>
// CHECK-NEXT: %V2 = "test.op"() : () -> tensor<2x9x!shiftry.q<8, 7>>
// CHECK-NEXT: %r = tdsl.matmul %V2, %Y {acc = !shiftry.acc<32, 11, [0, 0, 0], 2>} : tensor<2x9x!shiftry.q<8, 7>>, tensor<9x1x!shiftry.q<16, 6>> -> tensor<2x1x!shiftry.q<16, 11>>
// CHECK-NEXT: func.return %p, %q, %r : tensor<2x1x!seedot.q<8, 2>>, tensor<2x1x!shiftry.q<16, 2>>, tensor<2x1x!shiftry.q<16, 11>>

// -----

// Two bits may be given up: 8 * 112 * 127 is then less than 2^15. Sums that would need three keep all.
func.func @two_bits(%X: tensor<8x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<112> : tensor<1x8xi8> -> tensor<1x8x!fixed.q<8, 4>>
  %p = tdsl.matmul %W, %X : tensor<1x8x!fixed.q<8, 4>>, tensor<8x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %p : tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @two_bits(%X: tensor<8x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
// CHECK-NEXT: %W = tdsl.const dense<112> : tensor<1x8xi8> -> tensor<1x8x!fixed.q<8, 4>>
// CHECK-NEXT: %p = tdsl.matmul %W, %X {acc = !fixed.acc<24, 8>, bound = array<i64: -113792, 113792>} : tensor<1x8x!fixed.q<8, 4>>, tensor<8x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %p : tensor<1x1x!fixed.q<8, 4>>
// SPARE-LABEL: func.func @two_bits
// SPARE: tdsl.const dense<28> : tensor<1x8xi8> -> tensor<1x8x!fixed.q<6, 2>>
// SPARE: acc = !fixed.acc<16, 6>, bound = array<i64: -28448, 28448>

// -----

func.func @three_bits(%X: tensor<10x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<112> : tensor<1x10xi8> -> tensor<1x10x!fixed.q<8, 4>>
  %p = tdsl.matmul %W, %X : tensor<1x10x!fixed.q<8, 4>>, tensor<10x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %p : tensor<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @three_bits(%X: tensor<10x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
// CHECK-NEXT: %W = tdsl.const dense<112> : tensor<1x10xi8> -> tensor<1x10x!fixed.q<8, 4>>
// CHECK-NEXT: %p = tdsl.matmul %W, %X {acc = !fixed.acc<24, 8>, bound = array<i64: -142240, 142240>} : tensor<1x10x!fixed.q<8, 4>>, tensor<10x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %p : tensor<1x1x!fixed.q<8, 4>>
// SPARE-LABEL: func.func @three_bits
// SPARE: tdsl.const dense<112> : tensor<1x10xi8> -> tensor<1x10x!fixed.q<8, 4>>
// SPARE: acc = !fixed.acc<24, 8>, bound = array<i64: -142240, 142240>

// -----

// Shiftry's figure 5: 8 + 16 + ceil(log2 n) - 1 bits are 32 for 512 products and 33 for 513; sparse ones have the same.
func.func @printed(%W: tensor<2x512x!shiftry_printed.q<8, 7>>, %X: tensor<512x1x!shiftry_printed.q<16, 6>>, %V: tensor<2x513x!shiftry_printed.q<8, 7>, #tdsl.csr>, %Y: tensor<513x1x!shiftry_printed.q<16, 6>>) -> (tensor<2x1x!shiftry_printed.q<8, 2>>, tensor<2x1x!shiftry_printed.q<8, 2>>) {
  %p = tdsl.matmul %W, %X : tensor<2x512x!shiftry_printed.q<8, 7>>, tensor<512x1x!shiftry_printed.q<16, 6>> -> tensor<2x1x!shiftry_printed.q<8, 2>>
  %q = tdsl.spmv %V, %Y : tensor<2x513x!shiftry_printed.q<8, 7>, #tdsl.csr>, tensor<513x1x!shiftry_printed.q<16, 6>> -> tensor<2x1x!shiftry_printed.q<8, 2>>
  func.return %p, %q : tensor<2x1x!shiftry_printed.q<8, 2>>, tensor<2x1x!shiftry_printed.q<8, 2>>
}
// CHECK-LABEL: func.func @printed(
// CHECK-NEXT: %p = tdsl.matmul %W, %X {acc = !shiftry.acc<32, 13, [0, 0, 0], 0>}
// CHECK-NEXT: %q = tdsl.spmv %V, %Y {acc = !shiftry.acc<64, 13, [0, 0, 0], 0>}

// -----

// One that is coarser than what the products become permits it.
func.func @coarse_start(%X: tensor<3x1x!fixed.q<8, 4>>) -> tensor<1x1x!fixed.q<8, 4>> {
  %W = tdsl.const dense<[[127, 127, 66]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<8, 4>>
  %b = tdsl.const dense<[[5]]> : tensor<1x1xi8> -> tensor<1x1x!fixed.q<8, 7>>
  %y = tdsl.matmul_sum %W, %X from %b : tensor<1x1x!fixed.q<8, 7>> : tensor<1x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<1x1x!fixed.q<8, 4>>
  func.return %y : tensor<1x1x!fixed.q<8, 4>>
}
// SPARE-LABEL: func.func @coarse_start
// SPARE: tdsl.const dense<{{\[}}[63, 63, 33]]> : tensor<1x3xi8> -> tensor<1x3x!fixed.q<7, 3>>
// SPARE: tdsl.matmul_sum %W, %X from %b : tensor<1x1x!fixed.q<8, 7>> {acc = !fixed.acc<16, 7>

// -----

// Sums of 16-bit products have 64 bits, and 32 that wrap around if they start from a number of 32 bits.
func.func @wrapping(%X: tensor<2x1x!zeroskew.q<16, 0.5, 0>>) -> (tensor<1x1x!zeroskew.q<16, 0.5, 0>>, tensor<1x1x!zeroskew.q<16, 0.5, 0>>) {
  %W = tdsl.const dense<[[127, 127]]> : tensor<1x2xi8> -> tensor<1x2x!zeroskew.q<8, 0.5, 0>>
  %a = tdsl.const dense<[[2147483647]]> : tensor<1x1xi32> -> tensor<1x1x!zeroskew.q<32, 0.25, 0>>
  %b = tdsl.const dense<[[1]]> : tensor<1x1xi64> -> tensor<1x1x!zeroskew.q<64, 0.25, 0>>
  %y = tdsl.matmul_sum %W, %X from %a : tensor<1x1x!zeroskew.q<32, 0.25, 0>> : tensor<1x2x!zeroskew.q<8, 0.5, 0>>, tensor<2x1x!zeroskew.q<16, 0.5, 0>> -> tensor<1x1x!zeroskew.q<16, 0.5, 0>>
  %z = tdsl.matmul_sum %W, %X from %b : tensor<1x1x!zeroskew.q<64, 0.25, 0>> : tensor<1x2x!zeroskew.q<8, 0.5, 0>>, tensor<2x1x!zeroskew.q<16, 0.5, 0>> -> tensor<1x1x!zeroskew.q<16, 0.5, 0>>
  func.return %y, %z : tensor<1x1x!zeroskew.q<16, 0.5, 0>>, tensor<1x1x!zeroskew.q<16, 0.5, 0>>
}
// CHECK-LABEL: func.func @wrapping(
// CHECK: tdsl.matmul_sum %W, %X from %a : {{.*}} {acc = !zeroskew.acc<32, 0.25>}
// CHECK: tdsl.matmul_sum %W, %X from %b : {{.*}} {acc = !zeroskew.acc<64, 0.25>}

// -----

// Sums of 8-bit products start from any number with which they cannot leave 32 bits: the products here are at most 254 * 256.
func.func @greatest_start(%X: tensor<2x1x!zeroskew.q<8, 0.5, 0>>) -> tensor<1x1x!zeroskew.q<8, 0.5, 0>> {
  %W = tdsl.const dense<[[127, 127]]> : tensor<1x2xi8> -> tensor<1x2x!zeroskew.q<8, 0.5, 0>>
  %a = tdsl.const dense<[[2147418623]]> : tensor<1x1xi32> -> tensor<1x1x!zeroskew.q<32, 0.25, 0>>
  %y = tdsl.matmul_sum %W, %X from %a : tensor<1x1x!zeroskew.q<32, 0.25, 0>> : tensor<1x2x!zeroskew.q<8, 0.5, 0>>, tensor<2x1x!zeroskew.q<8, 0.5, 0>> -> tensor<1x1x!zeroskew.q<8, 0.5, 0>>
  func.return %y : tensor<1x1x!zeroskew.q<8, 0.5, 0>>
}
// CHECK-LABEL: func.func @greatest_start(
// CHECK: tdsl.matmul_sum %W, %X from %a : {{.*}} {acc = !zeroskew.acc<32, 0.25>}

// -----

// A quire of posits adds products with zero, since NaR times 0 is NaR; sums of numbers without NaR omit them.
func.func @sparse(%x: tensor<3x1x!posit.p<8, 1>>, %y: tensor<3x1x!fixed.q<8, 6>>) -> (tensor<2x1x!posit.p<8, 1>>, tensor<2x1x!fixed.q<8, 6>>) {
  %w = tdsl.const dense<[[64, 0, 0], [0, -64, 0]]> : tensor<2x3xi8> -> tensor<2x3x!posit.p<8, 1>, #tdsl.csr>
  %v = tdsl.const dense<[[64, 0, 0], [0, -64, 0]]> : tensor<2x3xi8> -> tensor<2x3x!fixed.q<8, 6>, #tdsl.csr>
  %p = tdsl.spmv %w, %x : tensor<2x3x!posit.p<8, 1>, #tdsl.csr>, tensor<3x1x!posit.p<8, 1>> -> tensor<2x1x!posit.p<8, 1>>
  %q = tdsl.spmv %v, %y : tensor<2x3x!fixed.q<8, 6>, #tdsl.csr>, tensor<3x1x!fixed.q<8, 6>> -> tensor<2x1x!fixed.q<8, 6>>
  func.return %p, %q : tensor<2x1x!posit.p<8, 1>>, tensor<2x1x!fixed.q<8, 6>>
}
// CHECK-LABEL: func.func @sparse(
// CHECK-NEXT: %v = tdsl.const {{.*}} -> tensor<2x3x!fixed.q<8, 6>, #tdsl.csr>
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}64, 0, 0], [0, -64, 0]]> : tensor<2x3xi8> -> tensor<2x3x!posit.p<8, 1>>
// CHECK-NEXT: %p = tdsl.matmul %w, %x {acc = !posit.quire<36, 20, 32, 2>}
// CHECK-NEXT: %q = tdsl.spmv %v, %y {acc = !fixed.acc<
