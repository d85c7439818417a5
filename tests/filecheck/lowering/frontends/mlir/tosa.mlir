// RUN: tinyml-opt %s | filecheck %s

// A depthwise convolution with padding and a bias, a clamp, an average of windows and a softmax by a reciprocal.

// CHECK: func.func @tosa(%[[x:.*]]: tensor<1x4x4x2xf32>) -> (index, tensor<1x2xf32>) {
// CHECK: %[[bias:.*]] = tdsl.const dense<{{.*}}[1.000000e-01, 2.000000e-01]{{.*}}> : tensor<1x1x1x2xf32>
// CHECK: %[[filter:.*]] = tdsl.const dense<{{.*}}> : tensor<2x3x3x1xf32>
// CHECK: %[[padded:.*]] = tdsl.pad %[[x]] {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>}
// CHECK: tdsl.conv2d %[[filter]], %[[padded]] {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64}
// CHECK: tdsl.add %{{.*}}, %[[bias]]
// CHECK: tdsl.relu6
// CHECK: tdsl.average_pool %{{.*}} {kernel = array<i64: 4, 4>
// CHECK: tdsl.softmax
// CHECK: tdsl.argmax

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x4x4x2xf32>) -> tensor<1x2xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<1x4x4x2xf32>):
    %filter = "tosa.const"() <{values = dense<1.5> : tensor<3x3x2x1xf32>}> : () -> tensor<3x3x2x1xf32>
    %bias = "tosa.const"() <{values = dense<[0.1, 0.2]> : tensor<2xf32>}> : () -> tensor<2xf32>
    %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %row = "tosa.const_shape"() <{values = dense<[1, 2]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %conv = "tosa.depthwise_conv2d"(%x, %filter, %bias, %zero, %zero) <{acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}> : (tensor<1x4x4x2xf32>, tensor<3x3x2x1xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x2xf32>
    %clamped = "tosa.clamp"(%conv) <{min_val = 0.0 : f32, max_val = 6.0 : f32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
    %pooled = "tosa.avg_pool2d"(%clamped, %zero, %zero) <{acc_type = f32, kernel = array<i64: 4, 4>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}> : (tensor<1x4x4x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x1x2xf32>
    %scores = "tosa.reshape"(%pooled, %row) : (tensor<1x1x1x2xf32>, !tosa.shape<2>) -> tensor<1x2xf32>
    %most = "tosa.reduce_max"(%scores) <{axis = 1 : i32, nan_mode = #tosa.nan_mode<PROPAGATE>}> : (tensor<1x2xf32>) -> tensor<1x1xf32>
    %less = "tosa.sub"(%scores, %most) : (tensor<1x2xf32>, tensor<1x1xf32>) -> tensor<1x2xf32>
    %powers = "tosa.exp"(%less) : (tensor<1x2xf32>) -> tensor<1x2xf32>
    %total = "tosa.reduce_sum"(%powers) <{axis = 1 : i32}> : (tensor<1x2xf32>) -> tensor<1x1xf32>
    %inverse = "tosa.reciprocal"(%total) : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %softmax = "tosa.mul"(%powers, %inverse, %shift) : (tensor<1x2xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x2xf32>
    "func.return"(%softmax) : (tensor<1x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
