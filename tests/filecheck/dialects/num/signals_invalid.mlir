// What the verifiers of sums of products and of transforms say.

// RUN: %invalid

%a = "test.op"() : () -> (!fixed.q<16, 15>)
%y = num.combine %a {terms = array<i64: 3>} : !fixed.q<16, 15> -> !fixed.q<16, 14>
// CHECK: terms have one or two factors, got [3]

// -----

%a = "test.op"() : () -> (!fixed.q<16, 15>)
%y = num.combine %a {terms = array<i64: 1, 2>} : !fixed.q<16, 15> -> !fixed.q<16, 14>
// CHECK: terms [1, 2] do not take 1 factors

// -----

%x = "test.op"() : () -> (memref<2x16x!fixed.q<16, 14>>)
num.call #num.transform<"tm_butterflies2_i16", [4, 1], steps = 4>(%x) : (memref<2x16x!fixed.q<16, 14>>) -> ()
// CHECK: works on runs of memory, got memref<2x16x!fixed.q<16, 14>>

// -----

%x = "test.op"() : () -> (memref<16x!fixed.q<16, 14>>)
num.call #num.transform<"tm_butterflies2_i16", [-4, 1], steps = 4>(%x) : (memref<16x!fixed.q<16, 14>>) -> ()
// CHECK: numbers and steps are at least 0
