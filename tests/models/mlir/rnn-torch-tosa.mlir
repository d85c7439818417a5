"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x8x8xf32>) -> tensor<1x10xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<1x8x8xf32>):
    %0 = "tosa.const"() <{values = dense_resource<torch_tensor_16_16_torch.float32> : tensor<16x16xf32>}> : () -> tensor<16x16xf32>
    %1 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %2 = "tosa.const_shape"() <{values = dense<[8, 16]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %3 = "tosa.const_shape"() <{values = dense<[1, 16]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %4 = "tosa.const_shape"() <{values = dense<[8, 1, 16]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %5 = "tosa.const_shape"() <{values = dense<[1, 1, 16]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %6 = "tosa.const_shape"() <{values = dense<0> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %7 = "tosa.const_shape"() <{values = dense<[1, 0, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %8 = "tosa.const_shape"() <{values = dense<[2, 0, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %9 = "tosa.const_shape"() <{values = dense<[3, 0, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %10 = "tosa.const_shape"() <{values = dense<[4, 0, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %11 = "tosa.const_shape"() <{values = dense<[5, 0, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %12 = "tosa.const_shape"() <{values = dense<[6, 0, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %13 = "tosa.const_shape"() <{values = dense<[7, 0, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %14 = "tosa.const_shape"() <{values = dense<[1, 16, 16]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %15 = "tosa.const_shape"() <{values = dense<[0, 7, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %16 = "tosa.const_shape"() <{values = dense<[1, 10]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %17 = "tosa.const"() <{values = dense<"0xA9CB433CC2B7043F5C1FA5BE231466BEE1E9E4BE62CB11BE19E1D73E245FA4BBE095C73EACCD19BFEDAE2F3E13DF20BFF08114BE809C02BF9575F33E906391BE0FA78BBE71658DBE250C483E8248E13EA7175ABE686524BD857476BE13C503BF0D46A83E3F4B2F3F9E6E953EB364DBBE4CAC68BD39263A3F7437E23D4D2AE23EDCAD87BED3E54BBF9D6F253D084CAC3ED613F03D25B22F3E88747D3D401EF43E9EFE4F3D08F9AD3E4553A3BE7116B8BE34A989BEF2D8233FB2AF1F3FC409753E7A6B17BE3BF3653EF7DFF1BEEFF28E3E415A143F5F75233E50F4123FF47B8ABEB31B6BBDB2155BBCF2A32CBF797FFBBEE21BC3BEF06179BD401AE43E129E723E7C05FD3D2798C43E8A730FBE74588ABED3184B3FCDE3413E12C88A3E33A0ECBE4CC701BE13209C3D624AB8BE924B423F1466183E457D8D3E8159E43CE99FD13E36D2AC3E78EACABD46B3CB3E8776F23D187DBB3E4CC08A3F66B784BE31862B3E6AC7753E3012B3BE1C5E1EBEF9291B3F43AE0C3F6316003E96DA04BF29F0FF3EB1A4443EEE0864BE6F2E4D3DED0AD43E10B8E4BD849C8B3F3D22E8BE4F2EBB3EFE7E2E3F9E3C863D34920FBEF793893E863D6F3FB158653E2CDF17BEAEFF8E3D667B753EB482EF3CD92758BF605C13BF7981683DF28F033F6D503F3F9B22343F584AA33E1D93CA3E2D9C65BF32884D3F341C963F47DEBB3CF64C8BBD4F4B0BBE"> : tensor<1x8x16xf32>}> : () -> tensor<1x8x16xf32>
    %18 = "tosa.const"() <{values = dense_resource<torch_tensor_16_torch.float32> : tensor<1x16xf32>}> : () -> tensor<1x16xf32>
    %19 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1x1x16xf32>}> : () -> tensor<1x1x16xf32>
    %20 = "tosa.const"() <{values = dense_resource<torch_tensor_16_torch.float32_1> : tensor<1x16xf32>}> : () -> tensor<1x16xf32>
    %21 = "tosa.const_shape"() <{values = dense<[1, 8, 16]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %22 = "tosa.const"() <{values = dense<"0x3D2BDF3E8BDFA13E59DB893DD42FADBFEE69463FA7D6A5BEF1FE8F3F6A4FAC3E4DBF45BF5B8A02BF9BE70C3F9A12563FA57031BF0120853E5293C63E781EBA3CB495943FDFDD0ABFB030EF3E5A0F7FBF734603BFD937A6BF3F8E1E3F6AF70C3FFF378DBFEA5E943EE0C3433FB42E953F0969313E446C31BF67DE6EBF62CA58BFF6DF193EF582E33F830A54BF309D40BE3DA46A3E13B46A3F0BBC93BF6A4E2C3F2B60ACBF3E3C553FFC4B02BF81DCA73ECDEC10BF4791293FA958573FE342C6BF6B40AD3E579D853E224DC43E852E603F6D40803FD7989EBEA4C789BFC42047BFFC0587BF811FBDBFA3A2A43F2399873F979240BFA92DA43E801F1EBF52B3F83E5DCD3BBF3A57143F5DDD64BF3B31B73EE886F03E628E693FD125C3BE29C2943F32A4CE3FC47E67BF378CDE3E543BE1BEB7D643BF89DFDF3E9A1A07BF31201FBF1F9C133FBC9EF7BC5040903FD695523F267D7FBF28730EBFB3071C3F441240BF128413BFCD8B6A3EA3346E3F062825BF7A85A6BE4D55FDBE8ACD7E3F7AC21E3F84337A3E84CC10BFFA8F82BF38532B3F49B28BBFE186A93EC76CAEBFE9DD0BBF3CB9173F521F783FAD0C97BE25D54D3FC89F013F854526BE07C2763F53B0B33E28C3703F9F8C913E061B093ECA52ABBF60078F3F981429BF8108BB3E639968BF172881BFFD24513FE1E05C3FEABA313E0ECD80BF939A0DBFB91B493EBD3D123F69AE083D35906EBE592A14BF3599D2BD7A13D23E36D8D03E9ED188BF5908923FF0743E3E3F054CBFF14CD63E093DA5BF608A813F6472ABBFEAEB313FC13C6A3F8B22A0BFC42ACB3ED55B97BFFE4A65BE51506B3F90D2D93EA8CA5A3D04CC7FBFD445373EF9B2983E735687BF3D502A3F42D51C3F33B7A7BE0AD4533D9930003F"> : tensor<1x16x10xf32>}> : () -> tensor<1x16x10xf32>
    %23 = "tosa.const"() <{values = dense_resource<torch_tensor_10_torch.float32> : tensor<1x10xf32>}> : () -> tensor<1x10xf32>
    %24 = "tosa.matmul"(%arg0, %17, %1, %1) : (tensor<1x8x8xf32>, tensor<1x8x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x16xf32>
    %25 = "tosa.reshape"(%24, %2) : (tensor<1x8x16xf32>, !tosa.shape<2>) -> tensor<8x16xf32>
    %26 = "tosa.add"(%25, %18) : (tensor<8x16xf32>, tensor<1x16xf32>) -> tensor<8x16xf32>
    %27 = "tosa.reshape"(%26, %4) : (tensor<8x16xf32>, !tosa.shape<3>) -> tensor<8x1x16xf32>
    %28 = "tosa.slice"(%27, %6, %5) : (tensor<8x1x16xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %29 = "tosa.slice"(%27, %7, %5) : (tensor<8x1x16xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %30 = "tosa.slice"(%27, %8, %5) : (tensor<8x1x16xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %31 = "tosa.slice"(%27, %9, %5) : (tensor<8x1x16xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %32 = "tosa.slice"(%27, %10, %5) : (tensor<8x1x16xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %33 = "tosa.slice"(%27, %11, %5) : (tensor<8x1x16xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %34 = "tosa.slice"(%27, %12, %5) : (tensor<8x1x16xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %35 = "tosa.slice"(%27, %13, %5) : (tensor<8x1x16xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %36 = "tosa.transpose"(%0) <{perms = array<i32: 1, 0>}> : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %37 = "tosa.reshape"(%36, %14) : (tensor<16x16xf32>, !tosa.shape<3>) -> tensor<1x16x16xf32>
    %38 = "tosa.matmul"(%19, %37, %1, %1) : (tensor<1x1x16xf32>, tensor<1x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x16xf32>
    %39 = "tosa.reshape"(%38, %3) : (tensor<1x1x16xf32>, !tosa.shape<2>) -> tensor<1x16xf32>
    %40 = "tosa.add"(%39, %20) : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %41 = "tosa.reshape"(%40, %5) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %42 = "tosa.add"(%41, %28) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %43 = "tosa.tanh"(%42) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %44 = "tosa.matmul"(%43, %37, %1, %1) : (tensor<1x1x16xf32>, tensor<1x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x16xf32>
    %45 = "tosa.reshape"(%44, %3) : (tensor<1x1x16xf32>, !tosa.shape<2>) -> tensor<1x16xf32>
    %46 = "tosa.add"(%45, %20) : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %47 = "tosa.reshape"(%46, %5) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %48 = "tosa.add"(%47, %29) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %49 = "tosa.tanh"(%48) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %50 = "tosa.matmul"(%49, %37, %1, %1) : (tensor<1x1x16xf32>, tensor<1x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x16xf32>
    %51 = "tosa.reshape"(%50, %3) : (tensor<1x1x16xf32>, !tosa.shape<2>) -> tensor<1x16xf32>
    %52 = "tosa.add"(%51, %20) : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %53 = "tosa.reshape"(%52, %5) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %54 = "tosa.add"(%53, %30) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %55 = "tosa.tanh"(%54) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %56 = "tosa.matmul"(%55, %37, %1, %1) : (tensor<1x1x16xf32>, tensor<1x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x16xf32>
    %57 = "tosa.reshape"(%56, %3) : (tensor<1x1x16xf32>, !tosa.shape<2>) -> tensor<1x16xf32>
    %58 = "tosa.add"(%57, %20) : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %59 = "tosa.reshape"(%58, %5) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %60 = "tosa.add"(%59, %31) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %61 = "tosa.tanh"(%60) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %62 = "tosa.matmul"(%61, %37, %1, %1) : (tensor<1x1x16xf32>, tensor<1x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x16xf32>
    %63 = "tosa.reshape"(%62, %3) : (tensor<1x1x16xf32>, !tosa.shape<2>) -> tensor<1x16xf32>
    %64 = "tosa.add"(%63, %20) : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %65 = "tosa.reshape"(%64, %5) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %66 = "tosa.add"(%65, %32) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %67 = "tosa.tanh"(%66) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %68 = "tosa.matmul"(%67, %37, %1, %1) : (tensor<1x1x16xf32>, tensor<1x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x16xf32>
    %69 = "tosa.reshape"(%68, %3) : (tensor<1x1x16xf32>, !tosa.shape<2>) -> tensor<1x16xf32>
    %70 = "tosa.add"(%69, %20) : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %71 = "tosa.reshape"(%70, %5) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %72 = "tosa.add"(%71, %33) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %73 = "tosa.tanh"(%72) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %74 = "tosa.matmul"(%73, %37, %1, %1) : (tensor<1x1x16xf32>, tensor<1x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x16xf32>
    %75 = "tosa.reshape"(%74, %3) : (tensor<1x1x16xf32>, !tosa.shape<2>) -> tensor<1x16xf32>
    %76 = "tosa.add"(%75, %20) : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %77 = "tosa.reshape"(%76, %5) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %78 = "tosa.add"(%77, %34) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %79 = "tosa.tanh"(%78) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %80 = "tosa.matmul"(%79, %37, %1, %1) : (tensor<1x1x16xf32>, tensor<1x16x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x16xf32>
    %81 = "tosa.reshape"(%80, %3) : (tensor<1x1x16xf32>, !tosa.shape<2>) -> tensor<1x16xf32>
    %82 = "tosa.add"(%81, %20) : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %83 = "tosa.reshape"(%82, %5) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %84 = "tosa.add"(%83, %35) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %85 = "tosa.tanh"(%84) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %86 = "tosa.concat"(%43, %49, %55, %61, %67, %73, %79, %85) <{axis = 0 : i32}> : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<8x1x16xf32>
    %87 = "tosa.reshape"(%86, %21) : (tensor<8x1x16xf32>, !tosa.shape<3>) -> tensor<1x8x16xf32>
    %88 = "tosa.slice"(%87, %15, %5) : (tensor<1x8x16xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %89 = "tosa.matmul"(%88, %22, %1, %1) : (tensor<1x1x16xf32>, tensor<1x16x10xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x10xf32>
    %90 = "tosa.reshape"(%89, %16) : (tensor<1x1x10xf32>, !tosa.shape<2>) -> tensor<1x10xf32>
    %91 = "tosa.add"(%90, %23) : (tensor<1x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    "func.return"(%91) : (tensor<1x10xf32>) -> ()
  }) : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_16_16_torch.float32: "0x04000000760B8A3EA44CC63EA1CAE2BE1D35843D565ACE3D942D78BE90CF81BE2CA17BBDED3A5CBEDDA06B3E364144BF01D015BE67C6E8BE149727BE9D3240BE45B1B0BEAB510B3EFADB1E3F601E173EC82DD1BDFD69803E6B397EBE2E31543D24B44B3EBB42F63E4ECD023DB44C18BF2E0B093E81A4F63ED5091A3F442F883DED3F333F1D63693E210181BE0C47163E7AEED93E20A63CBFEFDC0C3FE7161DBF8F34283FAC321D3D28202EBF8BB8A73E71C9D03E15B42EBE00FD47BD6AB1C13D012F0BBF9519E6BE258006BF6362B43EC89F2D3F8658053EAF10993D8C3AF8394C14B03DD0D4F63EDCA444BE6A89963E1D7C3BBEC4DEA53EE8562BBF05EC0DBEF1E07FBF445A27BE2222053E97CE3D3F7FD7E3BDD3479C3E78F0993D21C1C73E90EF51BD9AB85EBDD048CCBEBB2DB63E3F3ED9BD0060013F0E8A1D3F2B557B3E9F06A23D4DFAB1381B23AEBE7624613DFABD9FBE94F2B03EA46D70BD4AB8BB3E143C8CBE858880BE7391A33E0970283E1129A3BEC76CC23E330336BE3F47513E5632553F6151F43C2365823ECB8BB93D550DB4BD2AC22B3E604F17BF271DCA3E65DA63BDEB0D92BEBBF409BE8BBE993E3044B9BE2682C93EABF5B6BE190ED8BEFD00C8BDAD081A3EBD9F403EA80064BFDC4768BECB1F0D3F7A8CB93E93F44C3F52C3543ED83EA1BEE2F8FDBCA2120CBF126BBABEB9B746BE8F8A19BDABC2E13E77A7EBBE5EDFACBB98E759BEAC5D4E3E97F4193F5BB8903E5ABF093F1A6887BEF1EE3ABE322D233E77C1CB3D84ACBE3DB054B8BD5E14263F4785CDBD934C75BE9133373FEB9390BE239FAF3E8ADAD53EABA6373DC4A6B2BE6CF106BFE0801ABFFD4959BF1E6F883BF925C33E785D383E4E64F8BD626A56BFA63980BCC3D337BDC6774CBEB4ACAA3DE8ECA53ED208DC3C4AB141BF89A537BFE39E14BFFA6186BE180BFE3C1CE4B03DAB0DDCBEA582083F6C4C803ED934803E2B9CA2BD4E3747BEDDD288BE0059163DA0D75FBED01717BF993CB73E0E5A783EAE7E2B3FB1DDAFBDA7C4BE3E0DAD6E3E902E23BD693C18BF0AD49E3E10CECABD74BB803E292D5E3E7969133FCA4C0F3F90BCEEBA1407813EA50A133EF1E6A83E2D28E13D0E76C63E4F4D033F88270DBF6BFD91BEE6C1A33D02A15F3B0C04473E194BE2BD5ABD84BE7E925BBEA71D163E28900EBF25132F3E24018CBEC4C19A3EA5F3E83EE759A5BE8A87113FE219BABEFB39C4BE0711A1BE5E90F33E67E7C43EAE50343FF161243FBAD08F3EC0B0913DFD1872BF499BA73D18030F3F9F92083C340D78BD3DDC663E119DCC3C1CC9E0BE0631043F04DEACBE9375253D8600033E651797BED4571E3DE7F9263F153365BDBEC81CBF260CF73EDE900D3EC40936BE8111BFBC217EF9BE9E232C3E162F16BFD9650C3F91269FBE91D0D73D0407843E5BE36F3E54B214BFA6812DBE",
      torch_tensor_16_torch.float32: "0x040000005F4EF3BDA717F4BDE639B7BE1A697ABE615F8ABED8A2453D3461783D214BB2BE8A50D2BDC02D7CBE3C09C23EF5E008BD3B43B7BE6387F4BE3EA108BD625120BF",
      torch_tensor_16_torch.float32_1: "0x040000002D6D443C23BA00BE237E1BBE0E6BEA3D1A321ABE7DDD43BE42DE4B3E3CF3FF3DB1B9FD3DA191E8BD1EF1143EEBAD6E3EB481EFBE664215BE27830FBE4FA711BF",
      torch_tensor_10_torch.float32: "0x04000000B73E26BE55DCC43D8B5A4DBE464648BB3A65783B8871873DB428A6BDE7F8BFBD4B0C7D3DE28B883E"
    }
  }
#-}
