// What the types of posits say to bad parameters.

// RUN: %invalid

%r = "test.op"() : () -> !posit.p<17, 1>
// CHECK: posit.p has n from 2 to 16 or 32 and es from 0 to 3, got 17 and 1

// -----

%r = "test.op"() : () -> !posit.p<8, 4>
// CHECK: posit.p has n from 2 to 16 or 32 and es from 0 to 3, got 8 and 4

// -----

%r = "test.op"() : () -> !posit.p<8, 0, -7, 0>
// CHECK: posit.p<8, 0> has low and high from -6 to 7, got -7, 0

// -----

%r = "test.op"() : () -> !posit.p<8, 0, 1, 1>
// CHECK: posit.p<8, 0> has low and high from -6 to 7, got 1, 1

// -----

%r = "test.op"() : () -> !posit.p<16, 2, -30, 2>
// CHECK: posit.p has at most 31 bits between low and high, got 32

// -----

%r = "test.op"() : () -> !posit.p<8, 2, -22, 0>
// CHECK: 2^-22 is not a posit of 8 bits with es 2

// -----

%r = "test.op"() : () -> !posit.p<8, 2, -15>
// CHECK: expected n and es of a posit, or n, es, low and high

// -----

// Raws that rounding never gives: NaR, and what is no multiple of 2^low.
%r = tdsl.const dense<[-128]> : tensor<1xi8> -> tensor<1x!posit.p<8, 0, -6, 7>>
// CHECK: -128 is not the raw value of any !posit.p<8, 0, -6, 7>

// -----

%r = tdsl.const dense<[1]> : tensor<1xi8> -> tensor<1x!posit.p<8, 0, -5, 7>>
// CHECK: 1 is not the raw value of any !posit.p<8, 0, -5, 7>

// -----

%r = "test.op"() : () -> !posit.p<8, 0, -6, 1, 61>
// CHECK: posit.p shift must lie in [-60, 60], got 61

// -----

%r = "test.op"() : () -> !posit.unpacked<8, 4, -27, 4>
// CHECK: posit.p has n from 2 to 16 or 32 and es from 0 to 3, got 8 and 4

// -----

%r = "test.op"() : () -> !posit.unpacked<8, 2, -27>
// CHECK: expected n and es of a posit, the least exponent and the step of its places

// -----

%r = "test.op"() : () -> !posit.unpacked<8, 2, -27, 0>
// CHECK: posit.unpacked has places at least 1 apart, got 0
