"builtin.module"() <{sym_name = "jit_function"}> ({
  "util.func"() <{function_type = (tensor<1x8x8x1xf32>) -> tensor<1x10xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<1x8x8x1xf32>):
    %0 = "arith.constant"() <{value = dense<[[[-0.336552233, 0.649697065, 0.572335064, -0.313599408, 0.242469028, 0.561726868, -0.464971125, -0.574945033], [-0.727432609, 0.323747456, 0.594396412, 0.499780923, -0.484265596, 0.773118317, -0.659125506, -0.394789249], [-0.396256775, 0.0030406327, 0.0582043827, 0.435503185, -0.835386515, 0.528289497, -0.788391113, -1.05183601]], [[0.340287566, -0.512456656, -0.13104777, -0.665587425, -0.722936689, -0.596294701, -0.548723638, -0.274651796], [0.0847374126, -0.35709691, -0.792411625, -0.190644309, -0.631264925, 0.00399132725, -0.232145444, 0.491343111], [-0.151433691, 0.520392418, -0.658800423, 0.60211432, 0.146322325, -0.335440725, -0.302941769, -0.3048473]], [[0.420435041, -0.809550762, -6.329120e-02, -0.781047284, -0.500644445, 0.203534424, 0.058561042, 0.139522627], [0.259668231, -0.416873127, -0.783701837, -0.746896684, -8.948500e-01, -0.0999117493, 0.72887814, -0.0374576375], [0.433036029, -0.449304342, 0.0783893391, -6.579200e-01, -0.351033121, -0.842690885, 0.677852035, -0.230817169]]]> : tensor<3x3x8xf32>}> : () -> tensor<3x3x8xf32>
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 4.000000e+00 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
    %6 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
    %7 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %8 = "arith.constant"() <{value = dense<[[[[-0.246348232, -0.353202462, -0.326928675, 0.099140875, 0.142803982, -0.192826688, 0.0725873932, 0.193630785]], [[0.0655362755, 0.530948281, 0.372543067, 0.197220266, -0.255770534, -0.316571623, -0.51983726, -0.50358361]], [[-0.351483881, -0.198200136, -0.051557444, 0.367127419, -2.258860e-01, -0.0816186442, -0.188168675, 0.103961386]]], [[[0.20134303, -0.244264767, -0.00934199802, -0.338196695, 0.189430535, 0.222096205, -0.270142287, 0.269450456]], [[0.345613301, -0.00414191559, 0.364207953, -0.27389431, -0.0798115283, -0.0508627556, -0.0769422427, 0.409709066]], [[0.413603544, -0.20368965, -0.100875765, -0.455434382, -0.306364477, 0.43442598, 0.0500174761, -0.121887647]]], [[[0.294658601, 0.0174587425, 0.369253248, 0.339698642, 0.237237751, 0.122153364, -0.289752036, -0.384880066]], [[-0.180768564, -0.0681274608, -0.279724211, -0.0325379483, 0.49774161, 0.152952343, 0.286584496, 0.162595332]], [[-0.0123889912, -4.563570e-03, 0.104008786, -0.0313982405, 0.404539466, -0.0244496278, 0.15649575, -4.767150e-02]]]]> : tensor<3x3x1x8xf32>}> : () -> tensor<3x3x1x8xf32>
    %9 = "arith.constant"() <{value = dense<[0.0694739446, 0.129373372, 0.00342934602, 0.332450956, -0.107622616, -0.0117713716, -0.245796889, 0.112084597]> : tensor<8xf32>}> : () -> tensor<8xf32>
    %10 = "arith.constant"() <{value = dense<[0.241027027, -0.0226198956, 1.455890e-01, 0.231733859, 0.0590708032, 0.0555487461, -0.475982964, 0.163074285]> : tensor<8xf32>}> : () -> tensor<8xf32>
    %11 = "arith.constant"() <{value = dense<[0.0556090325, 0.0373038352, 0.0527256094, 0.0472481363, 0.113368779, 0.0382981487, 0.0920472666, 0.0333530754]> : tensor<8xf32>}> : () -> tensor<8xf32>
    %12 = "arith.constant"() <{value = dense<[1.43581533, 1.64675641, 1.79081941, 1.82112861, 1.66233313, 1.64446354, 1.92946291, 1.819790e+00]> : tensor<8xf32>}> : () -> tensor<8xf32>
    %13 = "arith.constant"() <{value = dense<[0.690816819, 0.11196401, -0.365584373, 0.225102171, 0.103528276, 0.33103326, 0.726524055, 0.176563278]> : tensor<8xf32>}> : () -> tensor<8xf32>
    %14 = "arith.constant"() <{value = dense<[0.52656132, 0.472557306, 0.629508197, 0.248513669, 0.284381032, -0.248783991, -0.0112248948, 0.024266839]> : tensor<8xf32>}> : () -> tensor<8xf32>
    %15 = "arith.constant"() <{value = dense<"0x927C9C3E03A290BF3AE8C13EE2E4F33D25DE313F98BB29BEE793103E550BD53EEAF1CB3E7A8128BFA71909BFC87544BE8296D6BC57213E3FAA381ABF4D889B3EFA5DDA3EA364703FA971323FBF4C63BE939A503FAFA32F3F1CB1263C9B86F43ED64F6ABF347BEABE75568EBEC82D91BE32C14EBF771F9A3F48241FBF1FBFC6BE807B85BF5976AEBE7D9E8F3F8C321FBF286A2E3CCAAB4E3EF3372CBF001B833F0D2EDD3E88013FBE439B03BEAB1F583EFAD1103F0C32353F5B4AAB3EEC2C4B3F9D23773E510296BE6D7A523E90CB0CBF4B4B503E294493BFCA2D473F3F89143FA7D4593D40D811BD3C463D3ED0A494BF655FBEBEA15D5E3FFB3B36BFD7D38A3EA76807BF06D8003F1FE81CBF0FCF0E3FB9BD35BF30D7103E028FE9BE41FE46BF09A81D3F301EAFBE3B9EC2BEDC55873E23F11B3DFBF1CE3E3D5CE4BE2706EEBEF1745FBCD548303F7A9500BFFFAA003EA0D104BF50309BBE7B758F3DD98F19BECB96583EF13D5A3FB32C183FBB3B10BF3C2C2A3F2FCA79BF04802E3EE05706BFF81EC8BEEAD506BE2446D23DC82C67BFA6EDE9BE493DFCBD6BA48BBEA13BDCBE8F8211BFDB82553F02CB023FF2A9CE3FCD37473F391907BF6BBD7B3FFAC031BED87F3FBE5D85DBBE1AB6B0B9E27634BFD3843EBE3369B2BEF5CE263FB8C79ABE1E6691BEB9C765BF090648BF936D2E3FDBF129BFED2C543E4096843D17362BBF"> : tensor<1x1x8x16xf32>}> : () -> tensor<1x1x8x16xf32>
    %16 = "arith.constant"() <{value = dense<[0.0868244469, 0.369376808, 0.73731178, 0.134134486, -0.109726422, 0.558445215, 0.307009637, 0.215577111, 0.717202484, -0.0674192905, -0.252352506, -0.0247210283, 0.301024765, 0.399343252, -0.018137265, 0.0514069572]> : tensor<16xf32>}> : () -> tensor<16xf32>
    %17 = "arith.constant"() <{value = dense<"0x1B88B23E90D6983DC05183BD039C73BE58498E3E7266C2BD4C1B7C3CDCC914BE22D8FEBC0FD68FBD8657EBBEF60B163E685F1A3D8522313EB61D193E917E83BE782678BE45738E3E2342CE3B0BD12E3D4A6E33BC58B08DBEDE988D3EDD1B8E3DB312D7BD51F6313D16AE6D3E87DC353DA88B913EF0567FBEFFC7A43E60EA2D3DA08DC03D8F855CBEE9B64BBE8ED785BE9AD8D53E99006FBFE7747ABEDA882BBE6F88BEBE6450AABD9054F1BE569C863E1581AEBE63E3A23E152AF5BEE415983DD835AF3E9879D83D2DFEADBE501A823E65DF1CBEC760883E0C0A17BEFCF62CBD3FCC7BBE4758A43EBB1F74BE85DB023D257F9EBD3708953E5867FE3D94D6B5BEB0AA6E3E26479CBE5A3C173CAC1B283E135CAC3EE28FDBBEC28D023D9C6669BF37FA1DBE0764113EF25D0E3FC30EAC3E8A011C3E253F223FA36F74BF7A89D1BD7B34CEBEBD0FC13E131EB23ED6AC5F3E40D7ACBDD6246BBED672B03DF70AB93CAF0B74BEF5D1F3BEFCFF13BF63742F3FEBC840BE46F8F6BE32F2493C1AF39C3E9F00AA3D404F333E6E1981BE8BC0C5BD9A83933EED27163EF4BA21BFF909503EEDCA183E35B6A33E198F17BFCBAE36BF62EB2ABFB906903E73ADE2BE3E8DA13EAA0CE33E4354703D987E45BE7FFAF6BE1D1B36BE987930BDE39FD0BD9A3C11BE9D9AE73ED4B55E3E690C15BEE33C133D0F0CAF3C41CA0BBF9FFFA5BE20EB78BE04FF823E492A8B3EDC54783E4B2B96BE76E0203E9E9197BDD7ABCC3DC56AB4BE4FB9413D908ADFBA95157F3D939099BD38FFD4BE542D5C3D7543953E8842A43D8FB81E3E77DBA5BEA1AD1EBEE4E2F03D22C2D43EC240FBBE3767D83E8B8EE8BE207920BFD5CE59BE5A1A083F9823F73E00CC65BEEB46773E6D7765BED81D6C3E61699F3D7D9A77BDB184C2BDD87A25BFDB69013EABE5B7BDD26A143E7F0BBABD4D33003E702333BEFF8B79BE8E725E3E7EAFADBEC3029A3DFE28CC3DC8D23C3DBFD5923E77476D3D6A287EBE2C60F0BD25B7133DEB81BDBEF4D0683E759AA23E36FC9CBEE9410A3EAC0FDE3D2BBBFABEE77D25BD4BBF9F3D86308B3D4D4E293EC439B53E5E060DBE9718D7BE6DDC17BE5968E13D2B493FBF6A9FACBDA651E63CCD682EBE0322D5BD02D922BE50F0563DEC36D7BDBCCCC4BE993014BF028F573C0ACC5B3EB30D8A3E6EC931BF09F92A3ED2E74ABEF610143EC0BDDCBE1A90EA3E1C29233FF79173BD0F919EBD52BA9CBEBAB6A6B96AC9013EA58634BEB9B9273D245D233E485820BEB624B33C6A0F37BE6F300FBD59DC0BBEBAE677BCA00D3FBE62EE61BEA0AC3E3C153B083FEBAE29BDA6E801BFF33DAD3EF556E7BE5737363E38DE983E53300E3EC970CEBC93BDC7BEB2AD983E8879C43ED5496D3DE461A6BEDEA834BE9DC96CBE372E4EBCE3ED073E6EBA203ED1E403BE21CC61BD50CE01BFE0F085BEFB40823DC00FA2BDB54D563E0BBC5E3EF3F82C3D5E2D983EBF81A83C1F506FBED40AD0BDF375733EBB93A13E2E4E48BE84CC21BE4076513EBC3EE63EB7C7763C7FAB2F3D4D4ED2BD74AFDEBD5F6E943E240A35BFC5EA6DBDD6BD6ABED3E0E53E171941BE2158E53E0FB60FBF75B2F33CEB638ABEF3576A3E1D2DC83E586304BEB52836BF486932BD7F37CA3EAD6F01BF8B8297BD6F04D93D765A6B3E6FAB843E9337DE3CF9FC8FBEFC1B1FBEEA884DBD8E9AD8BDD8C71CBE3FDD863EC74AF63DC2188E3E6DCF69BDC37DD9BE6F46DA3CA6295C3D65EE37BE1BF8403EB322823E1287563D82D27DBEC175C8BE383910BE81699BBC7A4B613EE7E514BEA1EEEB3D622DA73E9661ACBEA09CF23CDCCD3EBEF8DD0FBEBBD0273FA92ED6BC2F3E003C767E02BF777B243F52815B3D450A263E5CCE24BF15ED8D3E631327BFFA5559BD5510E0BEC0D861BEA3F0ADBD4F4EF9BE4B93213F53C5B0BE7EE2563D420C21BE086901BF99D743BFB567E73E39ED09BD9982F53DB2829FBE9888B5BCF2135FBF201059BE338E953E4AD4013D69D001BFBE48FA3E6D419F3EF2A4C23D81B8333E6C61DDBC12A15B3E40AE0B3EE12023BFD4541A3E24940BBF0DFCBD3B246BC13D3D579DBB5B082B3EAF9B9FBE457D9BBD5BBB80BDAB7D10BF4866FE3C734C71BEE5FC983EE68B3ABE914A433EB036E6BE3CCD92BC067087BEC3D19ABE7136983E199C983E756F933EA339573DF8AF573EECD1723D774EC93E786F06BF63370CBFCF0468BD1A2A0A3E15CF7CBDA638273EC7B1D63D4E7AD4BC95A0A93E3AA26C3E559BAB3D36237F3E8C9CCD3DDF2C07BF2EFDA93D2114A8BEB8C5383EB57E443EB17808BE5A11523E0A81DEBDD799BABCCB54843C59F117BFE0FC053EEE13A9BE0495A03EF67408BD95CB2A3EF1E595BE9E9E2DBE934696BE4DBD8ABEA688713E10E3593E1DBB873E62B55ABE9E577C3DCD7F3ABE097EA43E641B1DBFC8D5E5BEFD65BA3D5300393DEFFDD4BD2BDDB73E4FBB15BC5B01233C3D91863E8D8250BED86383BDA6A6AA3E3AEC3D3FC47E1EBE960E2BBF7E6727BE0B91C83ED007F0BD38A703BF3F7BA1BE70BFF2BE723812BE8EA3343E11ACEFBCDB565A3FEB52BD3E1053B43DF1239DBD505C5ABF86BCD73BEFE301BE15777DBDF27FE0BD19BD99BBA4C9423E9C6E053ED650AFBDC599E43D715CEE3D586EC9BE58DAEB3EA2026F3D151E123E98D2AC3D164ED5BEC90A6ABDA92FEF3E9E2B77BF6EA29C3DAF5CA2BDB1CAB8BEE13BA53E9B74F63E0673C7BE30B81E3E707C3ABF2685223E9DBE82BEB178BB3D2F40E63E4044F3BCE30B863D15B8FDBDD7BD0EBFC2D68E3D88B4C03D1AD9B43D4C45873D448E843DDB9243BF7616FA3DE79F10BF6D71B6BEBE67CB3ED0F110BBF4EE0EBE354550BC064752BB8AB99D3EE56110BE9AB3123ED17C49BFA4052BBEAD287E3E6D5798BCB061BFBE13B45E3E8704A93EDE71E03E5456EDBE0852F13E98AD2B3E36792E3CF0B9AFBD1165DB3E1ED3853DD732B5BE938494BE6E2B4EBE9CFBA93DBA8241BE041E10BE594CC33DDCAF93B9927358BDE72BAA3D1ACBF73DCD18A83DDB8F8CBE1D044DBF20400E3F5006A7BE6BC5B33DC17947BDF6578C3DEAE4DFBE28D18FBDCFD1ACBE6019313F5B834DBDFDD8DC3E64C4103E6BC083BFCF8DA83E9D872E3FC1614FBF2910973D3F611CBF52BDF03E4076F8BE539F4EBF7CFAD13EE1897F3EDDAA0CBF10D7C83EF097813E25301A3F5C1F51BFB7915F3E76F71F3EA642A5BE57EC22BE15081FBE9BFFB0BEEFA96A3E88BBF33E33C2C03D7C3B573D50832ABE9C17A4BE393D643D0B28D23CDAA739BD989AB33E9079D93D600AB03E348E2BBEA76555BFEFF4D83EEBBCA33DD470E63E53AB21BEC71E18BE04134DBEC17D9EBEE1B0C23D3E7837BEC8CEC8BEDCA6013F5AD0BEBDC13AE3BDD905B63DDFD5B3BECBD2733EEC67D3BD7FA66E3D28E7113E4C7221BDB5ED59BC7764BB3EE4D129BE6D2201BDD6EEC1BDD6BE92BEA432EB3D6873C23EDAF006BE75DB45BE2ED0BCBBB6F64F3CF0C7CBBE359837BE73FBC93E88F363BE8DF7563E57D01BBEDE4F4ABF026E2A3ECE59683E1259D63CF2AA1A3E360B4C3EB81C963D82C77DBE71EA5CBEFC4C8ABEF314DBBD35A0B33E308D52BD"> : tensor<64x10xf32>}> : () -> tensor<64x10xf32>
    %18 = "arith.constant"() <{value = dense<[0.171016335, 0.0892127305, -0.146215737, -0.0715797469, -0.085538134, 8.836350e-03, -0.0266352762, -0.112280495, -0.133474648, 0.0433876142]> : tensor<10xf32>}> : () -> tensor<10xf32>
    %19 = "tensor.empty"() : () -> tensor<1x8x8x8xf32>
    %20 = "linalg.fill"(%7, %19) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg106: f32, %arg107: f32):
      "linalg.yield"(%arg106) : (f32) -> ()
    }) : (f32, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %21 = "tensor.pad"(%arg0) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 1, 1, 0>, static_low = array<i64: 0, 1, 1, 0>}> ({
    ^bb0(%arg102: index, %arg103: index, %arg104: index, %arg105: index):
      "tensor.yield"(%7) : (f32) -> ()
    }) : (tensor<1x8x8x1xf32>) -> tensor<1x10x10x1xf32>
    %22 = "linalg.conv_2d_nhwc_hwcf"(%21, %8, %20) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg99: f32, %arg100: f32, %arg101: f32):
      %129 = "arith.mulf"(%arg99, %arg100) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %130 = "arith.addf"(%arg101, %129) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%130) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>]} : (tensor<1x10x10x1xf32>, tensor<3x3x1x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %23 = "tensor.empty"() : () -> tensor<1x8x8x8xf32>
    %24 = "linalg.generic"(%9, %23) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg97: f32, %arg98: f32):
      "linalg.yield"(%arg97) : (f32) -> ()
    }) : (tensor<8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %25 = "tensor.empty"() : () -> tensor<1x8x8x8xf32>
    %26 = "linalg.generic"(%22, %24, %25) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg94: f32, %arg95: f32, %arg96: f32):
      %128 = "arith.addf"(%arg94, %arg95) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%128) : (f32) -> ()
    }) : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %27 = "tensor.empty"() : () -> tensor<1x8x8x8xf32>
    %28 = "linalg.generic"(%10, %27) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg92: f32, %arg93: f32):
      "linalg.yield"(%arg92) : (f32) -> ()
    }) : (tensor<8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %29 = "tensor.empty"() : () -> tensor<1x8x8x8xf32>
    %30 = "linalg.generic"(%26, %28, %29) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg89: f32, %arg90: f32, %arg91: f32):
      %127 = "arith.subf"(%arg89, %arg90) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%127) : (f32) -> ()
    }) : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %31 = "tensor.empty"() : () -> tensor<8xf32>
    %32 = "linalg.generic"(%11, %31) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg87: f32, %arg88: f32):
      %126 = "math.sqrt"(%arg87) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%126) : (f32) -> ()
    }) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %33 = "tensor.empty"() : () -> tensor<1x8x8x8xf32>
    %34 = "linalg.generic"(%32, %33) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg85: f32, %arg86: f32):
      "linalg.yield"(%arg85) : (f32) -> ()
    }) : (tensor<8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %35 = "tensor.empty"() : () -> tensor<1x8x8x8xf32>
    %36 = "linalg.generic"(%30, %34, %35) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg82: f32, %arg83: f32, %arg84: f32):
      %125 = "arith.divf"(%arg82, %arg83) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%125) : (f32) -> ()
    }) : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %37 = "tensor.empty"() : () -> tensor<1x8x8x8xf32>
    %38 = "linalg.generic"(%12, %37) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg80: f32, %arg81: f32):
      "linalg.yield"(%arg80) : (f32) -> ()
    }) : (tensor<8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %39 = "tensor.empty"() : () -> tensor<1x8x8x8xf32>
    %40 = "linalg.generic"(%36, %38, %39) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg77: f32, %arg78: f32, %arg79: f32):
      %124 = "arith.mulf"(%arg77, %arg78) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%124) : (f32) -> ()
    }) : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %41 = "tensor.empty"() : () -> tensor<1x8x8x8xf32>
    %42 = "linalg.generic"(%13, %41) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg75: f32, %arg76: f32):
      "linalg.yield"(%arg75) : (f32) -> ()
    }) : (tensor<8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %43 = "tensor.empty"() : () -> tensor<1x8x8x8xf32>
    %44 = "linalg.generic"(%40, %42, %43) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg72: f32, %arg73: f32, %arg74: f32):
      %123 = "arith.addf"(%arg72, %arg73) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%123) : (f32) -> ()
    }) : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %45 = "tensor.empty"() : () -> tensor<1x8x8x8xf32>
    %46 = "linalg.generic"(%44, %45) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg70: f32, %arg71: f32):
      %122 = "arith.maximumf"(%arg70, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%122) : (f32) -> ()
    }) : (tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %47 = "tensor.empty"() : () -> tensor<2x2xf32>
    %48 = "tensor.empty"() : () -> tensor<1x4x4x8xf32>
    %49 = "linalg.fill"(%1, %48) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg68: f32, %arg69: f32):
      "linalg.yield"(%arg68) : (f32) -> ()
    }) : (f32, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    %50 = "linalg.pooling_nhwc_max"(%46, %47, %49) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : vector<2xi64>}> ({
    ^bb0(%arg65: f32, %arg66: f32, %arg67: f32):
      %121 = "arith.maximumf"(%arg67, %arg65) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%121) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>]} : (tensor<1x8x8x8xf32>, tensor<2x2xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    %51 = "tensor.pad"(%50) <{operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 1, 1, 0>, static_low = array<i64: 0, 1, 1, 0>}> ({
    ^bb0(%arg61: index, %arg62: index, %arg63: index, %arg64: index):
      "tensor.yield"(%7) : (f32) -> ()
    }) : (tensor<1x4x4x8xf32>) -> tensor<1x6x6x8xf32>
    %52 = "tensor.empty"() : () -> tensor<1x4x4x8xf32>
    %53 = "linalg.fill"(%7, %52) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg59: f32, %arg60: f32):
      "linalg.yield"(%arg59) : (f32) -> ()
    }) : (f32, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    %54 = "linalg.depthwise_conv_2d_nhwc_hwc"(%51, %0, %53) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg56: f32, %arg57: f32, %arg58: f32):
      %119 = "arith.mulf"(%arg56, %arg57) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %120 = "arith.addf"(%arg58, %119) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%120) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 + d5, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>]} : (tensor<1x6x6x8xf32>, tensor<3x3x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    %55 = "tensor.empty"() : () -> tensor<1x4x4x8xf32>
    %56 = "linalg.generic"(%14, %55) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg54: f32, %arg55: f32):
      "linalg.yield"(%arg54) : (f32) -> ()
    }) : (tensor<8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    %57 = "tensor.empty"() : () -> tensor<1x4x4x8xf32>
    %58 = "linalg.generic"(%54, %56, %57) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg51: f32, %arg52: f32, %arg53: f32):
      %118 = "arith.addf"(%arg51, %arg52) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%118) : (f32) -> ()
    }) : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
    %59 = "tensor.empty"() : () -> tensor<1x4x4x16xf32>
    %60 = "linalg.fill"(%7, %59) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg49: f32, %arg50: f32):
      "linalg.yield"(%arg49) : (f32) -> ()
    }) : (f32, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %61 = "linalg.conv_2d_nhwc_hwcf"(%58, %15, %60) <{dilations = dense<1> : tensor<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<1> : tensor<2xi64>}> ({
    ^bb0(%arg46: f32, %arg47: f32, %arg48: f32):
      %116 = "arith.mulf"(%arg46, %arg47) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %117 = "arith.addf"(%arg48, %116) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%117) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>, affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>]} : (tensor<1x4x4x8xf32>, tensor<1x1x8x16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %62 = "tensor.empty"() : () -> tensor<1x4x4x16xf32>
    %63 = "linalg.generic"(%16, %62) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg44: f32, %arg45: f32):
      "linalg.yield"(%arg44) : (f32) -> ()
    }) : (tensor<16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %64 = "tensor.empty"() : () -> tensor<1x4x4x16xf32>
    %65 = "linalg.generic"(%61, %63, %64) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg41: f32, %arg42: f32, %arg43: f32):
      %115 = "arith.addf"(%arg41, %arg42) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%115) : (f32) -> ()
    }) : (tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %66 = "tensor.empty"() : () -> tensor<1x4x4x16xf32>
    %67 = "linalg.generic"(%65, %66) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg39: f32, %arg40: f32):
      %114 = "arith.mulf"(%arg39, %arg39) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%114) : (f32) -> ()
    }) : (tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %68 = "tensor.empty"() : () -> tensor<1x4x4x16xf32>
    %69 = "linalg.generic"(%67, %65, %68) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg36: f32, %arg37: f32, %arg38: f32):
      %113 = "arith.mulf"(%arg36, %arg37) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%113) : (f32) -> ()
    }) : (tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %70 = "tensor.empty"() : () -> tensor<1x4x4x16xf32>
    %71 = "linalg.generic"(%69, %70) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg34: f32, %arg35: f32):
      %112 = "arith.mulf"(%arg34, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%112) : (f32) -> ()
    }) : (tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %72 = "tensor.empty"() : () -> tensor<1x4x4x16xf32>
    %73 = "linalg.generic"(%65, %71, %72) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32, %arg33: f32):
      %111 = "arith.addf"(%arg31, %arg32) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%111) : (f32) -> ()
    }) : (tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %74 = "tensor.empty"() : () -> tensor<1x4x4x16xf32>
    %75 = "linalg.generic"(%73, %74) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg29: f32, %arg30: f32):
      %110 = "arith.mulf"(%arg29, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%110) : (f32) -> ()
    }) : (tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %76 = "tensor.empty"() : () -> tensor<1x4x4x16xf32>
    %77 = "linalg.generic"(%75, %76) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32):
      %109 = "math.tanh"(%arg27) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%109) : (f32) -> ()
    }) : (tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %78 = "tensor.empty"() : () -> tensor<1x4x4x16xf32>
    %79 = "linalg.generic"(%77, %78) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32):
      %108 = "arith.addf"(%arg25, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%108) : (f32) -> ()
    }) : (tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %80 = "tensor.empty"() : () -> tensor<1x4x4x16xf32>
    %81 = "linalg.generic"(%79, %80) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg23: f32, %arg24: f32):
      %107 = "arith.mulf"(%arg23, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%107) : (f32) -> ()
    }) : (tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %82 = "tensor.empty"() : () -> tensor<1x4x4x16xf32>
    %83 = "linalg.generic"(%65, %81, %82) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32, %arg22: f32):
      %106 = "arith.mulf"(%arg20, %arg21) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%106) : (f32) -> ()
    }) : (tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
    %84 = "tensor.empty"() : () -> tensor<2x2xf32>
    %85 = "tensor.empty"() : () -> tensor<1x2x2x16xf32>
    %86 = "linalg.fill"(%7, %85) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg18: f32, %arg19: f32):
      "linalg.yield"(%arg18) : (f32) -> ()
    }) : (f32, tensor<1x2x2x16xf32>) -> tensor<1x2x2x16xf32>
    %87 = "linalg.pooling_nhwc_sum"(%83, %84, %86) <{dilations = dense<1> : vector<2xi64>, operandSegmentSizes = array<i32: 2, 1>, strides = dense<2> : vector<2xi64>}> ({
    ^bb0(%arg15: f32, %arg16: f32, %arg17: f32):
      %105 = "arith.addf"(%arg17, %arg15) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%105) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 * 2 + d4, d2 * 2 + d5, d3)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>, affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3)>]} : (tensor<1x4x4x16xf32>, tensor<2x2xf32>, tensor<1x2x2x16xf32>) -> tensor<1x2x2x16xf32>
    %88 = "tensor.empty"() : () -> tensor<1x2x2x16xf32>
    %89 = "linalg.generic"(%87, %88) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg13: f32, %arg14: f32):
      %104 = "arith.divf"(%arg13, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%104) : (f32) -> ()
    }) : (tensor<1x2x2x16xf32>, tensor<1x2x2x16xf32>) -> tensor<1x2x2x16xf32>
    %90 = "tensor.empty"() : () -> tensor<1x16x2x2xf32>
    %91 = "linalg.generic"(%89, %90) <{indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg11: f32, %arg12: f32):
      "linalg.yield"(%arg11) : (f32) -> ()
    }) : (tensor<1x2x2x16xf32>, tensor<1x16x2x2xf32>) -> tensor<1x16x2x2xf32>
    %92 = "tensor.collapse_shape"(%91) <{reassociation = [[0, 1, 2, 3]]}> : (tensor<1x16x2x2xf32>) -> tensor<64xf32>
    %93 = "tensor.empty"() : () -> tensor<10xf32>
    %94 = "linalg.fill"(%7, %93) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg9: f32, %arg10: f32):
      "linalg.yield"(%arg9) : (f32) -> ()
    }) : (f32, tensor<10xf32>) -> tensor<10xf32>
    %95 = "linalg.vecmat"(%92, %17, %94) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg6: f32, %arg7: f32, %arg8: f32):
      %102 = "arith.mulf"(%arg6, %arg7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %103 = "arith.addf"(%arg8, %102) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%103) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>]} : (tensor<64xf32>, tensor<64x10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %96 = "tensor.expand_shape"(%95) <{reassociation = [[0, 1]], static_output_shape = array<i64: 1, 10>}> : (tensor<10xf32>) -> tensor<1x10xf32>
    %97 = "tensor.empty"() : () -> tensor<1x10xf32>
    %98 = "linalg.generic"(%18, %97) <{indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg4: f32, %arg5: f32):
      "linalg.yield"(%arg4) : (f32) -> ()
    }) : (tensor<10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    %99 = "tensor.empty"() : () -> tensor<1x10xf32>
    %100 = "linalg.generic"(%96, %98, %99) <{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1: f32, %arg2: f32, %arg3: f32):
      %101 = "arith.addf"(%arg1, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%101) : (f32) -> ()
    }) : (tensor<1x10xf32>, tensor<1x10xf32>, tensor<1x10xf32>) -> tensor<1x10xf32>
    "util.return"(%100) : (tensor<1x10xf32>) -> ()
  }) : () -> ()
}) : () -> ()