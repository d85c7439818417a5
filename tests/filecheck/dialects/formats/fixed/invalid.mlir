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
