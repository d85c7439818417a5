// What the type of mid-rise weights says to bad parameters, and to constants that are none of its numbers.

// RUN: %invalid

%r = "test.op"() : () -> !midrise.q<5, 0>
// CHECK: midrise.q width must be from 1 to 4, got 5

// -----

%r = "test.op"() : () -> !midrise.q<2, 90>
// CHECK: midrise.q frac must lie in [-31, 62], got 90

// -----

%r = "test.op"() : () -> !midrise.q<2>
// CHECK: midrise.q has 2 parameters, got 1

// -----

%r = tdsl.const dense<[3, 0]> : tensor<2xi8> -> tensor<2x!midrise.q<2, 0>>
// CHECK: 0 is not the raw value of any !midrise.q<2, 0>

// -----

%r = tdsl.const dense<[5]> : tensor<1xi8> -> tensor<1x!midrise.q<2, 0>>
// CHECK: 5 is not the raw value of any !midrise.q<2, 0>
