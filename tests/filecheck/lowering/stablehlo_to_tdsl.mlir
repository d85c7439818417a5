// RUN: tinyml-opt %s -p lower-stablehlo-to-tdsl --split-input-file | filecheck %s

// A scan over the rows of a sequence backwards, whose body is a function of its own; it keeps each state.

// CHECK: func.func @stablehlo_to_tdsl(%[[x:.*]]: tensor<4x2xf32>) -> tensor<4x2xf32> {
// CHECK: %[[w:.*]] = tdsl.const dense<{{\[}}[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]>
// CHECK: %[[turned:.*]] = tdsl.reverse %[[x]]
// CHECK: %[[whole:.*]], %{{.*}} = scf.for %[[t:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[state:.*]] = %{{.*}}, %[[states:.*]] = %{{.*}}) -> (tensor<2xf32>, tensor<4x2xf32>) {
// CHECK: tdsl.index %[[turned]][%[[t]]] : tensor<4x2xf32> -> tensor<2xf32>
// CHECK: tdsl.matmul %[[w]]
// CHECK: tdsl.tanh
// CHECK: tdsl.insert_slice %{{.*}}, %[[states]][%[[t]]
// CHECK: tdsl.reverse

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x2xf32>) -> tensor<4x2xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%x: tensor<4x2xf32>):
    %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %reals = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %start = "stablehlo.broadcast_in_dim"(%reals) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2xf32>
    %states = "stablehlo.broadcast_in_dim"(%reals) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x2xf32>
    %r:4 = "stablehlo.while"(%x, %zero, %start, %states) ({
    ^bb0(%xs: tensor<4x2xf32>, %i: tensor<i32>, %h: tensor<2xf32>, %all: tensor<4x2xf32>):
      %four = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
      %more = "stablehlo.compare"(%i, %four) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%more) : (tensor<i1>) -> ()
    }, {
    ^bb0(%xs: tensor<4x2xf32>, %i: tensor<i32>, %h: tensor<2xf32>, %all: tensor<4x2xf32>):
      %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %none = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %last = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
      %at = "stablehlo.subtract"(%last, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %row = "stablehlo.dynamic_slice"(%xs, %at, %none) <{slice_sizes = array<i64: 1, 2>}> : (tensor<4x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
      %flat = "stablehlo.reshape"(%row) : (tensor<1x2xf32>) -> tensor<2xf32>
      %next = "func.call"(%flat, %h) <{callee = @cell}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %part = "stablehlo.reshape"(%next) : (tensor<2xf32>) -> tensor<1x2xf32>
      %kept = "stablehlo.dynamic_update_slice"(%all, %part, %at, %none) : (tensor<4x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
      %j = "stablehlo.add"(%i, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%xs, %j, %next, %kept) : (tensor<4x2xf32>, tensor<i32>, tensor<2xf32>, tensor<4x2xf32>) -> ()
    }) : (tensor<4x2xf32>, tensor<i32>, tensor<2xf32>, tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<i32>, tensor<2xf32>, tensor<4x2xf32>)
    "func.return"(%r#3) : (tensor<4x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>, sym_name = "cell", sym_visibility = "private"}> ({
  ^bb0(%row: tensor<2xf32>, %h: tensor<2xf32>):
    %w = "stablehlo.constant"() <{value = dense<[[1.0, 3.0], [2.0, 4.0]]> : tensor<2x2xf32>}> : () -> tensor<2x2xf32>
    %product = "stablehlo.dot_general"(%h, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
    %sum = "stablehlo.add"(%product, %row) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %next = "stablehlo.tanh"(%sum) : (tensor<2xf32>) -> tensor<2xf32>
    "func.return"(%next) : (tensor<2xf32>) -> ()
  }) : () -> ()
}) : () -> ()

// -----

// A module without these ops stays as it is.
func.func @ours(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %y = tdsl.tanh %x : tensor<4x2xf32> -> tensor<4x2xf32>
  func.return %y : tensor<4x2xf32>
}
// CHECK-LABEL: func.func @ours
// CHECK-NEXT: %y = tdsl.tanh %x
