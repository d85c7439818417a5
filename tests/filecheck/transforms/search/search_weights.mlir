// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-weights{data=%S/../Inputs/linear.npz metric=error weight_bits=5}" | filecheck %s --check-prefix=FIVE
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-weights{data=%S/../Inputs/linear.npz metric=error weight_bits=6 formats=codebook}" | filecheck %s --check-prefix=OWN
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-weights{data=%S/../Inputs/linear.npz metric=error weight_bits=3.5}" 2>&1 | filecheck %s --check-prefix=LEAST

// 12 elements of 4 bits, and 6 of 4 with an exponent of 8: 80 bits of 18 elements.
// FIVE: {name = "X", {{[^{]*}} format = !fixed.q<16, 13>, {{[^{]*}} why = "all but weights have this format"}
// FIVE-SAME: {name = "W1", {{[^{]*}} format = !fixed.q<4, 3>, {{[^{]*}} why = "4.00 bits an element, within 5 on average"}
// FIVE-SAME: {name = "W2", {{[^{]*}} format = !mxint.b<4, 2, 6 of 6, [0]>, {{[^{]*}} why = "5.33 bits an element, within 5 on average"}

// Codebooks are for constants of 64 elements or more.
// OWN: {name = "W1", {{[^{]*}} format = !fixed.q<4, 3>
// OWN-SAME: {name = "W2", {{[^{]*}} format = !fixed.q<8, 6>

// LEAST: pass 'search-weights': constants take 4.00 bits an element at least, more than 3.5
