#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1) -> (d0, 0)>
#map6 = affine_map<(d0, d1) -> (d0)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x64xf32>) -> tensor<1x10xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<1x64xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0.000000e+00 : f64}> : () -> f64
    %2 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %3 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = dense_resource<torch_tensor_10_torch.float32> : tensor<10xf32>}> : () -> tensor<10xf32>
    %5 = "arith.constant"() <{value = dense_resource<torch_tensor_10_16_torch.float32> : tensor<10x16xf32>}> : () -> tensor<10x16xf32>
    %6 = "arith.constant"() <{value = dense_resource<torch_tensor_16_torch.float32_2> : tensor<16xf32>}> : () -> tensor<16xf32>
    %7 = "arith.constant"() <{value = dense_resource<torch_tensor_16_torch.float32_1> : tensor<16xf32>}> : () -> tensor<16xf32>
    %8 = "arith.constant"() <{value = 1.000000e-05 : f64}> : () -> f64
    %9 = "arith.constant"() <{value = dense_resource<torch_tensor_16_torch.float32> : tensor<16xf32>}> : () -> tensor<16xf32>
    %10 = "arith.constant"() <{value = dense_resource<torch_tensor_16_64_torch.float32> : tensor<16x64xf32>}> : () -> tensor<16x64xf32>
    %11 = "arith.constant"() <{value = 1.600000e+01 : f64}> : () -> f64
    %12 = "arith.constant"() <{value = 1.600000e+01 : f32}> : () -> f32
    %13 = "tensor.empty"() : () -> tensor<64x16xf32>
    %14 = "linalg.transpose"(%10, %13) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg80: f32, %arg81: f32):
      "linalg.yield"(%arg80) : (f32) -> ()
    }) : (tensor<16x64xf32>, tensor<64x16xf32>) -> tensor<64x16xf32>
    %15 = "tensor.empty"() : () -> tensor<1x16xf32>
    %16 = "linalg.fill"(%0, %15) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg78: f32, %arg79: f32):
      "linalg.yield"(%arg78) : (f32) -> ()
    }) : (f32, tensor<1x16xf32>) -> tensor<1x16xf32>
    %17 = "linalg.matmul"(%arg0, %14, %16) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg75: f32, %arg76: f32, %arg77: f32):
      %89 = "arith.mulf"(%arg75, %arg76) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %90 = "arith.addf"(%arg77, %89) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%90) : (f32) -> ()
    }) : (tensor<1x64xf32>, tensor<64x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %18 = "linalg.generic"(%17, %9, %15) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg72: f32, %arg73: f32, %arg74: f32):
      %88 = "arith.addf"(%arg72, %arg73) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%88) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %19 = "tensor.empty"() : () -> tensor<1x16xf64>
    %20 = "linalg.generic"(%18, %19) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg70: f32, %arg71: f64):
      %87 = "arith.extf"(%arg70) : (f32) -> f64
      "linalg.yield"(%87) : (f64) -> ()
    }) : (tensor<1x16xf32>, tensor<1x16xf64>) -> tensor<1x16xf64>
    %21 = "tensor.empty"() : () -> tensor<1x1xf64>
    %22 = "linalg.fill"(%1, %21) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg68: f64, %arg69: f64):
      "linalg.yield"(%arg68) : (f64) -> ()
    }) : (f64, tensor<1x1xf64>) -> tensor<1x1xf64>
    %23 = "linalg.generic"(%20, %22) <{indexing_maps = [#map3, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg66: f64, %arg67: f64):
      %86 = "arith.addf"(%arg66, %arg67) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%86) : (f64) -> ()
    }) : (tensor<1x16xf64>, tensor<1x1xf64>) -> tensor<1x1xf64>
    %24 = "linalg.generic"(%23, %21) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg64: f64, %arg65: f64):
      %85 = "arith.divf"(%arg64, %11) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%85) : (f64) -> ()
    }) : (tensor<1x1xf64>, tensor<1x1xf64>) -> tensor<1x1xf64>
    %25 = "linalg.generic"(%20, %24, %19) <{indexing_maps = [#map3, #map5, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg61: f64, %arg62: f64, %arg63: f64):
      %84 = "arith.subf"(%arg61, %arg62) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%84) : (f64) -> ()
    }) : (tensor<1x16xf64>, tensor<1x1xf64>, tensor<1x16xf64>) -> tensor<1x16xf64>
    %26 = "linalg.generic"(%25, %25, %19) <{indexing_maps = [#map3, #map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg58: f64, %arg59: f64, %arg60: f64):
      %83 = "arith.mulf"(%arg58, %arg59) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%83) : (f64) -> ()
    }) : (tensor<1x16xf64>, tensor<1x16xf64>, tensor<1x16xf64>) -> tensor<1x16xf64>
    %27 = "linalg.generic"(%26, %22) <{indexing_maps = [#map3, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg56: f64, %arg57: f64):
      %82 = "arith.addf"(%arg56, %arg57) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%82) : (f64) -> ()
    }) : (tensor<1x16xf64>, tensor<1x1xf64>) -> tensor<1x1xf64>
    %28 = "linalg.generic"(%27, %21) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg54: f64, %arg55: f64):
      %81 = "arith.divf"(%arg54, %11) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%81) : (f64) -> ()
    }) : (tensor<1x1xf64>, tensor<1x1xf64>) -> tensor<1x1xf64>
    %29 = "tensor.empty"() : () -> tensor<1x1xf32>
    %30 = "linalg.generic"(%28, %29) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg52: f64, %arg53: f32):
      %80 = "arith.truncf"(%arg52) : (f64) -> f32
      "linalg.yield"(%80) : (f32) -> ()
    }) : (tensor<1x1xf64>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %31 = "linalg.fill"(%0, %29) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg50: f32, %arg51: f32):
      "linalg.yield"(%arg50) : (f32) -> ()
    }) : (f32, tensor<1x1xf32>) -> tensor<1x1xf32>
    %32 = "linalg.generic"(%18, %31) <{indexing_maps = [#map3, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg48: f32, %arg49: f32):
      %79 = "arith.addf"(%arg48, %arg49) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%79) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %33 = "linalg.generic"(%32, %29) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg46: f32, %arg47: f32):
      %78 = "arith.divf"(%arg46, %12) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%78) : (f32) -> ()
    }) : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %34 = "linalg.generic"(%30, %29) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg44: f32, %arg45: f32):
      %76 = "arith.truncf"(%8) : (f64) -> f32
      %77 = "arith.addf"(%arg44, %76) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%77) : (f32) -> ()
    }) : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %35 = "linalg.generic"(%34, %29) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg42: f32, %arg43: f32):
      %75 = "math.rsqrt"(%arg42) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%75) : (f32) -> ()
    }) : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %36 = "linalg.generic"(%18, %33, %15) <{indexing_maps = [#map3, #map5, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg39: f32, %arg40: f32, %arg41: f32):
      %74 = "arith.subf"(%arg39, %arg40) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%74) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x1xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %37 = "linalg.generic"(%36, %35, %15) <{indexing_maps = [#map3, #map5, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg36: f32, %arg37: f32, %arg38: f32):
      %73 = "arith.mulf"(%arg36, %arg37) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%73) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x1xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %38 = "linalg.generic"(%37, %7, %15) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg33: f32, %arg34: f32, %arg35: f32):
      %72 = "arith.mulf"(%arg33, %arg34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%72) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %39 = "linalg.generic"(%38, %6, %15) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg30: f32, %arg31: f32, %arg32: f32):
      %71 = "arith.addf"(%arg30, %arg31) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%71) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %40 = "linalg.generic"(%39, %15) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg28: f32, %arg29: f32):
      %69 = "arith.cmpf"(%arg28, %0) <{fastmath = #arith.fastmath<none>, predicate = 9 : i64}> : (f32, f32) -> i1
      %70 = "arith.select"(%69, %arg28, %0) : (i1, f32, f32) -> f32
      "linalg.yield"(%70) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %41 = "tensor.empty"() : () -> tensor<16x10xf32>
    %42 = "linalg.transpose"(%5, %41) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg26: f32, %arg27: f32):
      "linalg.yield"(%arg26) : (f32) -> ()
    }) : (tensor<10x16xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %43 = "tensor.empty"() : () -> tensor<1x10xf32>
    %44 = "linalg.fill"(%0, %43) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32):
      "linalg.yield"(%arg24) : (f32) -> ()
    }) : (f32, tensor<1x10xf32>) -> tensor<1x10xf32>
    %45 = "linalg.matmul"(%40, %42, %44) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg21: f32, %arg22: f32, %arg23: f32):
      %67 = "arith.mulf"(%arg21, %arg22) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %68 = "arith.addf"(%arg23, %67) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%68) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<16x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %46 = "linalg.generic"(%45, %4, %43) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg18: f32, %arg19: f32, %arg20: f32):
      %66 = "arith.addf"(%arg18, %arg19) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%66) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %47 = "tensor.empty"() : () -> tensor<1xi64>
    %48 = "linalg.fill"(%2, %47) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg16: i64, %arg17: i64):
      "linalg.yield"(%arg16) : (i64) -> ()
    }) : (i64, tensor<1xi64>) -> tensor<1xi64>
    %49 = "tensor.empty"() : () -> tensor<1xf32>
    %50 = "linalg.fill"(%3, %49) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg14: f32, %arg15: f32):
      "linalg.yield"(%arg14) : (f32) -> ()
    }) : (f32, tensor<1xf32>) -> tensor<1xf32>
    %51:2 = "linalg.generic"(%46, %50, %48) <{indexing_maps = [#map3, #map6, #map6], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 2>}> ({
    ^bb0(%arg11: f32, %arg12: f32, %arg13: i64):
      %61 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %62 = "arith.index_cast"(%61) : (index) -> i64
      %63 = "arith.maximumf"(%arg11, %arg12) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %64 = "arith.cmpf"(%arg11, %arg12) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %65 = "arith.select"(%64, %62, %arg13) : (i1, i64, i64) -> i64
      "linalg.yield"(%63, %65) : (f32, i64) -> ()
    }) : (tensor<1x10xf32>, tensor<1xf32>, tensor<1xi64>) -> (tensor<1xf32>, tensor<1xi64>)
    %52 = "tensor.expand_shape"(%51#0) <{reassociation = [[0, 1]], static_output_shape = array<i64: 1, 1>}> : (tensor<1xf32>) -> tensor<1x1xf32>
    %53 = "linalg.generic"(%46, %52, %43) <{indexing_maps = [#map3, #map5, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg8: f32, %arg9: f32, %arg10: f32):
      %60 = "arith.subf"(%arg8, %arg9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%60) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<1x1xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %54 = "linalg.generic"(%53, %43) <{indexing_maps = [#map3, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg6: f32, %arg7: f32):
      %59 = "math.exp"(%arg6) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%59) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %55 = "linalg.generic"(%54, %31) <{indexing_maps = [#map3, #map5], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg4: f32, %arg5: f32):
      %58 = "arith.addf"(%arg4, %arg5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%58) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %56 = "linalg.generic"(%54, %55, %43) <{indexing_maps = [#map3, #map5, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1: f32, %arg2: f32, %arg3: f32):
      %57 = "arith.divf"(%arg1, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%57) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<1x1xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    "func.return"(%56) : (tensor<1x10xf32>) -> ()
  }) : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_10_torch.float32: "0x040000001B9DC83C919C713E0FCCB83DE80A3A3E5B07B43DF1EC9ABE504CC6BD83B3AA3D79DE0CBE09EB92BE",
      torch_tensor_10_16_torch.float32: "0x04000000227376BF60DA583F9D8458BFE7822F3F0EF8C9BEAB30C43E15BC853E1CB135BFF9772EBF4835113E7E9106BEBE3E17BF12028DBEA0D32DBF9249B0BEAFB4E6BE8991523E819949BFCD2564BF03B6CD3EE1652C3FC8A12C3E15319BBFF5ED133F7AD413BF29F9073D566278BFABCB72BE0B542A3D021C49BDAF8A583F3E91C73E3FF409BF07F412BF5F3F55BF1B5721BF2987F03DF2625B3F6632A4BE19B1ACBEC7324C3F892C94BE97795CBFC630333FF635D43E4951F93E2F1F2ABFD80C71BF43AC7FBE247AC4BD89919FBE93CFE9BE7F2612BE7CE784BFD94E4F3F618C4FBF51BB06BFEA180EBF957BF2BE2D15CB3D28644B3EFACD5E3F03F8E7BE691A26BE077435BF53C3243FBEC5363FE4EFD0BECB46653E77A7B83E075075BFF4DE283F4A520CBEF90ED4BDB4E9D9BEEBC5863ECA0715BF9044A2BFA52F9CBD222D85BE01C6463F7EBCB23EC905C6BEA678CD3B734B7CBDDF2824BFE8A1B3BE70DAF2BE945D84BF31A08EBEDD06393F5061033FFB1F13BF58258CBBB4680BBF4587D6BEABD2433F00AB663E161F0FBF436DEEBEA32395BEED2A3D3F5AD5903DB0C436BF5D611BBF1166163E38CB95BF8BAA59BF39B6F73DEA0E42BF39C46BBF7B508E3EC52163BFD1CB06BF085A0E3F5A4F28BE83F05E3C00939EBE41C02ABF1682AA3E423049BFC8381D3F16C6B83EED60FCBEEBA01ABE9F9CF03EFA199ABFE30FE9BD7EE9EBBD7790B2BEC86228BF45AE17BF4E7FA2BE069E29BF736D6E3EC56045BFD59C273F01D20F3FED53DABE783618BFB6DF1BBFDCBA00BEF9F0AE3E384D2B3FA3EC07BF288E77BF6873D33D1A3F2A3F119FBCBE16FA29BFEBE0053FE69B16BEA8AC95BE730805BF6A1F273FCCC0023FFF0DB8BEA1911BBF4F42653E44C1883D",
      torch_tensor_16_torch.float32_2: "0x0400000018EB1A3F3CA3243F734F383F09A0E33E85C135BD3B90513F80DA393F59791D3F52C4DE3E7227103F78D4313F4F0B253F2F4A033E3185583F09D0103FA7A2163F",
      torch_tensor_16_torch.float32_1: "0x0400000012DBFA3FE4F80540BD3501405F5F00403F33AB3F5515FE3F38B5FC3F44C71240004FF53F1E26F63F7F390E404101EC3F5D4D953FF9330440419604403155F43F",
      torch_tensor_16_torch.float32: "0x04000000AF57543C88A1563D455EE83D7B6DAFBDE900D9BDF2D6B83CFB8A7CBCD337C9BD07E8953D9E51123D8BAA8A3D52C572BD5022A5BD2030363D4CB70BBE113FFB3B",
      torch_tensor_16_64_torch.float32: "0x040000004AE8833D58410B3EEF43FE3D1DD200BD2CEF02BE7D35AA3E7086733E06FD76BE0397483E8D2B9BBE2CB3C43C46F8853C7B6803BEA9F310BDED2667BD0C4894BD1A8CC53EBFD08ABDD007EE3D3BE3BC3D9A97C4BEF44A10BF135408BF969A09BD14EE5FBEC986113E4CEA183E6DFF493E3143C63DF568D9BDFCA0D2BEE2BE633EAEF9A83D2CE7D83D45FA5F3DFBF9C8BBBC70CB3D87C7D43B7E75373EA8EE6DBD1987A5BD72E891BEBDE0923D6F14073B5E70803DC936833D5F5C0B3E12B65E3E37B2943DF3FB8DBE363F5D3D6A98C63BFBFE843DD03F423D2B38263D81A934BE9160DD3D71ED773EA00A2C3EA466613DA2FB86BDFBF9313EE30427BE0B1433BBD6808FBD4F32813E5A557DBC23B10CBE326F87BCF17AEFBD4E8A633DB4FD25BE2F8F9D3D24FF17BD738145BDC2268A3C9FB709BDA2B6F53C2B4374BE2528153DCF5BDABE2B50FE3C5A1E103C8075083E889470BE70452ABE25705ABE57FAB33EC872CE3D24E8A43EABB94B3E0EED9FBDB77C62BED02101BEFDB2CB3DFC01563D5C942E3D2A06EA3E39551E3E153182BEA1E6CABDD16D533D82F9983E98B25D3D198E00BE01DB553E78280C3E1D1929BE00703E3E74D7873ED6A0523E5AD1843E1D110E3EF37265BDCAC41FBDDD7B113D67E9873EF3CE733DCBAC80BECF9C1FBE919F033D2DE9F13D8F88DB3D0AC753BC316B043E850C87BDC8BF22BE6C8693BEF07F933D11FA073EB6FCB2BA159DBABD59148C3DA8AC17BE7728633E2B01B23EB1A1063D1B33A83E9B6D843CC63C81BD169681BD24A554BE090BFEBA2C15783EDD5E753DEE97ABBCE833093DAA4CDBBC6421143DF291203EB8B0D03CDC64B93E58DDBD3EA75BB4BCC0B6253D95E294BDDDF3D93D1CDE173D3FC8D43E62ACFA3DD24DBFBD5444903DA8CDA43D089FE73D76655E3E4E75833E1DDFA43E2011E6BCBAB80F3EA995DD3EA6BDEBBD9CC5123E0328453E5428E53D6D62793EEFF564BE2F423C3E3498AE3E33EB83BE6B3D2E3DFE2254BE49588BBE83AFFBBD2563103F1DD3E2BDCD3309BE0E1BE73D4BA38BBE759F15BEF5374DBE7E4443BD56DFB33EE47A70BD29DE16BEC3BF123D76C80C3D28F7BDBCEB8522BEBDED933DCDEE3DBDEA998B3E08A754BE9616E33C327D78BDB9730D3EE1A4BF3CF31DE4BC8D85723D0E15C73EACCE62BC26C49E3DCF6E223E928BBCBC72ADD03EEA781C3E7E8602BE4D98DD3E114A513DF4680BBC2DB223BD6D3964BE48222D3E5307A53E7616C8BE384E7A3D9B0DE5BD7306983DE434F939929EBEBE4245743DE7AF9A3D90FAC6BD5AFBDE3D9B3E15BE716AF5BD3BA054BEBA1697BE8CA4033E025165BB948281BB74B7F6BD8CDC8CBD15C80C3D76588EBD3739873DCF73733A865FD5BD985A413ED6E7E83C30F110BD5EB2C83D330E30BD30354C3C719D523DD6800A3E74F2A3BE20A5933DCF86053DED7A45BDC6E050BDA422C8BC0A9D3D3EA0775ABE62F8D2BDFC72ED3DC0B426BE71364FBD4869BEBD90593A3E95E02D3DB7F2FEBD311F12BED507223DC5CA533EFCCF02BEE3C2BD3D3D25DD3D91F6933D6176D73C2D3E41BD5DD300BDA33D3EBD3C23FDBD7757A6BC742506BEBAC6EA3C18CF373D670BC5BC98FCC1BC2BAE783D7CD182BD7BB741BE6FC67C3CA0A23D3EF147173E627B91BD9B915BBE682E023C297F773D522096BD9AF8F53D23C3193CFCC21EBC16270D3E6A5439BCD56B293E4876A8BBB04495BD2620B03DDC1BD73D25F40DBED2A0C93D1B0CE2BCB3D3C1BC27214F3D7F272FBE8B90B7BD148EF73D2C26DE3CDAF8C2BC20B2CABCBF238B3C75E7A9BDB64F23BD54D3B8BCAA7C09BE09F1CE3D659DE33D4917E7BE0634E03DFD1114BEE2CD1ABDEBFFE63D351F11BECE2DA23C5BB1CABC6551F3BDA20510BE261B7A3DE924A13D1D19B23B37AE45BEFBCF4F3DADDBCD3E8772033FB483BABD0E9002BE3CD192BE8CAA64BE4DC29EBD4DF4BF3E35ECA23EC89C34BDC0E5193E8C231EBDA85E7DBD7AA026BB0BFFD53C6B1DDC3DA08D24BCA6878EBEAAD30FBD487B443E0180A53E5524B4BD7D4466BEAF82D5BD3013A23E517AB93D78633E3EFCC7C83CBE4FC23E48596A3E2159403E99BDD13DBA74A1BC43D8B73C6961553EB335823D6F81FE3C75BA683D7A2D233EA94E853EFB428E3E0A6FA5BDBA64343D4ED508BE28802B3E85548D3E28FB64BE9D49ADBED36B753E7596753E289986BDBED02F3E18679F3D66CF2DBBC777433E2EAC4C3E2FC70A3E5D0FE0BDC3E037BDD1B4BBBD70AA01BE9E562C3D29583B3EF16AA33D583829BEF9A2B43DD5EA15BDD7658DBDBE3EDC3D058A88BDA0CB78BEBCEC6DBE4E7888BD4A8CCBBD1B9309BDB2DBECBDEF42703D40DAEBBD1ED9FDBDD2F3A6BD988FD73D2C7AB6BD494CD33D435BC33DA67CDEBE7735F4BCEA83E23D02CDBC3ECEDE433E4B8E8FBD84F302BE891A9C3C4F3099BD71B5B03D3EDFFB3C66C4AF3E3D1DEFBE4D7FCE3C73106E3DAEF2ECBDF5CCEB3D17068F3DF1D7BF3AA09DC1BDD046D6BEB85A7DBD2D41B63DF4FF43BC6E2CBB3C3D2769BDC237B5BD30DBEABDD71F9A3D8201E5BE63EB65BBDAE0B3BD8263FEBDE13B033E453E15BE0CB7E6BDE0B6FABD148B993E4FA3283C9ABC5CBEED68003D670B383E2489B7B9F92C693C1DDEFF3D373E283FA992543D0F19E03DAF8A083D9BB9373E2617173D391C803E19556D3ED4884F3D148FF23C2E8B153D9015ADBD63FD793E78214F3EA6CD053EBADDEC3DE90EB13E1AD6B13E365370BA5396223EDCF90F3E5C3586BDB37F2CBC2EEE0ABE629E6F3E41653B3E8EA43EBEDE48293E362593BD978E93BE951895BEA5D7FF3D71543CBDE20A3EBE1C7364BDA58B24BE46AC74BCAE0212BE8B8D99BE6F5A82BDCA69BFBDD08FE2BDFBC7923BF01B39BEC46C7CBD5992F9BD5F3CAABED302ED3D1175133E784C543EE5701F3E9F7415BECD03FCBD5ACB2DBDE8E3FF3D938688BD00A6BABED52B2B3E5F207D3EC7A119BE1D7ED7BDB433323E3731853EDE82E1BC4AC7CDBED13B89BDF5C1A5BD38C9A5BC160C26BDA77E3C3E9D41053E20D38E3ED6C893BD99AD7EBE7A05C4BE15A4883ED7850DBDEDECD4BD371E0EBF4C2C61BD46FC8E3D56D399BC0688133E3249CB3EE97DC0BD1236D4BD32AF55BE0C6B123EE83D693DA2ADBC3D7336EA3DFD5555BCC6879B3D1070A33E3E33983C9FECA3BEF6ACBD3DB644E1BD28C0BBBDEF75A83BEB5D833D10E4B43C0357263E33C38BBD20B9693C747E58BE4BAB283EFC8C0CBD65A88C3D86880EBD2D0536BDC923413E0E09F33EF50632BEAF7DDD3D1E58923D3D75923DFA24323E9FA53F3CAB26423E31C2CD3C5B35A13DC30A743CCCD47BBC4D1A57BD5BE6B1BC8CBF62BCF3D6C03D54CE2FBEE6C580BE84159E3CAAB8B73CBC59EABDA97246BD1C65B13DA9296BBEE82695BDA522F43D9C2B7D3C6F96523D435FB03D44E0C83D90330FBE96E7AC3DB3FB3DBEE10BA43D01D1EF3E3CD9153EF5C6AC3DF130F3BBC2E139BD545C01BED8EEC4BCBF5C17BEEA864B3E060310BBDCA5A0BE8165B6BD8FB69FBD99EC58BE75C8BCBDD61AB2BEE545D7BD9E5532BD63FD0DBEC2F07FBE725FF6BDEF90A73E80022FBC51DCD6BDAEF4443E6646C93C5C99363E51F7723E97009B3E082668BC232D56BEB29A9E3D044CB33D09B5633E894C4B3EDEF8E3BD3530D53C87A5A43D9B8304BF03D7493D354B033D689D07BA480B92BE4A641A3E6BC321BEA725ABBEFD64B7BECEA5C8BDDCD3903E624C873D14D9903D2E67DF3D7FDA7D3D941CA0BED029EDBD432F24BEF476DB3D32AC733D5FA703BE2E6BD6BBA8E00E3EF05F76BD11410C3E87D255BECF77C6BE2CA19BBEEAF836BE874801BE93CE0BBE516940BEEAF2D53DC77003BDF42AAFBD62D2013D87752ABE922932BE473F26BECA05963E74BE1E3E27C1C13D4B934A3E89588FBACC2511BE2217FDBDEFBF92BDB5D207BE20FF8CBB2A6AE33CD1A9183E62A5A13DC1F6A63D9C6EE2BD0C13AE3C08388CBE1557E2BEB40A823C8AAAB33D4BA77F3DEB1317BDA63F76BDCFFA0E3CC04E73BDFC38E0BE122BE43D72D7093E9AAE7CBD7948C73DB7D6B73DA7CD2FBDE4CA4E3D396C1EBE0316EA3C713584BCA3FD813D59610D3E4438063DFD6195BD5B8C92BC14B3873D1667A5BE97C804BEC13944BE82AC3FBE3FCAA4BD8731003D90AE3F3DEBD214BD485D27BEDB433ABE02C74FBE627D44BEF7E90BBEC6D321BE87B0353EFECF6E3E740CF53DBA100CBE8008263E9252513E43BD993DF926923D6D1223BD6849A23D1661933E46F7883ED1BD9BBCEEA268BA0917163EBB97F13D0B1BB2BCD09CA4BCB76E723D9B64D0BD0F2BE43CCF54973D284A023E3980D4BD35D443BE7B1D75BE4AF69EBC15C577BD28DD7CBD5ED90C3EA9765F3DB4FAC7BD1D2D90BC3E0B36BDA684A43D034644BD178A42BD1386DE3DB1E4D43B4007543D66C4193EE046AB3D3CE7323DC211EFBD836ACCBD9752B3BDA2E4B83C57CB28BC2A49CCBD38E6EB3C7F1E72BCF87107BEA3B527BDD6DC8CBCC8EB593D03F42CBD26D1CD3DBB6D3DBE49F524BEAA253DBB2E579CBCFD3BB93D1907E5BC3246123DA557793E8C39E63DC8DE5A3E5F53B63D10FFCABC0459103E2920B53D3655B43DD9D380BC0DB6D53D897B8B3C79539B3D5689AFBD4230E0BD7E4DD93D28D4423EEF3922BC10911B3C07A0863E0381B13D843F4C3D12E3743E6DC4633EF961973E21A3EE3D857AB7BE0B875DBCEB1F57BC783BF63D25869F3E05AFA2BCBC34E93C6B27DA3CE6A978BEBAE020BDBCA3BBBEB09D92BE3CB6FF3D8AC543BECA74093EC1EE833E05C7EEBD6AC344BE3EF6A3BE5FCE93BEF2C9933D724755BE378587BD38C42B3C6052E8BCCBA40C3E9257ADBD601FA9BC8DEE853E8DFA5E3D3B7D06BC7030553C21D036BDF58BDBBDAB3B15BEE8B601BCA7D0F03C6070B83C7C8FAABD63402DBE4CCFCF3CA8DE8DBEEFEC92BB5731E93DE1CBB33D74C3863D18F7103EA05CF83D75C3A83DFF7ADD3EDEB96A3E90D2EF3D623146BDC44E433D2BA604BDDB30893D5CC872BD1F2E67BE2AD016BCBDBAB23D4E6E9EBE4E4D9E3D9DEA5EBDEA008F3D99B1EC3E292BA1BE8AEC01BEA15E6BBD889C11BE7729DD3DE16296BD8795C13C8A5E143F0F36813E8AF61C3E0CEBA83ECD2FC33E2EF2243EEFB02D3B9DCBF1BD2627073E764B1E3E2168AA3CBD3CA73EFC8E9B3DF147E8BC9F9CA6BB3FBBAE3E00503F3DD8E412BE69F37A3D340AE8BC15A525BD5EBD243CF9E5D4BE40625A3D55ADC23C4FF452BEA9CD54BCBEB13DBC589F843DF89D95BDB6635BBE2FAEA5BE99E3283D8DCC04BE697B3DBE25F62ABEC0C9BE3D1DB541BD38AA36BD768EB53EA432C0BDA9989BBEA40F85BEEFE58C3D96F4353E2433D03C9DE5BE3A6977553E80E93EBCDD5F93BEBB05DBBD72B37ABD4C8CA63CA62BC03D15F374BEB55E9DBE1973153FA09E4CBEDD2D04BC73ECC0BDE186F7BDAC38853D7462C3BCC4CADDBE7C45EB3EA5E35E3DA542813D71AA2E3EF227663D7E09AA3D3EB2513D7CE4A6BE3A9E58BE9004513CD5ED933D4E14A23E1AD398BD74EDBD3D822938BE0DA008BE5236AD3D16ACD3BD1C2A9D3BE9937A3E4356863D10BC97BCDABF1CBEC8D65F3DB0EE233C0A6604BE5B05ED3D034A99BD0130443E513D0B3EE3B2053EB666E5BE977285BD765646BEA7C7063E4876E8BD40AF70BD1B3BE33C782BF43C8FD7513E25FA3ABD472299BEB0366BBE1AA810BE00AA3BBD4C1D443D14314CBD8C7A113E"
    }
  }
#-}
