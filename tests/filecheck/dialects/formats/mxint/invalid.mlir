// What the types of integers in groups say to bad parameters, and ops to tensors that they cannot read.

// RUN: %invalid

%r = "test.op"() : () -> !mxint.b<17, 3>
// CHECK: mxint.b width must be from 2 to 16, got 17

// -----

%r = "test.op"() : () -> !mxint.b<8, 3, 5 of 4, [0]>
// CHECK: groups have from 1 to 4 elements, got 5

// -----

%r = "test.op"() : () -> !mxint.b<8, 3, 3 of 4, [0, 1, 2]>
// CHECK: runs have 2 groups, which do not share 3 shifts evenly

// -----

%r = "test.op"() : () -> !mxint.b<8, 3, 4 of 4, [63]>
// CHECK: shifts of groups lie in [0, 62]

// -----

%r = tdsl.const dense<1> : tensor<3x4xi8> -> tensor<3x4x!mxint.b<8, 3, 4 of 6, [0, 1, 2, 3]>>
// CHECK: a tensor of shape 3x4 does not consist of 2 runs of 6 elements, which share scales in groups of 4

// -----

%r = tdsl.const dense<-128> : tensor<1x4xi8> -> tensor<1x4x!mxint.b<8, 3, 4 of 4, [1]>>
// CHECK: -128 is not the raw value of any !mxint.b<8, 3, 4 of 4, [1]>

// -----

%w = tdsl.const dense<1> : tensor<2x2xi8> -> tensor<2x2x!mxint.b<8, 3, 2 of 2, [0, 1]>>
%t = tdsl.transpose %w {permutation = array<i64: 1, 0>} : tensor<2x2x!mxint.b<8, 3, 2 of 2, [0, 1]>> -> tensor<2x2x!mxint.b<8, 3, 2 of 2, [0, 1]>>
// CHECK: elements of tensor<2x2x!mxint.b<8, 3, 2 of 2, [0, 1]>> share scales in groups, which only products with rows of weights read

// -----

%w = tdsl.const dense<1> : tensor<1x4xi8> -> tensor<1x4x!mxint.b<8, 3, 2 of 4, [0, 1]>, #tdsl.csr>
%x = tdsl.const dense<1> : tensor<4x1xi8> -> tensor<4x1x!fixed.q<8, 3>>
%t = tdsl.spmv %w, %x : tensor<1x4x!mxint.b<8, 3, 2 of 4, [0, 1]>, #tdsl.csr>, tensor<4x1x!fixed.q<8, 3>> -> tensor<1x1x!fixed.q<8, 3>>
// CHECK: share scales in groups, which only products with rows of weights read

// -----

%w = tdsl.const dense<1> : tensor<2x3xi8> -> tensor<2x3x!mxint.b<8, 3, 3 of 3, [0, 1]>>
%t = tdsl.reshape %w : tensor<2x3x!mxint.b<8, 3, 3 of 3, [0, 1]>> -> tensor<3x2x!mxint.b<8, 3, 3 of 3, [0, 1]>>
// CHECK: a tensor of shape 3x2 does not consist of 2 runs of 3 elements

// -----

%w = tdsl.const dense<1> : tensor<2x3xi8> -> tensor<2x3x!mxint.b<8, 3, 4 of 6, [0, 5]>, #tdsl.csr>
%x = tdsl.const dense<1> : tensor<3x1xi8> -> tensor<3x1x!fixed.q<8, 3>>
%t = tdsl.spmv %w, %x : tensor<2x3x!mxint.b<8, 3, 4 of 6, [0, 5]>, #tdsl.csr>, tensor<3x1x!fixed.q<8, 3>> -> tensor<2x1x!fixed.q<8, 3>>
// CHECK: share scales in groups, which only products with rows of weights read

// -----

%w = tdsl.const dense<1> : tensor<2x4xi8> -> tensor<2x4x!mxint.b<8, 3, 2 of 8, [0, 1, 2, 3]>>
%x = tdsl.const dense<1> : tensor<4x1xi8> -> tensor<4x1x!fixed.q<8, 3>>
%t = tdsl.matmul %w, %x : tensor<2x4x!mxint.b<8, 3, 2 of 8, [0, 1, 2, 3]>>, tensor<4x1x!fixed.q<8, 3>> -> tensor<2x1x!fixed.q<8, 3>>
// CHECK: share scales in groups, which only products with rows of weights read

// -----

%w = tdsl.const dense<[[1], [2], [3], [4]]> : tensor<4x1xi8> -> tensor<4x1x!mxint.b<4, 3, 2 of 4, [0, 1]>>
%i = tdsl.argmax %w : tensor<4x1x!mxint.b<4, 3, 2 of 4, [0, 1]>>
// CHECK: share scales in groups, which only products with rows of weights read
