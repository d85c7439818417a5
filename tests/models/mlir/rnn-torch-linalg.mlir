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
    %1 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<1x16xf32>}> : () -> tensor<1x16xf32>
    %2 = "arith.constant"() <{value = dense_resource<torch_tensor_10_torch.float32> : tensor<10xf32>}> : () -> tensor<10xf32>
    %3 = "arith.constant"() <{value = dense_resource<torch_tensor_10_16_torch.float32> : tensor<10x16xf32>}> : () -> tensor<10x16xf32>
    %4 = "arith.constant"() <{value = dense_resource<torch_tensor_16_torch.float32_1> : tensor<16xf32>}> : () -> tensor<16xf32>
    %5 = "arith.constant"() <{value = dense_resource<torch_tensor_16_16_torch.float32> : tensor<16x16xf32>}> : () -> tensor<16x16xf32>
    %6 = "arith.constant"() <{value = dense_resource<torch_tensor_16_torch.float32> : tensor<16xf32>}> : () -> tensor<16xf32>
    %7 = "arith.constant"() <{value = dense_resource<torch_tensor_16_8_torch.float32> : tensor<16x8xf32>}> : () -> tensor<16x8xf32>
    %8 = "tensor.empty"() : () -> tensor<8x1x8xf32>
    %9 = "linalg.transpose"(%arg0, %8) <{permutation = array<i64: 1, 0, 2>}> ({
    ^bb0(%arg115: f32, %arg116: f32):
      "linalg.yield"(%arg115) : (f32) -> ()
    }) : (tensor<1x8x8xf32>, tensor<8x1x8xf32>) -> tensor<8x1x8xf32>
    %10 = "tensor.collapse_shape"(%9) <{reassociation = [[0], [1, 2]]}> : (tensor<8x1x8xf32>) -> tensor<8x8xf32>
    %11 = "tensor.empty"() : () -> tensor<8x16xf32>
    %12 = "linalg.transpose"(%7, %11) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg113: f32, %arg114: f32):
      "linalg.yield"(%arg113) : (f32) -> ()
    }) : (tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %13 = "linalg.fill"(%0, %11) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg111: f32, %arg112: f32):
      "linalg.yield"(%arg111) : (f32) -> ()
    }) : (f32, tensor<8x16xf32>) -> tensor<8x16xf32>
    %14 = "linalg.matmul"(%10, %12, %13) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg108: f32, %arg109: f32, %arg110: f32):
      %140 = "arith.mulf"(%arg108, %arg109) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %141 = "arith.addf"(%arg110, %140) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%141) : (f32) -> ()
    }) : (tensor<8x8xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %15 = "linalg.generic"(%14, %6, %11) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg105: f32, %arg106: f32, %arg107: f32):
      %139 = "arith.addf"(%arg105, %arg106) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%139) : (f32) -> ()
    }) : (tensor<8x16xf32>, tensor<16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %16 = "tensor.expand_shape"(%15) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 8, 1, 16>}> : (tensor<8x16xf32>) -> tensor<8x1x16xf32>
    %17 = "tensor.extract_slice"(%16) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x16xf32>) -> tensor<1x1x16xf32>
    %18 = "tensor.extract_slice"(%16) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 1, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x16xf32>) -> tensor<1x1x16xf32>
    %19 = "tensor.extract_slice"(%16) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 2, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x16xf32>) -> tensor<1x1x16xf32>
    %20 = "tensor.extract_slice"(%16) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 3, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x16xf32>) -> tensor<1x1x16xf32>
    %21 = "tensor.extract_slice"(%16) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 4, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x16xf32>) -> tensor<1x1x16xf32>
    %22 = "tensor.extract_slice"(%16) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 5, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x16xf32>) -> tensor<1x1x16xf32>
    %23 = "tensor.extract_slice"(%16) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 6, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x16xf32>) -> tensor<1x1x16xf32>
    %24 = "tensor.extract_slice"(%16) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 7, 0, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<8x1x16xf32>) -> tensor<1x1x16xf32>
    %25 = "tensor.collapse_shape"(%17) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %26 = "tensor.collapse_shape"(%18) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %27 = "tensor.collapse_shape"(%19) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %28 = "tensor.collapse_shape"(%20) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %29 = "tensor.collapse_shape"(%21) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %30 = "tensor.collapse_shape"(%22) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %31 = "tensor.collapse_shape"(%23) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %32 = "tensor.collapse_shape"(%24) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %33 = "tensor.empty"() : () -> tensor<16x16xf32>
    %34 = "linalg.transpose"(%5, %33) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg103: f32, %arg104: f32):
      "linalg.yield"(%arg103) : (f32) -> ()
    }) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %35 = "tensor.empty"() : () -> tensor<1x16xf32>
    %36 = "linalg.fill"(%0, %35) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg101: f32, %arg102: f32):
      "linalg.yield"(%arg101) : (f32) -> ()
    }) : (f32, tensor<1x16xf32>) -> tensor<1x16xf32>
    %37 = "linalg.matmul"(%1, %34, %36) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg98: f32, %arg99: f32, %arg100: f32):
      %137 = "arith.mulf"(%arg98, %arg99) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %138 = "arith.addf"(%arg100, %137) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%138) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %38 = "linalg.generic"(%37, %4, %35) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg95: f32, %arg96: f32, %arg97: f32):
      %136 = "arith.addf"(%arg95, %arg96) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%136) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %39 = "tensor.expand_shape"(%38) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 16>}> : (tensor<1x16xf32>) -> tensor<1x1x16xf32>
    %40 = "tensor.empty"() : () -> tensor<1x1x16xf32>
    %41 = "linalg.generic"(%39, %25, %40) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg92: f32, %arg93: f32, %arg94: f32):
      %135 = "arith.addf"(%arg92, %arg93) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%135) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %42 = "linalg.generic"(%41, %40) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg90: f32, %arg91: f32):
      %134 = "math.tanh"(%arg90) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%134) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %43 = "tensor.collapse_shape"(%42) <{reassociation = [[0], [1, 2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %44 = "linalg.matmul"(%43, %34, %36) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg87: f32, %arg88: f32, %arg89: f32):
      %132 = "arith.mulf"(%arg87, %arg88) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %133 = "arith.addf"(%arg89, %132) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%133) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %45 = "linalg.generic"(%44, %4, %35) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg84: f32, %arg85: f32, %arg86: f32):
      %131 = "arith.addf"(%arg84, %arg85) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%131) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %46 = "tensor.expand_shape"(%45) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 16>}> : (tensor<1x16xf32>) -> tensor<1x1x16xf32>
    %47 = "linalg.generic"(%46, %26, %40) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg81: f32, %arg82: f32, %arg83: f32):
      %130 = "arith.addf"(%arg81, %arg82) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%130) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %48 = "linalg.generic"(%47, %40) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg79: f32, %arg80: f32):
      %129 = "math.tanh"(%arg79) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%129) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %49 = "tensor.collapse_shape"(%48) <{reassociation = [[0], [1, 2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %50 = "linalg.matmul"(%49, %34, %36) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg76: f32, %arg77: f32, %arg78: f32):
      %127 = "arith.mulf"(%arg76, %arg77) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %128 = "arith.addf"(%arg78, %127) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%128) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %51 = "linalg.generic"(%50, %4, %35) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32, %arg75: f32):
      %126 = "arith.addf"(%arg73, %arg74) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%126) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %52 = "tensor.expand_shape"(%51) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 16>}> : (tensor<1x16xf32>) -> tensor<1x1x16xf32>
    %53 = "linalg.generic"(%52, %27, %40) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg70: f32, %arg71: f32, %arg72: f32):
      %125 = "arith.addf"(%arg70, %arg71) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%125) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %54 = "linalg.generic"(%53, %40) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg68: f32, %arg69: f32):
      %124 = "math.tanh"(%arg68) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%124) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %55 = "tensor.collapse_shape"(%54) <{reassociation = [[0], [1, 2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %56 = "linalg.matmul"(%55, %34, %36) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg65: f32, %arg66: f32, %arg67: f32):
      %122 = "arith.mulf"(%arg65, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %123 = "arith.addf"(%arg67, %122) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%123) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %57 = "linalg.generic"(%56, %4, %35) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg62: f32, %arg63: f32, %arg64: f32):
      %121 = "arith.addf"(%arg62, %arg63) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%121) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %58 = "tensor.expand_shape"(%57) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 16>}> : (tensor<1x16xf32>) -> tensor<1x1x16xf32>
    %59 = "linalg.generic"(%58, %28, %40) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32, %arg61: f32):
      %120 = "arith.addf"(%arg59, %arg60) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%120) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %60 = "linalg.generic"(%59, %40) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg57: f32, %arg58: f32):
      %119 = "math.tanh"(%arg57) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%119) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %61 = "tensor.collapse_shape"(%60) <{reassociation = [[0], [1, 2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %62 = "linalg.matmul"(%61, %34, %36) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg54: f32, %arg55: f32, %arg56: f32):
      %117 = "arith.mulf"(%arg54, %arg55) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %118 = "arith.addf"(%arg56, %117) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%118) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %63 = "linalg.generic"(%62, %4, %35) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg51: f32, %arg52: f32, %arg53: f32):
      %116 = "arith.addf"(%arg51, %arg52) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%116) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %64 = "tensor.expand_shape"(%63) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 16>}> : (tensor<1x16xf32>) -> tensor<1x1x16xf32>
    %65 = "linalg.generic"(%64, %29, %40) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg48: f32, %arg49: f32, %arg50: f32):
      %115 = "arith.addf"(%arg48, %arg49) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%115) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %66 = "linalg.generic"(%65, %40) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg46: f32, %arg47: f32):
      %114 = "math.tanh"(%arg46) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%114) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %67 = "tensor.collapse_shape"(%66) <{reassociation = [[0], [1, 2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %68 = "linalg.matmul"(%67, %34, %36) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg43: f32, %arg44: f32, %arg45: f32):
      %112 = "arith.mulf"(%arg43, %arg44) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %113 = "arith.addf"(%arg45, %112) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%113) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %69 = "linalg.generic"(%68, %4, %35) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg40: f32, %arg41: f32, %arg42: f32):
      %111 = "arith.addf"(%arg40, %arg41) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%111) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %70 = "tensor.expand_shape"(%69) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 16>}> : (tensor<1x16xf32>) -> tensor<1x1x16xf32>
    %71 = "linalg.generic"(%70, %30, %40) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg37: f32, %arg38: f32, %arg39: f32):
      %110 = "arith.addf"(%arg37, %arg38) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%110) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %72 = "linalg.generic"(%71, %40) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg35: f32, %arg36: f32):
      %109 = "math.tanh"(%arg35) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%109) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %73 = "tensor.collapse_shape"(%72) <{reassociation = [[0], [1, 2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %74 = "linalg.matmul"(%73, %34, %36) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg32: f32, %arg33: f32, %arg34: f32):
      %107 = "arith.mulf"(%arg32, %arg33) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %108 = "arith.addf"(%arg34, %107) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%108) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %75 = "linalg.generic"(%74, %4, %35) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32, %arg31: f32):
      %106 = "arith.addf"(%arg29, %arg30) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%106) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %76 = "tensor.expand_shape"(%75) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 16>}> : (tensor<1x16xf32>) -> tensor<1x1x16xf32>
    %77 = "linalg.generic"(%76, %31, %40) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg26: f32, %arg27: f32, %arg28: f32):
      %105 = "arith.addf"(%arg26, %arg27) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%105) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %78 = "linalg.generic"(%77, %40) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32):
      %104 = "math.tanh"(%arg24) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%104) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %79 = "tensor.collapse_shape"(%78) <{reassociation = [[0], [1, 2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %80 = "linalg.matmul"(%79, %34, %36) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg21: f32, %arg22: f32, %arg23: f32):
      %102 = "arith.mulf"(%arg21, %arg22) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %103 = "arith.addf"(%arg23, %102) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%103) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %81 = "linalg.generic"(%80, %4, %35) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg18: f32, %arg19: f32, %arg20: f32):
      %101 = "arith.addf"(%arg18, %arg19) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%101) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %82 = "tensor.expand_shape"(%81) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 1, 1, 16>}> : (tensor<1x16xf32>) -> tensor<1x1x16xf32>
    %83 = "linalg.generic"(%82, %32, %40) <{indexing_maps = [#map5, #map6, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg15: f32, %arg16: f32, %arg17: f32):
      %100 = "arith.addf"(%arg15, %arg16) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%100) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %84 = "linalg.generic"(%83, %40) <{indexing_maps = [#map5, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg13: f32, %arg14: f32):
      %99 = "math.tanh"(%arg13) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%99) : (f32) -> ()
    }) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %85 = "tensor.concat"(%42, %48, %54, %60, %66, %72, %78, %84) <{dim = 0 : i64}> : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<8x1x16xf32>
    %86 = "tensor.empty"() : () -> tensor<1x8x16xf32>
    %87 = "linalg.transpose"(%85, %86) <{permutation = array<i64: 1, 0, 2>}> ({
    ^bb0(%arg11: f32, %arg12: f32):
      "linalg.yield"(%arg11) : (f32) -> ()
    }) : (tensor<8x1x16xf32>, tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
    %88 = "tensor.extract_slice"(%87) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0, 7, 0>, static_sizes = array<i64: 1, 1, 16>, static_strides = array<i64: 1, 1, 1>}> : (tensor<1x8x16xf32>) -> tensor<1x1x16xf32>
    %89 = "tensor.collapse_shape"(%88) <{reassociation = [[0, 1], [2]]}> : (tensor<1x1x16xf32>) -> tensor<1x16xf32>
    %90 = "tensor.empty"() : () -> tensor<16x10xf32>
    %91 = "linalg.transpose"(%3, %90) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg9: f32, %arg10: f32):
      "linalg.yield"(%arg9) : (f32) -> ()
    }) : (tensor<10x16xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %92 = "tensor.empty"() : () -> tensor<1x10xf32>
    %93 = "linalg.fill"(%0, %92) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg7: f32, %arg8: f32):
      "linalg.yield"(%arg7) : (f32) -> ()
    }) : (f32, tensor<1x10xf32>) -> tensor<1x10xf32>
    %94 = "linalg.matmul"(%89, %91, %93) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
      %97 = "arith.mulf"(%arg4, %arg5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %98 = "arith.addf"(%arg6, %97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%98) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %95 = "linalg.generic"(%94, %2, %92) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1: f32, %arg2: f32, %arg3: f32):
      %96 = "arith.addf"(%arg1, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%96) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    "func.return"(%95) : (tensor<1x10xf32>) -> ()
  }) : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_10_torch.float32: "0x04000000B73E26BE55DCC43D8B5A4DBE464648BB3A65783B8871873DB428A6BDE7F8BFBD4B0C7D3DE28B883E",
      torch_tensor_10_16_torch.float32: "0x040000003D2BDF3E9BE70C3F734603BF67DE6EBF2B60ACBF224DC43E979240BFD125C3BE1F9C133FA3346E3F49B28BBF07C2763F172881BF592A14BF608A813FA8CA5A3D8BDFA13E9A12563FD937A6BF62CA58BF3E3C553F852E603FA92DA43E29C2943FBC9EF7BC062825BFE186A93E53B0B33EFD24513F3599D2BD6472ABBF04CC7FBF59DB893DA57031BF3F8E1E3FF6DF193EFC4B02BF6D40803F801F1EBF32A4CE3F5040903F7A85A6BEC76CAEBF28C3703FE1E05C3F7A13D23EEAEB313FD445373ED42FADBF0120853E6AF70C3FF582E33F81DCA73ED7989EBE52B3F83EC47E67BFD695523F4D55FDBEE9DD0BBF9F8C913EEABA313E36D8D03EC13C6A3FF9B2983EEE69463F5293C63EFF378DBF830A54BFCDEC10BFA4C789BF5DCD3BBF378CDE3E267D7FBF8ACD7E3F3CB9173F061B093E0ECD80BF9ED188BF8B22A0BF735687BFA7D6A5BE781EBA3CEA5E943E309D40BE4791293FC42047BF3A57143F543BE1BE28730EBF7AC21E3F521F783FCA52ABBF939A0DBF5908923FC42ACB3E3D502A3FF1FE8F3FB495943FE0C3433F3DA46A3EA958573FFC0587BF5DDD64BFB7D643BFB3071C3F84337A3EAD0C97BE60078F3FB91B493EF0743E3ED55B97BF42D51C3F6A4FAC3EDFDD0ABFB42E953F13B46A3FE342C6BF811FBDBF3B31B73E89DFDF3E441240BF84CC10BF25D54D3F981429BFBD3D123F3F054CBFFE4A65BE33B7A7BE4DBF45BFB030EF3E0969313E0BBC93BF6B40AD3EA3A2A43FE886F03E9A1A07BF128413BFFA8F82BFC89F013F8108BB3E69AE083DF14CD63E51506B3F0AD4533D5B8A02BF5A0F7FBF446C31BF6A4E2C3F579D853E2399873F628E693F31201FBFCD8B6A3E38532B3F854526BE639968BF35906EBE093DA5BF90D2D93E9930003F",
      torch_tensor_16_torch.float32_1: "0x040000002D6D443C23BA00BE237E1BBE0E6BEA3D1A321ABE7DDD43BE42DE4B3E3CF3FF3DB1B9FD3DA191E8BD1EF1143EEBAD6E3EB481EFBE664215BE27830FBE4FA711BF",
      torch_tensor_16_16_torch.float32: "0x04000000760B8A3EA44CC63EA1CAE2BE1D35843D565ACE3D942D78BE90CF81BE2CA17BBDED3A5CBEDDA06B3E364144BF01D015BE67C6E8BE149727BE9D3240BE45B1B0BEAB510B3EFADB1E3F601E173EC82DD1BDFD69803E6B397EBE2E31543D24B44B3EBB42F63E4ECD023DB44C18BF2E0B093E81A4F63ED5091A3F442F883DED3F333F1D63693E210181BE0C47163E7AEED93E20A63CBFEFDC0C3FE7161DBF8F34283FAC321D3D28202EBF8BB8A73E71C9D03E15B42EBE00FD47BD6AB1C13D012F0BBF9519E6BE258006BF6362B43EC89F2D3F8658053EAF10993D8C3AF8394C14B03DD0D4F63EDCA444BE6A89963E1D7C3BBEC4DEA53EE8562BBF05EC0DBEF1E07FBF445A27BE2222053E97CE3D3F7FD7E3BDD3479C3E78F0993D21C1C73E90EF51BD9AB85EBDD048CCBEBB2DB63E3F3ED9BD0060013F0E8A1D3F2B557B3E9F06A23D4DFAB1381B23AEBE7624613DFABD9FBE94F2B03EA46D70BD4AB8BB3E143C8CBE858880BE7391A33E0970283E1129A3BEC76CC23E330336BE3F47513E5632553F6151F43C2365823ECB8BB93D550DB4BD2AC22B3E604F17BF271DCA3E65DA63BDEB0D92BEBBF409BE8BBE993E3044B9BE2682C93EABF5B6BE190ED8BEFD00C8BDAD081A3EBD9F403EA80064BFDC4768BECB1F0D3F7A8CB93E93F44C3F52C3543ED83EA1BEE2F8FDBCA2120CBF126BBABEB9B746BE8F8A19BDABC2E13E77A7EBBE5EDFACBB98E759BEAC5D4E3E97F4193F5BB8903E5ABF093F1A6887BEF1EE3ABE322D233E77C1CB3D84ACBE3DB054B8BD5E14263F4785CDBD934C75BE9133373FEB9390BE239FAF3E8ADAD53EABA6373DC4A6B2BE6CF106BFE0801ABFFD4959BF1E6F883BF925C33E785D383E4E64F8BD626A56BFA63980BCC3D337BDC6774CBEB4ACAA3DE8ECA53ED208DC3C4AB141BF89A537BFE39E14BFFA6186BE180BFE3C1CE4B03DAB0DDCBEA582083F6C4C803ED934803E2B9CA2BD4E3747BEDDD288BE0059163DA0D75FBED01717BF993CB73E0E5A783EAE7E2B3FB1DDAFBDA7C4BE3E0DAD6E3E902E23BD693C18BF0AD49E3E10CECABD74BB803E292D5E3E7969133FCA4C0F3F90BCEEBA1407813EA50A133EF1E6A83E2D28E13D0E76C63E4F4D033F88270DBF6BFD91BEE6C1A33D02A15F3B0C04473E194BE2BD5ABD84BE7E925BBEA71D163E28900EBF25132F3E24018CBEC4C19A3EA5F3E83EE759A5BE8A87113FE219BABEFB39C4BE0711A1BE5E90F33E67E7C43EAE50343FF161243FBAD08F3EC0B0913DFD1872BF499BA73D18030F3F9F92083C340D78BD3DDC663E119DCC3C1CC9E0BE0631043F04DEACBE9375253D8600033E651797BED4571E3DE7F9263F153365BDBEC81CBF260CF73EDE900D3EC40936BE8111BFBC217EF9BE9E232C3E162F16BFD9650C3F91269FBE91D0D73D0407843E5BE36F3E54B214BFA6812DBE",
      torch_tensor_16_torch.float32: "0x040000005F4EF3BDA717F4BDE639B7BE1A697ABE615F8ABED8A2453D3461783D214BB2BE8A50D2BDC02D7CBE3C09C23EF5E008BD3B43B7BE6387F4BE3EA108BD625120BF",
      torch_tensor_16_8_torch.float32: "0x04000000A9CB433C0FA78BBEDCAD87BE7A6B17BE7C05FD3D36D2AC3EB1A4443E667B753EC2B7043F71658DBED3E54BBF3BF3653E2798C43E78EACABDEE0864BEB482EF3C5C1FA5BE250C483E9D6F253DF7DFF1BE8A730FBE46B3CB3E6F2E4D3DD92758BF231466BE8248E13E084CAC3EEFF28E3E74588ABE8776F23DED0AD43E605C13BFE1E9E4BEA7175ABED613F03D415A143FD3184B3F187DBB3E10B8E4BD7981683D62CB11BE686524BD25B22F3E5F75233ECDE3413E4CC08A3F849C8B3FF28F033F19E1D73E857476BE88747D3D50F4123F12C88A3E66B784BE3D22E8BE6D503F3F245FA4BB13C503BF401EF43EF47B8ABE33A0ECBE31862B3E4F2EBB3E9B22343FE095C73E0D46A83E9EFE4F3DB31B6BBD4CC701BE6AC7753EFE7E2E3F584AA33EACCD19BF3F4B2F3F08F9AD3EB2155BBC13209C3D3012B3BE9E3C863D1D93CA3EEDAE2F3E9E6E953E4553A3BEF2A32CBF624AB8BE1C5E1EBE34920FBE2D9C65BF13DF20BFB364DBBE7116B8BE797FFBBE924B423FF9291B3FF793893E32884D3FF08114BE4CAC68BD34A989BEE21BC3BE1466183E43AE0C3F863D6F3F341C963F809C02BF39263A3FF2D8233FF06179BD457D8D3E6316003EB158653E47DEBB3C9575F33E7437E23DB2AF1F3F401AE43E8159E43C96DA04BF2CDF17BEF64C8BBD906391BE4D2AE23EC409753E129E723EE99FD13E29F0FF3EAEFF8E3D4F4B0BBE"
    }
  }
#-}
