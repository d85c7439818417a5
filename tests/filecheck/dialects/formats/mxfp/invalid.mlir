// What the types of floats in groups say to bad parameters.

// RUN: %invalid

%r = "test.op"() : () -> !mxfp.b<3, 4, 0>
// CHECK: mxfp.b is one of <2, 1>, <2, 3>, <3, 2>, <4, 3>, <5, 2>, got <3, 4>

// -----

%r = "test.op"() : () -> !mxfp.b<4, 3, 101>
// CHECK: mxfp.b shift must lie in [-100, 100], got 101

// -----

%r = tdsl.const dense<127> : tensor<1x2xi8> -> tensor<1x2x!mxfp.b<4, 3, 0, 2 of 2, [0]>>
// CHECK: 127 is not the raw value of any !mxfp.b<4, 3, 0, 2 of 2, [0]>
