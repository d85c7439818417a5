// What the types of zero-skew integers say to bad parameters.

// RUN: %invalid

%r = "test.op"() : () -> !zeroskew.q<9, 0.5, 0>
// CHECK: zeroskew.q width must be from 2 to 8, 16, 32 or 64, got 9

// -----

%r = "test.op"() : () -> !zeroskew.q<8, -0.5, 0>
// CHECK: zeroskew.q scales must be positive and finite

// -----

%r = "test.op"() : () -> !zeroskew.q<8, 0.5, 128>
// CHECK: zeroskew.q zero point must lie in [-128, 127], got 128

// -----

%r = "test.op"() : () -> !zeroskew.q<8, [0.5, 0.25], 1>
// CHECK: zeroskew.q has the zero point 0 with several scales, and with more than 8 bits

// -----

%r = "test.op"() : () -> !zeroskew.acc<32, 0.0>
// CHECK: zeroskew.acc scales must be positive

// -----

%r = "test.op"() : () -> !zeroskew.q<16, 0.5, 3>
// CHECK: zeroskew.q has the zero point 0 with several scales, and with more than 8 bits

// -----

%r = "test.op"() : () -> !zeroskew.acc<16, 0.5>
// CHECK: zeroskew.acc width must be 32 or 64, got 16

// -----

%r = tdsl.const dense<[-9]> : tensor<1xi8> -> tensor<1x!zeroskew.q<4, 0.5, 0>>
// CHECK: -9 is not the raw value of any !zeroskew.q<4, 0.5, 0>

// -----

%sum = "test.op"() : () -> !zeroskew.acc<32, 0.5>
%i = "test.op"() : () -> index
%r = num.level %sum row %i : !zeroskew.acc<32, 0.5> -> f32
// CHECK: a sum in !zeroskew.acc<32, 0.5> does not go on in f32

// -----

%r = "test.op"() : () -> !zeroskew.f<16, 0.5, 3>
// CHECK: zeroskew.f has the zero point 0 with several scales, and with more than 8 bits

// -----

%r = "test.op"() : () -> !zeroskew.f<8, [0.5, 0.25], 0>
// CHECK: zeroskew.f has 8 bits and one scale

// -----

%r = "test.op"() : () -> !zeroskew.facc<32, 0.0>
// CHECK: zeroskew.facc scales must be positive

// -----

%sum = "test.op"() : () -> !zeroskew.facc<32, [0.5, 0.25]>
%i = "test.op"() : () -> index
%r = num.level %sum row %i : !zeroskew.facc<32, [0.5, 0.25]> -> !zeroskew.facc<32, [0.5, 0.25]>
// CHECK: !zeroskew.facc<32, [0.5, 0.25]> is not an accumulator of one scale for sums in !zeroskew.facc<32, [0.5, 0.25]>

// -----

%r = "test.op"() : () -> !zeroskew.q<16, 0.5, 0, even>
// CHECK: zeroskew.q rounds halves to even with up to 8 bits, got 16

// -----

%r = "test.op"() : () -> !zeroskew.q<8, 0.5, 0, up>
// CHECK: Expected 'even'

// -----

%r = "test.op"() : () -> !zeroskew.f<8, 0.5, 0, even>
// CHECK: '>' expected

// -----

%r = "test.op"() : () -> !zeroskew.even_acc<64, 0.5>
// CHECK: zeroskew.even_acc width must be 32, got 64

// -----

// A sum is rounded by the rule of its own accumulator only.
%X, %W = "test.op"() : () -> (tensor<2x3x!zeroskew.q<8, 0.5, 0>>, tensor<3x2x!zeroskew.q<8, 0.5, 0>>)
%fits = tdsl.matmul %X, %W {acc = !zeroskew.even_acc<32, 0.25>} : tensor<2x3x!zeroskew.q<8, 0.5, 0>>, tensor<3x2x!zeroskew.q<8, 0.5, 0>> -> tensor<2x2x!zeroskew.q<8, 1.0, 0, even>>
%r = tdsl.matmul %X, %W {acc = !zeroskew.acc<32, 0.25>} : tensor<2x3x!zeroskew.q<8, 0.5, 0>>, tensor<3x2x!zeroskew.q<8, 0.5, 0>> -> tensor<2x2x!zeroskew.q<8, 1.0, 0, even>>
// CHECK: a sum in !zeroskew.acc<32, 0.25> cannot be rounded into !zeroskew.q<8, 1.0, 0, even>

// -----

%sum = "test.op"() : () -> !zeroskew.even_acc<32, 0.25>
%r = num.finish %sum : !zeroskew.even_acc<32, 0.25> -> !zeroskew.q<8, 1.0, 0>
// CHECK: a sum in !zeroskew.even_acc<32, 0.25> cannot be rounded into !zeroskew.q<8, 1.0, 0>; convert first
