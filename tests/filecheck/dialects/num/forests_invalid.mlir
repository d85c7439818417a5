// What the verifiers of forests over raws say.

// RUN: %invalid

%x, %o = "test.op"() : () -> (memref<3x!fixed.q<8, 4>>, memref<2x!fixed.q<16, 7>>)
num.forest %o, %x {features = dense<1> : tensor<1xi32>, thresholds = dense<5> : tensor<1xi16>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, votes = dense<[[0, 3], [1, 1]]> : tensor<2x2xi16>} : memref<2x!fixed.q<16, 7>>, memref<3x!fixed.q<8, 4>>
// CHECK: thresholds are of i16, the elements of i8

// -----

%x, %o = "test.op"() : () -> (memref<3x!fixed.q<8, 4>>, memref<2x!fixed.q<16, 7>>)
num.forest %o, %x {features = dense<1> : tensor<1xi32>, thresholds = dense<5> : tensor<1xi8>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, votes = dense<[[0, 3], [1, 1]]> : tensor<2x2xi8>} : memref<2x!fixed.q<16, 7>>, memref<3x!fixed.q<8, 4>>
// CHECK: votes are of i8, the elements of i16

// -----

%x, %o = "test.op"() : () -> (memref<3x!fixed.q<8, 4>>, memref<2x!fixed.q<16, 7>>)
num.forest %o, %x {features = dense<1> : tensor<1xi32>, thresholds = dense<5> : tensor<1xi8>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, votes = dense<[[0], [1]]> : tensor<2x1xi16>} : memref<2x!fixed.q<16, 7>>, memref<3x!fixed.q<8, 4>>
// CHECK: votes have 1 columns, there are 2 results

// -----

%x, %o = "test.op"() : () -> (memref<1x3x!fixed.q<8, 4>>, memref<2x!fixed.q<16, 7>>)
num.forest %o, %x {features = dense<1> : tensor<1xi32>, thresholds = dense<5> : tensor<1xi8>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, votes = dense<[[0, 3], [1, 1]]> : tensor<2x2xi16>} : memref<2x!fixed.q<16, 7>>, memref<1x3x!fixed.q<8, 4>>
// CHECK: expected contiguous elements that are not packed, got memref<1x3x!fixed.q<8, 4>>

// -----

%x, %o = "test.op"() : () -> (memref<3x!fixed.q<8, 4>>, memref<2x!fixed.q<16, 7>>)
num.forest %o, %x {features = dense<1> : tensor<1xi32>, thresholds = dense<5> : tensor<1xi8>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, votes = dense<[[0, 3]]> : tensor<1x2xi16>} : memref<2x!fixed.q<16, 7>>, memref<3x!fixed.q<8, 4>>
// CHECK: a node has the leaf 1, there are 1
