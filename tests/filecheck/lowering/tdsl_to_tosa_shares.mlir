// RUN: tinyml-opt %s -p lower-tdsl-to-tosa | filecheck %s

// Exponentials from a table, and a reciprocal by three steps of Newton's method. Shares of 2^-8 have 8 bits: the shift is
// 12 + 31 - 8 less the leading zeros. Those of other scales have 16, and a factor of 2^-16 / 2^-7, which is a shift by 39.

func.func @shares(%x: tensor<1x3x!zeroskew.q<8, 0.5, 0>>) -> tensor<1x3x!zeroskew.q<8, 0.00390625, -128>> {
  %s = tdsl.softmax %x : tensor<1x3x!zeroskew.q<8, 0.5, 0>> -> tensor<1x3x!zeroskew.q<8, 0.00390625, -128>>
  func.return %s : tensor<1x3x!zeroskew.q<8, 0.00390625, -128>>
}
// CHECK-LABEL: func.func @shares(%x: tensor<1x3xi8>) -> tensor<1x3xi8> {
// CHECK-NEXT: [[v0:%.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v1:%.*]] = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v2:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v3:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v4:%.*]] = tosa.rescale %x, [[v0]], [[v1]], [[v2]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v5:%.*]] = tosa.reduce_max [[v4]] {axis = 1 : i32} : (tensor<1x3xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v6:%.*]] = tosa.sub [[v5]], [[v4]] : (tensor<1x1xi32>, tensor<1x3xi32>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v7:%.*]] = "tosa.const"() <{values = dense<[2147483647, 1302515042, 790015308, 479168506, 290630390, 176276242, 106916946, 64848406, 39332546, 23856395, 14469635, 8776277, 5323081, 3228612, 1958252, 1187740, 720401, 436945, 265021, 160743, 97496, 59134, 35867, 21754, 13195, 8003, 4854, 2944, 1786, 1083, 657, 398, 0]> : tensor<33xi32>}> : () -> tensor<33xi32>
// CHECK-NEXT: [[v8:%.*]] = tosa.clamp [[v6]] {min_val = 0 : i32, max_val = 32 : i32} : (tensor<1x3xi32>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v9:%.*]] = "tosa.const_shape"() <{values = dense<[1, 33, 1]> : tensor<3xindex>}> : () -> !tosa.shape<3>
// CHECK-NEXT: [[v10:%.*]] = "tosa.reshape"([[v7]], [[v9]]) : (tensor<33xi32>, !tosa.shape<3>) -> tensor<1x33x1xi32>
// CHECK-NEXT: [[v11:%.*]] = "tosa.gather"([[v10]], [[v8]]) : (tensor<1x33x1xi32>, tensor<1x3xi32>) -> tensor<1x3x1xi32>
// CHECK-NEXT: [[v12:%.*]] = "tosa.const_shape"() <{values = dense<[1, 3]> : tensor<2xindex>}> : () -> !tosa.shape<2>
// CHECK-NEXT: [[v13:%.*]] = "tosa.reshape"([[v11]], [[v12]]) : (tensor<1x3x1xi32>, !tosa.shape<2>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v14:%.*]] = "tosa.const"() <{values = dense<12> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v15:%.*]] = "tosa.arithmetic_right_shift"([[v13]], [[v14]]) <{round = true}> : (tensor<1x3xi32>, tensor<1x1xi32>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v16:%.*]] = tosa.reduce_sum [[v15]] {axis = 1 : i32} : (tensor<1x3xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v17:%.*]] = "tosa.clz"([[v16]]) : (tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v18:%.*]] = "tosa.const"() <{values = dense<35> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v19:%.*]] = tosa.sub [[v18]], [[v17]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v20:%.*]] = "tosa.const"() <{values = dense<1> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v21:%.*]] = tosa.sub [[v17]], [[v20]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v22:%.*]] = "tosa.logical_left_shift"([[v16]], [[v21]]) : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v23:%.*]] = "tosa.const"() <{values = dense<1515870810> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v24:%.*]] = "tosa.const"() <{values = dense<-1010580540> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v25:%.*]] = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v26:%.*]] = tosa.mul [[v22]], [[v24]], [[v25]] : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v27:%.*]] = tosa.add [[v23]], [[v26]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v28:%.*]] = "tosa.const"() <{values = dense<536870912> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v29:%.*]] = tosa.mul [[v22]], [[v27]], [[v25]] : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v30:%.*]] = tosa.sub [[v28]], [[v29]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v31:%.*]] = tosa.mul [[v27]], [[v30]], [[v25]] : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v32:%.*]] = "tosa.const"() <{values = dense<2> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v33:%.*]] = "tosa.logical_left_shift"([[v31]], [[v32]]) : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v34:%.*]] = tosa.add [[v27]], [[v33]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v35:%.*]] = tosa.mul [[v22]], [[v34]], [[v25]] : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v36:%.*]] = tosa.sub [[v28]], [[v35]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v37:%.*]] = tosa.mul [[v34]], [[v36]], [[v25]] : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v38:%.*]] = "tosa.logical_left_shift"([[v37]], [[v32]]) : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v39:%.*]] = tosa.add [[v34]], [[v38]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v40:%.*]] = tosa.mul [[v22]], [[v39]], [[v25]] : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v41:%.*]] = tosa.sub [[v28]], [[v40]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v42:%.*]] = tosa.mul [[v39]], [[v41]], [[v25]] : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v43:%.*]] = "tosa.logical_left_shift"([[v42]], [[v32]]) : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v44:%.*]] = tosa.add [[v39]], [[v43]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v45:%.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v46:%.*]] = "tosa.greater_equal"([[v44]], [[v45]]) : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi1>
// CHECK-NEXT: [[v47:%.*]] = "tosa.const"() <{values = dense<2147483647> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v48:%.*]] = "tosa.logical_left_shift"([[v44]], [[v20]]) : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v49:%.*]] = "tosa.select"([[v46]], [[v47]], [[v48]]) : (tensor<1x1xi1>, tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v50:%.*]] = tosa.mul [[v13]], [[v49]], [[v25]] : (tensor<1x3xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v51:%.*]] = "tosa.arithmetic_right_shift"([[v50]], [[v19]]) <{round = true}> : (tensor<1x3xi32>, tensor<1x1xi32>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v52:%.*]] = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: %s = tosa.rescale [[v51]], [[v0]], [[v1]], [[v3]], [[v52]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x3xi8>
// CHECK-NEXT: func.return %s : tensor<1x3xi8>

func.func @others(%x: tensor<1x3x!zeroskew.q<8, 0.5, 0>>) -> tensor<1x3x!zeroskew.q<8, 0.0078125, 0>> {
  %s = tdsl.softmax %x : tensor<1x3x!zeroskew.q<8, 0.5, 0>> -> tensor<1x3x!zeroskew.q<8, 0.0078125, 0>>
  func.return %s : tensor<1x3x!zeroskew.q<8, 0.0078125, 0>>
}
// CHECK-LABEL: func.func @others(%x: tensor<1x3xi8>) -> tensor<1x3xi8> {
// CHECK-NEXT: [[v0:%.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v1:%.*]] = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v2:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v3:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v4:%.*]] = tosa.rescale %x, [[v0]], [[v1]], [[v2]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v5:%.*]] = tosa.reduce_max [[v4]] {axis = 1 : i32} : (tensor<1x3xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v6:%.*]] = tosa.sub [[v5]], [[v4]] : (tensor<1x1xi32>, tensor<1x3xi32>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v7:%.*]] = "tosa.const"() <{values = dense<[2147483647, 1302515042, 790015308, 479168506, 290630390, 176276242, 106916946, 64848406, 39332546, 23856395, 14469635, 8776277, 5323081, 3228612, 1958252, 1187740, 720401, 436945, 265021, 160743, 97496, 59134, 35867, 21754, 13195, 8003, 4854, 2944, 1786, 1083, 657, 398, 0]> : tensor<33xi32>}> : () -> tensor<33xi32>
// CHECK-NEXT: [[v8:%.*]] = tosa.clamp [[v6]] {min_val = 0 : i32, max_val = 32 : i32} : (tensor<1x3xi32>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v9:%.*]] = "tosa.const_shape"() <{values = dense<[1, 33, 1]> : tensor<3xindex>}> : () -> !tosa.shape<3>
// CHECK-NEXT: [[v10:%.*]] = "tosa.reshape"([[v7]], [[v9]]) : (tensor<33xi32>, !tosa.shape<3>) -> tensor<1x33x1xi32>
// CHECK-NEXT: [[v11:%.*]] = "tosa.gather"([[v10]], [[v8]]) : (tensor<1x33x1xi32>, tensor<1x3xi32>) -> tensor<1x3x1xi32>
// CHECK-NEXT: [[v12:%.*]] = "tosa.const_shape"() <{values = dense<[1, 3]> : tensor<2xindex>}> : () -> !tosa.shape<2>
// CHECK-NEXT: [[v13:%.*]] = "tosa.reshape"([[v11]], [[v12]]) : (tensor<1x3x1xi32>, !tosa.shape<2>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v14:%.*]] = "tosa.const"() <{values = dense<12> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v15:%.*]] = "tosa.arithmetic_right_shift"([[v13]], [[v14]]) <{round = true}> : (tensor<1x3xi32>, tensor<1x1xi32>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v16:%.*]] = tosa.reduce_sum [[v15]] {axis = 1 : i32} : (tensor<1x3xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v17:%.*]] = "tosa.clz"([[v16]]) : (tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v18:%.*]] = "tosa.const"() <{values = dense<27> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v19:%.*]] = tosa.sub [[v18]], [[v17]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v20:%.*]] = "tosa.const"() <{values = dense<1> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v21:%.*]] = tosa.sub [[v17]], [[v20]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v22:%.*]] = "tosa.logical_left_shift"([[v16]], [[v21]]) : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v23:%.*]] = "tosa.const"() <{values = dense<1515870810> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v24:%.*]] = "tosa.const"() <{values = dense<-1010580540> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v25:%.*]] = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v26:%.*]] = tosa.mul [[v22]], [[v24]], [[v25]] : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v27:%.*]] = tosa.add [[v23]], [[v26]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v28:%.*]] = "tosa.const"() <{values = dense<536870912> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v29:%.*]] = tosa.mul [[v22]], [[v27]], [[v25]] : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v30:%.*]] = tosa.sub [[v28]], [[v29]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v31:%.*]] = tosa.mul [[v27]], [[v30]], [[v25]] : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v32:%.*]] = "tosa.const"() <{values = dense<2> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v33:%.*]] = "tosa.logical_left_shift"([[v31]], [[v32]]) : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v34:%.*]] = tosa.add [[v27]], [[v33]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v35:%.*]] = tosa.mul [[v22]], [[v34]], [[v25]] : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v36:%.*]] = tosa.sub [[v28]], [[v35]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v37:%.*]] = tosa.mul [[v34]], [[v36]], [[v25]] : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v38:%.*]] = "tosa.logical_left_shift"([[v37]], [[v32]]) : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v39:%.*]] = tosa.add [[v34]], [[v38]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v40:%.*]] = tosa.mul [[v22]], [[v39]], [[v25]] : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v41:%.*]] = tosa.sub [[v28]], [[v40]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v42:%.*]] = tosa.mul [[v39]], [[v41]], [[v25]] : (tensor<1x1xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v43:%.*]] = "tosa.logical_left_shift"([[v42]], [[v32]]) : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v44:%.*]] = tosa.add [[v39]], [[v43]] : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v45:%.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v46:%.*]] = "tosa.greater_equal"([[v44]], [[v45]]) : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi1>
// CHECK-NEXT: [[v47:%.*]] = "tosa.const"() <{values = dense<2147483647> : tensor<1x1xi32>}> : () -> tensor<1x1xi32>
// CHECK-NEXT: [[v48:%.*]] = "tosa.logical_left_shift"([[v44]], [[v20]]) : (tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v49:%.*]] = "tosa.select"([[v46]], [[v47]], [[v48]]) : (tensor<1x1xi1>, tensor<1x1xi32>, tensor<1x1xi32>) -> tensor<1x1xi32>
// CHECK-NEXT: [[v50:%.*]] = tosa.mul [[v13]], [[v49]], [[v25]] : (tensor<1x3xi32>, tensor<1x1xi32>, tensor<1xi8>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v51:%.*]] = "tosa.arithmetic_right_shift"([[v50]], [[v19]]) <{round = true}> : (tensor<1x3xi32>, tensor<1x1xi32>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v52:%.*]] = "tosa.const"() <{values = dense<39> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: %s = tosa.rescale [[v51]], [[v0]], [[v52]], [[v3]], [[v2]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x3xi8>
// CHECK-NEXT: func.return %s : tensor<1x3xi8>
