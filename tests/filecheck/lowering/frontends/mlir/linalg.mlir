// RUN: tinyml-opt %s | filecheck %s

// A dense layer with its bias as what its sums start from, relu as a comparison and a choice, and a product by maps.

// CHECK: func.func @linalg(%[[x:.*]]: tensor<1x3xf32>) -> (index, tensor<1x2xf32>) {
// CHECK: %[[second:.*]] = tdsl.const dense<{{\[}}[1.000000e+00, -1.000000e+00], [5.000000e-01, 2.500000e-01]]>
// CHECK: %[[bias:.*]] = tdsl.const dense<{{\[}}[1.000000e-01, 2.000000e-01]]>
// CHECK: %[[first:.*]] = tdsl.const dense<{{\[}}[1.000000e+00, 3.000000e+00, 5.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00]]>
// CHECK: %[[column:.*]] = tdsl.reshape %[[x]]
// CHECK: %[[product:.*]] = tdsl.matmul %[[first]], %[[column]]
// CHECK: %[[row:.*]] = tdsl.reshape %[[product]]
// CHECK: %[[sum:.*]] = tdsl.add %[[row]], %[[bias]]
// CHECK: %[[relu:.*]] = tdsl.relu %[[sum]]
// CHECK: %[[hidden:.*]] = tdsl.reshape %[[relu]]
// CHECK: tdsl.spmv %[[second]], %[[hidden]]
// CHECK: tdsl.softmax

#row = affine_map<(d0, d1) -> (d0)>
#same = affine_map<(d0, d1) -> (d0, d1)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x3xf32>) -> tensor<1x2xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<1x3xf32>):
    %zero = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %lowest = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %first = "arith.constant"() <{value = dense_resource<first> : tensor<3x2xf32>}> : () -> tensor<3x2xf32>
    %bias = "arith.constant"() <{value = dense<[0.1, 0.2]> : tensor<2xf32>}> : () -> tensor<2xf32>
    %second = "arith.constant"() <{value = dense<[[1.0, -1.0], [0.5, 0.25]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
    %empty = "tensor.empty"() : () -> tensor<1x2xf32>
    %start = "linalg.broadcast"(%bias, %empty) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: f32, %b: f32):
      "linalg.yield"(%a) : (f32) -> ()
    }) : (tensor<2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %dense = "linalg.matmul"(%x, %first, %start) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = "arith.mulf"(%a, %b) : (f32, f32) -> f32
      %n = "arith.addf"(%c, %m) : (f32, f32) -> f32
      "linalg.yield"(%n) : (f32) -> ()
    }) : (tensor<1x3xf32>, tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %relu = "linalg.generic"(%dense, %empty) <{indexing_maps = [#same, #same], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%a: f32, %b: f32):
      %above = "arith.cmpf"(%a, %zero) <{predicate = 9 : i64}> : (f32, f32) -> i1
      %m = "arith.select"(%above, %a, %zero) : (i1, f32, f32) -> f32
      "linalg.yield"(%m) : (f32) -> ()
    }) : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %none = "linalg.fill"(%zero, %empty) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%a: f32, %b: f32):
      "linalg.yield"(%a) : (f32) -> ()
    }) : (f32, tensor<1x2xf32>) -> tensor<1x2xf32>
    %scores = "linalg.generic"(%relu, %second, %none) <{indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = "arith.mulf"(%a, %b) : (f32, f32) -> f32
      %n = "arith.addf"(%c, %m) : (f32, f32) -> f32
      "linalg.yield"(%n) : (f32) -> ()
    }) : (tensor<1x2xf32>, tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %one = "tensor.empty"() : () -> tensor<1xf32>
    %least = "linalg.fill"(%lowest, %one) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%a: f32, %b: f32):
      "linalg.yield"(%a) : (f32) -> ()
    }) : (f32, tensor<1xf32>) -> tensor<1xf32>
    %most = "linalg.generic"(%scores, %least) <{indexing_maps = [#same, #row], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%a: f32, %b: f32):
      %m = "arith.maximumf"(%b, %a) : (f32, f32) -> f32
      "linalg.yield"(%m) : (f32) -> ()
    }) : (tensor<1x2xf32>, tensor<1xf32>) -> tensor<1xf32>
    %powers = "linalg.generic"(%scores, %most, %empty) <{indexing_maps = [#same, #row, #same], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = "arith.subf"(%a, %b) : (f32, f32) -> f32
      %n = "math.exp"(%m) : (f32) -> f32
      "linalg.yield"(%n) : (f32) -> ()
    }) : (tensor<1x2xf32>, tensor<1xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    %nothing = "linalg.fill"(%zero, %one) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%a: f32, %b: f32):
      "linalg.yield"(%a) : (f32) -> ()
    }) : (f32, tensor<1xf32>) -> tensor<1xf32>
    %total = "linalg.generic"(%powers, %nothing) <{indexing_maps = [#same, #row], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%a: f32, %b: f32):
      %m = "arith.addf"(%b, %a) : (f32, f32) -> f32
      "linalg.yield"(%m) : (f32) -> ()
    }) : (tensor<1x2xf32>, tensor<1xf32>) -> tensor<1xf32>
    %softmax = "linalg.generic"(%powers, %total, %empty) <{indexing_maps = [#same, #row, #same], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = "arith.divf"(%a, %b) : (f32, f32) -> f32
      "linalg.yield"(%m) : (f32) -> ()
    }) : (tensor<1x2xf32>, tensor<1xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    "func.return"(%softmax) : (tensor<1x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      first: "0x040000000000803F0000004000004040000080400000A0400000C040"
    }
  }
#-}
