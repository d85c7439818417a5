// What the type of codebooks says to bad parameters.

// RUN: %invalid

%r = "test.op"() : () -> !codebook.c<9, 0, [-1, 0, 1]>
// CHECK: codebook.c has from 2 to 8 bits and a scale in [-40, 60], got 9 and 0

// -----

%r = "test.op"() : () -> !codebook.c<4, 0, [-1, 1]>
// CHECK: codebook.c lists integers in order, including 0

// -----

%r = "test.op"() : () -> !codebook.c<4, 0, [0, 2, 1]>
// CHECK: codebook.c lists integers in order, including 0

// -----

%r = "test.op"() : () -> !codebook.c<2, 0, [0, 1, 2]>
// CHECK: codebook.c of 2 bits has at most 2 integers below 0, 1 above

// -----

%r = "test.op"() : () -> !codebook.c<2, 0, [0, 40000]>
// CHECK: codebook.c lists integers of 16 bits, one of them not 0

// -----

%r = tdsl.const dense<[2]> : tensor<1xi8> -> tensor<1x!codebook.c<2, 0, [-1, 0, 1]>>
// CHECK: 2 is not the raw value of any !codebook.c<2, 0, [-1, 0, 1]>
