// What the verifier of forests says.

// RUN: %invalid

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2, 3]> : tensor<2xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: a node compares a feature beyond the 3 of the input

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2]> : tensor<1xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: 1 inner nodes have a feature, a threshold and two children each, got shapes (1,), (2,) and (2, 2)

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2, 0]> : tensor<2xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [0, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: every inner node must follow its parent

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2, 0]> : tensor<2xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[-1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: the inner node 1 has no parent, or several

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2, 0]> : tensor<2xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, 1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: the inner node 1 has no parent, or several

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2, 0]> : tensor<2xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -4]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: a node has the leaf 3, there are 3

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2, 0]> : tensor<2xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, 2], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: a node has the child 2, there are 2 inner nodes

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<6xf32>)
%r = tdsl.forest %x, %v {features = dense<[2, 0]> : tensor<2xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<6xf32> -> tensor<1x2xf32>
// CHECK: votes have a row for each leaf, got shape 6

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2, 0]> : tensor<2xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x3xf32>
// CHECK: result has shape 1x3, expected 1x2 from the operands

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2.0, 0.0]> : tensor<2xf32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: features are integers, got float32

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2x!fixed.q<8, 7>>)
%r = tdsl.forest %x, %v {features = dense<[2, 0]> : tensor<2xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<3x2x!fixed.q<8, 7>> -> tensor<1x2xf32>
// CHECK: formats of different families (exact, float) need a tdsl.cast

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2, 0]> : tensor<2xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[1, -1, -2, -3]> : tensor<4xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: children have rank 2, got shape (4,)

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<2> : tensor<i32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: features have rank 1, got shape ()

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2, 0]> : tensor<2xi24>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: features: expected integers of 8, 16, 32 or 64 bits, f32 or f64, got i24

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2, 0]> : tensor<2xindex>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: features: expected integers of 8, 16, 32 or 64 bits, f32 or f64, got index

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2, 0]> : tensor<2xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>, shares = dense<[[0.5, 1.5], [0.25, 0.25]]> : tensor<2x2xf32>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: 2 inner nodes have two shares each, from 0 to 1

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2, 0]> : tensor<2xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>, missing = dense<[1]> : tensor<1xi8>} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: 2 inner nodes have one direction of `missing` each, 0 or 1

// -----

%x = "test.op"() : () -> tensor<1x3xf32>
%r = tdsl.impute %x {values = array<f64: 0.5>} : tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK: the input has 3 elements, and there are 1 values

// -----

%x, %v = "test.op"() : () -> (tensor<1x3xf32>, tensor<3x2xf32>)
%r = tdsl.forest %x, %v {features = dense<[2, 0]> : tensor<2xi32>, thresholds = dense<[0.5, 1.0]> : tensor<2xf64>, children = dense<[[1, -1], [-2, -3]]> : tensor<2x2xi32>, roots = dense<[0]> : tensor<1xi32>, limit = -0.5 : f64} : tensor<1x3xf32>, tensor<3x2xf32> -> tensor<1x2xf32>
// CHECK: the limit of sums is a finite number from 0, got -0.5
