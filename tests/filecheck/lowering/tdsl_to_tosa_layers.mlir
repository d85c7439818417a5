// RUN: tinyml-opt %s -p lower-tdsl-to-tosa | filecheck %s

// Products, pools and shares, with the numbers that they compute by.

// Channels 0 and 1 of the image belong to the first filter, 2 and 3 to the second.
func.func @grouped(%x: tensor<1x3x4x4x!zeroskew.q<8, 0.5, 3>>) -> tensor<1x2x3x2x!zeroskew.q<8, 0.25, -7>> {
  %w = tdsl.const dense<[[[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[[9, 10], [11, 12]], [[13, 14], [15, 16]]]]> : tensor<2x2x2x2xi8> -> tensor<2x2x2x2x!zeroskew.q<8, 0.5, 0>>
  %y = tdsl.conv2d %w, %x {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : tensor<2x2x2x2x!zeroskew.q<8, 0.5, 0>>, tensor<1x3x4x4x!zeroskew.q<8, 0.5, 3>> -> tensor<1x2x3x2x!zeroskew.q<8, 0.25, -7>>
  func.return %y : tensor<1x2x3x2x!zeroskew.q<8, 0.25, -7>>
}
// CHECK-LABEL: func.func @grouped(%x: tensor<1x3x4x4xi8>) -> tensor<1x2x3x2xi8> {
// CHECK-NEXT: [[v0:%.*]] = "tosa.const_shape"() <{values = dense<0> : tensor<4xindex>}> : () -> !tosa.shape<4>
// CHECK-NEXT: [[v1:%.*]] = "tosa.const_shape"() <{values = dense<[1, 3, 4, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
// CHECK-NEXT: [[v2:%.*]] = "tosa.slice"(%x, [[v0]], [[v1]]) : (tensor<1x3x4x4xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x3x4x2xi8>
// CHECK-NEXT: [[v3:%.*]] = "tosa.const"() <{values = dense<{{\[\[}}{{\[\[}}1, 2], [3, 4]], {{\[\[}}5, 6], [7, 8]]]]> : tensor<1x2x2x2xi8>}> : () -> tensor<1x2x2x2xi8>
// CHECK-NEXT: [[v4:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v5:%.*]] = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v6:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v7:%.*]] = "tosa.conv2d"([[v2]], [[v3]], [[v4]], [[v5]], [[v6]]) <{acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}> : (tensor<1x3x4x2xi8>, tensor<1x2x2x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3x1xi32>
// CHECK-NEXT: [[v8:%.*]] = "tosa.const_shape"() <{values = dense<[0, 0, 0, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
// CHECK-NEXT: [[v9:%.*]] = "tosa.slice"(%x, [[v8]], [[v1]]) : (tensor<1x3x4x4xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x3x4x2xi8>
// CHECK-NEXT: [[v10:%.*]] = "tosa.const"() <{values = dense<{{\[\[}}{{\[\[}}9, 10], [11, 12]], {{\[\[}}13, 14], [15, 16]]]]> : tensor<1x2x2x2xi8>}> : () -> tensor<1x2x2x2xi8>
// CHECK-NEXT: [[v11:%.*]] = "tosa.conv2d"([[v9]], [[v10]], [[v4]], [[v5]], [[v6]]) <{acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}> : (tensor<1x3x4x2xi8>, tensor<1x2x2x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x3x1xi32>
// CHECK-NEXT: [[v12:%.*]] = tosa.concat [[v7]], [[v11]] {axis = 3 : i32} : (tensor<1x2x3x1xi32>, tensor<1x2x3x1xi32>) -> tensor<1x2x3x2xi32>
// CHECK-NEXT: [[v13:%.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v14:%.*]] = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v15:%.*]] = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: %y = tosa.rescale [[v12]], [[v13]], [[v14]], [[v4]], [[v15]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x3x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x3x2xi8>
// CHECK-NEXT: func.return %y : tensor<1x2x3x2xi8>

// Two filters for each of two channels: the filter's last axes are the channel and its filter.
func.func @depthwise(%x: tensor<1x5x4x2x!zeroskew.q<8, 0.5, 3>>) -> tensor<1x3x2x4x!zeroskew.q<8, 0.25, -7>> {
  %w = tdsl.const dense<[[[[1], [2]], [[3], [4]]], [[[5], [6]], [[7], [8]]], [[[9], [10]], [[11], [12]]], [[[13], [14]], [[15], [16]]]]> : tensor<4x2x2x1xi8> -> tensor<4x2x2x1x!zeroskew.q<8, 0.5, 0>>
  %y = tdsl.conv2d %w, %x {strides = array<i64: 1, 2>, dilations = array<i64: 2, 1>, groups = 2 : i64} : tensor<4x2x2x1x!zeroskew.q<8, 0.5, 0>>, tensor<1x5x4x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x3x2x4x!zeroskew.q<8, 0.25, -7>>
  func.return %y : tensor<1x3x2x4x!zeroskew.q<8, 0.25, -7>>
}
// CHECK-LABEL: func.func @depthwise(%x: tensor<1x5x4x2xi8>) -> tensor<1x3x2x4xi8> {
// CHECK-NEXT: [[v0:%.*]] = "tosa.const"() <{values = dense<{{\[\[}}{{\[\[}}1, 5], [9, 13]], {{\[\[}}2, 6], [10, 14]]], {{\[\[}}[3, 7], [11, 15]], {{\[\[}}4, 8], [12, 16]]]]> : tensor<2x2x2x2xi8>}> : () -> tensor<2x2x2x2xi8>
// CHECK-NEXT: [[v1:%.*]] = "tosa.const"() <{values = dense<0> : tensor<4xi32>}> : () -> tensor<4xi32>
// CHECK-NEXT: [[v2:%.*]] = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v3:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v4:%.*]] = "tosa.depthwise_conv2d"(%x, [[v0]], [[v1]], [[v2]], [[v3]]) <{acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 2>, dilation = array<i64: 2, 1>}> : (tensor<1x5x4x2xi8>, tensor<2x2x2x2xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x3x2x4xi32>
// CHECK-NEXT: [[v5:%.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v6:%.*]] = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v7:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v8:%.*]] = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: %y = tosa.rescale [[v4]], [[v5]], [[v6]], [[v7]], [[v8]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x3x2x4xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x3x2x4xi8>
// CHECK-NEXT: func.return %y : tensor<1x3x2x4xi8>

// Two columns are two pixels, whose sums are turned back; one column needs no turn. Biases are where sums start.
func.func @dense(%x: tensor<3x2x!zeroskew.q<8, 0.5, 3>>) -> (tensor<2x2x!zeroskew.q<8, 0.25, -7>>, tensor<2x1x!zeroskew.q<8, 0.25, -7>>) {
  %w = tdsl.const dense<[[1, -2, 3], [4, 5, -6]]> : tensor<2x3xi8> -> tensor<2x3x!zeroskew.q<8, 0.5, 0>>
  %v = tdsl.const dense<[[7, 8], [9, -10]]> : tensor<2x2xi8> -> tensor<2x2x!zeroskew.q<8, 0.5, 0>>
  %b = tdsl.const dense<[[11], [-12]]> : tensor<2x1xi32> -> tensor<2x1x!zeroskew.q<32, 0.125, 0>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %y = tdsl.matmul %w, %x : tensor<2x3x!zeroskew.q<8, 0.5, 0>>, tensor<3x2x!zeroskew.q<8, 0.5, 3>> -> tensor<2x2x!zeroskew.q<8, 0.25, -7>>
  %column = tdsl.slice %y[%zero, %one] : tensor<2x2x!zeroskew.q<8, 0.25, -7>> -> tensor<2x1x!zeroskew.q<8, 0.25, -7>>
  %z = tdsl.matmul_sum %v, %column from %b : tensor<2x1x!zeroskew.q<32, 0.125, 0>> : tensor<2x2x!zeroskew.q<8, 0.5, 0>>, tensor<2x1x!zeroskew.q<8, 0.25, -7>> -> tensor<2x1x!zeroskew.q<8, 0.25, -7>>
  func.return %y, %z : tensor<2x2x!zeroskew.q<8, 0.25, -7>>, tensor<2x1x!zeroskew.q<8, 0.25, -7>>
}
// CHECK-LABEL: func.func @dense(%x: tensor<3x2xi8>) -> (tensor<2x2xi8>, tensor<2x1xi8>) {
// CHECK-NEXT: [[v0:%.*]] = "tosa.transpose"(%x) <{perms = array<i32: 1, 0>}> : (tensor<3x2xi8>) -> tensor<2x3xi8>
// CHECK-NEXT: [[v1:%.*]] = "tosa.const_shape"() <{values = dense<[2, 1, 1, 3]> : tensor<4xindex>}> : () -> !tosa.shape<4>
// CHECK-NEXT: [[v2:%.*]] = "tosa.reshape"([[v0]], [[v1]]) : (tensor<2x3xi8>, !tosa.shape<4>) -> tensor<2x1x1x3xi8>
// CHECK-NEXT: [[v3:%.*]] = "tosa.const"() <{values = dense<{{\[\[}}{{\[\[}}1, -2, 3]]], {{\[\[}}[4, 5, -6]]]]> : tensor<2x1x1x3xi8>}> : () -> tensor<2x1x1x3xi8>
// CHECK-NEXT: [[v4:%.*]] = "tosa.const"() <{values = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
// CHECK-NEXT: [[v5:%.*]] = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v6:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v7:%.*]] = "tosa.conv2d"([[v2]], [[v3]], [[v4]], [[v5]], [[v6]]) <{acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}> : (tensor<2x1x1x3xi8>, tensor<2x1x1x3xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x1x1x2xi32>
// CHECK-NEXT: [[v8:%.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v9:%.*]] = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v10:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v11:%.*]] = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v12:%.*]] = tosa.rescale [[v7]], [[v8]], [[v9]], [[v10]], [[v11]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2x1x1x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x1x1x2xi8>
// CHECK-NEXT: [[v13:%.*]] = "tosa.transpose"([[v12]]) <{perms = array<i32: 3, 1, 2, 0>}> : (tensor<2x1x1x2xi8>) -> tensor<2x1x1x2xi8>
// CHECK-NEXT: [[v14:%.*]] = "tosa.const_shape"() <{values = dense<2> : tensor<2xindex>}> : () -> !tosa.shape<2>
// CHECK-NEXT: %y = "tosa.reshape"([[v13]], [[v14]]) : (tensor<2x1x1x2xi8>, !tosa.shape<2>) -> tensor<2x2xi8>
// CHECK-NEXT: [[v15:%.*]] = "tosa.const_shape"() <{values = dense<[0, 1]> : tensor<2xindex>}> : () -> !tosa.shape<2>
// CHECK-NEXT: [[v16:%.*]] = "tosa.const_shape"() <{values = dense<[2, 1]> : tensor<2xindex>}> : () -> !tosa.shape<2>
// CHECK-NEXT: %column = "tosa.slice"(%y, [[v15]], [[v16]]) : (tensor<2x2xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x1xi8>
// CHECK-NEXT: [[v17:%.*]] = "tosa.const_shape"() <{values = dense<[1, 1, 1, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
// CHECK-NEXT: [[v18:%.*]] = "tosa.reshape"(%column, [[v17]]) : (tensor<2x1xi8>, !tosa.shape<4>) -> tensor<1x1x1x2xi8>
// CHECK-NEXT: [[v19:%.*]] = "tosa.const"() <{values = dense<{{\[\[}}{{\[\[}}7, 8]]], {{\[\[}}[9, -10]]]]> : tensor<2x1x1x2xi8>}> : () -> tensor<2x1x1x2xi8>
// CHECK-NEXT: [[v20:%.*]] = "tosa.const"() <{values = dense<[11, -12]> : tensor<2xi32>}> : () -> tensor<2xi32>
// CHECK-NEXT: [[v21:%.*]] = "tosa.conv2d"([[v18]], [[v19]], [[v20]], [[v11]], [[v6]]) <{acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}> : (tensor<1x1x1x2xi8>, tensor<2x1x1x2xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x2xi32>
// CHECK-NEXT: [[v22:%.*]] = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v23:%.*]] = tosa.rescale [[v21]], [[v8]], [[v22]], [[v10]], [[v11]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x1x1x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x2xi8>
// CHECK-NEXT: %z = "tosa.reshape"([[v23]], [[v16]]) : (tensor<1x1x1x2xi8>, !tosa.shape<2>) -> tensor<2x1xi8>
// CHECK-NEXT: func.return %y, %z : tensor<2x2xi8>, tensor<2x1xi8>

// The last window ends where the image does, so its fifth row and column go. Averages round away from zero: half the number of
// pixels is added or subtracted, and pixels of the padding do not count.
func.func @pools(%x: tensor<1x5x5x2x!zeroskew.q<8, 0.5, 0>>) -> (tensor<1x2x2x2x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x1x2x!zeroskew.q<8, 0.25, 5>>) {
  %m = tdsl.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>} : tensor<1x5x5x2x!zeroskew.q<8, 0.5, 0>> -> tensor<1x2x2x2x!zeroskew.q<8, 0.5, 0>>
  %a = tdsl.average_pool %x {kernel = array<i64: 3, 2>, padding = array<i64: 1, 0, 0, 0>, strides = array<i64: 2, 2>} : tensor<1x5x5x2x!zeroskew.q<8, 0.5, 0>> -> tensor<1x2x2x2x!zeroskew.q<8, 0.5, 0>>
  %b = tdsl.average_pool %m {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : tensor<1x2x2x2x!zeroskew.q<8, 0.5, 0>> -> tensor<1x1x1x2x!zeroskew.q<8, 0.25, 5>>
  func.return %a, %b : tensor<1x2x2x2x!zeroskew.q<8, 0.5, 0>>, tensor<1x1x1x2x!zeroskew.q<8, 0.25, 5>>
}
// CHECK-LABEL: func.func @pools(%x: tensor<1x5x5x2xi8>) -> (tensor<1x2x2x2xi8>, tensor<1x1x1x2xi8>) {
// CHECK-NEXT: [[v0:%.*]] = "tosa.const_shape"() <{values = dense<0> : tensor<4xindex>}> : () -> !tosa.shape<4>
// CHECK-NEXT: [[v1:%.*]] = "tosa.const_shape"() <{values = dense<[1, 4, 4, 2]> : tensor<4xindex>}> : () -> !tosa.shape<4>
// CHECK-NEXT: [[v2:%.*]] = "tosa.slice"(%x, [[v0]], [[v1]]) : (tensor<1x5x5x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x4x4x2xi8>
// CHECK-NEXT: %m = tosa.max_pool2d [[v2]] {pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>, kernel = array<i64: 2, 2>} : (tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xi8>
// CHECK-NEXT: [[v3:%.*]] = "tosa.slice"(%x, [[v0]], [[v1]]) : (tensor<1x5x5x2xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x4x4x2xi8>
// CHECK-NEXT: [[v4:%.*]] = "tosa.const"() <{values = dense<1> : tensor<3x2x2x1xi8>}> : () -> tensor<3x2x2x1xi8>
// CHECK-NEXT: [[v5:%.*]] = "tosa.const"() <{values = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
// CHECK-NEXT: [[v6:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v7:%.*]] = "tosa.depthwise_conv2d"([[v3]], [[v4]], [[v5]], [[v6]], [[v6]]) <{acc_type = i32, pad = array<i64: 1, 0, 0, 0>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>}> : (tensor<1x4x4x2xi8>, tensor<3x2x2x1xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x2x2x2xi32>
// CHECK-NEXT: [[v8:%.*]] = "tosa.const"() <{values = dense<{{\[\[}}{{\[\[}}2], [2]], {{\[\[}}3], [3]]]]> : tensor<1x2x2x1xi32>}> : () -> tensor<1x2x2x1xi32>
// CHECK-NEXT: [[v9:%.*]] = "tosa.const"() <{values = dense<{{\[\[}}{{\[\[}}-2], [-2]], {{\[\[}}-3], [-3]]]]> : tensor<1x2x2x1xi32>}> : () -> tensor<1x2x2x1xi32>
// CHECK-NEXT: [[v10:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
// CHECK-NEXT: [[v11:%.*]] = "tosa.greater_equal"([[v7]], [[v10]]) : (tensor<1x2x2x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x2x2x2xi1>
// CHECK-NEXT: [[v12:%.*]] = "tosa.select"([[v11]], [[v8]], [[v9]]) : (tensor<1x2x2x2xi1>, tensor<1x2x2x1xi32>, tensor<1x2x2x1xi32>) -> tensor<1x2x2x2xi32>
// CHECK-NEXT: [[v13:%.*]] = tosa.add [[v7]], [[v12]] : (tensor<1x2x2x2xi32>, tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
// CHECK-NEXT: [[v14:%.*]] = "tosa.const"() <{values = dense<{{\[\[}}{{\[\[}}4], [4]], {{\[\[}}6], [6]]]]> : tensor<1x2x2x1xi32>}> : () -> tensor<1x2x2x1xi32>
// CHECK-NEXT: [[v15:%.*]] = "tosa.intdiv"([[v13]], [[v14]]) : (tensor<1x2x2x2xi32>, tensor<1x2x2x1xi32>) -> tensor<1x2x2x2xi32>
// CHECK-NEXT: [[v16:%.*]] = tosa.clamp [[v15]] {min_val = -128 : i32, max_val = 127 : i32} : (tensor<1x2x2x2xi32>) -> tensor<1x2x2x2xi32>
// CHECK-NEXT: [[v17:%.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v18:%.*]] = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v19:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: %a = tosa.rescale [[v16]], [[v17]], [[v18]], [[v19]], [[v6]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x2x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x2x2x2xi8>
// CHECK-NEXT: [[v20:%.*]] = "tosa.const"() <{values = dense<1> : tensor<2x2x2x1xi8>}> : () -> tensor<2x2x2x1xi8>
// CHECK-NEXT: [[v21:%.*]] = "tosa.depthwise_conv2d"(%m, [[v20]], [[v5]], [[v6]], [[v6]]) <{acc_type = i32, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>, dilation = array<i64: 1, 1>}> : (tensor<1x2x2x2xi8>, tensor<2x2x2x1xi8>, tensor<2xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x2xi32>
// CHECK-NEXT: [[v22:%.*]] = "tosa.const"() <{values = dense<2> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
// CHECK-NEXT: [[v23:%.*]] = "tosa.const"() <{values = dense<-2> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
// CHECK-NEXT: [[v24:%.*]] = "tosa.greater_equal"([[v21]], [[v10]]) : (tensor<1x1x1x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x2xi1>
// CHECK-NEXT: [[v25:%.*]] = "tosa.select"([[v24]], [[v22]], [[v23]]) : (tensor<1x1x1x2xi1>, tensor<1x1x1x1xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x2xi32>
// CHECK-NEXT: [[v26:%.*]] = tosa.add [[v21]], [[v25]] : (tensor<1x1x1x2xi32>, tensor<1x1x1x2xi32>) -> tensor<1x1x1x2xi32>
// CHECK-NEXT: [[v27:%.*]] = "tosa.const"() <{values = dense<4> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
// CHECK-NEXT: [[v28:%.*]] = "tosa.intdiv"([[v26]], [[v27]]) : (tensor<1x1x1x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x2xi32>
// CHECK-NEXT: [[v29:%.*]] = tosa.clamp [[v28]] {min_val = -128 : i32, max_val = 127 : i32} : (tensor<1x1x1x2xi32>) -> tensor<1x1x1x2xi32>
// CHECK-NEXT: [[v30:%.*]] = tosa.sub [[v29]], [[v10]] : (tensor<1x1x1x2xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x2xi32>
// CHECK-NEXT: [[v31:%.*]] = "tosa.const"() <{values = dense<29> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v32:%.*]] = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: %b = tosa.rescale [[v30]], [[v17]], [[v31]], [[v19]], [[v32]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x1x1x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x2xi8>
// CHECK-NEXT: func.return %a, %b : tensor<1x2x2x2xi8>, tensor<1x1x1x2xi8>
