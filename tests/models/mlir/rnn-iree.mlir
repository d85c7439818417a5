"builtin.module"() <{sym_name = "jit_function"}> ({
  "util.func"() <{function_type = (tensor<1x8x8xf32>) -> tensor<10xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<1x8x8xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 7 : index}> : () -> index
    %2 = "arith.constant"() <{value = 0 : index}> : () -> index
    %3 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %4 = "arith.constant"() <{value = 8 : i32}> : () -> i32
    %5 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %6 = "arith.constant"() <{value = dense<"0xA9CB433CC2B7043F5C1FA5BE231466BEE1E9E4BE62CB11BE19E1D73E245FA4BBE095C73EACCD19BFEDAE2F3E13DF20BFF08114BE809C02BF9575F33E906391BE0FA78BBE71658DBE250C483E8248E13EA7175ABE686524BD857476BE13C503BF0D46A83E3F4B2F3F9E6E953EB364DBBE4CAC68BD39263A3F7437E23D4D2AE23EDCAD87BED3E54BBF9D6F253D084CAC3ED613F03D25B22F3E88747D3D401EF43E9EFE4F3D08F9AD3E4553A3BE7116B8BE34A989BEF2D8233FB2AF1F3FC409753E7A6B17BE3BF3653EF7DFF1BEEFF28E3E415A143F5F75233E50F4123FF47B8ABEB31B6BBDB2155BBCF2A32CBF797FFBBEE21BC3BEF06179BD401AE43E129E723E7C05FD3D2798C43E8A730FBE74588ABED3184B3FCDE3413E12C88A3E33A0ECBE4CC701BE13209C3D624AB8BE924B423F1466183E457D8D3E8159E43CE99FD13E36D2AC3E78EACABD46B3CB3E8776F23D187DBB3E4CC08A3F66B784BE31862B3E6AC7753E3012B3BE1C5E1EBEF9291B3F43AE0C3F6316003E96DA04BF29F0FF3EB1A4443EEE0864BE6F2E4D3DED0AD43E10B8E4BD849C8B3F3D22E8BE4F2EBB3EFE7E2E3F9E3C863D34920FBEF793893E863D6F3FB158653E2CDF17BEAEFF8E3D667B753EB482EF3CD92758BF605C13BF7981683DF28F033F6D503F3F9B22343F584AA33E1D93CA3E2D9C65BF32884D3F341C963F47DEBB3CF64C8BBD4F4B0BBE"> : tensor<8x16xf32>}> : () -> tensor<8x16xf32>
    %7 = "arith.constant"() <{value = dense<[-0.118801825, -0.119185738, -0.357863605, -0.244541556, -0.270258933, 0.048251003, 0.0606395751, -0.348229438, -0.102692679, -0.246268272, 0.378976703, -0.0334176607, -0.357934803, -0.477595419, -0.0333568975, -0.626241803]> : tensor<16xf32>}> : () -> tensor<16xf32>
    %8 = "arith.constant"() <{value = dense<"0x760B8A3EAB510B3E1D63693E9519E6BE445A27BE4DFAB1386151F43CAD081A3E5EDFACBBEB9390BEB4ACAA3D0059163DCA4C0F3FA71D163EC0B0913D153365BDA44CC63EFADB1E3F210181BE258006BF2222053E1B23AEBE2365823EBD9F403E98E759BE239FAF3EE8ECA53EA0D75FBE90BCEEBA28900EBFFD1872BFBEC81CBFA1CAE2BE601E173E0C47163E6362B43E97CE3D3F7624613DCB8BB93DA80064BFAC5D4E3E8ADAD53ED208DC3CD01717BF1407813E25132F3E499BA73D260CF73E1D35843DC82DD1BD7AEED93EC89F2D3F7FD7E3BDFABD9FBE550DB4BDDC4768BE97F4193FABA6373D4AB141BF993CB73EA50A133E24018CBE18030F3FDE900D3E565ACE3DFD69803E20A63CBF8658053ED3479C3E94F2B03E2AC22B3ECB1F0D3F5BB8903EC4A6B2BE89A537BF0E5A783EF1E6A83EC4C19A3E9F92083CC40936BE942D78BE6B397EBEEFDC0C3FAF10993D78F0993DA46D70BD604F17BF7A8CB93E5ABF093F6CF106BFE39E14BFAE7E2B3F2D28E13DA5F3E83E340D78BD8111BFBC90CF81BE2E31543DE7161DBF8C3AF83921C1C73E4AB8BB3E271DCA3E93F44C3F1A6887BEE0801ABFFA6186BEB1DDAFBD0E76C63EE759A5BE3DDC663E217EF9BE2CA17BBD24B44B3E8F34283F4C14B03D90EF51BD143C8CBE65DA63BD52C3543EF1EE3ABEFD4959BF180BFE3CA7C4BE3E4F4D033F8A87113F119DCC3C9E232C3EED3A5CBEBB42F63EAC321D3DD0D4F63E9AB85EBD858880BEEB0D92BED83EA1BE322D233E1E6F883B1CE4B03D0DAD6E3E88270DBFE219BABE1CC9E0BE162F16BFDDA06B3E4ECD023D28202EBFDCA444BED048CCBE7391A33EBBF409BEE2F8FDBC77C1CB3DF925C33EAB0DDCBE902E23BD6BFD91BEFB39C4BE0631043FD9650C3F364144BFB44C18BF8BB8A73E6A89963EBB2DB63E0970283E8BBE993EA2120CBF84ACBE3D785D383EA582083F693C18BFE6C1A33D0711A1BE04DEACBE91269FBE01D015BE2E0B093E71C9D03E1D7C3BBE3F3ED9BD1129A3BE3044B9BE126BBABEB054B8BD4E64F8BD6C4C803E0AD49E3E02A15F3B5E90F33E9375253D91D0D73D67C6E8BE81A4F63E15B42EBEC4DEA53E0060013FC76CC23E2682C93EB9B746BE5E14263F626A56BFD934803E10CECABD0C04473E67E7C43E8600033E0407843E149727BED5091A3F00FD47BDE8562BBF0E8A1D3F330336BEABF5B6BE8F8A19BD4785CDBDA63980BC2B9CA2BD74BB803E194BE2BDAE50343F651797BE5BE36F3E9D3240BE442F883D6AB1C13D05EC0DBE2B557B3E3F47513E190ED8BEABC2E13E934C75BEC3D337BD4E3747BE292D5E3E5ABD84BEF161243FD4571E3D54B214BF45B1B0BEED3F333F012F0BBFF1E07FBF9F06A23D5632553FFD00C8BD77A7EBBE9133373FC6774CBEDDD288BE7969133F7E925BBEBAD08F3EE7F9263FA6812DBE"> : tensor<16x16xf32>}> : () -> tensor<16x16xf32>
    %9 = "arith.constant"() <{value = dense<[0.0119889202, -0.125710055, -0.151848361, 1.144620e-01, -0.150581747, -0.191274598, 0.199090034, 0.124975652, 0.123889334, -0.113559015, 0.145451039, 0.233085319, -0.467786431, -0.145761102, -0.140148744, -0.568959177]> : tensor<16xf32>}> : () -> tensor<16xf32>
    %10 = "arith.constant"() <{value = dense<"0x3D2BDF3E8BDFA13E59DB893DD42FADBFEE69463FA7D6A5BEF1FE8F3F6A4FAC3E4DBF45BF5B8A02BF9BE70C3F9A12563FA57031BF0120853E5293C63E781EBA3CB495943FDFDD0ABFB030EF3E5A0F7FBF734603BFD937A6BF3F8E1E3F6AF70C3FFF378DBFEA5E943EE0C3433FB42E953F0969313E446C31BF67DE6EBF62CA58BFF6DF193EF582E33F830A54BF309D40BE3DA46A3E13B46A3F0BBC93BF6A4E2C3F2B60ACBF3E3C553FFC4B02BF81DCA73ECDEC10BF4791293FA958573FE342C6BF6B40AD3E579D853E224DC43E852E603F6D40803FD7989EBEA4C789BFC42047BFFC0587BF811FBDBFA3A2A43F2399873F979240BFA92DA43E801F1EBF52B3F83E5DCD3BBF3A57143F5DDD64BF3B31B73EE886F03E628E693FD125C3BE29C2943F32A4CE3FC47E67BF378CDE3E543BE1BEB7D643BF89DFDF3E9A1A07BF31201FBF1F9C133FBC9EF7BC5040903FD695523F267D7FBF28730EBFB3071C3F441240BF128413BFCD8B6A3EA3346E3F062825BF7A85A6BE4D55FDBE8ACD7E3F7AC21E3F84337A3E84CC10BFFA8F82BF38532B3F49B28BBFE186A93EC76CAEBFE9DD0BBF3CB9173F521F783FAD0C97BE25D54D3FC89F013F854526BE07C2763F53B0B33E28C3703F9F8C913E061B093ECA52ABBF60078F3F981429BF8108BB3E639968BF172881BFFD24513FE1E05C3FEABA313E0ECD80BF939A0DBFB91B493EBD3D123F69AE083D35906EBE592A14BF3599D2BD7A13D23E36D8D03E9ED188BF5908923FF0743E3E3F054CBFF14CD63E093DA5BF608A813F6472ABBFEAEB313FC13C6A3F8B22A0BFC42ACB3ED55B97BFFE4A65BE51506B3F90D2D93EA8CA5A3D04CC7FBFD445373EF9B2983E735687BF3D502A3F42D51C3F33B7A7BE0AD4533D9930003F"> : tensor<16x10xf32>}> : () -> tensor<16x10xf32>
    %11 = "arith.constant"() <{value = dense<[-0.162348613, 0.0961233749, -0.200540707, -0.00305594644, 0.00379021326, 0.0661345124, -0.0811323225, -0.0937364622, 6.177930e-02, 0.266692221]> : tensor<10xf32>}> : () -> tensor<10xf32>
    %12 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<16xf32>}> : () -> tensor<16xf32>
    %13 = "tensor.collapse_shape"(%arg0) <{reassociation = [[0, 1], [2]]}> : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %14 = "scf.for"(%5, %4, %3, %12) ({
    ^bb0(%arg9: i32, %arg10: tensor<16xf32>):
      %23 = "arith.index_cast"(%arg9) : (i32) -> index
      %24 = "arith.maxsi"(%23, %2) : (index, index) -> index
      %25 = "arith.minsi"(%24, %1) : (index, index) -> index
      %26 = "tensor.extract_slice"(%13, %25) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 1, 8>, static_strides = array<i64: 1, 1>}> : (tensor<8x8xf32>, index) -> tensor<1x8xf32>
      %27 = "tensor.collapse_shape"(%26) <{reassociation = [[0, 1]]}> : (tensor<1x8xf32>) -> tensor<8xf32>
      %28 = "tensor.empty"() : () -> tensor<16xf32>
      %29 = "linalg.fill"(%0, %28) <{operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg30: f32, %arg31: f32):
        "linalg.yield"(%arg30) : (f32) -> ()
      }) : (f32, tensor<16xf32>) -> tensor<16xf32>
      %30 = "linalg.vecmat"(%27, %6, %29) <{operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg27: f32, %arg28: f32, %arg29: f32):
        %48 = "arith.mulf"(%arg27, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        %49 = "arith.addf"(%arg29, %48) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%49) : (f32) -> ()
      }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>]} : (tensor<8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %31 = "tensor.empty"() : () -> tensor<16xf32>
      %32 = "linalg.generic"(%30, %7, %31) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg24: f32, %arg25: f32, %arg26: f32):
        %47 = "arith.addf"(%arg24, %arg25) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%47) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %33 = "tensor.empty"() : () -> tensor<16xf32>
      %34 = "linalg.fill"(%0, %33) <{operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg22: f32, %arg23: f32):
        "linalg.yield"(%arg22) : (f32) -> ()
      }) : (f32, tensor<16xf32>) -> tensor<16xf32>
      %35 = "linalg.vecmat"(%arg10, %8, %34) <{operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg19: f32, %arg20: f32, %arg21: f32):
        %45 = "arith.mulf"(%arg19, %arg20) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        %46 = "arith.addf"(%arg21, %45) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%46) : (f32) -> ()
      }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>]} : (tensor<16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %36 = "tensor.empty"() : () -> tensor<16xf32>
      %37 = "linalg.generic"(%32, %35, %36) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg16: f32, %arg17: f32, %arg18: f32):
        %44 = "arith.addf"(%arg16, %arg17) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%44) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %38 = "tensor.empty"() : () -> tensor<16xf32>
      %39 = "linalg.generic"(%37, %9, %38) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg13: f32, %arg14: f32, %arg15: f32):
        %43 = "arith.addf"(%arg13, %arg14) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%43) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %40 = "tensor.empty"() : () -> tensor<16xf32>
      %41 = "linalg.generic"(%39, %40) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg11: f32, %arg12: f32):
        %42 = "math.tanh"(%arg11) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
        "linalg.yield"(%42) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      "scf.yield"(%41) : (tensor<16xf32>) -> ()
    }) : (i32, i32, i32, tensor<16xf32>) -> tensor<16xf32>
    %15 = "tensor.empty"() : () -> tensor<10xf32>
    %16 = "linalg.fill"(%0, %15) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg7: f32, %arg8: f32):
      "linalg.yield"(%arg7) : (f32) -> ()
    }) : (f32, tensor<10xf32>) -> tensor<10xf32>
    %17 = "linalg.vecmat"(%14, %10, %16) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
      %21 = "arith.mulf"(%arg4, %arg5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %22 = "arith.addf"(%arg6, %21) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%22) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>]} : (tensor<16xf32>, tensor<16x10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %18 = "tensor.empty"() : () -> tensor<10xf32>
    %19 = "linalg.generic"(%17, %11, %18) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1: f32, %arg2: f32, %arg3: f32):
      %20 = "arith.addf"(%arg1, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%20) : (f32) -> ()
    }) : (tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    "util.return"(%19) : (tensor<10xf32>) -> ()
  }) : () -> ()
}) : () -> ()