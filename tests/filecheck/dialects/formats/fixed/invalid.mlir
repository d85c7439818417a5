// What the types of fixed point say to bad parameters.

// RUN: %invalid

%r = "test.op"() : () -> !fixed.q<1, 3>
// CHECK: fixed.q width must be from 2 to 32, got 1

// -----

%r = "test.op"() : () -> !fixed.q<33, 0>
// CHECK: fixed.q width must be from 2 to 32, got 33

// -----

%r = "test.op"() : () -> !fixed.q<8, 63>
// CHECK: fixed.q frac must lie in [-31, 62], got 63

// -----

%r = "test.op"() : () -> !fixed.q<8, -32>
// CHECK: fixed.q frac must lie in [-31, 62], got -32

// -----

%r = "test.op"() : () -> !fixed.acc<40, 3>
// CHECK: fixed.acc width must be 16, 24, 32 or 64, got 40

// -----

%r = "test.op"() : () -> !fixed.acc<32, 125>
// CHECK: fixed.acc frac must lie in [-62, 124], got 125

// -----

%r = "test.op"() : () -> !fixed.q<-8, 3>
// CHECK: fixed.q width must be from 2 to 32, got -8

// -----

%r = "test.op"() : () -> !fixed.q<8>
// CHECK: fixed.q has 2 parameters, got 1

// -----

%r = "test.op"() : () -> !fixed.q
// CHECK: '<' expected

// -----

%r = "test.op"() : () -> !fixed.p<8, 4>
// CHECK: 'fixed.p' is not registered

// -----

%r = "test.op"() : () -> !fixed.u<16, 3>
// CHECK: fixed.u width must be from 1 to 15, got 16

// -----

%r = tdsl.const dense<16> : tensor<1xi8> -> tensor<1x!fixed.u<4, 3>>
// CHECK: 16 is not the raw value of any !fixed.u<4, 3>

// -----

%r = "test.op"() : () -> !fixed.s<33, 3>
// CHECK: fixed.s width must be from 2 to 32, got 33

// -----

%r = "test.op"() : () -> !fixed.byte<7, 3>
// CHECK: fixed.byte width must be 8, got 7

// -----

%r = "test.op"() : () -> !fixed.s<8, 3, odd>
// CHECK: Expected integer literal

// -----

%r = "test.op"() : () -> !fixed.s<8, even>
// CHECK: fixed.s has 2 parameters, got 1

// -----

%r = "test.op"() : () -> !fixed.q<8, 3, 4, even>
// CHECK: fixed.q has 2 parameters, got 3

// -----

%r = "test.op"() : () -> !fixed.s<33, 3, even>
// CHECK: fixed.s width must be from 2 to 32, got 33

// -----

%r = "test.op"() : () -> !fixed.u<8, 3, even>
// CHECK: Expected integer literal
