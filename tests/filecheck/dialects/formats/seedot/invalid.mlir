// What the types of SeeDot's arithmetic say to bad parameters.

// RUN: %invalid

%r = "test.op"() : () -> !seedot.q<12, 3>
// CHECK: seedot.q width must be 8, 16 or 32, got 12

// -----

%r = "test.op"() : () -> !seedot.q<8, 63>
// CHECK: seedot.q frac must lie in [-31, 62], got 63

// -----

%r = "test.op"() : () -> !seedot.acc<64, 3, [0, 0, 0], 0>
// CHECK: seedot.acc width must be one of [8, 16, 32], got 64

// -----

%r = "test.op"() : () -> !seedot.acc<16, 3, [0, 0], 0>
// CHECK: expected the shifts of both operands and of the product, got 2 numbers

// -----

%s, %a, %b = "test.op"() : () -> (!seedot.acc<16, 9, [4, 4, 0], 1>, !seedot.q<16, 9>, !seedot.q<16, 9>)
%r = num.mac %s, %a, %b : !seedot.acc<16, 9, [4, 4, 0], 1>, !seedot.q<16, 9>, !seedot.q<16, 9> -> !seedot.acc<16, 9, [4, 4, 0], 1>
// CHECK: !seedot.acc<16, 9, [4, 4, 0], 1> does not sum products of !seedot.q<16, 9> and !seedot.q<16, 9>

// -----

%s, %p = "test.op"() : () -> (!seedot.acc<16, 9, [4, 4, 0], 2>, !seedot.acc<16, 11, [4, 4, 0], 0>)
%r = num.join %s, %p : !seedot.acc<16, 9, [4, 4, 0], 2>, !seedot.acc<16, 11, [4, 4, 0], 0> -> !seedot.acc<16, 9, [4, 4, 0], 2>
// CHECK: a sum in !seedot.acc<16, 9, [4, 4, 0], 2> does not join !seedot.acc<16, 11, [4, 4, 0], 0>
