"builtin.module"() <{sym_name = "jit_function"}> ({
  "util.func"() <{function_type = (tensor<1x64xf32>) -> tensor<1x10xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<1x64xf32>):
    %0 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 9.99999974E-6 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 0x7FC00000 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 1.600000e+01 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = dense<"0x4AE8833DD6808FBDF07F933DE47A70BD20A5933D20B2CABC0A6FA5BDB85A7DBDCA69BFBD20B9693C80022FBC20FF8CBBD09CA4BC10911B3C5CC872BD80E93EBC58410B3E4F32813E11FA073E29DE16BECF86053DBF238B3CBA64343D2D41B63DD08FE2BD747E58BE51DCD6BD2A6AE33CB76E723D07A0863E1F2E67BEDD5F93BEEF43FE3D5A557DBCB6FCB2BAC3BF123DED7A45BD75E7A9BD4ED508BEF4FF43BCFBC7923B4BAB283EAEF4443ED1A9183E9B64D0BD0381B13D2AD016BCBB05DBBD1DD200BD23B10CBE159DBABD76C80C3DC6E050BDB64F23BD28802B3E6E2CBB3CF01B39BEFC8C0CBD6646C93C62A5A13D0F2BE43C843F4C3DBDBAB23D72B37ABD2CEF02BE326F87BC59148C3D28F7BDBCA422C8BC54D3B8BC85548D3E3D2769BDC46C7CBD65A88C3D5C99363EC1F6A63DCF54973D12E3743E4E6E9EBE4C8CA63C7D35AA3EF17AEFBDA8AC17BEEB8522BE0A9D3D3EAA7C09BE28FB64BEC237B5BD5992F9BD86880EBD51F7723E9C6EE2BD284A023E6DC4633E4E4D9E3DA62BC03D7086733E4E8A633D7728633EBDED933DA0775ABE09F1CE3D9D49ADBE30DBEABD5F3CAABE2D0536BD97009B3E0C13AE3C3980D4BDF961973E9DEA5EBD15F374BE06FD76BEB4FD25BE2B01B23ECDEE3DBD62F8D2BD659DE33DD36B753ED71F9A3DD302ED3DC923413E082668BC08388CBE35D443BE21A3EE3DEA008F3DB55E9DBE0397483E2F8F9D3DB1A1063DEA998B3EFC72ED3D4917E7BE7596753E8201E5BE1175133E0E09F33E232D56BE1557E2BE7B1D75BE857AB7BE99B1EC3E1973153F8D2B9BBE24FF17BD1B33A83E08A754BEC0B426BE0634E03D289986BD63EB65BB784C543EF50632BEB29A9E3DB40A823C4AF69EBC0B875DBC292BA1BEA09E4CBE2CB3C43C738145BD9B6D843C9616E33C71364FBDFD1114BEBED02F3EDAE0B3BDE5701F3EAF7DDD3D044CB33D8AAAB33D15C577BDEB1F57BC8AEC01BEDD2D04BC46F8853CC2268A3CC63C81BD327D78BD4869BEBDE2CD1ABD18679F3D8263FEBD9F7415BE1E58923D09B5633E4BA77F3D28DD7CBD783BF63DA15E6BBD73ECC0BD7B6803BE9FB709BD169681BDB9730D3E90593A3EEBFFE63D66CF2DBBE13B033ECD03FCBD3D75923D894C4B3EEB1317BD5ED90C3E25869F3E889C11BEE186F7BDA9F310BDA2B6F53C24A554BEE1A4BF3C95E02D3D351F11BEC777433E453E15BE5ACB2DBDFA24323EDEF8E3BDA63F76BDA9765F3D05AFA2BC7729DD3DAC38853DED2667BD2B4374BE090BFEBAF31DE4BCB7F2FEBDCE2DA23C2EAC4C3E0CB7E6BDE8E3FF3D9FA53F3C3530D53CCFFA0E3CB4FAC7BDBC34E93CE16296BD7462C3BC0C4894BD2528153D2C15783E8D85723D311F12BE5BB1CABC2FC70A3EE0B6FABD938688BDAB26423E87A5A43DC04E73BD1D2D90BC6B27DA3C8795C13CC4CADDBE1A8CC53ECF5BDABEDD5E753D0E15C73ED507223D6551F3BD5D0FE0BD148B993E00A6BABE31C2CD3C9B8304BFFC38E0BE3E0B36BDE6A978BE8A5E143F7C45EB3EBFD08ABD2B50FE3CEE97ABBCACCE62BCC5CA533EA20510BEC3E037BD4FA3283CD52B2B3E5B35A13D03D7493D122BE43DA684A43DBAE020BD0F36813EA5E35E3DD007EE3D5A1E103CE833093D26C49E3DFCCF02BE261B7A3DD1B4BBBD9ABC5CBE5F207D3EC30A743C354B033D72D7093E034644BDBCA3BBBE8AF61C3EA542813D3BE3BC3D8075083EAA4CDBBCCF6E223EE3C2BD3DE924A13D70AA01BEED68003DC7A119BECCD47BBC689D07BA9AAE7CBD178A42BDB09D92BE0CEBA83E71AA2E3E9A97C4BE889470BE6421143D928BBCBC3D25DD3D1D19B23B9E562C3D670B383E1D7ED7BD4D1A57BD480B92BE7948C73D1386DE3D3CB6FF3DCD2FC33EF227663DF44A10BF70452ABEF291203E72ADD03E91F6933D37AE45BE29583B3E2489B7B9B433323E5BE6B1BC4A641A3EB7D6B73DB1E4D43B8AC543BE2EF2243E7E09AA3D135408BF25705ABEB8B0D03CEA781C3E6176D73CFBCF4F3DF16AA33DF92C693C3731853E8CBF62BC6BC321BEA7CD2FBD4007543DCA74093EEFB02D3B3EB2513D969A09BD57FAB33EDC64B93E7E8602BE2D3E41BDADDBCD3E583829BE1DDEFF3DDE82E1BCF3D6C03DA725ABBEE4CA4E3D66C4193EC1EE833E9DCBF1BD7CE4A6BE14EE5FBEC872CE3D58DDBD3E4D98DD3E5DD300BD8772033FF9A2B43D373E283F4AC7CDBE54CE2FBEFD64B7BE396C1EBEE046AB3D05C7EEBD2627073E3A9E58BEC986113E24E8A43EA75BB4BC114A513DA33D3EBDB483BABDD5EA15BDA992543DD13B89BDE6C580BECEA5C8BD0316EA3C3CE7323D6AC344BE764B1E3E9004513C4CEA183EABB94B3EC0B6253DF4680BBC3C23FDBD0E9002BED7658DBD0F19E03DF5C1A5BD84159E3CDCD3903E713584BCC211EFBD3EF6A3BE2168AA3CD5ED933D6DFF493E0EED9FBD95E294BD2DB223BD7757A6BC3CD192BEBE3EDC3DAF8A083D38C9A5BCAAB8B73C624C873DA3FD813D836ACCBD5FCE93BEBD3CA73E4E14A23E3143C63DB77C62BEDDF3D93D6D3964BE742506BE8CAA64BE058A88BD9BB9373E160C26BDBC59EABD14D9903D59610D3E9752B3BDF2C9933DFC8E9B3D1AD398BDF568D9BDD02101BE1CDE173D48222D3EBAC6EA3C4DC29EBDA0CB78BE2617173DA77E3C3EA97246BD2E67DF3D4438063DA2E4B83C724755BEF147E8BC74EDBD3DFCA0D2BEFDB2CB3D3FC8D43E5307A53E18CF373D4DF4BF3EBCEC6DBE391C803E9D41053E1C65B13D7FDA7D3DFD6195BD57CB28BC378587BD9F9CA6BB822938BEE2BE633EFC01563D62ACFA3D7616C8BE670BC5BC35ECA23E4E7888BD19556D3E20D38E3EA9296BBE941CA0BE5B8C92BC2A49CCBD38C42B3C3FBBAE3E0DA008BEAEF9A83D5C942E3DD24DBFBD384E7A3D98FCC1BCC89C34BD4A8CCBBDD4884F3DD6C893BDE82695BDD029EDBD14B3873D38E6EB3C6052E8BC00503F3D5236AD3D2CE7D83D2A06EA3E5444903D9B0DE5BD2BAE783DC0E5193E1B9309BD148FF23C99AD7EBEA522F43D432F24BE1667A5BE7F1E72BCCBA40C3ED8E412BE16ACD3BD45FA5F3D39551E3EA8CDA43D7306983D7CD182BD8C231EBDB2DBECBD2E8B153D7A05C4BE9C2B7D3CF476DB3D97C804BEF87107BE9257ADBD69F37A3D1C2A9D3BFBF9C8BB153182BE089FE73DE434F9397BB741BEA85E7DBDEF42703D9015ADBD15A4883E6F96523D32AC733DC13944BEA3B527BD601FA9BC340AE8BCE9937A3EBC70CB3DA1E6CABD76655E3E929EBEBE6FC67C3C7AA026BB40DAEBBD63FD793ED7850DBD435FB03D5FA703BE82AC3FBED6DC8CBC8DEE853E15A525BD4356863D87C7D43BD16D533D4E75833E4245743DA0A23D3E0BFFD53C1ED9FDBD78214F3EEDECD4BD44E0C83D2E6BD6BB3FCAA4BDC8EB593D8DFA5E3D5EBD243C10BC97BC7E75373E82F9983E1DDFA43EE7AF9A3DF147173E6B1DDC3DD2F3A6BDA6CD053E371E0EBF90330FBEA8E00E3E8731003D03F42CBD3B7D06BCF9E5D4BEDABF1CBEA8EE6DBD98B25D3D2011E6BC90FAC6BD627B91BDA08D24BC988FD73DBADDEC3D4C2C61BD96E7AC3DF05F76BD90AE3F3D26D1CD3D7030553C40625A3DC8D65F3D1987A5BD198E00BEBAB80F3E5AFBDE3D9B915BBEA6878EBE2C7AB6BDE90EB13E46FC8E3DB3FB3DBE11410C3EEBD214BDBB6D3DBE21D036BD55ADC23CB0EE233C72E891BE01DB553EA995DD3E9B3E15BE682E023CAAD30FBD494CD33D1AD6B13E56D399BCE10BA43D87D255BE485D27BE49F524BEF58BDBBD4FF452BE0A6604BEBDE0923D78280C3EA6BDEBBD716AF5BD297F773D487B443E435BC33D365370BA0688133E01D1EF3ECF77C6BEDB433ABEAA253DBBAB3B15BEA9CD54BC5B05ED3D6F14073B1D1929BE9CC5123E3BA054BE522096BD0180A53EA67CDEBE5396223E3249CB3E3CD9153E2CA19BBE02C74FBE2E579CBCE8B601BCBEB13DBC034A99BD5E70803D00703E3E0328453EBA1697BE9AF8F53D5524B4BD7735F4BCDCF90F3EE97DC0BDF5C6AC3DEAF836BE627D44BEFD3BB93DA7D0F03C589F843D0130443EC936833D74D7873E5428E53D8CA4033E23C3193C7D4466BEEA83E23D5C3586BD1236D4BDF130F3BB874801BEF7E90BBE1907E5BC6070B83CF89D95BD513D0B3E5F5C0B3ED6A0523E6D62793E025165BBFCC21EBCAF82D5BD02CDBC3EB37F2CBC32AF55BEC2E139BD93CE0BBEC6D321BE3246123D7C8FAABDB6635BBEE3B2053E12B65E3E5AD1843EEFF564BE948281BB16270D3E3013A23ECEDE433E2EEE0ABE0C6B123E545C01BE516940BE87B0353EA557793E63402DBE2FAEA5BEB666E5BE37B2943D1D110E3E2F423C3E74B7F6BD6A5439BC517AB93D4B8E8FBD629E6F3EE83D693DD8EEC4BCEAF2D53DFECF6E3E8C39E63D4CCFCF3C99E3283D977285BDF3FB8DBEF37265BD3498AE3E8CDC8CBDD56B293E78633E3E84F302BE41653B3EA2ADBC3DBF5C17BEC77003BD740CF53DC8DE5A3EA8DE8DBE8DCC04BE765646BE363F5D3DCAC41FBD33EB83BE15C80C3D4876A8BBFCC7C83C891A9C3C8EA43EBE7336EA3DEA864B3EF42AAFBDBA100CBE5F53B63DEFEC92BB697B3DBEA7C7063E6A98C63BDD7B113D6B3D2E3D76588EBDB04495BDBE4FC23E4F3099BDDE48293EFD5555BC060310BB62D2013D8008263E10FFCABC5731E93D25F62ABE4876E8BDFBFE843D67E9873EFE2254BE3739873D2620B03D48596A3E71B5B03D362593BDC6879B3DDCA5A0BE87752ABE9252513E0459103EE1CBB33DC0C9BE3D40AF70BDD03F423DF3CE733D49588BBECF73733ADC1BD73D2159403E3EDFFB3C978E93BE1070A33E8165B6BD922932BE43BD993D2920B53D74C3863D1DB541BD1B3BE33C2B38263DCBAC80BE83AFFBBD865FD5BD25F40DBE99BDD13D66C4AF3E951895BE3E33983C8FB69FBD473F26BEF926923D3655B43D18F7103E38AA36BD782BF43C81A934BECF9C1FBE2563103F985A413ED2A0C93DBA74A1BC3D1DEFBEA5D7FF3D9FECA3BE99EC58BECA05963E6D1223BDD9D380BCA05CF83D768EB53E8FD7513E9160DD3D919F033D1DD3E2BDD6E7E83C1B0CE2BC43D8B73C4D7FCE3C71543CBDF6ACBD3D75C8BCBD74BE1E3E6849A23D0DB6D53D75C3A83DA432C0BD25FA3ABD71ED773E2DE9F13DCD3309BE30F110BDB3D3C1BC6961553E73106E3DE20A3EBEB644E1BDD61AB2BE27C1C13D1661933E897B8B3CFF7ADD3EA9989BBE472299BEA00A2C3E8F88DB3D0E1BE73D5EB2C83D27214F3DB335823DAEF2ECBD1C7364BD28C0BBBDE545D7BD4B934A3E46F7883E79539B3DDEB96A3EA40F85BEB0366BBEA466613D0AC753BC4BA38BBE330E30BD7F272FBE6F81FE3CF5CCEB3DA58B24BEEF75A83B9E5532BD89588FBAD1BD9BBC5689AFBD90D2EF3DEFE58C3D1AA810BEA2FB86BD316B043E759F15BE30354C3C8B90B7BD75BA683D17068F3D46AC74BCEB5D833D63FD0DBECC2511BEEEA268BA4230E0BD623146BD96F4353E00AA3BBDFBF9313E850C87BDF5374DBE719D523D148EF73D7A2D233EF1D7BF3AAE0212BE10E4B43CC2F07FBE2217FDBD0917163E7E4DD93DC44E433D2433D03C4C1D443DE30427BEC8BF22BE7E4443BDD6800A3E2C26DE3CA94E853EA09DC1BD8B8D99BE0357263E725FF6BDEFBF92BDBB97F13D28D4423E2BA604BD9DE5BE3A14314CBD0B1433BB6C8693BE56DFB33E74F2A3BEDAF8C2BCFB428E3ED046D6BE6F5A82BD33C38BBDEF90A73EB5D207BE0B1BB2BCEF3922BCDB30893D6977553E8C7A113E"> : tensor<64x16xf32>}> : () -> tensor<64x16xf32>
    %6 = "arith.constant"() <{value = dense<[0.0129603585, 0.052400142, 0.113461055, -0.0856580361, -0.105958767, 0.0225634314, -0.0154139949, -0.0982510074, 0.0731964633, 0.0357223675, 6.770810e-02, -0.0592702106, -0.0806318521, 0.0444794893, -0.13644141, 7.667430e-03]> : tensor<16xf32>}> : () -> tensor<16xf32>
    %7 = "arith.constant"() <{value = dense<[1.9598105, 2.09331608, 2.01890492, 2.00582099, 1.33750141, 1.985026, 1.97428036, 2.29341221, 1.91647339, 1.92303824, 2.22225928, 1.84378827, 1.16642344, 2.06567216, 2.07167077, 1.90884984]> : tensor<16xf32>}> : () -> tensor<16xf32>
    %8 = "arith.constant"() <{value = dense<[0.605149745, 0.643115759, 0.719962298, 0.444580346, -0.0443740077, 0.818607032, 0.725990295, 0.615132868, 0.435091555, 0.563101888, 0.694648265, 0.644703805, 0.128212675, 0.845782339, 0.565674365, 0.588419378]> : tensor<16xf32>}> : () -> tensor<16xf32>
    %9 = "arith.constant"() <{value = dense<"0x227376BF8991523E3FF409BF43AC7FBE077435BF01C6463FABD2433FC52163BF7EE9EBBDA3EC07BF60DA583F819949BF07F412BF247AC4BD53C3243F7EBCB23E00AB663ED1CB06BF7790B2BE288E77BF9D8458BFCD2564BF5F3F55BF89919FBEBEC5363FC905C6BE161F0FBF085A0E3FC86228BF6873D33DE7822F3F03B6CD3E1B5721BF93CFE9BEE4EFD0BEA678CD3B436DEEBE5A4F28BE45AE17BF1A3F2A3F0EF8C9BEE1652C3F2987F03D7F2612BECB46653E734B7CBDA32395BE83F05E3C4E7FA2BE119FBCBEAB30C43EC8A12C3EF2625B3F7CE784BF77A7B83EDF2824BFED2A3D3F00939EBE069E29BF16FA29BF15BC853E15319BBF6632A4BED94E4F3F075075BFE8A1B3BE5AD5903D41C02ABF736D6E3EEBE0053F1CB135BFF5ED133F19B1ACBE618C4FBFF4DE283F70DAF2BEB0C436BF1682AA3EC56045BFE69B16BEF9772EBF7AD413BFC7324C3F51BB06BF4A520CBE945D84BF5D611BBF423049BFD59C273FA8AC95BE4835113E29F9073D892C94BEEA180EBFF90ED4BD31A08EBE1166163EC8381D3F01D20F3F730805BF7E9106BE566278BF97795CBF957BF2BEB4E9D9BEDD06393F38CB95BF16C6B83EED53DABE6A1F273FBE3E17BFABCB72BEC630333F2D15CB3DEBC5863E5061033F8BAA59BFED60FCBE783618BFCCC0023F12028DBE0B542A3DF635D43E28644B3ECA0715BFFB1F13BF39B6F73DEBA01ABEB6DF1BBFFF0DB8BEA0D32DBF021C49BD4951F93EFACD5E3F9044A2BF58258CBBEA0E42BF9F9CF03EDCBA00BEA1911BBF9249B0BEAF8A583F2F1F2ABF03F8E7BEA52F9CBDB4680BBF39C46BBFFA199ABFF9F0AE3E4F42653EAFB4E6BE3E91C73ED80C71BF691A26BE222D85BE4587D6BE7B508E3EE30FE9BD384D2B3F44C1883D"> : tensor<16x10xf32>}> : () -> tensor<16x10xf32>
    %10 = "arith.constant"() <{value = dense<[0.0244889762, 0.235948816, 0.0902329608, 0.181682229, 0.0879046544, -0.302588969, -0.096825242, 0.0833502039, -0.137567416, -0.286949426]> : tensor<10xf32>}> : () -> tensor<10xf32>
    %11 = "tensor.collapse_shape"(%arg0) <{reassociation = [[0, 1]]}> : (tensor<1x64xf32>) -> tensor<64xf32>
    %12 = "tensor.empty"() : () -> tensor<16xf32>
    %13 = "linalg.fill"(%4, %12) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg87: f32, %arg88: f32):
      "linalg.yield"(%arg87) : (f32) -> ()
    }) : (f32, tensor<16xf32>) -> tensor<16xf32>
    %14 = "linalg.vecmat"(%11, %5, %13) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg84: f32, %arg85: f32, %arg86: f32):
      %115 = "arith.mulf"(%arg84, %arg85) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %116 = "arith.addf"(%arg86, %115) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%116) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>]} : (tensor<64xf32>, tensor<64x16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %15 = "tensor.expand_shape"(%14) <{reassociation = [[0, 1]], static_output_shape = array<i64: 1, 16>}> : (tensor<16xf32>) -> tensor<1x16xf32>
    %16 = "tensor.empty"() : () -> tensor<1x16xf32>
    %17 = "linalg.generic"(%6, %16) <{indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg82: f32, %arg83: f32):
      "linalg.yield"(%arg82) : (f32) -> ()
    }) : (tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %18 = "tensor.empty"() : () -> tensor<1x16xf32>
    %19 = "linalg.generic"(%15, %17, %18) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg79: f32, %arg80: f32, %arg81: f32):
      %114 = "arith.addf"(%arg79, %arg80) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%114) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %20 = "tensor.empty"() : () -> tensor<1xf32>
    %21 = "linalg.fill"(%4, %20) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg77: f32, %arg78: f32):
      "linalg.yield"(%arg77) : (f32) -> ()
    }) : (f32, tensor<1xf32>) -> tensor<1xf32>
    %22 = "linalg.generic"(%19, %21) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg75: f32, %arg76: f32):
      %113 = "arith.addf"(%arg76, %arg75) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%113) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1xf32>) -> tensor<1xf32>
    %23 = "tensor.expand_shape"(%22) <{reassociation = [[0, 1]], static_output_shape = array<i64: 1, 1>}> : (tensor<1xf32>) -> tensor<1x1xf32>
    %24 = "tensor.empty"() : () -> tensor<1x1xf32>
    %25 = "linalg.generic"(%23, %24) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg73: f32, %arg74: f32):
      %112 = "arith.divf"(%arg73, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%112) : (f32) -> ()
    }) : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %26 = "tensor.empty"() : () -> tensor<1x16xf32>
    %27 = "linalg.generic"(%25, %26) <{indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg71: f32, %arg72: f32):
      "linalg.yield"(%arg71) : (f32) -> ()
    }) : (tensor<1x1xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %28 = "tensor.empty"() : () -> tensor<1x16xf32>
    %29 = "linalg.generic"(%19, %27, %28) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg68: f32, %arg69: f32, %arg70: f32):
      %111 = "arith.subf"(%arg68, %arg69) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%111) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %30 = "tensor.empty"() : () -> tensor<1x16xf32>
    %31 = "linalg.generic"(%29, %30) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg66: f32, %arg67: f32):
      %110 = "arith.mulf"(%arg66, %arg66) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%110) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %32 = "tensor.empty"() : () -> tensor<f32>
    %33 = "linalg.generic"(%32) <{indexing_maps = [affine_map<() -> ()>], iterator_types = [], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg65: f32):
      "linalg.yield"(%4) : (f32) -> ()
    }) : (tensor<f32>) -> tensor<f32>
    %34 = "tensor.empty"() : () -> tensor<f32>
    %35 = "linalg.generic"(%33, %34) <{indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg63: f32, %arg64: f32):
      %109 = "arith.subf"(%3, %arg63) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%109) : (f32) -> ()
    }) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %36 = "tensor.empty"() : () -> tensor<1xf32>
    %37 = "linalg.fill"(%4, %36) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg61: f32, %arg62: f32):
      "linalg.yield"(%arg61) : (f32) -> ()
    }) : (f32, tensor<1xf32>) -> tensor<1xf32>
    %38 = "linalg.generic"(%31, %37) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32):
      %108 = "arith.addf"(%arg60, %arg59) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%108) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1xf32>) -> tensor<1xf32>
    %39 = "tensor.expand_shape"(%38) <{reassociation = [[0, 1]], static_output_shape = array<i64: 1, 1>}> : (tensor<1xf32>) -> tensor<1x1xf32>
    %40 = "tensor.expand_shape"(%35) <{reassociation = [], static_output_shape = array<i64: 1, 1>}> : (tensor<f32>) -> tensor<1x1xf32>
    %41 = "tensor.empty"() : () -> tensor<1x1xf32>
    %42 = "linalg.generic"(%39, %40, %41) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg56: f32, %arg57: f32, %arg58: f32):
      %107 = "arith.divf"(%arg56, %arg57) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%107) : (f32) -> ()
    }) : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %43 = "tensor.empty"() : () -> tensor<i1>
    %44 = "linalg.generic"(%35, %43) <{indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = [], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg54: f32, %arg55: i1):
      %106 = "arith.cmpf"(%arg54, %4) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      "linalg.yield"(%106) : (i1) -> ()
    }) : (tensor<f32>, tensor<i1>) -> tensor<i1>
    %45 = "tensor.empty"() : () -> tensor<1x1xf32>
    %46 = "tensor.extract"(%44) : (tensor<i1>) -> i1
    %47 = "linalg.generic"(%42, %45) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg52: f32, %arg53: f32):
      %105 = "arith.select"(%46, %arg52, %2) : (i1, f32, f32) -> f32
      "linalg.yield"(%105) : (f32) -> ()
    }) : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %48 = "tensor.empty"() : () -> tensor<1x1xf32>
    %49 = "linalg.generic"(%47, %48) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg50: f32, %arg51: f32):
      %104 = "arith.addf"(%arg50, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%104) : (f32) -> ()
    }) : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %50 = "tensor.empty"() : () -> tensor<1x1xf32>
    %51 = "linalg.generic"(%49, %50) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg48: f32, %arg49: f32):
      %103 = "math.rsqrt"(%arg48) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%103) : (f32) -> ()
    }) : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    %52 = "tensor.empty"() : () -> tensor<1x16xf32>
    %53 = "linalg.generic"(%51, %52) <{indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg46: f32, %arg47: f32):
      "linalg.yield"(%arg46) : (f32) -> ()
    }) : (tensor<1x1xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %54 = "tensor.empty"() : () -> tensor<1x16xf32>
    %55 = "linalg.generic"(%29, %53, %54) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg43: f32, %arg44: f32, %arg45: f32):
      %102 = "arith.mulf"(%arg43, %arg44) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%102) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %56 = "tensor.empty"() : () -> tensor<1x16xf32>
    %57 = "linalg.generic"(%7, %56) <{indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg41: f32, %arg42: f32):
      "linalg.yield"(%arg41) : (f32) -> ()
    }) : (tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %58 = "tensor.empty"() : () -> tensor<1x16xf32>
    %59 = "linalg.generic"(%55, %57, %58) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg38: f32, %arg39: f32, %arg40: f32):
      %101 = "arith.mulf"(%arg38, %arg39) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%101) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %60 = "tensor.empty"() : () -> tensor<1x16xf32>
    %61 = "linalg.generic"(%8, %60) <{indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg36: f32, %arg37: f32):
      "linalg.yield"(%arg36) : (f32) -> ()
    }) : (tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %62 = "tensor.empty"() : () -> tensor<1x16xf32>
    %63 = "linalg.generic"(%59, %61, %62) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg33: f32, %arg34: f32, %arg35: f32):
      %100 = "arith.addf"(%arg33, %arg34) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%100) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %64 = "tensor.empty"() : () -> tensor<1x16xf32>
    %65 = "linalg.generic"(%63, %64) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32):
      %99 = "arith.maximumf"(%arg31, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%99) : (f32) -> ()
    }) : (tensor<1x16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
    %66 = "tensor.collapse_shape"(%65) <{reassociation = [[0, 1]]}> : (tensor<1x16xf32>) -> tensor<16xf32>
    %67 = "tensor.empty"() : () -> tensor<10xf32>
    %68 = "linalg.fill"(%4, %67) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32):
      "linalg.yield"(%arg29) : (f32) -> ()
    }) : (f32, tensor<10xf32>) -> tensor<10xf32>
    %69 = "linalg.vecmat"(%66, %9, %68) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg26: f32, %arg27: f32, %arg28: f32):
      %97 = "arith.mulf"(%arg26, %arg27) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %98 = "arith.addf"(%arg28, %97) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%98) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>]} : (tensor<16xf32>, tensor<16x10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %70 = "tensor.expand_shape"(%69) <{reassociation = [[0, 1]], static_output_shape = array<i64: 1, 10>}> : (tensor<10xf32>) -> tensor<1x10xf32>
    %71 = "tensor.empty"() : () -> tensor<1x10xf32>
    %72 = "linalg.generic"(%10, %71) <{indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32):
      "linalg.yield"(%arg24) : (f32) -> ()
    }) : (tensor<10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %73 = "tensor.empty"() : () -> tensor<1x10xf32>
    %74 = "linalg.generic"(%70, %72, %73) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg21: f32, %arg22: f32, %arg23: f32):
      %96 = "arith.addf"(%arg21, %arg22) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%96) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<1x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %75 = "tensor.empty"() : () -> tensor<1xf32>
    %76 = "linalg.fill"(%0, %75) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg19: f32, %arg20: f32):
      "linalg.yield"(%arg19) : (f32) -> ()
    }) : (f32, tensor<1xf32>) -> tensor<1xf32>
    %77 = "linalg.generic"(%74, %76) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg17: f32, %arg18: f32):
      %95 = "arith.maximumf"(%arg18, %arg17) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%95) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<1xf32>) -> tensor<1xf32>
    %78 = "tensor.empty"() : () -> tensor<1x10xf32>
    %79 = "linalg.generic"(%77, %78) <{indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg15: f32, %arg16: f32):
      "linalg.yield"(%arg15) : (f32) -> ()
    }) : (tensor<1xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %80 = "tensor.empty"() : () -> tensor<1x10xf32>
    %81 = "linalg.generic"(%74, %79, %80) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg12: f32, %arg13: f32, %arg14: f32):
      %94 = "arith.subf"(%arg12, %arg13) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%94) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<1x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %82 = "tensor.empty"() : () -> tensor<1x10xf32>
    %83 = "linalg.generic"(%81, %82) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg10: f32, %arg11: f32):
      %93 = "math.exp"(%arg10) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%93) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %84 = "tensor.empty"() : () -> tensor<1xf32>
    %85 = "linalg.fill"(%4, %84) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg8: f32, %arg9: f32):
      "linalg.yield"(%arg8) : (f32) -> ()
    }) : (f32, tensor<1xf32>) -> tensor<1xf32>
    %86 = "linalg.generic"(%83, %85) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg6: f32, %arg7: f32):
      %92 = "arith.addf"(%arg7, %arg6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%92) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<1xf32>) -> tensor<1xf32>
    %87 = "tensor.empty"() : () -> tensor<1x10xf32>
    %88 = "linalg.generic"(%86, %87) <{indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg4: f32, %arg5: f32):
      "linalg.yield"(%arg4) : (f32) -> ()
    }) : (tensor<1xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %89 = "tensor.empty"() : () -> tensor<1x10xf32>
    %90 = "linalg.generic"(%83, %88, %89) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1: f32, %arg2: f32, %arg3: f32):
      %91 = "arith.divf"(%arg1, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%91) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<1x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    "util.return"(%90) : (tensor<1x10xf32>) -> ()
  }) : () -> ()
}) : () -> ()