#map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
#map6 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 * 2 + d4, d3 * 2 + d5)>
#map7 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>
#map8 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1 + d4, d2 + d5)>
#map10 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d3, d4, d5)>
#map11 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d1, d2)>
#map12 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map13 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map14 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map15 = affine_map<(d0, d1) -> (d0, d1)>
#map16 = affine_map<(d0, d1) -> (d1)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x1x8x8xf32>) -> tensor<1x10xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<1x1x8x8xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %2 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 7.977240e-01 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = dense_resource<torch_tensor_10_torch.float32> : tensor<10xf32>}> : () -> tensor<10xf32>
    %8 = "arith.constant"() <{value = dense_resource<torch_tensor_10_64_torch.float32> : tensor<10x64xf32>}> : () -> tensor<10x64xf32>
    %9 = "arith.constant"() <{value = dense_resource<torch_tensor_16_torch.float32> : tensor<16xf32>}> : () -> tensor<16xf32>
    %10 = "arith.constant"() <{value = dense_resource<torch_tensor_16_8_1_1_torch.float32> : tensor<16x8x1x1xf32>}> : () -> tensor<16x8x1x1xf32>
    %11 = "arith.constant"() <{value = dense_resource<torch_tensor_8_torch.float32_5> : tensor<8xf32>}> : () -> tensor<8xf32>
    %12 = "arith.constant"() <{value = dense_resource<torch_tensor_8_1_3_3_torch.float32_1> : tensor<8x1x3x3xf32>}> : () -> tensor<8x1x3x3xf32>
    %13 = "arith.constant"() <{value = dense_resource<torch_tensor_8_torch.float32_4> : tensor<8xf32>}> : () -> tensor<8xf32>
    %14 = "arith.constant"() <{value = dense_resource<torch_tensor_8_torch.float32_3> : tensor<8xf32>}> : () -> tensor<8xf32>
    %15 = "arith.constant"() <{value = 1.000000e-05 : f64}> : () -> f64
    %16 = "arith.constant"() <{value = dense_resource<torch_tensor_8_torch.float32_2> : tensor<8xf32>}> : () -> tensor<8xf32>
    %17 = "arith.constant"() <{value = dense_resource<torch_tensor_8_torch.float32_1> : tensor<8xf32>}> : () -> tensor<8xf32>
    %18 = "arith.constant"() <{value = dense_resource<torch_tensor_8_1_3_3_torch.float32> : tensor<8x1x3x3xf32>}> : () -> tensor<8x1x3x3xf32>
    %19 = "arith.constant"() <{value = dense_resource<torch_tensor_8_torch.float32> : tensor<8xf32>}> : () -> tensor<8xf32>
    %20 = "arith.constant"() <{value = 4.000000e+00 : f32}> : () -> f32
    %21 = "tensor.pad"(%arg0) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg64: index, %arg65: index, %arg66: index, %arg67: index):
      "tensor.yield"(%0) : (f32) -> ()
    }) : (tensor<1x1x8x8xf32>) -> tensor<1x1x10x10xf32>
    %22 = "tensor.empty"() : () -> tensor<1x8x8x8xf32>
    %23 = "linalg.broadcast"(%19, %22) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg62: f32, %arg63: f32):
      "linalg.yield"(%arg62) : (f32) -> ()
    }) : (tensor<8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %24 = "linalg.conv_2d_nchw_fchw"(%21, %18, %23) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg59: f32, %arg60: f32, %arg61: f32):
      %90 = "arith.mulf"(%arg59, %arg60) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %91 = "arith.addf"(%arg61, %90) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%91) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<1x1x10x10xf32>, tensor<8x1x3x3xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %25 = "tensor.empty"() : () -> tensor<8xf32>
    %26 = "linalg.generic"(%16, %25) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg57: f32, %arg58: f32):
      %88 = "arith.truncf"(%15) : (f64) -> f32
      %89 = "arith.addf"(%arg57, %88) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%89) : (f32) -> ()
    }) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %27 = "linalg.generic"(%26, %25) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg55: f32, %arg56: f32):
      %87 = "math.sqrt"(%arg55) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%87) : (f32) -> ()
    }) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %28 = "linalg.generic"(%27, %25) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg53: f32, %arg54: f32):
      %85 = "arith.cmpf"(%arg53, %0) <{fastmath = #arith.fastmath<none>, predicate = 6 : i64}> : (f32, f32) -> i1
      "cf.assert"(%85) <{msg = "unimplemented: tensor with zero element"}> : (i1) -> ()
      %86 = "arith.divf"(%2, %arg53) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%86) : (f32) -> ()
    }) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %29 = "tensor.expand_shape"(%17) <{reassociation = [[0, 1, 2]], static_output_shape = array<i64: 8, 1, 1>}> : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %30 = "tensor.expand_shape"(%28) <{reassociation = [[0, 1, 2]], static_output_shape = array<i64: 8, 1, 1>}> : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %31 = "linalg.generic"(%24, %29, %22) <{indexing_maps = [#map4, #map5, #map4], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg50: f32, %arg51: f32, %arg52: f32):
      %84 = "arith.subf"(%arg50, %arg51) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%84) : (f32) -> ()
    }) : (tensor<1x8x8x8xf32>, tensor<8x1x1xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %32 = "linalg.generic"(%31, %30, %22) <{indexing_maps = [#map4, #map5, #map4], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg47: f32, %arg48: f32, %arg49: f32):
      %83 = "arith.mulf"(%arg47, %arg48) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%83) : (f32) -> ()
    }) : (tensor<1x8x8x8xf32>, tensor<8x1x1xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %33 = "tensor.expand_shape"(%14) <{reassociation = [[0, 1, 2]], static_output_shape = array<i64: 8, 1, 1>}> : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %34 = "linalg.generic"(%32, %33, %22) <{indexing_maps = [#map4, #map5, #map4], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg44: f32, %arg45: f32, %arg46: f32):
      %82 = "arith.mulf"(%arg44, %arg45) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%82) : (f32) -> ()
    }) : (tensor<1x8x8x8xf32>, tensor<8x1x1xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %35 = "tensor.expand_shape"(%13) <{reassociation = [[0, 1, 2]], static_output_shape = array<i64: 8, 1, 1>}> : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %36 = "linalg.generic"(%34, %35, %22) <{indexing_maps = [#map4, #map5, #map4], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg41: f32, %arg42: f32, %arg43: f32):
      %81 = "arith.addf"(%arg41, %arg42) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%81) : (f32) -> ()
    }) : (tensor<1x8x8x8xf32>, tensor<8x1x1xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %37 = "linalg.generic"(%36, %22) <{indexing_maps = [#map4, #map4], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg39: f32, %arg40: f32):
      %79 = "arith.cmpf"(%arg39, %0) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %80 = "arith.select"(%79, %arg39, %0) : (i1, f32, f32) -> f32
      "linalg.yield"(%80) : (f32) -> ()
    }) : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %38 = "tensor.empty"() : () -> tensor<1x8x4x4xf32>
    %39 = "linalg.fill"(%3, %38) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg37: f32, %arg38: f32):
      "linalg.yield"(%arg37) : (f32) -> ()
    }) : (f32, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %40 = "tensor.empty"() : () -> tensor<2x2xf32>
    %41 = "linalg.pooling_nchw_max"(%37, %40, %39) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : vector<2xi64>}> ({
    ^bb0(%arg34: f32, %arg35: f32, %arg36: f32):
      %78 = "arith.maximumf"(%arg36, %arg34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%78) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map6, #map7, #map8]} : (tensor<1x8x8x8xf32>, tensor<2x2xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %42 = "tensor.pad"(%41) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 0, 1, 1>, static_low = array<i64: 0, 0, 1, 1>}> ({
    ^bb0(%arg30: index, %arg31: index, %arg32: index, %arg33: index):
      "tensor.yield"(%0) : (f32) -> ()
    }) : (tensor<1x8x4x4xf32>) -> tensor<1x8x6x6xf32>
    %43 = "linalg.broadcast"(%11, %38) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg28: f32, %arg29: f32):
      "linalg.yield"(%arg28) : (f32) -> ()
    }) : (tensor<8xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %44 = "tensor.collapse_shape"(%12) <{reassociation = [[0, 1], [2], [3]]}> : (tensor<8x1x3x3xf32>) -> tensor<8x3x3xf32>
    %45 = "linalg.depthwise_conv_2d_nchw_chw"(%42, %44, %43) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg25: f32, %arg26: f32, %arg27: f32):
      %76 = "arith.mulf"(%arg25, %arg26) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %77 = "arith.addf"(%arg27, %76) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%77) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map9, #map10, #map11]} : (tensor<1x8x6x6xf32>, tensor<8x3x3xf32>, tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %46 = "tensor.empty"() : () -> tensor<1x16x4x4xf32>
    %47 = "linalg.broadcast"(%9, %46) <{dimensions = array<i64: 0, 2, 3>}> ({
    ^bb0(%arg23: f32, %arg24: f32):
      "linalg.yield"(%arg23) : (f32) -> ()
    }) : (tensor<16xf32>, tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    %48 = "linalg.conv_2d_nchw_fchw"(%45, %10, %47) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : vector<2xi64>}> ({
    ^bb0(%arg20: f32, %arg21: f32, %arg22: f32):
      %74 = "arith.mulf"(%arg20, %arg21) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %75 = "arith.addf"(%arg22, %74) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%75) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<1x8x4x4xf32>, tensor<16x8x1x1xf32>, tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    %49 = "linalg.generic"(%48, %46) <{indexing_maps = [#map4, #map4], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg18: f32, %arg19: f32):
      %66 = "math.fpowi"(%arg18, %1) <{fastmath = #arith.fastmath<none>}> : (f32, i64) -> f32
      %67 = "arith.mulf"(%66, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %68 = "arith.addf"(%arg18, %67) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %69 = "arith.mulf"(%68, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %70 = "math.tanh"(%69) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %71 = "arith.addf"(%70, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %72 = "arith.mulf"(%71, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %73 = "arith.mulf"(%arg18, %72) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%73) : (f32) -> ()
    }) : (tensor<1x16x4x4xf32>, tensor<1x16x4x4xf32>) -> tensor<1x16x4x4xf32>
    %50 = "tensor.empty"() : () -> tensor<1x16x2x2xf32>
    %51 = "linalg.fill"(%0, %50) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg16: f32, %arg17: f32):
      "linalg.yield"(%arg16) : (f32) -> ()
    }) : (f32, tensor<1x16x2x2xf32>) -> tensor<1x16x2x2xf32>
    %52 = "linalg.pooling_nchw_sum"(%49, %40, %51) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : vector<2xi64>}> ({
    ^bb0(%arg13: f32, %arg14: f32, %arg15: f32):
      %65 = "arith.addf"(%arg15, %arg13) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%65) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map6, #map7, #map8]} : (tensor<1x16x4x4xf32>, tensor<2x2xf32>, tensor<1x16x2x2xf32>) -> tensor<1x16x2x2xf32>
    %53 = "linalg.generic"(%52, %50) <{indexing_maps = [#map4, #map4], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg11: f32, %arg12: f32):
      %64 = "arith.divf"(%arg11, %20) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%64) : (f32) -> ()
    }) : (tensor<1x16x2x2xf32>, tensor<1x16x2x2xf32>) -> tensor<1x16x2x2xf32>
    %54 = "tensor.collapse_shape"(%53) <{reassociation = [[0], [1, 2, 3]]}> : (tensor<1x16x2x2xf32>) -> tensor<1x64xf32>
    %55 = "tensor.empty"() : () -> tensor<64x10xf32>
    %56 = "linalg.transpose"(%8, %55) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg9: f32, %arg10: f32):
      "linalg.yield"(%arg9) : (f32) -> ()
    }) : (tensor<10x64xf32>, tensor<64x10xf32>) -> tensor<64x10xf32>
    %57 = "tensor.empty"() : () -> tensor<1x10xf32>
    %58 = "linalg.fill"(%0, %57) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg7: f32, %arg8: f32):
      "linalg.yield"(%arg7) : (f32) -> ()
    }) : (f32, tensor<1x10xf32>) -> tensor<1x10xf32>
    %59 = "linalg.matmul"(%54, %56, %58) <{indexing_maps = [#map12, #map13, #map14], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
      %62 = "arith.mulf"(%arg4, %arg5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %63 = "arith.addf"(%arg6, %62) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%63) : (f32) -> ()
    }) : (tensor<1x64xf32>, tensor<64x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %60 = "linalg.generic"(%59, %7, %57) <{indexing_maps = [#map15, #map16, #map15], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1: f32, %arg2: f32, %arg3: f32):
      %61 = "arith.addf"(%arg1, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%61) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    "func.return"(%60) : (tensor<1x10xf32>) -> ()
  }) : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_10_torch.float32: "0x04000000E81E2F3E2AB5B63D94B915BE679892BD9E2EAFBD57C6103C3932DABC51F3E5BD94AD08BE36B7313D",
      torch_tensor_10_64_torch.float32: "0x040000001B88B23E8657EBBE4A6E33BCFFC7A43E6F88BEBE2DFEADBE257F9EBDC28D023D7B34CEBEFCFF13BF9A83933E73ADE2BE9D9AE73EDC54783E38FFD4BE3767D83E61699F3DFF8B79BE25B7133D86308B3DCD682EBE6EC931BFBAB6A6B9BAE677BC38DE983E372E4EBC0BBC5E3E4076513ED3E0E53E486932BDEA884DBD65EE37BEA1EEEB3D777B243F4F4EF9BEB2829FBE81B8333E5B082B3EB036E6BE774EC93E3AA26C3E5A11523EF1E595BE097EA43E8D8250BE3F7BA1BE86BCD73B586EC9BEAF5CA2BD2F40E63EDB9243BFE56110BE5456EDBE9CFBA93D1D044DBF5B834DBD4076F8BE76F71F3E9C17A4BEEBBCA33D5AD0BEBD7764BB3EB6F64F3C1259D63C90D6983DF60B163E58B08DBE60EA2D3D6450AABD501A823E3708953E9C6669BFBD0FC13E63742F3FED27163E3E8DA13ED4B55E3E4B2B96BE542D5C3D8B8EE8BE7D9A77BD8E725E3EEB81BDBE4D4E293E0322D5BD09F92A3E6AC9013EA00D3FBE53300E3EE3ED073EF3F82C3DBC3EE63E171941BE7F37CA3E8E9AD8BD1BF8403E622DA73E52815B3D4B93213F9888B5BC6C61DDBCAF9B9FBE3CCD92BC786F06BF559BAB3D0A81DEBD9E9E2DBE641B1DBFD86383BD70BFF2BEEFE301BE58DAEB3EB1CAB8BE4044F3BC7616FA3D9AB3123E0852F13EBA8241BE20400E3FFDD8DC3E539F4EBFA642A5BE393D643DD470E63EC13AE3BDE4D129BEF0C7CBBEF2AA1A3EC05183BD685F1A3DDE988D3EA08DC03D9054F1BE65DF1CBE5867FE3D37FA1DBE131EB23EEBC840BEF4BA21BFAA0CE33E690C15BE76E0203E7543953E207920BFB184C2BD7EAFADBEF4D0683EC439B53E02D922BED2E74ABEA58634BE62EE61BEC970CEBC6EBA203E5E2D983EB7C7763C2158E53EAD6F01BFD8C71CBEB322823E9661ACBE450A263E53C5B0BEF2135FBF12A15B3E457D9BBD067087BE63370CBF36237F3ED799BABC934696BEC8D5E5BEA6A6AA3E723812BE15777DBDA2026F3DE13BA53EE30B863DE79F10BFD17C49BF98AD2B3E041E10BE5006A7BE64C4103E7CFAD13E57EC22BE0B28D23C53AB21BED905B63D6D2201BD359837BE360B4C3E039C73BE8522313EDD1B8E3D8F855CBE569C863EC760883E94D6B5BE0764113ED6AC5F3E46F8F6BEF909503E4354703DE33C133D9E9197BD8842A43DD5CE59BED87A25BFC3029A3D759AA23E5E060DBE50F0563DF610143EB9B9273DA0AC3E3C93BDC7BED1E403BEBF81A83C7FAB2F3D0FB60FBF8B8297BD3FDD863E1287563DA09CF23C5CCE24BF7EE2563D201059BE40AE0B3E5BBB80BDC3D19ABECF0468BD8C9CCD3DCB54843C4DBD8ABEFD65BA3D3AEC3D3F8EA3343EF27FE0BD151E123E9B74F63E15B8FDBD6D71B6BEA4052BBE36792E3C594CC33D6BC5B33D6BC083BFE1897F3E15081FBEDAA739BDC71E18BEDFD5B3BED6EEC1BD73FBC93EB81C963D58498E3EB61D193EB312D7BDE9B64BBE1581AEBE0C0A17BEB0AA6E3EF25D0E3F40D7ACBD32F2493CEDCA183E987E45BE0F0CAF3CD7ABCC3D8FB81E3E5A1A083FDB69013EFE28CC3D36FC9CBE9718D7BEEC36D7BDC0BDDCBE245D233E153B083FB2AD983E21CC61BD1F506FBE4D4ED2BD75B2F33C6F04D93DC74AF63D82D27DBEDCCD3EBE15ED8D3E420C21BE338E953EE12023BFAB7D10BF7136983E1A2A0A3EDF2C07BF59F117BFA688713E5300393DC47E1EBE11ACEFBC19BD99BB98D2AC3D0673C7BED7BD0EBFBE67CB3EAD287E3EF0B9AFBDDCAF93B9C17947BDCF8DA83EDDAA0CBF9BFFB0BE989AB33E04134DBECBD2733ED6BE92BE88F363BE82C77DBE7266C2BD917E83BE51F6313D8ED785BE63E3A23EFCF62CBD26479CBEC30EAC3ED6246BBE1AF39C3E35B6A33E7FFAF6BE41CA0BBFC56AB4BE77DBA5BE9823F73EABE5B7BDC8D23C3DE9410A3E6DDC17BEBCCCC4BE1A90EA3E485820BEEBAE29BD8879C43E50CE01BFD40AD0BD74AFDEBDEB638ABE765A6B3EC2188E3EC175C8BEF8DD0FBE631327BF086901BF4AD4013DD4541A3E4866FE3C199C983E15CF7CBD2EFDA93DE0FC053E10E3593EEFFDD4BD960E2BBFDB565A3FA4C9423E164ED5BE30B81E3EC2D68E3DD0F110BB6D5798BC1165DB3E927358BDF6578C3D9D872E3F10D7C83EEFA96A3E9079D93DC17D9EBEEC67D3BDA432EB3D8DF7563E71EA5CBE4C1B7C3C782678BE16AE6D3E9AD8D53E152AF5BE3FCC7BBE5A3C173C8A011C3ED672B03D9F00AA3D198F17BF1D1B36BE9FFFA5BE4FB9413DA1AD1EBE00CC65BED26A143EBFD5923EAC0FDE3D5968E13D993014BF1C29233FB624B33CA6E801BFD5496D3DE0F085BEF375733E5F6E943EF3576A3E6FAB843E6DCF69BD383910BEBBD0273FFA5559BD99D743BF69D001BF24940BBF734C71BE756F933EA638273E2114A8BEEE13A9BE1DBB873E2BDDB73E7E6727BEEB52BD3E9C6E053EC90A6ABD707C3ABF88B4C03DF4EE0EBEB061BFBE1ED3853DE72BAA3DEAE4DFBEC1614FBFF097813E88BBF33E600AB03EE1B0C23D7FA66E3D6873C23E57D01BBEFC4C8ABEDCC914BE45738E3E87DC353D99006FBFE415983D4758A43EAC1B283E253F223FF70AB93C404F333ECBAE36BF987930BD20EB78BE908ADFBAE4E2F03DEB46773E7F0BBABD77476D3D2BBBFABE2B493FBF028F573CF79173BD6A0F37BEF33DAD3EE461A6BEFB40823DBB93A13E240A35BF1D2DC83E9337DE3CC37DD9BE81699BBCA92ED6BC5510E0BEB567E73EBE48FA3E0DFCBD3BE5FC983EA339573DC7B1D63DB8C5383E0495A03E62B55ABE4FBB15BC0B91C83E1053B43DD650AFBDA92FEF3E2685223E1AD9B43D354550BC13B45E3ED732B5BE1ACBF73D28D18FBD2910973D25301A3F33C2C03D348E2BBE3E7837BE28E7113EDAF006BEDE4F4ABFF314DBBD22D8FEBC2342CE3BA88B913EE7747ABED835AF3EBB1F74BE135CAC3EA36F74BFAF0B74BE6E1981BE62EB2ABFE39FD0BD04FF823E95157F3D22C2D43E6D7765BE4D33003E6A287EBEE77D25BD6A9FACBD0ACC5B3E0F919EBD6F300FBDF556E7BEDEA834BEC00FA2BD2E4E48BEC5EA6DBD586304BEF9FC8FBE6F46DA3C7A4B613E2F3E003CC0D861BE39ED09BD6D419F3E246BC13DE68B3ABEF8AF573E4E7AD4BCB57E443EF67408BD9E577C3D5B01233CD007F0BDF1239DBDC599E43D9E2B77BF9DBE82BE4C45873D064752BB8704A93E938494BECD18A83DCFD1ACBE3F611CBF5C1F51BF7C3B573DA76555BFC8CEC8BE4C7221BD75DB45BE026E2A3E35A0B33E0FD68FBD0BD12E3DF0567FBEDA882BBE9879D83D85DB023DE28FDBBE7A89D1BDF5D1F3BE8BC0C5BDB906903E9A3C11BE492A8B3E939099BDC240FBBED81D6C3E702333BE2C60F0BD4BBF9F3DA651E63CB30D8A3E52BA9CBE59DC0BBE5737363E9DC96CBEB54D563E84CC21BED6BD6ABEB52836BFFC1B1FBEA6295C3DE7E514BE767E02BFA3F0ADBD9982F53DF2A4C23D3D579DBB914A433EECD1723D95A0A93EB17808BE95CB2A3ECD7F3ABE3D91863E38A703BF505C5ABF715CEE3D6EA29C3DB178BB3D448E843D8AB99D3EDE71E03E6E2B4EBEDB8F8CBE6019313F52BDF03EB7915F3E50832ABEEFF4D83EDCA6013FB5ED59BC2ED0BCBBCE59683E308D52BD",
      torch_tensor_16_torch.float32: "0x0400000004D1B13DF51EBD3E77C03C3F8D5A093E3FB8E0BD44F60E3F5E309D3E3FC05C3E959A373F20138ABD593481BEC183CABCEB1F9A3EB876CC3E9A9494BC1A90523D",
      torch_tensor_16_8_1_1_torch.float32: "0x04000000927C9C3EFA5DDA3E807B85BF9D23773EA76807BFF1745FBCF81EC8BED87F3FBE03A290BFA364703F5976AEBE510296BE06D8003FD548303FEAD506BE5D85DBBE3AE8C13EA971323F7D9E8F3F6D7A523E1FE81CBF7A9500BF2446D23D1AB6B0B9E2E4F33DBF4C63BE8C321FBF90CB0CBF0FCF0E3FFFAA003EC82C67BFE27634BF25DE313F939A503F286A2E3C4B4B503EB9BD35BFA0D104BFA6EDE9BED3843EBE98BB29BEAFA32F3FCAAB4E3E294493BF30D7103E50309BBE493DFCBD3369B2BEE793103E1CB1263CF3372CBFCA2D473F028FE9BE7B758F3D6BA48BBEF5CE263F550BD53E9B86F43E001B833F3F89143F41FE46BFD98F19BEA13BDCBEB8C79ABEEAF1CB3ED64F6ABF0D2EDD3EA7D4593D09A81D3FCB96583E8F8211BF1E6691BE7A8128BF347BEABE88013FBE40D811BD301EAFBEF13D5A3FDB82553FB9C765BFA71909BF75568EBE439B03BE3C463D3E3B9EC2BEB32C183F02CB023F090648BFC87544BEC82D91BEAB1F583ED0A494BFDC55873EBB3B10BFF2A9CE3F936D2E3F8296D6BC32C14EBFFAD1103F655FBEBE23F11B3D3C2C2A3FCD37473FDBF129BF57213E3F771F9A3F0C32353FA15D5E3FFBF1CE3E2FCA79BF391907BFED2C543EAA381ABF48241FBF5B4AAB3EFB3B36BF3D5CE4BE04802E3E6BBD7B3F4096843D4D889B3E1FBFC6BEEC2C4B3FD7D38A3E2706EEBEE05706BFFAC031BE17362BBF",
      torch_tensor_8_torch.float32_5: "0x04000000B9CC063F08F3F13E7327213F5E7A7E3E649A913E3BC17EBE9FE837BC40CBC63C",
      torch_tensor_8_1_3_3_torch.float32_1: "0x040000009350ACBE06393ABF2BE2CABE2C3AAE3ECF8AAD3D6F111BBE4343D73E3CF3843EE6B6DD3E8C52263F3AC2A53E5A45473B5C3003BF68D5B6BE7038053FB83E4FBF6570D5BE380BE6BE8D84123F5D2A183FB8676E3D633106BE7DDB4ABF25A728BFD19E81BDAFA048BF978AA03D1A90A0BE49E3FF3E46FADE3EF0632ABF433843BE2A241A3FB7F247BF9F343FBF726D28BFCD49783EA9F1F7BEE4DB55BF611239BF949A21BF85D5153E3C2A00BFE41465BF9DBAB3BE55CD0F3F15EB453FFB3D073FC5A618BFAEC9823BE3BEABBE546B503E889ECCBD97BA57BFB210EEBE73BC28BF00D449BF27790CBF89B76DBE2F1B9BBEB4DD6F3DC2973A3FB6872D3F992F13BFD121CABE90A286BF299F8CBE5391FB3EF2149CBE05DF0E3E2E6D19BD565B6CBE",
      torch_tensor_8_torch.float32_4: "0x040000005FD9303F634DE53DE02DBBBE2F81663EA206D43D317DA93E7BFD393F01CD343E",
      torch_tensor_8_torch.float32_3: "0x04000000CCC8B73FEAC8D23F9239E53FBE1AE93F55C7D43FC87DD23FA4F8F63FE1EEE83F",
      torch_tensor_8_torch.float32_2: "0x04000000D0BB633D6CC1183D53EC573DC77C413DA628E83D09D41C3D097EBC3DC092083D",
      torch_tensor_8_torch.float32_1: "0x04000000CACF763E5C4DB9BC4815153EA44B6D3E3AF4713D1587633D0AB4F3BEF2FC263E",
      torch_tensor_8_1_3_3_torch.float32: "0x04000000B6427CBEE237863DB2F5B3BEDE2C4E3E3AF4B03ED8C3D33E7EDD963E651B39BE32FB4ABCF4D6B4BE3AEC073FFAF44ABE8B207ABEE8B887BB059450BEA3058F3C69868BBD008A95BB3263A7BEF7BDBE3EE62D53BD2E0F19BC7779BA3EF497CEBDC30EBD3E03388FBE8F02D53D5F0ACB3D1CF4493E20F8BB3E1E28ADBEE03B8CBEB22EE9BEFBECAD3E834605BD719B00BD353B123E5BF482BEA94E67BE14FA413E3A74A3BDCEDB9CBE74EE723EFDD7FE3ECC1FCF3E5C7445BEAD15A2BEAD27A7BD306D633E775550BD156DDE3E8B2BFA3D8A9F1C3E964AC8BCB3A8943D0E1405BF4AAF40BE17508ABEE5939DBD20DF4C3D615A94BE34BB923E6C40203E2647463EDBEA00BFB5E9D43D69F5893E63C5D13E3BA0F9BD000FC5BE647F263E314343BD",
      torch_tensor_8_torch.float32: "0x040000005B488E3D747A043EE1BE603B0337AA3E3F69DCBDB6DC40BC2EB27BBE9C8CE53D"
    }
  }
#-}
