// What the type of Shiftry's arithmetic with the temporaries of its figure 5 says to bad parameters.

// RUN: %invalid

%r = "test.op"() : () -> !shiftry_printed.q<32, 3>
// CHECK: shiftry_printed.q width must be 8 or 16, got 32

// -----

%a, %b = "test.op"() : () -> (!shiftry_printed.q<8, 3>, !seedot.q<8, 3>)
%r = num.add %a, %b : !shiftry_printed.q<8, 3>, !seedot.q<8, 3> -> !shiftry_printed.q<8, 3>
// CHECK: invalid.mlir:11:1: mixes the families seedot, shiftry; convert first
