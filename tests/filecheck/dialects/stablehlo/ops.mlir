// Every op reads what it prints, and tinyml-opt keeps it.

// RUN: %roundtrip

func.func @ops(%x: tensor<2x4xf32>, %image: tensor<1x4x4x2xf32>, %filter: tensor<3x3x2x5xf32>, %at: tensor<i32>) {
  %abs = "stablehlo.abs"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %abs = "stablehlo.abs"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %ceil = "stablehlo.ceil"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %ceil = "stablehlo.ceil"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %exponential = "stablehlo.exponential"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %exponential = "stablehlo.exponential"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %expm1 = "stablehlo.exponential_minus_one"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %expm1 = "stablehlo.exponential_minus_one"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %floor = "stablehlo.floor"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %floor = "stablehlo.floor"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %log = "stablehlo.log"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %log = "stablehlo.log"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %log1p = "stablehlo.log_plus_one"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %log1p = "stablehlo.log_plus_one"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %logistic = "stablehlo.logistic"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %logistic = "stablehlo.logistic"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %negate = "stablehlo.negate"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %negate = "stablehlo.negate"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %rsqrt = "stablehlo.rsqrt"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %rsqrt = "stablehlo.rsqrt"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %sqrt = "stablehlo.sqrt"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %sqrt = "stablehlo.sqrt"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %tanh = "stablehlo.tanh"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %tanh = "stablehlo.tanh"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %add = "stablehlo.add"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %add = "stablehlo.add"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %divide = "stablehlo.divide"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %divide = "stablehlo.divide"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %maximum = "stablehlo.maximum"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %maximum = "stablehlo.maximum"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %minimum = "stablehlo.minimum"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %minimum = "stablehlo.minimum"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %multiply = "stablehlo.multiply"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %multiply = "stablehlo.multiply"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %power = "stablehlo.power"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %power = "stablehlo.power"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %remainder = "stablehlo.remainder"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %remainder = "stablehlo.remainder"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %subtract = "stablehlo.subtract"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %subtract = "stablehlo.subtract"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %compare = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
// CHECK: %compare = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
  %equal = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type NOTYPE>}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
// CHECK: %equal = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type NOTYPE>}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
  %and = "stablehlo.and"(%compare, %compare) : (tensor<2x4xi1>, tensor<2x4xi1>) -> tensor<2x4xi1>
// CHECK: %and = "stablehlo.and"(%compare, %compare) : (tensor<2x4xi1>, tensor<2x4xi1>) -> tensor<2x4xi1>
  %or = "stablehlo.or"(%compare, %compare) : (tensor<2x4xi1>, tensor<2x4xi1>) -> tensor<2x4xi1>
// CHECK: %or = "stablehlo.or"(%compare, %compare) : (tensor<2x4xi1>, tensor<2x4xi1>) -> tensor<2x4xi1>
  %not = "stablehlo.not"(%compare) : (tensor<2x4xi1>) -> tensor<2x4xi1>
// CHECK: %not = "stablehlo.not"(%compare) : (tensor<2x4xi1>) -> tensor<2x4xi1>
  %select = "stablehlo.select"(%compare, %x, %x) : (tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %select = "stablehlo.select"(%compare, %x, %x) : (tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %zero = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
// CHECK: %zero = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
  %clamp = "stablehlo.clamp"(%zero, %x, %zero) : (tensor<f32>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
// CHECK: %clamp = "stablehlo.clamp"(%zero, %x, %zero) : (tensor<f32>, tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %iota = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x4xi32>
// CHECK: %iota = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x4xi32>
  %convert = "stablehlo.convert"(%iota) : (tensor<2x4xi32>) -> tensor<2x4xf32>
// CHECK: %convert = "stablehlo.convert"(%iota) : (tensor<2x4xi32>) -> tensor<2x4xf32>
  %barrier:2 = "stablehlo.optimization_barrier"(%x, %zero) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>, tensor<f32>)
// CHECK: "stablehlo.optimization_barrier"(%x, %zero)
// DROP"stablehlo.optimization_barrier"(%x, %zero) : (tensor<2x4xf32>, tensor<f32>) -> (tensor<2x4xf32>, tensor<f32>)
  %broadcast = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<2x4xf32>) -> tensor<2x3x4xf32>
// CHECK: %broadcast = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<2x4xf32>) -> tensor<2x3x4xf32>
  %reshape = "stablehlo.reshape"(%x) : (tensor<2x4xf32>) -> tensor<8xf32>
// CHECK: %reshape = "stablehlo.reshape"(%x) : (tensor<2x4xf32>) -> tensor<8xf32>
  %transpose = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
// CHECK: %transpose = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %slice = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 4>, strides = array<i64: 1, 2>}> : (tensor<2x4xf32>) -> tensor<2x2xf32>
// CHECK: %slice = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 4>, strides = array<i64: 1, 2>}> : (tensor<2x4xf32>) -> tensor<2x2xf32>
  %reverse = "stablehlo.reverse"(%x) <{dimensions = array<i64: 1>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
// CHECK: %reverse = "stablehlo.reverse"(%x) <{dimensions = array<i64: 1>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %concatenate = "stablehlo.concatenate"(%x, %x) <{dimension = 0 : i64}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
// CHECK: %concatenate = "stablehlo.concatenate"(%x, %x) <{dimension = 0 : i64}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %pad = "stablehlo.pad"(%x, %zero) <{edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 0, -1>, interior_padding = array<i64: 1, 0>}> : (tensor<2x4xf32>, tensor<f32>) -> tensor<3x4xf32>
// CHECK: %pad = "stablehlo.pad"(%x, %zero) <{edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 0, -1>, interior_padding = array<i64: 1, 0>}> : (tensor<2x4xf32>, tensor<f32>) -> tensor<3x4xf32>
  %dot = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2xf32>
// CHECK: %dot = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2xf32>
  %convolution = "stablehlo.convolution"(%image, %filter) <{window_strides = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x4x4x5xf32>
// CHECK: %convolution = "stablehlo.convolution"(%image, %filter) <{window_strides = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x4x4x5xf32>
  %dynamic_slice = "stablehlo.dynamic_slice"(%x, %at, %at) <{slice_sizes = array<i64: 1, 4>}> : (tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
// CHECK: %dynamic_slice = "stablehlo.dynamic_slice"(%x, %at, %at) <{slice_sizes = array<i64: 1, 4>}> : (tensor<2x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  %dynamic_update_slice = "stablehlo.dynamic_update_slice"(%x, %dynamic_slice, %at, %at) : (tensor<2x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
// CHECK: %dynamic_update_slice = "stablehlo.dynamic_update_slice"(%x, %dynamic_slice, %at, %at) : (tensor<2x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  %reduce = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
// CHECK: %reduce = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
// CHECK: "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  %reduce_window = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%sum) : (tensor<f32>) -> ()
  }) : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x2xf32>
// CHECK: %reduce_window = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  %while = "stablehlo.while"(%at) ({
  ^bb0(%i: tensor<i32>):
    %more = "stablehlo.compare"(%i, %at) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%more) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>):
    "stablehlo.return"(%i) : (tensor<i32>) -> ()
  }) : (tensor<i32>) -> tensor<i32>
// CHECK: %while = "stablehlo.while"(%at) ({
  func.return
}
