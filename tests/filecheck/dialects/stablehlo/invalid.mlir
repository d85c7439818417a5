// What the verifiers of StableHLO's ops say.

// RUN: %invalid

%x = "test.op"() : () -> tensor<2x4xf32>
%y = "stablehlo.tanh"(%x) : (tensor<2x4xf32>) -> tensor<4x2xf32>
// CHECK: its result has the shape [4, 2], not [2, 4]

// -----

%x = "test.op"() : () -> tensor<2x4xf32>
%i = "test.op"() : () -> tensor<2x4xi32>
%y = "stablehlo.add"(%x, %i) : (tensor<2x4xf32>, tensor<2x4xi32>) -> tensor<2x4xf32>
// CHECK: its result has elements of f32, not of i32

// -----

%x = "test.op"() : () -> tensor<2x4xf32>
%y = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi8>
// CHECK: its result is tensor<2x4xi8>, not of i1

// -----

%x = "test.op"() : () -> tensor<2x4xf32>
%y = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction ABOVE>}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
// CHECK: EQ

// -----

%x = "test.op"() : () -> tensor<2x4xf32>
%p = "test.op"() : () -> tensor<2xi1>
%y = "stablehlo.select"(%p, %x, %x) : (tensor<2xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: tensor<2xi1> does not select elements

// -----

%x = "test.op"() : () -> tensor<2x4xf32>
%y = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<2x4xf32>) -> tensor<2x3x5xf32>
// CHECK: [2, 4] does not broadcast to [2, 3, 5] along [0, 2]

// -----

%x = "test.op"() : () -> tensor<2x4xf32>
%y = "stablehlo.transpose"(%x) <{permutation = array<i64: 0, 0>}> : (tensor<2x4xf32>) -> tensor<2x2xf32>
// CHECK: [0, 0] does not order the axes of [2, 4]

// -----

%x = "test.op"() : () -> tensor<2x4xf32>
%y = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 5>, strides = array<i64: 1, 2>}> : (tensor<2x4xf32>) -> tensor<2x2xf32>
// CHECK: the limits [2, 5] do not lie in [2, 4]

// -----

%x = "test.op"() : () -> tensor<2x4xf32>
%y = "stablehlo.concatenate"(%x, %x) <{dimension = 0 : i64}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
// CHECK: its result has the shape [2, 8], not [4, 4]

// -----

%x = "test.op"() : () -> tensor<2x4xf32>
%y = "stablehlo.reshape"(%x) : (tensor<2x4xf32>) -> tensor<7xf32>
// CHECK: [2, 4] cannot become [7]

// -----

%x = "test.op"() : () -> tensor<2x4xf32>
%y = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [1]>}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x2xf32>
// CHECK: products of axes of [2] and [4] elements

// -----

%m = "test.op"() : () -> tensor<1x4x2xf32>
%f = "test.op"() : () -> tensor<3x3x5xf32>
%y = "stablehlo.convolution"(%m, %f) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<3x3x5xf32>) -> tensor<1x2x5xf32>
// CHECK: filters of 3 channels for 2

// -----

%m = "test.op"() : () -> tensor<1x4x2xf32>
%f = "test.op"() : () -> tensor<3x3x5xf32>
%y = "stablehlo.convolution"(%m, %f) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, i]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x2xf32>, tensor<3x3x5xf32>) -> tensor<1x2x5xf32>
// CHECK: expected i, o, 0 in some order

// -----

%x = "test.op"() : () -> tensor<2x4xf32>
%at = "test.op"() : () -> tensor<i32>
%y = "stablehlo.dynamic_slice"(%x, %at, %at) <{slice_sizes = array<i64: 1, 5>}> : (tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
// CHECK: a part of [1, 5] does not lie in [2, 4]

// -----

%x = "test.op"() : () -> tensor<2x4xf32>
%z = "test.op"() : () -> tensor<f32>
%y = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 2>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  "stablehlo.return"(%a) : (tensor<f32>) -> ()
}) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
// CHECK: dimensions [2] are not different axes of a tensor of rank 2

// -----

%p = "test.op"() : () -> tensor<2xi1>
%at = "test.op"() : () -> tensor<i32>
%z = "test.op"() : () -> tensor<f32>
%y = "stablehlo.while"(%at) ({
^bb0(%i: tensor<i32>):
  "stablehlo.return"(%p) : (tensor<2xi1>) -> ()
}, {
^bb0(%i: tensor<i32>):
  "stablehlo.return"(%z) : (tensor<f32>) -> ()
}) : (tensor<i32>) -> tensor<i32>
// CHECK: expected a body that returns values of the types of its operands
