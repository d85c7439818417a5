// Kernels with numbers that no kernel has, and ops that cannot call a kernel.

// RUN: %invalid

"test.op"() {kernel = #num.kernel<"tm dot">} : () -> ()
// CHECK: expected a C identifier, got 'tm dot'

// -----

"test.op"() {kernel = #num.far_kernel<#num.far_kernel<#num.kernel<"a">>>} : () -> ()
// CHECK: expected the kernel of near weights, got #num.far_kernel<#num.kernel<"a">>

// -----

"test.op"() {kernel = #num.composed_kernel<num.dot, integer 5>} : () -> ()
// CHECK: Expected ','

// -----

"test.op"() {kernel = #num.composed_kernel<num.dot, integer 5, integer 0, sum = 32>} : () -> ()
// CHECK: vector must be 1 to 64, got 0

// -----

"test.op"() {kernel = #num.composed_kernel<num.dot, integer 5, integer 8, sum = 20>} : () -> ()
// CHECK: sum must be whole bytes, 8 to 64 bits, got 20

// -----

"test.op"() {kernel = #num.tile_kernel<"k", rows = 4, runs = 3, length = 48, step = 16, count = 8>} : () -> ()
// CHECK: expected pitch, zero

// -----

"test.op"() {kernel = #num.tile_kernel<"k", rows = 4, rows = 3>} : () -> ()
// CHECK: Expected one of 'count', 'filters', 'length'

// -----

"test.op"() {kernel = #num.tile_kernel<"k", rows = 0, runs = 3, length = 48, pitch = 9, step = 16, count = 8, zero = 0>} : () -> ()
// CHECK: rows must be at least 1, got 0

// -----

"test.op"() {kernel = #num.tile_kernel<"k", rows = 1, runs = 3, length = 48, pitch = 9, step = 16, count = 8, zero = 128>} : () -> ()
// CHECK: zero must be -128 to 127, got 128

// -----

"test.op"() {kernel = #num.code_kernel<"k", "a-b">} : () -> ()
// CHECK: expected a key of letters and digits, got 'a-b'

// -----

%s, %w = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x!fixed.q<16, 9>>)
%r = num.call #num.dot(%s, %w, %w) by "tm_dot_s16_s16_s32" : (!fixed.acc<32, 18>, memref<3x!fixed.q<16, 9>>, memref<3x!fixed.q<16, 9>>) -> !fixed.acc<32, 18>
// CHECK: expected a kernel, as in #num.kernel<...>

// -----

%s, %w = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x!fixed.q<16, 9>>)
%r = num.call #num.dot(%s, %w, %w) by #num.composed_kernel<num.sparse_dot, integer 5, integer 16, sum = 32, gaps = 4> : (!fixed.acc<32, 18>, memref<3x!fixed.q<16, 9>>, memref<3x!fixed.q<16, 9>>) -> !fixed.acc<32, 18>
// CHECK: num.dot cannot be computed by #num.composed_kernel<num.sparse_dot, integer 5, integer 16, sum = 32, gaps = 4>

// -----

%y, %x, %stream = "test.op"() : () -> (memref<9x!fixed.q<16, 5>>, memref<9x!fixed.q<16, 9>>, memref<44xi8, #scratch.flash>)
num.call #num.tiles<27>(%y, %stream, %x) by #num.kernel<"k"> : (memref<9x!fixed.q<16, 5>>, memref<44xi8, #scratch.flash>, memref<9x!fixed.q<16, 9>>) -> ()
// CHECK: num.tiles cannot be computed by #num.kernel<"k">

// -----

%s, %w = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x!fixed.q<16, 9>>)
%r = num.call #num.dot(%s, %w) : (!fixed.acc<32, 18>, memref<3x!fixed.q<16, 9>>) -> !fixed.acc<32, 18>
// CHECK: num.dot takes 3 operands, got 2

// -----

%s, %w = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x!fixed.q<16, 9>>)
num.call #num.dot(%s, %w, %w) : (!fixed.acc<32, 18>, memref<3x!fixed.q<16, 9>>, memref<3x!fixed.q<16, 9>>) -> ()
// CHECK: num.dot has 1 results, got 0

// -----

%s, %w = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x!fixed.q<16, 9>>)
%r = num.call #num.dot(%s, %w, %w) : (!fixed.acc<32, 18>, memref<3x!fixed.q<16, 9>>, memref<3x!fixed.q<16, 9>>) -> !fixed.acc<64, 18>
// CHECK: the sum changes its type from !fixed.acc<32, 18> to !fixed.acc<64, 18>

// -----

%s, %w = "test.op"() : () -> (memref<3x!fixed.acc<32, 18>>, memref<9x!fixed.q<16, 9>>)
num.call #num.dot_rows(%s, %s, %w, %w) : (memref<3x!fixed.acc<32, 18>>, memref<3x!fixed.acc<32, 18>>, memref<9x!fixed.q<16, 9>>, memref<9x!fixed.q<16, 9>>) -> ()
// CHECK: needs a kernel
