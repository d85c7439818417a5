// What the types of Shiftry's arithmetic say to bad parameters.

// RUN: %invalid

%r = "test.op"() : () -> !shiftry.q<32, 3>
// CHECK: shiftry.q width must be 8 or 16, got 32

// -----

%r = "test.op"() : () -> !shiftry.acc<8, 3, [0, 0, 0], 0>
// CHECK: shiftry.acc width must be one of [16, 32, 64], got 8

// -----

%a, %b = "test.op"() : () -> (!shiftry.q<8, 3>, !seedot.q<8, 3>)
%r = num.add %a, %b : !shiftry.q<8, 3>, !seedot.q<8, 3> -> !shiftry.q<8, 3>
// CHECK: invalid.mlir:16:1: mixes the families seedot, shiftry; convert first
