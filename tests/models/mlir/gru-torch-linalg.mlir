#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d1, d2)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x8x8xf32>) -> tensor<1x10xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<1x8x8xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<1x16xf32>}> : () -> tensor<1x16xf32>
    %3 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<1x1x16xf32>}> : () -> tensor<1x1x16xf32>
    %4 = "arith.constant"() <{value = dense_resource<torch_tensor_10_torch.float32> : tensor<10xf32>}> : () -> tensor<10xf32>
    %5 = "arith.constant"() <{value = dense_resource<torch_tensor_10_16_torch.float32> : tensor<10x16xf32>}> : () -> tensor<10x16xf32>
    %6 = "arith.constant"() <{value = dense_resource<torch_tensor_48_torch.float32_1> : tensor<48xf32>}> : () -> tensor<48xf32>
    %7 = "arith.constant"() <{value = dense_resource<torch_tensor_48_16_torch.float32> : tensor<48x16xf32>}> : () -> tensor<48x16xf32>
    %8 = "arith.constant"() <{value = dense_resource<torch_tensor_48_torch.float32> : tensor<48xf32>}> : () -> tensor<48xf32>
    %9 = "arith.constant"() <{value = dense_resource<torch_tensor_48_8_torch.float32> : tensor<48x8xf32>}> : () -> tensor<48x8xf32>
    %10 = "tensor.empty"() : () -> tensor<8x1x8xf32>
    %11 = "linalg.transpose"(%arg0, %10) <{permutation = array<i64: 1, 0, 2>}> ({
    ^bb0(%arg291: f32, %arg292: f32):
      "linalg.yield"(%arg291) : (f32) -> ()
    }) : (tensor<1x8x8xf32>, tensor<8x1x8xf32>) -> tensor<8x1x8xf32>
    %12 = "tensor.collapse_shape"(%11) <{reassociation = [[0], [1, 2]]}> : (tensor<8x1x8xf32>) -> tensor<8x8xf32>
    %13 = "tensor.empty"() : () -> tensor<8x48xf32>
    %14 = "linalg.transpose"(%9, %13) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg289: f32, %arg290: f32):
      "linalg.yield"(%arg289) : (f32) -> ()
    }) : (tensor<48x8xf32>, tensor<8x48xf32>) -> tensor<8x48xf32>
    %15 = "linalg.fill"(%0, %13) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg287: f32, %arg288: f32):
      "linalg.yield"(%arg287) : (f32) -> ()
    }) : (f32, tensor<8x48xf32>) -> tensor<8x48xf32>
    %16 = "linalg.matmul"(%12, %14, %15) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg284: f32, %arg285: f32, %arg286: f32):
      %366 = "arith.mulf"(%arg284, %arg285) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %367 = "arith.addf"(%arg286, %366) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%367) : (f32) -> ()
    }) : (tensor<8x8xf32>, tensor<8x48xf32>, tensor<8x48xf32>) -> tensor<8x48xf32>
    %17 = "linalg.generic"(%16, %8, %13) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg281: f32, %arg282: f32, %arg283: f32):
      %365 = "arith.addf"(%arg281, %arg282) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%365) : (f32) -> ()
    }) : (tensor<8x48xf32>, tensor<48xf32>, tensor<8x48xf32>) -> tensor<8x48xf32>
    %18 = "tensor.expand_shape"(%17) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 8, 1, 48>}> : (tensor<8x48xf32>) -> tensor<8x1x48xf32>
    %19 = "tensor.extract_slice"(%18) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 0>, static_sizes = array<i64: 1, 1, 48>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x48xf32>) -> tensor<1x1x48xf32>
    %20 = "tensor.extract_slice"(%18) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 1, 0, 0>, static_sizes = array<i64: 1, 1, 48>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x48xf32>) -> tensor<1x1x48xf32>
    %21 = "tensor.extract_slice"(%18) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 2, 0, 0>, static_sizes = array<i64: 1, 1, 48>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x48xf32>) -> tensor<1x1x48xf32>
    %22 = "tensor.extract_slice"(%18) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 3, 0, 0>, static_sizes = array<i64: 1, 1, 48>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x48xf32>) -> tensor<1x1x48xf32>
    %23 = "tensor.extract_slice"(%18) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 4, 0, 0>, static_sizes = array<i64: 1, 1, 48>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x48xf32>) -> tensor<1x1x48xf32>
    %24 = "tensor.extract_slice"(%18) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 5, 0, 0>, static_sizes = array<i64: 1, 1, 48>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x48xf32>) -> tensor<1x1x48xf32>
    %25 = "tensor.extract_slice"(%18) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 6, 0, 0>, static_sizes = array<i64: 1, 1, 48>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x48xf32>) -> tensor<1x1x48xf32>
    %26 = "tensor.extract_slice"(%18) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 7, 0, 0>, static_sizes = array<i64: 1, 1, 48>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x48xf32>) -> tensor<1x1x48xf32>
    %27 = "tensor.collapse_shape"(%19) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x48xf32>) -> tensor<1x48xf32>
    %28 = "tensor.collapse_shape"(%20) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x48xf32>) -> tensor<1x48xf32>
    %29 = "tensor.collapse_shape"(%21) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x48xf32>) -> tensor<1x48xf32>
    %30 = "tensor.collapse_shape"(%22) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x48xf32>) -> tensor<1x48xf32>
    %31 = "tensor.collapse_shape"(%23) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x48xf32>) -> tensor<1x48xf32>
    %32 = "tensor.collapse_shape"(%24) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x48xf32>) -> tensor<1x48xf32>
    %33 = "tensor.collapse_shape"(%25) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x48xf32>) -> tensor<1x48xf32>
    %34 = "tensor.collapse_shape"(%26) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x48xf32>) -> tensor<1x48xf32>
    %35 = "tensor.extract_slice"(%27) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %36 = "tensor.extract_slice"(%27) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 16>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %37 = "tensor.extract_slice"(%27) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 32>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %38 = "tensor.empty"() : () -> tensor<16x48xf32>
    %39 = "linalg.transpose"(%7, %38) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg279: f32, %arg280: f32):
      "linalg.yield"(%arg279) : (f32) -> ()
    }) : (tensor<48x16xf32>, tensor<16x48xf32>) -> tensor<16x48xf32>
    %40 = "tensor.empty"() : () -> tensor<1x48xf32>
    %41 = "linalg.fill"(%0, %40) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg277: f32, %arg278: f32):
      "linalg.yield"(%arg277) : (f32) -> ()
    }) : (f32, tensor<1x48xf32>) -> tensor<1x48xf32>
    %42 = "linalg.matmul"(%2, %39, %41) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg274: f32, %arg275: f32, %arg276: f32):
      %363 = "arith.mulf"(%arg274, %arg275) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %364 = "arith.addf"(%arg276, %363) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%364) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %43 = "linalg.generic"(%42, %6, %40) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg271: f32, %arg272: f32, %arg273: f32):
      %362 = "arith.addf"(%arg271, %arg272) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%362) : (f32) -> ()
    }) : (tensor<1x48xf32>, tensor<48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %44 = "tensor.expand_shape"(%43) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 48>}> : (tensor<1x48xf32>) -> tensor<1x1x48xf32>
    %45 = "tensor.extract_slice"(%44) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %46 = "tensor.extract_slice"(%44) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 16>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %47 = "tensor.extract_slice"(%44) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 32>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %48 = "tensor.empty"() : () -> tensor<1x1x16xf32>
    %49 = "linalg.generic"(%45, %35, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg268: f32, %arg269: f32, %arg270: f32):
      %361 = "arith.addf"(%arg268, %arg269) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%361) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %50 = "linalg.generic"(%49, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg266: f32, %arg267: f32):
      %357 = "arith.negf"(%arg266) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %358 = "math.exp"(%357) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %359 = "arith.addf"(%358, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %360 = "arith.divf"(%1, %359) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%360) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %51 = "linalg.generic"(%46, %36, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg263: f32, %arg264: f32, %arg265: f32):
      %356 = "arith.addf"(%arg263, %arg264) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%356) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %52 = "linalg.generic"(%51, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg261: f32, %arg262: f32):
      %352 = "arith.negf"(%arg261) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %353 = "math.exp"(%352) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %354 = "arith.addf"(%353, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %355 = "arith.divf"(%1, %354) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%355) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %53 = "linalg.generic"(%47, %50, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg258: f32, %arg259: f32, %arg260: f32):
      %351 = "arith.mulf"(%arg258, %arg259) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%351) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %54 = "linalg.generic"(%37, %53, %48) <{indexing_maps = [#map6, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg255: f32, %arg256: f32, %arg257: f32):
      %350 = "arith.addf"(%arg255, %arg256) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%350) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %55 = "linalg.generic"(%54, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg253: f32, %arg254: f32):
      %349 = "math.tanh"(%arg253) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%349) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %56 = "linalg.generic"(%3, %55, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg250: f32, %arg251: f32, %arg252: f32):
      %348 = "arith.subf"(%arg250, %arg251) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%348) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %57 = "linalg.generic"(%56, %52, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg247: f32, %arg248: f32, %arg249: f32):
      %347 = "arith.mulf"(%arg247, %arg248) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%347) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %58 = "linalg.generic"(%57, %55, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg244: f32, %arg245: f32, %arg246: f32):
      %346 = "arith.addf"(%arg244, %arg245) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%346) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %59 = "tensor.extract_slice"(%28) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %60 = "tensor.extract_slice"(%28) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 16>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %61 = "tensor.extract_slice"(%28) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 32>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %62 = "tensor.collapse_shape"(%58) <{reassociation = [[0], [1, 2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %63 = "linalg.matmul"(%62, %39, %41) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg241: f32, %arg242: f32, %arg243: f32):
      %344 = "arith.mulf"(%arg241, %arg242) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %345 = "arith.addf"(%arg243, %344) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%345) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %64 = "linalg.generic"(%63, %6, %40) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg238: f32, %arg239: f32, %arg240: f32):
      %343 = "arith.addf"(%arg238, %arg239) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%343) : (f32) -> ()
    }) : (tensor<1x48xf32>, tensor<48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %65 = "tensor.expand_shape"(%64) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 48>}> : (tensor<1x48xf32>) -> tensor<1x1x48xf32>
    %66 = "tensor.extract_slice"(%65) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %67 = "tensor.extract_slice"(%65) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 16>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %68 = "tensor.extract_slice"(%65) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 32>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %69 = "linalg.generic"(%66, %59, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg235: f32, %arg236: f32, %arg237: f32):
      %342 = "arith.addf"(%arg235, %arg236) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%342) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %70 = "linalg.generic"(%69, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg233: f32, %arg234: f32):
      %338 = "arith.negf"(%arg233) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %339 = "math.exp"(%338) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %340 = "arith.addf"(%339, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %341 = "arith.divf"(%1, %340) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%341) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %71 = "linalg.generic"(%67, %60, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg230: f32, %arg231: f32, %arg232: f32):
      %337 = "arith.addf"(%arg230, %arg231) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%337) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %72 = "linalg.generic"(%71, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg228: f32, %arg229: f32):
      %333 = "arith.negf"(%arg228) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %334 = "math.exp"(%333) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %335 = "arith.addf"(%334, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %336 = "arith.divf"(%1, %335) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%336) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %73 = "linalg.generic"(%68, %70, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg225: f32, %arg226: f32, %arg227: f32):
      %332 = "arith.mulf"(%arg225, %arg226) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%332) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %74 = "linalg.generic"(%61, %73, %48) <{indexing_maps = [#map6, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg222: f32, %arg223: f32, %arg224: f32):
      %331 = "arith.addf"(%arg222, %arg223) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%331) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %75 = "linalg.generic"(%74, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg220: f32, %arg221: f32):
      %330 = "math.tanh"(%arg220) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%330) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %76 = "linalg.generic"(%58, %75, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg217: f32, %arg218: f32, %arg219: f32):
      %329 = "arith.subf"(%arg217, %arg218) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%329) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %77 = "linalg.generic"(%76, %72, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg214: f32, %arg215: f32, %arg216: f32):
      %328 = "arith.mulf"(%arg214, %arg215) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%328) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %78 = "linalg.generic"(%77, %75, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg211: f32, %arg212: f32, %arg213: f32):
      %327 = "arith.addf"(%arg211, %arg212) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%327) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %79 = "tensor.extract_slice"(%29) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %80 = "tensor.extract_slice"(%29) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 16>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %81 = "tensor.extract_slice"(%29) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 32>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %82 = "tensor.collapse_shape"(%78) <{reassociation = [[0], [1, 2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %83 = "linalg.matmul"(%82, %39, %41) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg208: f32, %arg209: f32, %arg210: f32):
      %325 = "arith.mulf"(%arg208, %arg209) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %326 = "arith.addf"(%arg210, %325) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%326) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %84 = "linalg.generic"(%83, %6, %40) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg205: f32, %arg206: f32, %arg207: f32):
      %324 = "arith.addf"(%arg205, %arg206) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%324) : (f32) -> ()
    }) : (tensor<1x48xf32>, tensor<48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %85 = "tensor.expand_shape"(%84) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 48>}> : (tensor<1x48xf32>) -> tensor<1x1x48xf32>
    %86 = "tensor.extract_slice"(%85) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %87 = "tensor.extract_slice"(%85) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 16>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %88 = "tensor.extract_slice"(%85) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 32>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %89 = "linalg.generic"(%86, %79, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg202: f32, %arg203: f32, %arg204: f32):
      %323 = "arith.addf"(%arg202, %arg203) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%323) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %90 = "linalg.generic"(%89, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg200: f32, %arg201: f32):
      %319 = "arith.negf"(%arg200) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %320 = "math.exp"(%319) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %321 = "arith.addf"(%320, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %322 = "arith.divf"(%1, %321) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%322) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %91 = "linalg.generic"(%87, %80, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg197: f32, %arg198: f32, %arg199: f32):
      %318 = "arith.addf"(%arg197, %arg198) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%318) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %92 = "linalg.generic"(%91, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg195: f32, %arg196: f32):
      %314 = "arith.negf"(%arg195) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %315 = "math.exp"(%314) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %316 = "arith.addf"(%315, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %317 = "arith.divf"(%1, %316) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%317) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %93 = "linalg.generic"(%88, %90, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg192: f32, %arg193: f32, %arg194: f32):
      %313 = "arith.mulf"(%arg192, %arg193) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%313) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %94 = "linalg.generic"(%81, %93, %48) <{indexing_maps = [#map6, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg189: f32, %arg190: f32, %arg191: f32):
      %312 = "arith.addf"(%arg189, %arg190) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%312) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %95 = "linalg.generic"(%94, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg187: f32, %arg188: f32):
      %311 = "math.tanh"(%arg187) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%311) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %96 = "linalg.generic"(%78, %95, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg184: f32, %arg185: f32, %arg186: f32):
      %310 = "arith.subf"(%arg184, %arg185) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%310) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %97 = "linalg.generic"(%96, %92, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg181: f32, %arg182: f32, %arg183: f32):
      %309 = "arith.mulf"(%arg181, %arg182) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%309) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %98 = "linalg.generic"(%97, %95, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg178: f32, %arg179: f32, %arg180: f32):
      %308 = "arith.addf"(%arg178, %arg179) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%308) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %99 = "tensor.extract_slice"(%30) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %100 = "tensor.extract_slice"(%30) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 16>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %101 = "tensor.extract_slice"(%30) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 32>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %102 = "tensor.collapse_shape"(%98) <{reassociation = [[0], [1, 2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %103 = "linalg.matmul"(%102, %39, %41) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg175: f32, %arg176: f32, %arg177: f32):
      %306 = "arith.mulf"(%arg175, %arg176) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %307 = "arith.addf"(%arg177, %306) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%307) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %104 = "linalg.generic"(%103, %6, %40) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg172: f32, %arg173: f32, %arg174: f32):
      %305 = "arith.addf"(%arg172, %arg173) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%305) : (f32) -> ()
    }) : (tensor<1x48xf32>, tensor<48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %105 = "tensor.expand_shape"(%104) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 48>}> : (tensor<1x48xf32>) -> tensor<1x1x48xf32>
    %106 = "tensor.extract_slice"(%105) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %107 = "tensor.extract_slice"(%105) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 16>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %108 = "tensor.extract_slice"(%105) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 32>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %109 = "linalg.generic"(%106, %99, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg169: f32, %arg170: f32, %arg171: f32):
      %304 = "arith.addf"(%arg169, %arg170) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%304) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %110 = "linalg.generic"(%109, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg167: f32, %arg168: f32):
      %300 = "arith.negf"(%arg167) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %301 = "math.exp"(%300) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %302 = "arith.addf"(%301, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %303 = "arith.divf"(%1, %302) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%303) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %111 = "linalg.generic"(%107, %100, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg164: f32, %arg165: f32, %arg166: f32):
      %299 = "arith.addf"(%arg164, %arg165) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%299) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %112 = "linalg.generic"(%111, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg162: f32, %arg163: f32):
      %295 = "arith.negf"(%arg162) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %296 = "math.exp"(%295) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %297 = "arith.addf"(%296, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %298 = "arith.divf"(%1, %297) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%298) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %113 = "linalg.generic"(%108, %110, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg159: f32, %arg160: f32, %arg161: f32):
      %294 = "arith.mulf"(%arg159, %arg160) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%294) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %114 = "linalg.generic"(%101, %113, %48) <{indexing_maps = [#map6, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg156: f32, %arg157: f32, %arg158: f32):
      %293 = "arith.addf"(%arg156, %arg157) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%293) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %115 = "linalg.generic"(%114, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg154: f32, %arg155: f32):
      %292 = "math.tanh"(%arg154) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%292) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %116 = "linalg.generic"(%98, %115, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg151: f32, %arg152: f32, %arg153: f32):
      %291 = "arith.subf"(%arg151, %arg152) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%291) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %117 = "linalg.generic"(%116, %112, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg148: f32, %arg149: f32, %arg150: f32):
      %290 = "arith.mulf"(%arg148, %arg149) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%290) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %118 = "linalg.generic"(%117, %115, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg145: f32, %arg146: f32, %arg147: f32):
      %289 = "arith.addf"(%arg145, %arg146) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%289) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %119 = "tensor.extract_slice"(%31) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %120 = "tensor.extract_slice"(%31) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 16>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %121 = "tensor.extract_slice"(%31) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 32>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %122 = "tensor.collapse_shape"(%118) <{reassociation = [[0], [1, 2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %123 = "linalg.matmul"(%122, %39, %41) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg142: f32, %arg143: f32, %arg144: f32):
      %287 = "arith.mulf"(%arg142, %arg143) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %288 = "arith.addf"(%arg144, %287) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%288) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %124 = "linalg.generic"(%123, %6, %40) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg139: f32, %arg140: f32, %arg141: f32):
      %286 = "arith.addf"(%arg139, %arg140) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%286) : (f32) -> ()
    }) : (tensor<1x48xf32>, tensor<48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %125 = "tensor.expand_shape"(%124) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 48>}> : (tensor<1x48xf32>) -> tensor<1x1x48xf32>
    %126 = "tensor.extract_slice"(%125) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %127 = "tensor.extract_slice"(%125) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 16>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %128 = "tensor.extract_slice"(%125) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 32>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %129 = "linalg.generic"(%126, %119, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg136: f32, %arg137: f32, %arg138: f32):
      %285 = "arith.addf"(%arg136, %arg137) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%285) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %130 = "linalg.generic"(%129, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg134: f32, %arg135: f32):
      %281 = "arith.negf"(%arg134) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %282 = "math.exp"(%281) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %283 = "arith.addf"(%282, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %284 = "arith.divf"(%1, %283) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%284) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %131 = "linalg.generic"(%127, %120, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg131: f32, %arg132: f32, %arg133: f32):
      %280 = "arith.addf"(%arg131, %arg132) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%280) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %132 = "linalg.generic"(%131, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg129: f32, %arg130: f32):
      %276 = "arith.negf"(%arg129) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %277 = "math.exp"(%276) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %278 = "arith.addf"(%277, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %279 = "arith.divf"(%1, %278) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%279) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %133 = "linalg.generic"(%128, %130, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg126: f32, %arg127: f32, %arg128: f32):
      %275 = "arith.mulf"(%arg126, %arg127) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%275) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %134 = "linalg.generic"(%121, %133, %48) <{indexing_maps = [#map6, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg123: f32, %arg124: f32, %arg125: f32):
      %274 = "arith.addf"(%arg123, %arg124) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%274) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %135 = "linalg.generic"(%134, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg121: f32, %arg122: f32):
      %273 = "math.tanh"(%arg121) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%273) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %136 = "linalg.generic"(%118, %135, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg118: f32, %arg119: f32, %arg120: f32):
      %272 = "arith.subf"(%arg118, %arg119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%272) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %137 = "linalg.generic"(%136, %132, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg115: f32, %arg116: f32, %arg117: f32):
      %271 = "arith.mulf"(%arg115, %arg116) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%271) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %138 = "linalg.generic"(%137, %135, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg112: f32, %arg113: f32, %arg114: f32):
      %270 = "arith.addf"(%arg112, %arg113) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%270) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %139 = "tensor.extract_slice"(%32) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %140 = "tensor.extract_slice"(%32) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 16>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %141 = "tensor.extract_slice"(%32) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 32>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %142 = "tensor.collapse_shape"(%138) <{reassociation = [[0], [1, 2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %143 = "linalg.matmul"(%142, %39, %41) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg109: f32, %arg110: f32, %arg111: f32):
      %268 = "arith.mulf"(%arg109, %arg110) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %269 = "arith.addf"(%arg111, %268) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%269) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %144 = "linalg.generic"(%143, %6, %40) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg106: f32, %arg107: f32, %arg108: f32):
      %267 = "arith.addf"(%arg106, %arg107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%267) : (f32) -> ()
    }) : (tensor<1x48xf32>, tensor<48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %145 = "tensor.expand_shape"(%144) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 48>}> : (tensor<1x48xf32>) -> tensor<1x1x48xf32>
    %146 = "tensor.extract_slice"(%145) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %147 = "tensor.extract_slice"(%145) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 16>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %148 = "tensor.extract_slice"(%145) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 32>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %149 = "linalg.generic"(%146, %139, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg103: f32, %arg104: f32, %arg105: f32):
      %266 = "arith.addf"(%arg103, %arg104) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%266) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %150 = "linalg.generic"(%149, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg101: f32, %arg102: f32):
      %262 = "arith.negf"(%arg101) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %263 = "math.exp"(%262) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %264 = "arith.addf"(%263, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %265 = "arith.divf"(%1, %264) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%265) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %151 = "linalg.generic"(%147, %140, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg98: f32, %arg99: f32, %arg100: f32):
      %261 = "arith.addf"(%arg98, %arg99) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%261) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %152 = "linalg.generic"(%151, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg96: f32, %arg97: f32):
      %257 = "arith.negf"(%arg96) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %258 = "math.exp"(%257) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %259 = "arith.addf"(%258, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %260 = "arith.divf"(%1, %259) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%260) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %153 = "linalg.generic"(%148, %150, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg93: f32, %arg94: f32, %arg95: f32):
      %256 = "arith.mulf"(%arg93, %arg94) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%256) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %154 = "linalg.generic"(%141, %153, %48) <{indexing_maps = [#map6, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg90: f32, %arg91: f32, %arg92: f32):
      %255 = "arith.addf"(%arg90, %arg91) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%255) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %155 = "linalg.generic"(%154, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg88: f32, %arg89: f32):
      %254 = "math.tanh"(%arg88) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%254) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %156 = "linalg.generic"(%138, %155, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg85: f32, %arg86: f32, %arg87: f32):
      %253 = "arith.subf"(%arg85, %arg86) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%253) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %157 = "linalg.generic"(%156, %152, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg82: f32, %arg83: f32, %arg84: f32):
      %252 = "arith.mulf"(%arg82, %arg83) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%252) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %158 = "linalg.generic"(%157, %155, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg79: f32, %arg80: f32, %arg81: f32):
      %251 = "arith.addf"(%arg79, %arg80) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%251) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %159 = "tensor.extract_slice"(%33) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %160 = "tensor.extract_slice"(%33) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 16>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %161 = "tensor.extract_slice"(%33) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 32>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %162 = "tensor.collapse_shape"(%158) <{reassociation = [[0], [1, 2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %163 = "linalg.matmul"(%162, %39, %41) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg76: f32, %arg77: f32, %arg78: f32):
      %249 = "arith.mulf"(%arg76, %arg77) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %250 = "arith.addf"(%arg78, %249) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%250) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %164 = "linalg.generic"(%163, %6, %40) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32, %arg75: f32):
      %248 = "arith.addf"(%arg73, %arg74) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%248) : (f32) -> ()
    }) : (tensor<1x48xf32>, tensor<48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %165 = "tensor.expand_shape"(%164) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 48>}> : (tensor<1x48xf32>) -> tensor<1x1x48xf32>
    %166 = "tensor.extract_slice"(%165) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %167 = "tensor.extract_slice"(%165) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 16>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %168 = "tensor.extract_slice"(%165) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 32>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %169 = "linalg.generic"(%166, %159, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg70: f32, %arg71: f32, %arg72: f32):
      %247 = "arith.addf"(%arg70, %arg71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%247) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %170 = "linalg.generic"(%169, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg68: f32, %arg69: f32):
      %243 = "arith.negf"(%arg68) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %244 = "math.exp"(%243) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %245 = "arith.addf"(%244, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %246 = "arith.divf"(%1, %245) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%246) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %171 = "linalg.generic"(%167, %160, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg65: f32, %arg66: f32, %arg67: f32):
      %242 = "arith.addf"(%arg65, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%242) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %172 = "linalg.generic"(%171, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg63: f32, %arg64: f32):
      %238 = "arith.negf"(%arg63) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %239 = "math.exp"(%238) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %240 = "arith.addf"(%239, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %241 = "arith.divf"(%1, %240) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%241) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %173 = "linalg.generic"(%168, %170, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg60: f32, %arg61: f32, %arg62: f32):
      %237 = "arith.mulf"(%arg60, %arg61) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%237) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %174 = "linalg.generic"(%161, %173, %48) <{indexing_maps = [#map6, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg57: f32, %arg58: f32, %arg59: f32):
      %236 = "arith.addf"(%arg57, %arg58) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%236) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %175 = "linalg.generic"(%174, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg55: f32, %arg56: f32):
      %235 = "math.tanh"(%arg55) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%235) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %176 = "linalg.generic"(%158, %175, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg52: f32, %arg53: f32, %arg54: f32):
      %234 = "arith.subf"(%arg52, %arg53) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%234) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %177 = "linalg.generic"(%176, %172, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg49: f32, %arg50: f32, %arg51: f32):
      %233 = "arith.mulf"(%arg49, %arg50) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%233) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %178 = "linalg.generic"(%177, %175, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg46: f32, %arg47: f32, %arg48: f32):
      %232 = "arith.addf"(%arg46, %arg47) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%232) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %179 = "tensor.extract_slice"(%34) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %180 = "tensor.extract_slice"(%34) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 16>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %181 = "tensor.extract_slice"(%34) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 32>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x48xf32>) -> tensor<1x16xf32>
    %182 = "tensor.collapse_shape"(%178) <{reassociation = [[0], [1, 2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %183 = "linalg.matmul"(%182, %39, %41) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg43: f32, %arg44: f32, %arg45: f32):
      %230 = "arith.mulf"(%arg43, %arg44) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %231 = "arith.addf"(%arg45, %230) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%231) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %184 = "linalg.generic"(%183, %6, %40) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32, %arg42: f32):
      %229 = "arith.addf"(%arg40, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%229) : (f32) -> ()
    }) : (tensor<1x48xf32>, tensor<48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %185 = "tensor.expand_shape"(%184) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 48>}> : (tensor<1x48xf32>) -> tensor<1x1x48xf32>
    %186 = "tensor.extract_slice"(%185) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %187 = "tensor.extract_slice"(%185) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 16>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %188 = "tensor.extract_slice"(%185) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 32>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x1x48xf32>) -> tensor<1x1x16xf32>
    %189 = "linalg.generic"(%186, %179, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg37: f32, %arg38: f32, %arg39: f32):
      %228 = "arith.addf"(%arg37, %arg38) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%228) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %190 = "linalg.generic"(%189, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg35: f32, %arg36: f32):
      %224 = "arith.negf"(%arg35) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %225 = "math.exp"(%224) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %226 = "arith.addf"(%225, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %227 = "arith.divf"(%1, %226) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%227) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %191 = "linalg.generic"(%187, %180, %48) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg32: f32, %arg33: f32, %arg34: f32):
      %223 = "arith.addf"(%arg32, %arg33) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%223) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %192 = "linalg.generic"(%191, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg30: f32, %arg31: f32):
      %219 = "arith.negf"(%arg30) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %220 = "math.exp"(%219) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %221 = "arith.addf"(%220, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %222 = "arith.divf"(%1, %221) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%222) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %193 = "linalg.generic"(%188, %190, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32, %arg29: f32):
      %218 = "arith.mulf"(%arg27, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%218) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %194 = "linalg.generic"(%181, %193, %48) <{indexing_maps = [#map6, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32, %arg26: f32):
      %217 = "arith.addf"(%arg24, %arg25) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%217) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %195 = "linalg.generic"(%194, %48) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg22: f32, %arg23: f32):
      %216 = "math.tanh"(%arg22) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%216) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %196 = "linalg.generic"(%178, %195, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg19: f32, %arg20: f32, %arg21: f32):
      %215 = "arith.subf"(%arg19, %arg20) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%215) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %197 = "linalg.generic"(%196, %192, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg16: f32, %arg17: f32, %arg18: f32):
      %214 = "arith.mulf"(%arg16, %arg17) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%214) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %198 = "linalg.generic"(%197, %195, %48) <{indexing_maps = [#map5, #map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg13: f32, %arg14: f32, %arg15: f32):
      %213 = "arith.addf"(%arg13, %arg14) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%213) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %199 = "tensor.concat"(%58, %78, %98, %118, %138, %158, %178, %198) <{dim = 0 : i64}> : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<8x1x16xf32>
    %200 = "tensor.empty"() : () -> tensor<1x8x16xf32>
    %201 = "linalg.transpose"(%199, %200) <{permutation = array<i64: 1, 0, 2>}> ({
    ^bb0(%arg11: f32, %arg12: f32):
      "linalg.yield"(%arg11) : (f32) -> ()
    }) : (tensor<8x1x16xf32>, tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
    %202 = "tensor.extract_slice"(%201) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 7, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x8x16xf32>) -> tensor<1x1x16xf32>
    %203 = "tensor.collapse_shape"(%202) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %204 = "tensor.empty"() : () -> tensor<16x10xf32>
    %205 = "linalg.transpose"(%5, %204) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg9: f32, %arg10: f32):
      "linalg.yield"(%arg9) : (f32) -> ()
    }) : (tensor<10x16xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %206 = "tensor.empty"() : () -> tensor<1x10xf32>
    %207 = "linalg.fill"(%0, %206) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg7: f32, %arg8: f32):
      "linalg.yield"(%arg7) : (f32) -> ()
    }) : (f32, tensor<1x10xf32>) -> tensor<1x10xf32>
    %208 = "linalg.matmul"(%203, %205, %207) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
      %211 = "arith.mulf"(%arg4, %arg5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %212 = "arith.addf"(%arg6, %211) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%212) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %209 = "linalg.generic"(%208, %4, %206) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1: f32, %arg2: f32, %arg3: f32):
      %210 = "arith.addf"(%arg1, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%210) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    "func.return"(%209) : (tensor<1x10xf32>) -> ()
  }) : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_10_torch.float32: "0x04000000B8E95ABE722EFE3C92668EBB4767A0BEAB052A3E9B069D3D8BBE863D781A4ABE1A73A63E7E5F8A3D",
      torch_tensor_10_16_torch.float32: "0x0400000051E1433F36360DBF1F57DA3F385551BFEAA7F6BD7A0E4FBF4538F73E5C2332BF336C1ABF47EA78BF7A150F3F91896E3E782B8BBC745BA63F533031BF69D04DBF8FADA2BE74DF4ABE241B34BE21937CBD0542133F0D56D5BD6B4097BFA3165E3F5BE9D43E6141D6BFADFB56BFB23636BFE2D5693EC64E7ABF6B45353F7C49F6BEC5066BBF31411EBFE793F13FFBA8523F142CB7BE738B833F0B713B3E3256B53E4408CDBEA78192BF0EAA763F7366D53E4B9B6C3EDED5B83FBB8DEB3E1913F43EE4DA35BFB1FE85BF7DB917BF3469C13EA605753E7D08723F39F8313E86AE143E90DA813FCB1BD23F2A134B3F905790BED311733F05F6CC3E62CB063FB8461D3F5A2B5ABF269B9B3FC8754EBF740A54BF9A5A73BE94A95EBF7DA39C3F00658DBE289C153EE0E880BE1F09B4BF34B116BF0D4C8CBF75D28BBFA71C65BDB239C4BF6F29453FD985703F3908C13E162283BFAFEA2CBF767C78BED7E9EF3D5E1640BFC55918BFB354D53F9FCA96BD04259C3F0D9A7B3E449CB2BC413089BF522A6D3F621496BFF83DDABC9068D1BEFCD8BCBD501FA83E4C2A02BF4A157F3E1D2D2EBFED37973F47985EBF8A1C1B3F54315D3FFF6CBB3EEF4A4F3FCF7979BF176B98BFF557143F23D0B2BF33620ABFD3FD7BBFE6EFC93E83997B3F3CD12FBFDB8D603EB98205BF3A2C5F3F96EE97BFBECBA83D1E46FBBFC93850BEF02224BE4BB3003FD8AF643F282A9B3FDC4A223E25CBE23E82BE133FC2552C3E630C8BBF7BF65D3FCE61A5BDE63EEBBE1AA4853FD56866BF4349843D92BB83BDDCC2D03E0749323F3086653FB6BD033D053061BFA7880B3F4F4986BF8EA4A0BF0AADA63F9B8A3C3F8E1E653E0C70133FC951833D1EDB7EBE3EAD203D35BA92BE451D8FBEB047653F",
      torch_tensor_48_torch.float32_1: "0x0400000010E12B3F7512783E6D89783E4257E33D888E933E4A5A4B3D879A1C3F3AB11A3F88E2583E0DFB043F4F604B3E1AE18F3E498CE63EA23D993EC2759BBD8E629B3E51AF12BFAC86DEBDB114F1BE344EF8BEF61D413EDDA197BE89C432BED91688BE1D8DF3BE9F7A5ABF5A10ABBE98B106BF0D4407BFC2BAB6BE18C2CDBECE880FBF92ADD53DE03453BE386B81BEC760ADBE7EB3453E492487BB043F1D3E92D922BE9DFC6BBD2825473ED38EF8BD417E51BE2E6C82BEDE7438BE87B7793D8D597FBE",
      torch_tensor_48_16_torch.float32: "0x040000000FACF63E8EB46C3FEE17F63E1FFE7A3F123B173FEF1910BF81356FBE362B9C3E9BAD95BEEF1D7BBF3D6884BEAC294CBF3B5C273F41BC3FBFC8F2A53E435C663D4EDE383F3681143D9100EEBDE4527D3D758B033DBD6569BFEFCF333FF5D40BBEF1038FBE456570BEF4E7C5BEC01D41BE10D091BD981FF4BD3AC688BC027BD1BEA6BC883D871C29BFA39B36BF31DE2E3F16C9F43EF23567BF2CCE0F3F623541BE9AB7C53E36D5A73ECC9D5CBEC15AB73DDC58533F9D78053F1E5D023E280EFABEB21D7DBEFD4FA63EC16A3CBD34E520BF65004A3E0AC4A7BEF5F4013FE1E530BFC3444F3E64209EBE6B083BBD3636BC3E77FD993ECA5D903E1BA7D5BEA730D4BE1CCED83E11AB4ABE3D5F0BBF54110ABE030F883E43C7F5BEAAF1AB3DBDB9783D9628443ED8CBC4BED5E3C5BEC19B02BF4920313EEC6329BF9B2B133E0ABE2ABDC014F03E487A8BBEB37003BF71E81ABC54C4CC3EC13176BF08A3453FC39B6CBE8B3499BE47F42BBE4BDF8FBEE4AAABBEAA752E3D6E7152BE39D477BDE21C46BC463565BFFACB013FACBEAE3EF7AB66BE14AF693E2485263E8BE3E1BE8A616DBE220715BF79E2F5BD659A0DBF0351C83EDEBC013F9EDD4ABD407400BFCA72B3BD8671D5BE0E9D283E6DC1C93D6CEE6ABE49C8AF3EB8FBD4BE5F1BA8BE693474BE655870BE2C149EBE5BC0533ED112103F5326643EF93124BD48A1F5BE2A1987BD793E0B3F011112BF56B9673D5ABF86BDEE149D3EF2141CBF2AE5DEBD3C601DBF24C64D3F85B8BFBD0479D3BBFCF0503ED7D158BEEC5CA93E2D35D3BECC7EABBEBA0A803E439BBB3EFF15963EE00BBF3DF1A4A93EFF7CA63E5820F8BE5158FABE177271BF0E39B13E4F835B3F4DA2083EC92F753DBA797E3E85ACE0BDBA74803DE7CD8DBF6D890FBE215A3DBE5F3A303FB2ECAC3E9A3798BCA5C583BDFFE1E9BE45F4B43E26D069BF21B6ED3DBF91BE3E80EFF93E1DE5E7BB86B8DBBE455A2DBF116A4ABE028E4C3EC4B4A3BE88E0EDBEF07C06BBAF131FBFE02A203DB76CBCBE0CC6F93E978DA8BEDD728EBEC08FD63D47030A3FE2425B3EC5D8BEBD5B580DBF2C51CC3E9F7DA7BE3E06E2BCF830913F7150F23E6AC787BEBD518B3E447E5ABE6008B5BC7714A73E76364D3D1174D3BE1E9847BE559B3A3D76B615BE04015E3FA73DB2BEA773953E1D844C3D05C46C3EF383AD3EA3CA43BFA1C44E3EC477F6BE8EC17D3E0C345FBFECB2BEBE3146A9BDCDE8EA3E6DA68D3DD9E7C5BE4F294BBF69F8993C71DAB33D9CC678BD7C1632BF001A46BE9CEC2BBF2EBA453E0A80DDBD2C3F87BD4B5207BFD2BC2A3E163A50BD7A164CBE1F038F3D2BF59ABE3BD1AEBFD65149BE0AAFD3BDF4C004BDE5601D3F8E5D013FC6F9BDBE8BD0A73E8186FFBE05D9BD3DD2A2083EBC57373DB42792BE2315AE3DDA858E3DFFF4DC3E45A6053EC61440BFF0C9113CBD83F9BC0EF8F53E73FCB43DC43A103FB154EBBD147BA6BEB001F4BE4F950DBEC8CE64BF5E18E13ED89F773C8A29D4BE0CD168BE2F1901BF67E569BEB828AABE1313DEBD871412BFBB788DBE7F9D3DBFE36F483F6C407CBFCF3EBB3E67D25F3F0487003E7809103F0E75093EEE69223FC3D278BF651754BF409C5A3E19F5963B67FB3BBE87F140BF758F04BFB777BB3E9582843E934F6B3E81D0FA3E9DC4F93D55879DBF605ED2BCA3545FBFD4598ABE8ACD173D6FE8C1BC514E9CBDDC38BEBD39D0A13E77A2453F7B08F7BE2FA7C1BE11A4F83EF8B2BABE77229D3FD3E9923D0F7F223FE9FEC63E9AA96CBE302BBE3E9E2EC0BE8B4777BF59CD503F968933BE1A6F3B3E97DDD0BCEA3E623DACC0CB3D1431833EB2FEBE3E68BC18BF698EBD3F5A3380BE4813543E7A83853E49F49EBE8DCC083D16DE7E3E2C72C8BD2BAB1A3F1BA20D3E4423C4BF889504BF8025F43DD04748BE72753A3E8E57F03E69BD9FBE7CA94DBE64EC7B3E2C46DDBE0FC2AABDE277E0BEF8C120BFCC71ECBC977E87BFFD91FDBDC7A8143E464BA8BFB4AC4E3B619F843FCC14F23EEFE0AFBEF9E00B3F2245CA3E15FFA0BE6F6215BFAA9E68BEE1517CBD2FAE5E3CA68ACF3E3161523EAEFE89BB7A8B99BDB86538BE0D5FC93DB60B69BDFF4F84BEF3A21E3D35D35BBE0475173F2DD2873E803235BFF2BBDB3EBF2D4EBE7B2BCDBE5872683E26B345BF5E0D47BEB4160F3F1F9B78BF07C0B23E8541653FF4E8483F6662B53F7A2B05BF0C0BC9BE216342BEDEE3DBBE36B8E0BE7EB90D3FA9BF053F7CF345BE0E22F7BE6FCD7E3DFC3E1B3F392A9FBF2B3D3A3E5FB05C3F80227EBCF029173F5D13603EEFA953BF2038EB3E15EE74BF5E1BFEBE62859EBEA8A701BD9961243F68A477BE8F33A13E19C4B1BE4B2954BD6B8B843F6B4C14BE2F34123F9524F4BD1EC9CD3E897DC8BEAE4D42BE24A788BFA48577BC954B8BBE30ED233FA5F6633E44349FBE3E4BE63E37B078BFED4128BF88242C3E5FF7B23DB074A83E91A21D3FB41FA7BE4C06F53E7D700F3E01E42FBF79324E3DA2551CBE1801DABE4DC8803EB103493E62C22D3E2643BCBF1733D9BFE379C8BECE99AF3F6CDADB3E4783B03F8C2CC93DEAF40BBD69DDEE3D7966CBBE4199533EA85A16BF158F01BF37BE9F3EC19C96BE0005233F3EBDBDBF220924BF2F47A03E663BF13C33A018BE8927A0BE1FCB0D3F9A8BDD3E1B5C213F6F4E4CBE3743F93E2EEF50BFDB7A9F3EF4761BBC7E8F6CBE9444013EDCA2C6BBB000ADBEB7CAFCBD6FD6A03E50A28EBE9B26093F84D59CBCBBEF503E3B3EAF3E36D4B7BEBD13163E7283CEBEEF2BBDBE68F48ABF60704ABFB42759BE2AF1D13ED97E8BBED9DCC23D74FB323F8300B6BD0726543FE8FB233C857F0CBE3AE601BFE0B6BEBEFAD62ABD097B4CBECAA186BEB91C1F3FA635243EEB6C77BE1A8380BFDD776C3E337A91BF52809C3E3501EDBD1F2716BE387E3B3D16F1C3BE56D01ABE61A834BFD6E28A3ECA618DBE428F16BE30A809BFD64E4E3FF2E1FF3E2CB14BBF440F873C13BAAABEFC252DBEB22F16BF2AE4E3BDEBF67D3EAE2A5EBCDAAC043FCA9C803F14668B3D274B4DBE5AD9443D136D193E608B2F3EE061C53E634DB8BEC01AA0BEFA918B3E6121583EB84B013E816C7FBF40223C3F9B29333FAC72E03DEC131E3E9798403E9CD3253E0B67283EA7D2AB3E9A52AABE18F70C3A263E553F2F03E6BE6BC859BE2A78E73DBE1BA13ED7FB163F0ABCB63C144B3BBE0F1BDABE1DC835BEDC7F2D3E918A133F75D5B73E3966A1BDA6C1B8BE54B261BED1A60B3F49751B3FE7BE463DE186A1BE7D5C953EF3A270BEB524C53D42122D3F2F1B54BEB5E1083FC96F1A3E2B231A3F6E0B653FE985D23E98E124BCE772293B4A10BB3EA6C02B3ED4DB2E3F334A17BF1BBC1C3FA47819BF3B47003FF65C913E0C518FBE83F9743DD9BEC7BEAD350C3F171B563E18FD2EBF0845B7BD80F34CBDA4EC2E3E83F9F6BE1E25D5BE193A873E3CEB9DBE8B3DA53E72B506BF6D7AD8BEA95E893EEE28C0BE1105283F16DE22BC416505BF27FA0E3F7464703E406B36BFE959CCBEC39E873E2A9382BDE22B78BE9066363EC0F96DBE19B9263FCBCF2EBF5E2A85BD4606AABDF25F33BF913EAE3DE2AA8FBCF81C36BE5FFB1DBE1866D23E893B943E3D872B3D0A51A0BEED5348BE360A993EB37ACA3E383594BFEC72D93D3A7E91BDA80FC93E296D11BED413843E8DC2FF3D46E7313FA63918BF371C1CBFCCCB02BF5DEA99BEC4F9EC3D55AB673E9C3C0EBDB3F55F3FA28E01BE81C8B6BE22A41A3DD2CA22BFFEBF32BE363E37BB6EF320BE1C84D53DD6DDCEBE1429093F534F1CBFEE9BD1BECA2B1A3FD6E3923E81696D3E188D983D3B99123FCFAA0A3FA04C12BDBBC460BD7520FA3E1C3330BDE0077C3E3717CFBD8EB5B13E05239B3E5AD715BE6152DFBED6EF173F270D3F3E3E9D7BBE5079ACBC7FE070BED696FD3EFFE1183EB3F667BE4418723EF7BA3CBE79D388BEE33FC13D3D2FDFBEC727513E737AE23D12F725BFE4B91BBE00F52F3EB5EFE53EC9A7053F750D05BF2A3D113FB0D6A7BC5DDD873ED769903E3B10283F6E8F83BEEB2FD13D64AA28BF58B0DD3E4736FEBC4F0597BEBC2AEE3EF171963E020424BE16600A3EA0CF243F7AE03B3FA8638E3EF93E6F3E4DBC963E1EB324BEBEE8763FA813D33DA15787BCF65539BEBDF4853EE4DFB93E3DB310BEFBDAABBDD77C0D3F9D459BBE6F53AD3DA565BABE54BDADBEBD5D2ABE3E4B07BF38B0EE3ECB0B9A3D64CE893F030863BE2843F7BE571BC8BDF695D9BEC848FD3DF328E03DFAA6243F719EF73EB440E03E429B08BE9CFB23BED398C2BD8804ABBE37B8103C29B0D43E",
      torch_tensor_48_torch.float32: "0x04000000BD75203F1C68AA3E287C783DCDB838BD314AE73D9996283E5F2F143FD2E1C63E9279E33EACCD823E2781883E3469AE3D93C2D43D6D2CCE3EDE2596BD854EF13E85CCA5BE24139BBEF6B160BD0A49D4BE742B423E498E80BE7B723E3D56DAA7BE5E29E8BEF9D42FBFCA6FD5BCD953D3BE2B7421BF8B4CC2BEE4B1A4BECC4D49BF9AEAEE3E352C9F3DF39A94BE9D0067BEF3DEA6BDE97289BEF2FC86BEAF7A393E585646BE4DE097BD5D1B193D751C23BDE687F4BEAF92D6BDFDFC1FBEF6F8963E",
      torch_tensor_48_8_torch.float32: "0x0400000015047B3E9492FB3D60937ABE8B23063F2D07653FD220773DFED6983F4C40353D9554063F9A1F923FB6BB2D3FB251F93E001A5E3E495630BF738C93BF7342BFBEE742993CEDF9423EA504743E8465813E7E77F13EA58FB33FCC19EA3E94B7CBBE21EEDEBEAC851BBD4BA61B3E59B001BF3C56FFBED9F13CBE0D16E2BE3DA69DBFC26CCC3D64B896BEC5F350BE2E8C31BD7652853F8FC7423F002E653DB7542D3E50C73D3F0EE7A2BF3C5FC03EBF2F643FBBE530BECBA7FB3EED27D73E4234A3BEDA7184BE652AAC3FB0D2883F539D923E92B9CA3E87EA96BDAEC76A3E6B5096BE1D709E3ED1ED273D2F09A7BD97F74BBEDDD58ABD44CD4B3FA7F38D3FBD6FA23E6BF7EB3E9DF6733D323CDE3EB70DFD3DF6F19C3E9F89323F93C04B3FDDCC803E81A87B3D735E1ABFE8B758BD67DEE23F5428823F66398BBEABD3C8BD22DB1D3F902AC1BEEC8F043F197338BDE33980BE504202BF21818EBE3B0758BD3A08173E276FF8BEE06878BDB7F013BF32E809BEAE8CE63ECF945D3E68741A3E058355BF97FB7F3E1250713E0DD2CABDEE8F9C3E82D09ABFCD972BBFBBBA11BFF285F43D87EC4EBF212F57BF59CD693D12E16C3D182C2B3DF82A1EBE7A0BD43D181C80BEF575F9BE07BBF23E579A843E35C7183FD5FEAE3E785C363EA1893D3FBDD8603F55B6243FC0D893BED64D11BF98032E3DCCFE483FC590693E8C756C3EDB4F9C3FDA3E1F3FEED66EBEAC95CEBDE80403BEEFE2B1BE429946BF33EEA8BEF2A3ECBD552C1EBFA47EA3BF567C96BE53B721BF9AFEFDBE265F50BE97587DBF905CCEBE3AE006BFF91440BF65B8B1BCED8944BD868898BFE59C48BFA562A6BFBFFB85BF15216ABA21925CBFBD7315BFB852833C42AC88BD78B511BFE2B089BEE373B6BE61DDA33EF984A7BECE7EE23E813E1C3F243F883C4A49013E77181E3F385D78BE0E3B09BF5EED913F7534B93E36B642BF417A5EBFC1F5EB3DBE3DAFBE2EFFCEBE1F06323F1DD229BED56B4F3F6C39023F1755CC3EB225AD3E137A38BE508D1F3FE146BD3EB60997BC9845C53E06D81D3F861D2D3F9A7DB9BE586B99BF7FC72DBF193E1DBF01A8C93F1E510F3F2C6D56BF40234EBF45FC033ED4DE313FE4C019BF090BE83ED93C77BE46B126BF9C7297BFF53582BF26B496BE01605E3FD1EA01BFB49DF1BE1424D0BE0E5C97BD0AA630BFF330E3BFB2BFA1BF632E60BF96CDC3BE67720A3F298B81BE806FA13ECE54303ECFE8713E79A6BEBEBE0133BF333A1EBE3D90AB3D4B8A643F5C49713E780412BF7A7943BF821BDBBD40768E3E5CF76BBFA988453ECCA8923E17989EBE74C3B1BD91C928BDC6B01BBE9FBBB6BF8CD275BFCB0F133F863B3CBEEE8C61BE79C8E33C1E1B713F7E5D5DBC8DA087BF3E2E28BF0A9B87BFED40BE3FFB45F4BC1AA9A9BFCE4EA1BF28B4DE3D7DEE6F3D6E11403D2CB9BABD9B4330BF051624BE416C6CBEBD039EBE03019DBDCCD214BEA3448FBE3B7D683EC2531F3D958588BE11C5953DF8A9353F2D42ABBE5AFA4CBFECB7DEBE05AD3B3DFE629A3E7966C53E6852D8BDF5AE4FBE3BC2B23EF261193FEA124C3F22494B3D2389C93EBFF931BEB7EB7F3E53ED3A3F3EE90E3F0684533F3BA7303F2A2083BCA8D16BBE34B8963EEF0F303F5A09D43EEF9A053F8B3F913D3C3DBCBC1225CFBE7DF6BD3EEA9FD53E30682A3FC91AA9BE8A554EBE6A8DCF3E6AA657BED29D92BEF18F8B3EBBA2CBBE9C32C9BEFF4DA7BE9E81BEBE123B83BC92CFF6BE04E1083E5BE8D7BEC8332BBEC6256E3D780EB73E2660AEBBAC7AA33E1848153F943BD4BE4DD100BE25180CBF06383CBFA2E402BE9D1E5A3F5C92CE3E53330BBF90B854BE307F2B3D0E27593F9575113FE87893BEFF45F3BEEE8DEEBEF719A3BFA6AC9ABE43B0FEBDAE85BE3EA673363EC6CED23E155A1F3F9126D23EA731C0BE2860A03E1CA45B3EBF14EF3E0CD6713E3392EEBE7D61FD3DB6F6983DEB7DBCBE3B971FBF22DACD3E043E493F2A3DE93E06C91D3F16A0493FE2A29C3DD6E2A0BEE99ECBBE09FC3EBE4A039E3E0C79CEBDBFF793BE41683F3FDC1A483F4C4943BCC0AC9D3E70BA3A3E39F780BE502D53BCDD0BF93E175D753EA04F72BDE967203F5E53B5BE4492873EF256303F7642843E39255EBEFF0E093FF1E55A3E6F466CBF"
    }
  }
#-}
