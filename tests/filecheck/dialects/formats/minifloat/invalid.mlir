// What the types of small floats say to bad parameters.

// RUN: %invalid

%r = "test.op"() : () -> !minifloat.f<3, 3>
// CHECK: minifloat.f is one of <2, 1>, <2, 3>, <3, 2>, <3, 4>, <4, 3>, <5, 2>, got <3, 3>

// -----

%r = "test.op"() : () -> !minifloat.f<4, 3, 61>
// CHECK: minifloat.f shift must lie in [-40, 60], got 61

// -----

%r = tdsl.const dense<[127]> : tensor<1xi8> -> tensor<1x!minifloat.f<4, 3>>
// CHECK: 127 is not the raw value of any !minifloat.f<4, 3>
