"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x8x8xf32>) -> tensor<1x10xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<1x8x8xf32>):
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1x1x16xf32>}> : () -> tensor<1x1x16xf32>
    %1 = "tosa.const"() <{values = dense_resource<torch_tensor_48_16_torch.float32> : tensor<48x16xf32>}> : () -> tensor<48x16xf32>
    %2 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %3 = "tosa.const_shape"() <{values = dense<[8, 48]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %4 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %5 = "tosa.const_shape"() <{values = dense<[1, 48]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %6 = "tosa.const_shape"() <{values = dense<[8, 1, 48]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %7 = "tosa.const_shape"() <{values = dense<[1, 1, 48]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %8 = "tosa.const_shape"() <{values = dense<0> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %9 = "tosa.const_shape"() <{values = dense<[1, 0, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %10 = "tosa.const_shape"() <{values = dense<[2, 0, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %11 = "tosa.const_shape"() <{values = dense<[3, 0, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %12 = "tosa.const_shape"() <{values = dense<[4, 0, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %13 = "tosa.const_shape"() <{values = dense<[5, 0, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %14 = "tosa.const_shape"() <{values = dense<[6, 0, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %15 = "tosa.const_shape"() <{values = dense<[7, 0, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %16 = "tosa.const_shape"() <{values = dense<[1, 16]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %17 = "tosa.const_shape"() <{values = dense<0> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %18 = "tosa.const_shape"() <{values = dense<[0, 16]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %19 = "tosa.const_shape"() <{values = dense<[0, 32]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %20 = "tosa.const_shape"() <{values = dense<[1, 1, 16]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %21 = "tosa.const_shape"() <{values = dense<[1, 16, 48]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %22 = "tosa.const_shape"() <{values = dense<[0, 0, 16]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %23 = "tosa.const_shape"() <{values = dense<[0, 0, 32]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %24 = "tosa.const_shape"() <{values = dense<[0, 7, 0]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %25 = "tosa.const_shape"() <{values = dense<[1, 10]> : tensor<2xindex>}> : () -> !tosa.shape<2>
    %26 = "tosa.const"() <{values = dense<"0x15047B3E9554063FE742993C21EEDEBEC26CCC3D50C73D3FDA7184BE1D709E3E6BF7EB3E81A87B3D902AC1BE276FF8BE97FB7F3E87EC4EBFF575F9BE55B6243FDA3E1F3F552C1EBF3AE006BF15216ABA61DDA33E0E3B09BF1F06323FE146BD3E193E1DBF090BE83EB49DF1BE67720A3F3D90AB3DA988453ECB0F133F0A9B87BF2CB9BABD3B7D683E05AD3B3D22494B3D2A2083BC1225CFBED29D92BE04E1083E943BD4BE90B854BEA6AC9ABE2860A03E3B971FBFE99ECBBEC0AC9D3E5E53B5BE9492FB3D9A1F923FEDF9423EAC851BBD64B896BE0EE7A2BF652AAC3FD1ED273D9DF6733D735E1ABFEC8F043FE06878BD1250713E212F57BF07BBF23EC0D893BEEED66EBEA47EA3BFF91440BF21925CBFF984A7BE5EED913F1DD229BEB60997BC01A8C93FD93C77BE1424D0BE298B81BE4B8A643FCCA8923E863B3CBEED40BE3F9B4330BFC2531F3DFE629A3E2389C93EA8D16BBE7DF6BD3EF18F8B3E5BE8D7BE4DD100BE307F2B3D43B0FEBD1CA45B3E22DACD3E09FC3EBE70BA3A3E4492873E60937ABEB6BB2D3FA504743E4BA61B3EC5F350BE3C5FC03EB0D2883F2F09A7BD323CDE3EE8B758BD197338BDB7F013BF0DD2CABD59CD693D579A843ED64D11BFAC95CEBD567C96BE65B8B1BCBD7315BFCE7EE23E7534B93ED56B4F3F9845C53E1E510F3F46B126BF0E5C97BD806FA13E5C49713E17989EBEEE8C61BEFB45F4BC051624BE958588BE7966C53EBFF931BE34B8963EEA9FD53EBBA2CBBEC8332BBE25180CBF0E27593FAE85BE3EBF14EF3E043E493F4A039E3E39F780BEF256303F8B23063FB251F93E8465813E59B001BF2E8C31BDBF2F643F539D923E97F74BBEB70DFD3D67DEE23FE33980BE32E809BEEE8F9C3E12E16C3D35C7183F98032E3DE80403BE53B721BFED8944BDB852833C813E1C3F36B642BF6C39023F06D81D3F2C6D56BF9C7297BF0AA630BFCE54303E780412BF74C3B1BD79C8E33C1AA9A9BF416C6CBE11C5953D6852D8BDB7EB7F3EEF0F303F30682A3F9C32C9BEC6256E3D06383CBF9575113FA673363E0CD6713E2A3DE93E0C79CEBD502D53BC7642843E2D07653F001A5E3E7E77F13E3C56FFBE7652853FBBE530BE92B9CA3EDDD58ABDF6F19C3E5428823F504202BFAE8CE63E82D09ABF182C2B3DD5FEAE3ECCFE483FEFE2B1BE9AFEFDBE868898BF42AC88BD243F883C417A5EBF1755CC3E861D2D3F40234EBFF53582BFF330E3BFCFE8713E7A7943BF91C928BD1E1B713FCE4EA1BFBD039EBEF8A9353FF5AE4FBE53ED3A3F5A09D43EC91AA9BEFF4DA7BE780EB73EA2E402BEE87893BEC6CED23E3392EEBE06C91D3FBFF793BEDD0BF93E39255EBED220773D495630BFA58FB33FD9F13CBE8FC7423FCBA7FB3E87EA96BD44CD4B3F9F89323F66398BBE21818EBECF945D3ECD972BBFF82A1EBE785C363EC590693E429946BF265F50BEE59C48BF78B511BF4A49013EC1F5EB3DB225AD3E9A7DB9BE45FC033E26B496BEB2BFA1BF79A6BEBE821BDBBDC6B01BBE7E5D5DBC28B4DE3D03019DBD2D42ABBE3BC2B23E3EE90E3FEF9A053F8A554EBE9E81BEBE2660AEBB9D1E5A3FFF45F3BE155A1F3F7D61FD3D16A0493F41683F3F175D753EFF0E093FFED6983F738C93BFCC19EA3E0D16E2BE002E653DED27D73EAEC76A3EA7F38D3F93C04B3FABD3C8BD3B0758BD68741A3EBBBA11BF7A0BD43DA1893D3F8C756C3E33EEA8BE97587DBFA562A6BFE2B089BE77181E3FBE3DAFBE137A38BE586B99BFD4DE313F01605E3F632E60BFBE0133BF40768E3E9FBBB6BF8DA087BF7DEE6F3DCCD214BE5AFA4CBFF261193F0684533F8B3F913D6A8DCF3E123B83BCAC7AA33E5C92CE3EEE8DEEBE9126D23EB6F6983DE2A29C3DDC1A483FA04F72BDF1E55A3E4C40353D7342BFBE94B7CBBE3DA69DBFB7542D3E4234A3BE6B5096BEBD6FA23EDDCC803E22DB1D3F3A08173E058355BFF285F43D181C80BEBDD8603FDB4F9C3FF2A3ECBD905CCEBEBFFB85BFE373B6BE385D78BE2EFFCEBE508D1F3F7FC72DBFE4C019BFD1EA01BF96CDC3BE333A1EBE5CF76BBF8CD275BF3E2E28BF6E11403DA3448FBEECB7DEBEEA124C3F3BA7303F3C3DBCBC6AA657BE92CFF6BE1848153F53330BBFF719A3BFA731C0BEEB7DBCBED6E2A0BE4C4943BCE967203F6F466CBF"> : tensor<1x8x48xf32>}> : () -> tensor<1x8x48xf32>
    %27 = "tosa.const"() <{values = dense_resource<torch_tensor_48_torch.float32> : tensor<1x48xf32>}> : () -> tensor<1x48xf32>
    %28 = "tosa.const"() <{values = dense_resource<torch_tensor_48_torch.float32_1> : tensor<1x48xf32>}> : () -> tensor<1x48xf32>
    %29 = "tosa.const_shape"() <{values = dense<[1, 8, 16]> : tensor<3xindex>}> : () -> !tosa.shape<3>
    %30 = "tosa.const"() <{values = dense<"0x51E1433F8FADA2BEC5066BBFE4DA35BF5A2B5ABF6F29453F621496BFF557143FD8AF643F3086653F36360DBF74DF4ABE31411EBFB1FE85BF269B9B3FD985703FF83DDABC23D0B2BF282A9B3FB6BD033D1F57DA3F241B34BEE793F13F7DB917BFC8754EBF3908C13E9068D1BE33620ABFDC4A223E053061BF385551BF21937CBDFBA8523F3469C13E740A54BF162283BFFCD8BCBDD3FD7BBF25CBE23EA7880B3FEAA7F6BD0542133F142CB7BEA605753E9A5A73BEAFEA2CBF501FA83EE6EFC93E82BE133F4F4986BF7A0E4FBF0D56D5BD738B833F7D08723F94A95EBF767C78BE4C2A02BF83997B3FC2552C3E8EA4A0BF4538F73E6B4097BF0B713B3E39F8313E7DA39C3FD7E9EF3D4A157F3E3CD12FBF630C8BBF0AADA63F5C2332BFA3165E3F3256B53E86AE143E00658DBE5E1640BF1D2D2EBFDB8D603E7BF65D3F9B8A3C3F336C1ABF5BE9D43E4408CDBE90DA813F289C153EC55918BFED37973FB98205BFCE61A5BD8E1E653E47EA78BF6141D6BFA78192BFCB1BD23FE0E880BEB354D53F47985EBF3A2C5F3FE63EEBBE0C70133F7A150F3FADFB56BF0EAA763F2A134B3F1F09B4BF9FCA96BD8A1C1B3F96EE97BF1AA4853FC951833D91896E3EB23636BF7366D53E905790BE34B116BF04259C3F54315D3FBECBA83DD56866BF1EDB7EBE782B8BBCE2D5693E4B9B6C3ED311733F0D4C8CBF0D9A7B3EFF6CBB3E1E46FBBF4349843D3EAD203D745BA63FC64E7ABFDED5B83F05F6CC3E75D28BBF449CB2BCEF4A4F3FC93850BE92BB83BD35BA92BE533031BF6B45353FBB8DEB3E62CB063FA71C65BD413089BFCF7979BFF02224BEDCC2D03E451D8FBE69D04DBF7C49F6BE1913F43EB8461D3FB239C4BF522A6D3F176B98BF4BB3003F0749323FB047653F"> : tensor<1x16x10xf32>}> : () -> tensor<1x16x10xf32>
    %31 = "tosa.const"() <{values = dense_resource<torch_tensor_10_torch.float32> : tensor<1x10xf32>}> : () -> tensor<1x10xf32>
    %32 = "tosa.matmul"(%arg0, %26, %2, %2) : (tensor<1x8x8xf32>, tensor<1x8x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x48xf32>
    %33 = "tosa.reshape"(%32, %3) : (tensor<1x8x48xf32>, !tosa.shape<2>) -> tensor<8x48xf32>
    %34 = "tosa.add"(%33, %27) : (tensor<8x48xf32>, tensor<1x48xf32>) -> tensor<8x48xf32>
    %35 = "tosa.reshape"(%34, %6) : (tensor<8x48xf32>, !tosa.shape<3>) -> tensor<8x1x48xf32>
    %36 = "tosa.slice"(%35, %8, %7) : (tensor<8x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %37 = "tosa.slice"(%35, %9, %7) : (tensor<8x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %38 = "tosa.slice"(%35, %10, %7) : (tensor<8x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %39 = "tosa.slice"(%35, %11, %7) : (tensor<8x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %40 = "tosa.slice"(%35, %12, %7) : (tensor<8x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %41 = "tosa.slice"(%35, %13, %7) : (tensor<8x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %42 = "tosa.slice"(%35, %14, %7) : (tensor<8x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %43 = "tosa.slice"(%35, %15, %7) : (tensor<8x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %44 = "tosa.reshape"(%36, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %45 = "tosa.reshape"(%37, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %46 = "tosa.reshape"(%38, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %47 = "tosa.reshape"(%39, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %48 = "tosa.reshape"(%40, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %49 = "tosa.reshape"(%41, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %50 = "tosa.reshape"(%42, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %51 = "tosa.reshape"(%43, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %52 = "tosa.slice"(%44, %17, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %53 = "tosa.slice"(%44, %18, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %54 = "tosa.slice"(%44, %19, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %55 = "tosa.transpose"(%1) <{perms = array<i32: 1, 0>}> : (tensor<48x16xf32>) -> tensor<16x48xf32>
    %56 = "tosa.reshape"(%55, %21) : (tensor<16x48xf32>, !tosa.shape<3>) -> tensor<1x16x48xf32>
    %57 = "tosa.matmul"(%0, %56, %2, %2) : (tensor<1x1x16xf32>, tensor<1x16x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x48xf32>
    %58 = "tosa.reshape"(%57, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %59 = "tosa.add"(%58, %28) : (tensor<1x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %60 = "tosa.reshape"(%59, %7) : (tensor<1x48xf32>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %61 = "tosa.slice"(%60, %8, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %62 = "tosa.slice"(%60, %22, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %63 = "tosa.slice"(%60, %23, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %64 = "tosa.reshape"(%52, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %65 = "tosa.add"(%61, %64) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %66 = "tosa.sigmoid"(%65) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %67 = "tosa.reshape"(%53, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %68 = "tosa.add"(%62, %67) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %69 = "tosa.sigmoid"(%68) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %70 = "tosa.mul"(%63, %66, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %71 = "tosa.reshape"(%54, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %72 = "tosa.add"(%71, %70) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %73 = "tosa.tanh"(%72) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %74 = "tosa.sub"(%0, %73) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %75 = "tosa.mul"(%74, %69, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %76 = "tosa.add"(%75, %73) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %77 = "tosa.slice"(%45, %17, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %78 = "tosa.slice"(%45, %18, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %79 = "tosa.slice"(%45, %19, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %80 = "tosa.matmul"(%76, %56, %2, %2) : (tensor<1x1x16xf32>, tensor<1x16x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x48xf32>
    %81 = "tosa.reshape"(%80, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %82 = "tosa.add"(%81, %28) : (tensor<1x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %83 = "tosa.reshape"(%82, %7) : (tensor<1x48xf32>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %84 = "tosa.slice"(%83, %8, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %85 = "tosa.slice"(%83, %22, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %86 = "tosa.slice"(%83, %23, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %87 = "tosa.reshape"(%77, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %88 = "tosa.add"(%84, %87) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %89 = "tosa.sigmoid"(%88) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %90 = "tosa.reshape"(%78, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %91 = "tosa.add"(%85, %90) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %92 = "tosa.sigmoid"(%91) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %93 = "tosa.mul"(%86, %89, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %94 = "tosa.reshape"(%79, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %95 = "tosa.add"(%94, %93) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %96 = "tosa.tanh"(%95) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %97 = "tosa.sub"(%76, %96) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %98 = "tosa.mul"(%97, %92, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %99 = "tosa.add"(%98, %96) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %100 = "tosa.slice"(%46, %17, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %101 = "tosa.slice"(%46, %18, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %102 = "tosa.slice"(%46, %19, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %103 = "tosa.matmul"(%99, %56, %2, %2) : (tensor<1x1x16xf32>, tensor<1x16x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x48xf32>
    %104 = "tosa.reshape"(%103, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %105 = "tosa.add"(%104, %28) : (tensor<1x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %106 = "tosa.reshape"(%105, %7) : (tensor<1x48xf32>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %107 = "tosa.slice"(%106, %8, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %108 = "tosa.slice"(%106, %22, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %109 = "tosa.slice"(%106, %23, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %110 = "tosa.reshape"(%100, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %111 = "tosa.add"(%107, %110) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %112 = "tosa.sigmoid"(%111) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %113 = "tosa.reshape"(%101, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %114 = "tosa.add"(%108, %113) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %115 = "tosa.sigmoid"(%114) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %116 = "tosa.mul"(%109, %112, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %117 = "tosa.reshape"(%102, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %118 = "tosa.add"(%117, %116) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %119 = "tosa.tanh"(%118) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %120 = "tosa.sub"(%99, %119) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %121 = "tosa.mul"(%120, %115, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %122 = "tosa.add"(%121, %119) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %123 = "tosa.slice"(%47, %17, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %124 = "tosa.slice"(%47, %18, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %125 = "tosa.slice"(%47, %19, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %126 = "tosa.matmul"(%122, %56, %2, %2) : (tensor<1x1x16xf32>, tensor<1x16x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x48xf32>
    %127 = "tosa.reshape"(%126, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %128 = "tosa.add"(%127, %28) : (tensor<1x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %129 = "tosa.reshape"(%128, %7) : (tensor<1x48xf32>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %130 = "tosa.slice"(%129, %8, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %131 = "tosa.slice"(%129, %22, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %132 = "tosa.slice"(%129, %23, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %133 = "tosa.reshape"(%123, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %134 = "tosa.add"(%130, %133) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %135 = "tosa.sigmoid"(%134) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %136 = "tosa.reshape"(%124, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %137 = "tosa.add"(%131, %136) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %138 = "tosa.sigmoid"(%137) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %139 = "tosa.mul"(%132, %135, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %140 = "tosa.reshape"(%125, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %141 = "tosa.add"(%140, %139) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %142 = "tosa.tanh"(%141) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %143 = "tosa.sub"(%122, %142) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %144 = "tosa.mul"(%143, %138, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %145 = "tosa.add"(%144, %142) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %146 = "tosa.slice"(%48, %17, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %147 = "tosa.slice"(%48, %18, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %148 = "tosa.slice"(%48, %19, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %149 = "tosa.matmul"(%145, %56, %2, %2) : (tensor<1x1x16xf32>, tensor<1x16x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x48xf32>
    %150 = "tosa.reshape"(%149, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %151 = "tosa.add"(%150, %28) : (tensor<1x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %152 = "tosa.reshape"(%151, %7) : (tensor<1x48xf32>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %153 = "tosa.slice"(%152, %8, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %154 = "tosa.slice"(%152, %22, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %155 = "tosa.slice"(%152, %23, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %156 = "tosa.reshape"(%146, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %157 = "tosa.add"(%153, %156) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %158 = "tosa.sigmoid"(%157) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %159 = "tosa.reshape"(%147, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %160 = "tosa.add"(%154, %159) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %161 = "tosa.sigmoid"(%160) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %162 = "tosa.mul"(%155, %158, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %163 = "tosa.reshape"(%148, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %164 = "tosa.add"(%163, %162) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %165 = "tosa.tanh"(%164) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %166 = "tosa.sub"(%145, %165) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %167 = "tosa.mul"(%166, %161, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %168 = "tosa.add"(%167, %165) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %169 = "tosa.slice"(%49, %17, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %170 = "tosa.slice"(%49, %18, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %171 = "tosa.slice"(%49, %19, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %172 = "tosa.matmul"(%168, %56, %2, %2) : (tensor<1x1x16xf32>, tensor<1x16x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x48xf32>
    %173 = "tosa.reshape"(%172, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %174 = "tosa.add"(%173, %28) : (tensor<1x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %175 = "tosa.reshape"(%174, %7) : (tensor<1x48xf32>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %176 = "tosa.slice"(%175, %8, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %177 = "tosa.slice"(%175, %22, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %178 = "tosa.slice"(%175, %23, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %179 = "tosa.reshape"(%169, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %180 = "tosa.add"(%176, %179) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %181 = "tosa.sigmoid"(%180) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %182 = "tosa.reshape"(%170, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %183 = "tosa.add"(%177, %182) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %184 = "tosa.sigmoid"(%183) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %185 = "tosa.mul"(%178, %181, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %186 = "tosa.reshape"(%171, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %187 = "tosa.add"(%186, %185) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %188 = "tosa.tanh"(%187) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %189 = "tosa.sub"(%168, %188) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %190 = "tosa.mul"(%189, %184, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %191 = "tosa.add"(%190, %188) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %192 = "tosa.slice"(%50, %17, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %193 = "tosa.slice"(%50, %18, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %194 = "tosa.slice"(%50, %19, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %195 = "tosa.matmul"(%191, %56, %2, %2) : (tensor<1x1x16xf32>, tensor<1x16x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x48xf32>
    %196 = "tosa.reshape"(%195, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %197 = "tosa.add"(%196, %28) : (tensor<1x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %198 = "tosa.reshape"(%197, %7) : (tensor<1x48xf32>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %199 = "tosa.slice"(%198, %8, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %200 = "tosa.slice"(%198, %22, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %201 = "tosa.slice"(%198, %23, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %202 = "tosa.reshape"(%192, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %203 = "tosa.add"(%199, %202) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %204 = "tosa.sigmoid"(%203) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %205 = "tosa.reshape"(%193, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %206 = "tosa.add"(%200, %205) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %207 = "tosa.sigmoid"(%206) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %208 = "tosa.mul"(%201, %204, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %209 = "tosa.reshape"(%194, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %210 = "tosa.add"(%209, %208) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %211 = "tosa.tanh"(%210) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %212 = "tosa.sub"(%191, %211) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %213 = "tosa.mul"(%212, %207, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %214 = "tosa.add"(%213, %211) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %215 = "tosa.slice"(%51, %17, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %216 = "tosa.slice"(%51, %18, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %217 = "tosa.slice"(%51, %19, %16) : (tensor<1x48xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x16xf32>
    %218 = "tosa.matmul"(%214, %56, %2, %2) : (tensor<1x1x16xf32>, tensor<1x16x48xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x48xf32>
    %219 = "tosa.reshape"(%218, %5) : (tensor<1x1x48xf32>, !tosa.shape<2>) -> tensor<1x48xf32>
    %220 = "tosa.add"(%219, %28) : (tensor<1x48xf32>, tensor<1x48xf32>) -> tensor<1x48xf32>
    %221 = "tosa.reshape"(%220, %7) : (tensor<1x48xf32>, !tosa.shape<3>) -> tensor<1x1x48xf32>
    %222 = "tosa.slice"(%221, %8, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %223 = "tosa.slice"(%221, %22, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %224 = "tosa.slice"(%221, %23, %20) : (tensor<1x1x48xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %225 = "tosa.reshape"(%215, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %226 = "tosa.add"(%222, %225) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %227 = "tosa.sigmoid"(%226) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %228 = "tosa.reshape"(%216, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %229 = "tosa.add"(%223, %228) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %230 = "tosa.sigmoid"(%229) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %231 = "tosa.mul"(%224, %227, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %232 = "tosa.reshape"(%217, %20) : (tensor<1x16xf32>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %233 = "tosa.add"(%232, %231) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %234 = "tosa.tanh"(%233) : (tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %235 = "tosa.sub"(%214, %234) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %236 = "tosa.mul"(%235, %230, %4) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1xi8>) -> tensor<1x1x16xf32>
    %237 = "tosa.add"(%236, %234) : (tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<1x1x16xf32>
    %238 = "tosa.concat"(%76, %99, %122, %145, %168, %191, %214, %237) <{axis = 0 : i32}> : (tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>, tensor<1x1x16xf32>) -> tensor<8x1x16xf32>
    %239 = "tosa.reshape"(%238, %29) : (tensor<8x1x16xf32>, !tosa.shape<3>) -> tensor<1x8x16xf32>
    %240 = "tosa.slice"(%239, %24, %20) : (tensor<1x8x16xf32>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<1x1x16xf32>
    %241 = "tosa.matmul"(%240, %30, %2, %2) : (tensor<1x1x16xf32>, tensor<1x16x10xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x10xf32>
    %242 = "tosa.reshape"(%241, %25) : (tensor<1x1x10xf32>, !tosa.shape<2>) -> tensor<1x10xf32>
    %243 = "tosa.add"(%242, %31) : (tensor<1x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    "func.return"(%243) : (tensor<1x10xf32>) -> ()
  }) : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_48_16_torch.float32: "0x040000000FACF63E8EB46C3FEE17F63E1FFE7A3F123B173FEF1910BF81356FBE362B9C3E9BAD95BEEF1D7BBF3D6884BEAC294CBF3B5C273F41BC3FBFC8F2A53E435C663D4EDE383F3681143D9100EEBDE4527D3D758B033DBD6569BFEFCF333FF5D40BBEF1038FBE456570BEF4E7C5BEC01D41BE10D091BD981FF4BD3AC688BC027BD1BEA6BC883D871C29BFA39B36BF31DE2E3F16C9F43EF23567BF2CCE0F3F623541BE9AB7C53E36D5A73ECC9D5CBEC15AB73DDC58533F9D78053F1E5D023E280EFABEB21D7DBEFD4FA63EC16A3CBD34E520BF65004A3E0AC4A7BEF5F4013FE1E530BFC3444F3E64209EBE6B083BBD3636BC3E77FD993ECA5D903E1BA7D5BEA730D4BE1CCED83E11AB4ABE3D5F0BBF54110ABE030F883E43C7F5BEAAF1AB3DBDB9783D9628443ED8CBC4BED5E3C5BEC19B02BF4920313EEC6329BF9B2B133E0ABE2ABDC014F03E487A8BBEB37003BF71E81ABC54C4CC3EC13176BF08A3453FC39B6CBE8B3499BE47F42BBE4BDF8FBEE4AAABBEAA752E3D6E7152BE39D477BDE21C46BC463565BFFACB013FACBEAE3EF7AB66BE14AF693E2485263E8BE3E1BE8A616DBE220715BF79E2F5BD659A0DBF0351C83EDEBC013F9EDD4ABD407400BFCA72B3BD8671D5BE0E9D283E6DC1C93D6CEE6ABE49C8AF3EB8FBD4BE5F1BA8BE693474BE655870BE2C149EBE5BC0533ED112103F5326643EF93124BD48A1F5BE2A1987BD793E0B3F011112BF56B9673D5ABF86BDEE149D3EF2141CBF2AE5DEBD3C601DBF24C64D3F85B8BFBD0479D3BBFCF0503ED7D158BEEC5CA93E2D35D3BECC7EABBEBA0A803E439BBB3EFF15963EE00BBF3DF1A4A93EFF7CA63E5820F8BE5158FABE177271BF0E39B13E4F835B3F4DA2083EC92F753DBA797E3E85ACE0BDBA74803DE7CD8DBF6D890FBE215A3DBE5F3A303FB2ECAC3E9A3798BCA5C583BDFFE1E9BE45F4B43E26D069BF21B6ED3DBF91BE3E80EFF93E1DE5E7BB86B8DBBE455A2DBF116A4ABE028E4C3EC4B4A3BE88E0EDBEF07C06BBAF131FBFE02A203DB76CBCBE0CC6F93E978DA8BEDD728EBEC08FD63D47030A3FE2425B3EC5D8BEBD5B580DBF2C51CC3E9F7DA7BE3E06E2BCF830913F7150F23E6AC787BEBD518B3E447E5ABE6008B5BC7714A73E76364D3D1174D3BE1E9847BE559B3A3D76B615BE04015E3FA73DB2BEA773953E1D844C3D05C46C3EF383AD3EA3CA43BFA1C44E3EC477F6BE8EC17D3E0C345FBFECB2BEBE3146A9BDCDE8EA3E6DA68D3DD9E7C5BE4F294BBF69F8993C71DAB33D9CC678BD7C1632BF001A46BE9CEC2BBF2EBA453E0A80DDBD2C3F87BD4B5207BFD2BC2A3E163A50BD7A164CBE1F038F3D2BF59ABE3BD1AEBFD65149BE0AAFD3BDF4C004BDE5601D3F8E5D013FC6F9BDBE8BD0A73E8186FFBE05D9BD3DD2A2083EBC57373DB42792BE2315AE3DDA858E3DFFF4DC3E45A6053EC61440BFF0C9113CBD83F9BC0EF8F53E73FCB43DC43A103FB154EBBD147BA6BEB001F4BE4F950DBEC8CE64BF5E18E13ED89F773C8A29D4BE0CD168BE2F1901BF67E569BEB828AABE1313DEBD871412BFBB788DBE7F9D3DBFE36F483F6C407CBFCF3EBB3E67D25F3F0487003E7809103F0E75093EEE69223FC3D278BF651754BF409C5A3E19F5963B67FB3BBE87F140BF758F04BFB777BB3E9582843E934F6B3E81D0FA3E9DC4F93D55879DBF605ED2BCA3545FBFD4598ABE8ACD173D6FE8C1BC514E9CBDDC38BEBD39D0A13E77A2453F7B08F7BE2FA7C1BE11A4F83EF8B2BABE77229D3FD3E9923D0F7F223FE9FEC63E9AA96CBE302BBE3E9E2EC0BE8B4777BF59CD503F968933BE1A6F3B3E97DDD0BCEA3E623DACC0CB3D1431833EB2FEBE3E68BC18BF698EBD3F5A3380BE4813543E7A83853E49F49EBE8DCC083D16DE7E3E2C72C8BD2BAB1A3F1BA20D3E4423C4BF889504BF8025F43DD04748BE72753A3E8E57F03E69BD9FBE7CA94DBE64EC7B3E2C46DDBE0FC2AABDE277E0BEF8C120BFCC71ECBC977E87BFFD91FDBDC7A8143E464BA8BFB4AC4E3B619F843FCC14F23EEFE0AFBEF9E00B3F2245CA3E15FFA0BE6F6215BFAA9E68BEE1517CBD2FAE5E3CA68ACF3E3161523EAEFE89BB7A8B99BDB86538BE0D5FC93DB60B69BDFF4F84BEF3A21E3D35D35BBE0475173F2DD2873E803235BFF2BBDB3EBF2D4EBE7B2BCDBE5872683E26B345BF5E0D47BEB4160F3F1F9B78BF07C0B23E8541653FF4E8483F6662B53F7A2B05BF0C0BC9BE216342BEDEE3DBBE36B8E0BE7EB90D3FA9BF053F7CF345BE0E22F7BE6FCD7E3DFC3E1B3F392A9FBF2B3D3A3E5FB05C3F80227EBCF029173F5D13603EEFA953BF2038EB3E15EE74BF5E1BFEBE62859EBEA8A701BD9961243F68A477BE8F33A13E19C4B1BE4B2954BD6B8B843F6B4C14BE2F34123F9524F4BD1EC9CD3E897DC8BEAE4D42BE24A788BFA48577BC954B8BBE30ED233FA5F6633E44349FBE3E4BE63E37B078BFED4128BF88242C3E5FF7B23DB074A83E91A21D3FB41FA7BE4C06F53E7D700F3E01E42FBF79324E3DA2551CBE1801DABE4DC8803EB103493E62C22D3E2643BCBF1733D9BFE379C8BECE99AF3F6CDADB3E4783B03F8C2CC93DEAF40BBD69DDEE3D7966CBBE4199533EA85A16BF158F01BF37BE9F3EC19C96BE0005233F3EBDBDBF220924BF2F47A03E663BF13C33A018BE8927A0BE1FCB0D3F9A8BDD3E1B5C213F6F4E4CBE3743F93E2EEF50BFDB7A9F3EF4761BBC7E8F6CBE9444013EDCA2C6BBB000ADBEB7CAFCBD6FD6A03E50A28EBE9B26093F84D59CBCBBEF503E3B3EAF3E36D4B7BEBD13163E7283CEBEEF2BBDBE68F48ABF60704ABFB42759BE2AF1D13ED97E8BBED9DCC23D74FB323F8300B6BD0726543FE8FB233C857F0CBE3AE601BFE0B6BEBEFAD62ABD097B4CBECAA186BEB91C1F3FA635243EEB6C77BE1A8380BFDD776C3E337A91BF52809C3E3501EDBD1F2716BE387E3B3D16F1C3BE56D01ABE61A834BFD6E28A3ECA618DBE428F16BE30A809BFD64E4E3FF2E1FF3E2CB14BBF440F873C13BAAABEFC252DBEB22F16BF2AE4E3BDEBF67D3EAE2A5EBCDAAC043FCA9C803F14668B3D274B4DBE5AD9443D136D193E608B2F3EE061C53E634DB8BEC01AA0BEFA918B3E6121583EB84B013E816C7FBF40223C3F9B29333FAC72E03DEC131E3E9798403E9CD3253E0B67283EA7D2AB3E9A52AABE18F70C3A263E553F2F03E6BE6BC859BE2A78E73DBE1BA13ED7FB163F0ABCB63C144B3BBE0F1BDABE1DC835BEDC7F2D3E918A133F75D5B73E3966A1BDA6C1B8BE54B261BED1A60B3F49751B3FE7BE463DE186A1BE7D5C953EF3A270BEB524C53D42122D3F2F1B54BEB5E1083FC96F1A3E2B231A3F6E0B653FE985D23E98E124BCE772293B4A10BB3EA6C02B3ED4DB2E3F334A17BF1BBC1C3FA47819BF3B47003FF65C913E0C518FBE83F9743DD9BEC7BEAD350C3F171B563E18FD2EBF0845B7BD80F34CBDA4EC2E3E83F9F6BE1E25D5BE193A873E3CEB9DBE8B3DA53E72B506BF6D7AD8BEA95E893EEE28C0BE1105283F16DE22BC416505BF27FA0E3F7464703E406B36BFE959CCBEC39E873E2A9382BDE22B78BE9066363EC0F96DBE19B9263FCBCF2EBF5E2A85BD4606AABDF25F33BF913EAE3DE2AA8FBCF81C36BE5FFB1DBE1866D23E893B943E3D872B3D0A51A0BEED5348BE360A993EB37ACA3E383594BFEC72D93D3A7E91BDA80FC93E296D11BED413843E8DC2FF3D46E7313FA63918BF371C1CBFCCCB02BF5DEA99BEC4F9EC3D55AB673E9C3C0EBDB3F55F3FA28E01BE81C8B6BE22A41A3DD2CA22BFFEBF32BE363E37BB6EF320BE1C84D53DD6DDCEBE1429093F534F1CBFEE9BD1BECA2B1A3FD6E3923E81696D3E188D983D3B99123FCFAA0A3FA04C12BDBBC460BD7520FA3E1C3330BDE0077C3E3717CFBD8EB5B13E05239B3E5AD715BE6152DFBED6EF173F270D3F3E3E9D7BBE5079ACBC7FE070BED696FD3EFFE1183EB3F667BE4418723EF7BA3CBE79D388BEE33FC13D3D2FDFBEC727513E737AE23D12F725BFE4B91BBE00F52F3EB5EFE53EC9A7053F750D05BF2A3D113FB0D6A7BC5DDD873ED769903E3B10283F6E8F83BEEB2FD13D64AA28BF58B0DD3E4736FEBC4F0597BEBC2AEE3EF171963E020424BE16600A3EA0CF243F7AE03B3FA8638E3EF93E6F3E4DBC963E1EB324BEBEE8763FA813D33DA15787BCF65539BEBDF4853EE4DFB93E3DB310BEFBDAABBDD77C0D3F9D459BBE6F53AD3DA565BABE54BDADBEBD5D2ABE3E4B07BF38B0EE3ECB0B9A3D64CE893F030863BE2843F7BE571BC8BDF695D9BEC848FD3DF328E03DFAA6243F719EF73EB440E03E429B08BE9CFB23BED398C2BD8804ABBE37B8103C29B0D43E",
      torch_tensor_48_torch.float32: "0x04000000BD75203F1C68AA3E287C783DCDB838BD314AE73D9996283E5F2F143FD2E1C63E9279E33EACCD823E2781883E3469AE3D93C2D43D6D2CCE3EDE2596BD854EF13E85CCA5BE24139BBEF6B160BD0A49D4BE742B423E498E80BE7B723E3D56DAA7BE5E29E8BEF9D42FBFCA6FD5BCD953D3BE2B7421BF8B4CC2BEE4B1A4BECC4D49BF9AEAEE3E352C9F3DF39A94BE9D0067BEF3DEA6BDE97289BEF2FC86BEAF7A393E585646BE4DE097BD5D1B193D751C23BDE687F4BEAF92D6BDFDFC1FBEF6F8963E",
      torch_tensor_48_torch.float32_1: "0x0400000010E12B3F7512783E6D89783E4257E33D888E933E4A5A4B3D879A1C3F3AB11A3F88E2583E0DFB043F4F604B3E1AE18F3E498CE63EA23D993EC2759BBD8E629B3E51AF12BFAC86DEBDB114F1BE344EF8BEF61D413EDDA197BE89C432BED91688BE1D8DF3BE9F7A5ABF5A10ABBE98B106BF0D4407BFC2BAB6BE18C2CDBECE880FBF92ADD53DE03453BE386B81BEC760ADBE7EB3453E492487BB043F1D3E92D922BE9DFC6BBD2825473ED38EF8BD417E51BE2E6C82BEDE7438BE87B7793D8D597FBE",
      torch_tensor_10_torch.float32: "0x04000000B8E95ABE722EFE3C92668EBB4767A0BEAB052A3E9B069D3D8BBE863D781A4ABE1A73A63E7E5F8A3D"
    }
  }
#-}
