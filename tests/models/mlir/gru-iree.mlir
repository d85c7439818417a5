"builtin.module"() <{sym_name = "jit_function"}> ({
  "util.func"() <{function_type = (tensor<1x8x8xf32>) -> tensor<10xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<1x8x8xf32>):
    %0 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 7 : index}> : () -> index
    %3 = "arith.constant"() <{value = 0 : index}> : () -> index
    %4 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %5 = "arith.constant"() <{value = 8 : i32}> : () -> i32
    %6 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %7 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<8x16xf32>}> : () -> tensor<8x16xf32>
    %8 = "arith.constant"() <{value = dense<"0x15047B3E9554063FE742993C21EEDEBEC26CCC3D50C73D3FDA7184BE1D709E3E6BF7EB3E81A87B3D902AC1BE276FF8BE97FB7F3E87EC4EBFF575F9BE55B6243FDA3E1F3F552C1EBF3AE006BF15216ABA61DDA33E0E3B09BF1F06323FE146BD3E193E1DBF090BE83EB49DF1BE67720A3F3D90AB3DA988453ECB0F133F0A9B87BF2CB9BABD3B7D683E05AD3B3D22494B3D2A2083BC1225CFBED29D92BE04E1083E943BD4BE90B854BEA6AC9ABE2860A03E3B971FBFE99ECBBEC0AC9D3E5E53B5BE9492FB3D9A1F923FEDF9423EAC851BBD64B896BE0EE7A2BF652AAC3FD1ED273D9DF6733D735E1ABFEC8F043FE06878BD1250713E212F57BF07BBF23EC0D893BEEED66EBEA47EA3BFF91440BF21925CBFF984A7BE5EED913F1DD229BEB60997BC01A8C93FD93C77BE1424D0BE298B81BE4B8A643FCCA8923E863B3CBEED40BE3F9B4330BFC2531F3DFE629A3E2389C93EA8D16BBE7DF6BD3EF18F8B3E5BE8D7BE4DD100BE307F2B3D43B0FEBD1CA45B3E22DACD3E09FC3EBE70BA3A3E4492873E60937ABEB6BB2D3FA504743E4BA61B3EC5F350BE3C5FC03EB0D2883F2F09A7BD323CDE3EE8B758BD197338BDB7F013BF0DD2CABD59CD693D579A843ED64D11BFAC95CEBD567C96BE65B8B1BCBD7315BFCE7EE23E7534B93ED56B4F3F9845C53E1E510F3F46B126BF0E5C97BD806FA13E5C49713E17989EBEEE8C61BEFB45F4BC051624BE958588BE7966C53EBFF931BE34B8963EEA9FD53EBBA2CBBEC8332BBE25180CBF0E27593FAE85BE3EBF14EF3E043E493F4A039E3E39F780BEF256303F8B23063FB251F93E8465813E59B001BF2E8C31BDBF2F643F539D923E97F74BBEB70DFD3D67DEE23FE33980BE32E809BEEE8F9C3E12E16C3D35C7183F98032E3DE80403BE53B721BFED8944BDB852833C813E1C3F36B642BF6C39023F06D81D3F2C6D56BF9C7297BF0AA630BFCE54303E780412BF74C3B1BD79C8E33C1AA9A9BF416C6CBE11C5953D6852D8BDB7EB7F3EEF0F303F30682A3F9C32C9BEC6256E3D06383CBF9575113FA673363E0CD6713E2A3DE93E0C79CEBD502D53BC7642843E2D07653F001A5E3E7E77F13E3C56FFBE7652853FBBE530BE92B9CA3EDDD58ABDF6F19C3E5428823F504202BFAE8CE63E82D09ABF182C2B3DD5FEAE3ECCFE483FEFE2B1BE9AFEFDBE868898BF42AC88BD243F883C417A5EBF1755CC3E861D2D3F40234EBFF53582BFF330E3BFCFE8713E7A7943BF91C928BD1E1B713FCE4EA1BFBD039EBEF8A9353FF5AE4FBE53ED3A3F5A09D43EC91AA9BEFF4DA7BE780EB73EA2E402BEE87893BEC6CED23E3392EEBE06C91D3FBFF793BEDD0BF93E39255EBED220773D495630BFA58FB33FD9F13CBE8FC7423FCBA7FB3E87EA96BD44CD4B3F9F89323F66398BBE21818EBECF945D3ECD972BBFF82A1EBE785C363EC590693E429946BF265F50BEE59C48BF78B511BF4A49013EC1F5EB3DB225AD3E9A7DB9BE45FC033E26B496BEB2BFA1BF79A6BEBE821BDBBDC6B01BBE7E5D5DBC28B4DE3D03019DBD2D42ABBE3BC2B23E3EE90E3FEF9A053F8A554EBE9E81BEBE2660AEBB9D1E5A3FFF45F3BE155A1F3F7D61FD3D16A0493F41683F3F175D753EFF0E093FFED6983F738C93BFCC19EA3E0D16E2BE002E653DED27D73EAEC76A3EA7F38D3F93C04B3FABD3C8BD3B0758BD68741A3EBBBA11BF7A0BD43DA1893D3F8C756C3E33EEA8BE97587DBFA562A6BFE2B089BE77181E3FBE3DAFBE137A38BE586B99BFD4DE313F01605E3F632E60BFBE0133BF40768E3E9FBBB6BF8DA087BF7DEE6F3DCCD214BE5AFA4CBFF261193F0684533F8B3F913D6A8DCF3E123B83BCAC7AA33E5C92CE3EEE8DEEBE9126D23EB6F6983DE2A29C3DDC1A483FA04F72BDF1E55A3E4C40353D7342BFBE94B7CBBE3DA69DBFB7542D3E4234A3BE6B5096BEBD6FA23EDDCC803E22DB1D3F3A08173E058355BFF285F43D181C80BEBDD8603FDB4F9C3FF2A3ECBD905CCEBEBFFB85BFE373B6BE385D78BE2EFFCEBE508D1F3F7FC72DBFE4C019BFD1EA01BF96CDC3BE333A1EBE5CF76BBF8CD275BF3E2E28BF6E11403DA3448FBEECB7DEBEEA124C3F3BA7303F3C3DBCBC6AA657BE92CFF6BE1848153F53330BBFF719A3BFA731C0BEEB7DBCBED6E2A0BE4C4943BCE967203F6F466CBF"> : tensor<8x48xf32>}> : () -> tensor<8x48xf32>
    %9 = "arith.constant"() <{value = dense<[0.626796543, 0.332825541, 0.0606652796, -0.0450981148, 0.112934478, 0.164636984, 0.578847826, 0.388441622, 0.444286883, 0.255475402, 0.266610354, 0.0851615965, 0.103886746, 0.402682692, -0.0733144134, 0.471302181, -3.238260e-01, -0.302880406, -0.0548572168, -0.414619744, 0.189618886, -0.25108555, 0.0464958958, -0.327837646, -0.453440607, -0.686843454, -0.0260542817, -0.412749082, -0.630678832, -0.379490227, -0.321669698, -0.786343336, 0.466633618, 0.0777210369, -0.290244669, -0.225588277, -0.0814799293, -0.26845482, -0.26364857, 0.181132063, -0.19368875, -0.0741582885, 0.0373796113, -0.0398220606, -0.477599323, -0.104771964, -0.156238511, 0.294868171]> : tensor<48xf32>}> : () -> tensor<48xf32>
    %10 = "arith.constant"() <{value = dense<"0x0FACF63E4EDE383FA6BC883DB21D7DBE1CCED83EC014F03E463565BF8671D5BE793E0B3FBA0A803EE7CD8DBF116A4ABE2C51CC3EA73DB2BE69F8993CD65149BEC61440BF67E569BE409C5A3E514E9CBD59CD503F2C72C8BDCC71ECBCA68ACF3E5872683E7CF345BE9961243FA5F6633E4DC8803E37BE9F3EF4761BBC68F48ABFB91C1F3F30A809BF136D193EA7D2AB3E3966A1BDE985D23E18FD2EBF27FA0E3FF81C36BE46E7313F1C84D53D3717CFBDE33FC13DEB2FD13DA813D33D64CE893F8EB46C3F3681143D871C29BFFD4FA63E11AB4ABE487A8BBEFACB013F0E9D283E011112BF439BBB3E6D890FBE028E4C3E9F7DA7BEA773953E71DAB33D0AAFD3BDF0C9113CB828AABE19F5963BDC38BEBD968933BE2BAB1A3F977E87BF3161523E26B345BF0E22F7BE68A477BE44349FBEB103493EC19C96BE7E8F6CBE60704ABFA635243ED64E4E3F608B2F3E9A52AABEA6C1B8BE98E124BC0845B7BD7464703E5FFB1DBEA63918BFD6DDCEBE8EB5B13E3D2FDFBE64AA28BFA15787BC030863BEEE17F63E9100EEBDA39B36BFC16A3CBD3D5F0BBFB37003BFACBEAE3E6DC1C93D56B9673DFF15963E215A3DBEC4B4A3BE3E06E2BC1D844C3D9CC678BDF4C004BDBD83F9BC1313DEBD67FB3BBE39D0A13E1A6F3B3E1BA20D3EFD91FDBDAEFE89BB5E0D47BE6FCD7E3D8F33A13E3E4BE63E62C22D3E0005233F9444013EB42759BEEB6C77BEF2E1FF3EE061C53E18F70C3A54B261BEE772293B80F34CBD406B36BF1866D23E371C1CBF1429093F05239B3EC727513E58B0DD3EF65539BE2843F7BE1FFE7A3FE4527D3D31DE2E3F34E520BF54110ABE71E81ABCF7AB66BE6CEE6ABE5ABF86BDE00BBF3D5F3A303F88E0EDBEF830913F05C46C3E7C1632BFE5601D3F0EF8F53E871412BF87F140BF77A2453F97DDD0BC4423C4BFC7A8143E7A8B99BDB4160F3FFC3E1B3F19C4B1BE37B078BF2643BCBF3EBDBDBFDCA2C6BB2AF1D13E1A8380BF2CB14BBF634DB8BE263E553FD1A60B3F4A10BB3EA4EC2E3EE959CCBE893B943ECCCB02BF534F1CBF5AD715BE737AE23D4736FEBCBDF4853E571BC8BD123B173F758B033D16C9F43E65004A3E030F883E54C4CC3E14AF693E49C8AF3EEE149D3EF1A4A93EB2ECAC3EF07C06BB7150F23EF383AD3E001A46BE8E5D013F73FCB43DBB788DBE758F04BF7B08F7BEEA3E623D889504BF464BA8BFB86538BE1F9B78BF392A9FBF4B2954BDED4128BF1733D9BF220924BFB000ADBED97E8BBEDD776C3E440F873CC01AA0BE2F03E6BE49751B3FA6C02B3E83F9F6BEC39E873E3D872B3D5DEA99BEEE9BD1BE6152DFBE12F725BF4F0597BEE4DFB93EF695D9BEEF1910BFBD6569BFF23567BF0AC4A7BE43C7F5BEC13176BF2485263EB8FBD4BEF2141CBFFF7CA63E9A3798BCAF131FBF6AC787BEA3CA43BF9CEC2BBFC6F9BDBEC43A103F7F9D3DBFB777BB3E2FA7C1BEACC0CB3D8025F43DB4AC4E3B0D5FC93D07C0B23E2B3D3A3E6B8B843F88242C3EE379C8BE2F47A03EB7CAFCBDD9DCC23D337A91BF13BAAABEFA918B3E6BC859BEE7BE463DD4DB2E3F1E25D5BE2A9382BD0A51A0BEC4F9EC3DCA2B1A3FD6EF173FE4B91BBEBC2AEE3E3DB310BEC848FD3D81356FBEEFCF333F2CCE0F3FF5F4013FAAF1AB3D08A3453F8BE3E1BE5F1BA8BE2AE5DEBD5820F8BEA5C583BDE02A203DBD518B3EA1C44E3E2EBA453E8BD0A73EB154EBBDE36F483F9582843E11A4F83E1431833ED04748BE619F843FB60B69BD8541653F5FB05C3F6B4C14BE5FF7B23DCE99AF3F663BF13C6FD6A03E74FB323F52809C3EFC252DBE6121583E2A78E73DE186A1BE334A17BF193A873EE22B78BEED5348BE55AB673ED6E3923E270D3F3E00F52F3EF171963EFBDAABBDF328E03D362B9C3EF5D40BBE623541BEE1E530BFBDB9783DC39B6CBE8A616DBE693474BE3C601DBF5158FABEFFE1E9BEB76CBCBE447E5ABEC477F6BE0A80DDBD8186FFBE147BA6BE6C407CBF934F6B3EF8B2BABEB2FEBE3E72753A3ECC14F23EFF4F84BEF4E8483F80227EBC2F34123FB074A83E6CDADB3E33A018BE50A28EBE8300B6BD3501EDBDB22F16BFB84B013EBE1BA13E7D5C953E1BBC1C3F3CEB9DBE9066363E360A993E9C3C0EBD81696D3E3E9D7BBEB5EFE53E020424BED77C0D3FFAA6243F9BAD95BEF1038FBE9AB7C53EC3444F3E9628443E8B3499BE220715BF655870BE24C64D3F177271BF45F4B43E0CC6F93E6008B5BC8EC17D3E2C3F87BD05D9BD3DB001F4BECF3EBB3E81D0FA3E77229D3F68BC18BF8E57F03EEFE0AFBEF3A21E3D6662B53FF029173F9524F4BD91A21D3F4783B03F8927A0BE9B26093F0726543F1F2716BE2AE4E3BD816C7FBFD7FB163FF3A270BEA47819BF8B3DA53EC0F96DBEB37ACA3EB3F55F3F188D983D5079ACBCC9A7053F16600A3E9D459BBE719EF73EEF1D7BBF456570BE36D5A73E64209EBED8CBC4BE47F42BBE79E2F5BD2C149EBE85B8BFBD0E39B13E26D069BF978DA8BE7714A73E0C345FBF4B5207BFD2A2083E4F950DBE67D25F3F9DC4F93DD3E9923D698EBD3F69BD9FBEF9E00B3F35D35BBE7A2B05BF5D13603E1EC9CD3EB41FA7BE8C2CC93D1FCB0D3F84D59CBCE8FB233C387E3B3DEBF67D3E40223C3F0ABCB63CB524C53D3B47003F72B506BF19B9263F383594BFA28E01BE3B99123F7FE070BE750D05BFA0CF243F6F53AD3DB440E03E3D6884BEF4E7C5BECC9D5CBE6B083BBDD5E3C5BE4BDF8FBE659A0DBF5BC0533E0479D3BB4F835B3F21B6ED3DDD728EBE76364D3DECB2BEBED2BC2A3EBC57373DC8CE64BF0487003E55879DBF0F7F223F5A3380BE7CA94DBE2245CA3E0475173F0C0BC9BEEFA953BF897DC8BE4C06F53EEAF40BBD9A8BDD3EBBEF503E857F0CBE16F1C3BEAE2A5EBC9B29333F144B3BBE42122D3FF65C913E6D7AD8BECBCF2EBFEC72D93D81C8B6BECFAA0A3FD696FD3E2A3D113F7AE03B3FA565BABE429B08BEAC294CBFC01D41BEC15AB73D3636BC3EC19B02BFE4AAABBE0351C83ED112103FFCF0503E4DA2083EBF91BE3EC08FD63D1174D3BE3146A9BD163A50BDB42792BE5E18E13E7809103F605ED2BCE9FEC63E4813543E64EC7B3E15FFA0BE2DD2873E216342BE2038EB3EAE4D42BE7D700F3E69DDEE3D1B5C213F3B3EAF3E3AE601BF56D01ABEDAAC043FAC72E03D0F1BDABE2F1B54BE0C518FBEA95E893E5E2A85BD3A7E91BD22A41A3DA04C12BDFFE1183EB0D6A7BCA8638E3E54BDADBE9CFB23BE3B5C273F10D091BDDC58533F77FD993E4920313EAA752E3DDEBC013F5326643ED7D158BEC92F753D80EFF93E47030A3F1E9847BECDE8EA3E7A164CBE2315AE3DD89F773C0E75093EA3545FBF9AA96CBE7A83853E2C46DDBE6F6215BF803235BFDEE3DBBE15EE74BF24A788BF01E42FBF7966CBBE6F4E4CBE36D4B7BEE0B6BEBE61A834BFCA9C803FEC131E3E1DC835BEB5E1083F83F9743DEE28C0BE4606AABDA80FC93ED2CA22BFBBC460BDB3F667BE5DDD873EF93E6F3EBD5D2ABED398C2BD41BC3FBF981FF4BD9D78053FCA5D903EEC6329BF6E7152BE9EDD4ABDF93124BDEC5CA93EBA797E3E1DE5E7BBE2425B3E559B3A3D6DA68D3D1F038F3DDA858E3D8A29D4BEEE69223FD4598ABE302BBE3E49F49EBE0FC2AABDAA9E68BEF2BBDB3E36B8E0BE5E1BFEBEA48577BC79324E3D4199533E3743F93EBD13163EFAD62ABDD6E28A3E14668B3D9798403EDC7F2D3EC96F1A3ED9BEC7BE1105283FF25F33BF296D11BEFEBF32BE7520FA3E4418723ED769903E4DBC963E3E4B07BF8804ABBEC8F2A53E3AC688BC1E5D023E1BA7D5BE9B2B133E39D477BD407400BF48A1F5BE2D35D3BE85ACE0BD86B8DBBEC5D8BEBD76B615BED9E7C5BE2BF59ABEFFF4DC3E0CD168BEC3D278BF8ACD173D9E2EC0BE8DCC083DE277E0BEE1517CBDBF2D4EBE7EB90D3F62859EBE954B8BBEA2551CBEA85A16BF2EEF50BF7283CEBE097B4CBECA618DBE274B4DBE9CD3253E918A133F2B231A3FAD350C3F16DE22BC913EAE3DD413843E363E37BB1C3330BDF7BA3CBE3B10283F1EB324BE38B0EE3E37B8103C435C663D027BD1BE280EFABEA730D4BE0ABE2ABDE21C46BCCA72B3BD2A1987BDCC7EABBEBA74803D455A2DBF5B580DBF04015E3F4F294BBF3BD1AEBF45A6053E2F1901BF651754BF6FE8C1BC8B4777BF16DE7E3EF8C120BF2FAE5E3C7B2BCDBEA9BF053FA8A701BD30ED233F1801DABE158F01BFDB7A9F3EEF2BBDBECAA186BE428F16BE5AD9443D0B67283E75D5B73E6E0B653F171B563E416505BFE2AA8FBC8DC2FF3D6EF320BEE0077C3E79D388BE6E8F83BEBEE8763FCB0B9A3D29B0D43E"> : tensor<16x48xf32>}> : () -> tensor<16x48xf32>
    %11 = "arith.constant"() <{value = dense<[0.671402931, 0.242257908, 0.242711738, 0.111006275, 0.288196802, 0.0496466532, 0.6117329, 0.604266763, 0.211801648, 0.519455731, 0.198609576, 0.281014264, 0.450289041, 0.299298346, -7.590820e-02, 0.303486288, -0.572987616, -0.108655304, -4.708610e-01, -0.484971642, 0.188590854, -0.296156794, -0.174577847, -0.265799314, -0.475685984, -0.853433549, -0.334109128, -0.526147366, -0.528382123, -0.356893599, -0.401871443, -0.560681224, 0.104334965, -0.20625639, -0.252771139, -0.338628978, 0.193067521, -0.00412419857, 0.153560698, -0.15903309, -0.0576139577, 0.194477677, -0.121366166, -0.204583183, -0.254731596, -0.180133313, 0.0609660409, -0.249365047]> : tensor<48xf32>}> : () -> tensor<48xf32>
    %12 = "arith.constant"() <{value = dense<"0x51E1433F8FADA2BEC5066BBFE4DA35BF5A2B5ABF6F29453F621496BFF557143FD8AF643F3086653F36360DBF74DF4ABE31411EBFB1FE85BF269B9B3FD985703FF83DDABC23D0B2BF282A9B3FB6BD033D1F57DA3F241B34BEE793F13F7DB917BFC8754EBF3908C13E9068D1BE33620ABFDC4A223E053061BF385551BF21937CBDFBA8523F3469C13E740A54BF162283BFFCD8BCBDD3FD7BBF25CBE23EA7880B3FEAA7F6BD0542133F142CB7BEA605753E9A5A73BEAFEA2CBF501FA83EE6EFC93E82BE133F4F4986BF7A0E4FBF0D56D5BD738B833F7D08723F94A95EBF767C78BE4C2A02BF83997B3FC2552C3E8EA4A0BF4538F73E6B4097BF0B713B3E39F8313E7DA39C3FD7E9EF3D4A157F3E3CD12FBF630C8BBF0AADA63F5C2332BFA3165E3F3256B53E86AE143E00658DBE5E1640BF1D2D2EBFDB8D603E7BF65D3F9B8A3C3F336C1ABF5BE9D43E4408CDBE90DA813F289C153EC55918BFED37973FB98205BFCE61A5BD8E1E653E47EA78BF6141D6BFA78192BFCB1BD23FE0E880BEB354D53F47985EBF3A2C5F3FE63EEBBE0C70133F7A150F3FADFB56BF0EAA763F2A134B3F1F09B4BF9FCA96BD8A1C1B3F96EE97BF1AA4853FC951833D91896E3EB23636BF7366D53E905790BE34B116BF04259C3F54315D3FBECBA83DD56866BF1EDB7EBE782B8BBCE2D5693E4B9B6C3ED311733F0D4C8CBF0D9A7B3EFF6CBB3E1E46FBBF4349843D3EAD203D745BA63FC64E7ABFDED5B83F05F6CC3E75D28BBF449CB2BCEF4A4F3FC93850BE92BB83BD35BA92BE533031BF6B45353FBB8DEB3E62CB063FA71C65BD413089BFCF7979BFF02224BEDCC2D03E451D8FBE69D04DBF7C49F6BE1913F43EB8461D3FB239C4BF522A6D3F176B98BF4BB3003F0749323FB047653F"> : tensor<16x10xf32>}> : () -> tensor<16x10xf32>
    %13 = "arith.constant"() <{value = dense<[-0.213782191, 0.0310280062, -0.00434572343, -0.313287944, 0.166037247, 0.0766727552, 0.0657931194, -0.197366595, 0.325096905, 0.0675649494]> : tensor<10xf32>}> : () -> tensor<10xf32>
    %14 = "arith.constant"() <{value = dense<0.000000e+00> : tensor<16xf32>}> : () -> tensor<16xf32>
    %15 = "tensor.collapse_shape"(%arg0) <{reassociation = [[0, 1], [2]]}> : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
    %16:2 = "scf.for"(%6, %5, %4, %14, %7) ({
    ^bb0(%arg9: i32, %arg10: tensor<16xf32>, %arg11: tensor<8x16xf32>):
      %27 = "arith.index_cast"(%arg9) : (i32) -> index
      %28 = "arith.maxsi"(%27, %3) : (index, index) -> index
      %29 = "arith.minsi"(%28, %2) : (index, index) -> index
      %30 = "tensor.extract_slice"(%15, %29) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 1, 8>, static_strides = array<i64: 1, 1>}> : (tensor<8x8xf32>, index) -> tensor<1x8xf32>
      %31 = "tensor.collapse_shape"(%30) <{reassociation = [[0, 1]]}> : (tensor<1x8xf32>) -> tensor<8xf32>
      %32 = "tensor.empty"() : () -> tensor<48xf32>
      %33 = "linalg.fill"(%1, %32) <{operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg69: f32, %arg70: f32):
        "linalg.yield"(%arg69) : (f32) -> ()
      }) : (f32, tensor<48xf32>) -> tensor<48xf32>
      %34 = "linalg.vecmat"(%31, %8, %33) <{operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg66: f32, %arg67: f32, %arg68: f32):
        %109 = "arith.mulf"(%arg66, %arg67) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        %110 = "arith.addf"(%arg68, %109) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%110) : (f32) -> ()
      }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>]} : (tensor<8xf32>, tensor<8x48xf32>, tensor<48xf32>) -> tensor<48xf32>
      %35 = "tensor.empty"() : () -> tensor<48xf32>
      %36 = "linalg.generic"(%34, %9, %35) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg63: f32, %arg64: f32, %arg65: f32):
        %108 = "arith.addf"(%arg63, %arg64) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%108) : (f32) -> ()
      }) : (tensor<48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
      %37 = "tensor.empty"() : () -> tensor<48xf32>
      %38 = "linalg.fill"(%1, %37) <{operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg61: f32, %arg62: f32):
        "linalg.yield"(%arg61) : (f32) -> ()
      }) : (f32, tensor<48xf32>) -> tensor<48xf32>
      %39 = "linalg.vecmat"(%arg10, %10, %38) <{operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg58: f32, %arg59: f32, %arg60: f32):
        %106 = "arith.mulf"(%arg58, %arg59) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        %107 = "arith.addf"(%arg60, %106) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%107) : (f32) -> ()
      }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>]} : (tensor<16xf32>, tensor<16x48xf32>, tensor<48xf32>) -> tensor<48xf32>
      %40 = "tensor.empty"() : () -> tensor<48xf32>
      %41 = "linalg.generic"(%39, %11, %40) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg55: f32, %arg56: f32, %arg57: f32):
        %105 = "arith.addf"(%arg55, %arg56) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%105) : (f32) -> ()
      }) : (tensor<48xf32>, tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
      %42 = "tensor.extract_slice"(%36) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>}> : (tensor<48xf32>) -> tensor<16xf32>
      %43 = "tensor.extract_slice"(%41) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>}> : (tensor<48xf32>) -> tensor<16xf32>
      %44 = "tensor.empty"() : () -> tensor<16xf32>
      %45 = "linalg.generic"(%42, %43, %44) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg52: f32, %arg53: f32, %arg54: f32):
        %104 = "arith.addf"(%arg52, %arg53) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%104) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %46 = "tensor.empty"() : () -> tensor<16xf32>
      %47 = "linalg.generic"(%45, %46) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg50: f32, %arg51: f32):
        %103 = "arith.negf"(%arg50) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
        "linalg.yield"(%103) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %48 = "tensor.empty"() : () -> tensor<16xf32>
      %49 = "linalg.generic"(%47, %48) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg48: f32, %arg49: f32):
        %102 = "math.exp"(%arg48) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
        "linalg.yield"(%102) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %50 = "tensor.empty"() : () -> tensor<16xf32>
      %51 = "linalg.generic"(%49, %50) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg46: f32, %arg47: f32):
        %101 = "arith.addf"(%arg46, %0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%101) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %52 = "tensor.empty"() : () -> tensor<16xf32>
      %53 = "linalg.generic"(%51, %52) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg44: f32, %arg45: f32):
        %100 = "arith.divf"(%0, %arg44) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%100) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %54 = "tensor.extract_slice"(%36) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 16>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>}> : (tensor<48xf32>) -> tensor<16xf32>
      %55 = "tensor.extract_slice"(%41) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 16>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>}> : (tensor<48xf32>) -> tensor<16xf32>
      %56 = "tensor.empty"() : () -> tensor<16xf32>
      %57 = "linalg.generic"(%54, %55, %56) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg41: f32, %arg42: f32, %arg43: f32):
        %99 = "arith.addf"(%arg41, %arg42) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%99) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %58 = "tensor.empty"() : () -> tensor<16xf32>
      %59 = "linalg.generic"(%57, %58) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg39: f32, %arg40: f32):
        %98 = "arith.negf"(%arg39) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
        "linalg.yield"(%98) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %60 = "tensor.empty"() : () -> tensor<16xf32>
      %61 = "linalg.generic"(%59, %60) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg37: f32, %arg38: f32):
        %97 = "math.exp"(%arg37) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
        "linalg.yield"(%97) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %62 = "tensor.empty"() : () -> tensor<16xf32>
      %63 = "linalg.generic"(%61, %62) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg35: f32, %arg36: f32):
        %96 = "arith.addf"(%arg35, %0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%96) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %64 = "tensor.empty"() : () -> tensor<16xf32>
      %65 = "linalg.generic"(%63, %64) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg33: f32, %arg34: f32):
        %95 = "arith.divf"(%0, %arg33) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%95) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %66 = "tensor.extract_slice"(%36) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 32>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>}> : (tensor<48xf32>) -> tensor<16xf32>
      %67 = "tensor.extract_slice"(%41) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 32>, static_sizes = array<i64: 16>, static_strides = array<i64: 1>}> : (tensor<48xf32>) -> tensor<16xf32>
      %68 = "tensor.empty"() : () -> tensor<16xf32>
      %69 = "linalg.generic"(%53, %67, %68) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg30: f32, %arg31: f32, %arg32: f32):
        %94 = "arith.mulf"(%arg30, %arg31) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%94) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %70 = "tensor.empty"() : () -> tensor<16xf32>
      %71 = "linalg.generic"(%66, %69, %70) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg27: f32, %arg28: f32, %arg29: f32):
        %93 = "arith.addf"(%arg27, %arg28) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%93) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %72 = "tensor.empty"() : () -> tensor<16xf32>
      %73 = "linalg.generic"(%71, %72) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg25: f32, %arg26: f32):
        %92 = "math.tanh"(%arg25) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
        "linalg.yield"(%92) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %74 = "tensor.empty"() : () -> tensor<16xf32>
      %75 = "linalg.generic"(%65, %74) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg23: f32, %arg24: f32):
        %91 = "arith.subf"(%0, %arg23) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%91) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %76 = "tensor.empty"() : () -> tensor<16xf32>
      %77 = "linalg.generic"(%75, %73, %76) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg20: f32, %arg21: f32, %arg22: f32):
        %90 = "arith.mulf"(%arg20, %arg21) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%90) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %78 = "tensor.empty"() : () -> tensor<16xf32>
      %79 = "linalg.generic"(%65, %arg10, %78) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg17: f32, %arg18: f32, %arg19: f32):
        %89 = "arith.mulf"(%arg17, %arg18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%89) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %80 = "tensor.empty"() : () -> tensor<16xf32>
      %81 = "linalg.generic"(%77, %79, %80) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg14: f32, %arg15: f32, %arg16: f32):
        %88 = "arith.addf"(%arg14, %arg15) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%88) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
      %82 = "tensor.empty"() : () -> tensor<1x16xf32>
      %83 = "linalg.generic"(%81, %82) <{indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%arg12: f32, %arg13: f32):
        "linalg.yield"(%arg12) : (f32) -> ()
      }) : (tensor<16xf32>, tensor<1x16xf32>) -> tensor<1x16xf32>
      %84 = "arith.index_cast"(%arg9) : (i32) -> index
      %85 = "arith.maxsi"(%84, %3) : (index, index) -> index
      %86 = "arith.minsi"(%85, %2) : (index, index) -> index
      %87 = "tensor.insert_slice"(%83, %arg11, %86) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<1x16xf32>, tensor<8x16xf32>, index) -> tensor<8x16xf32>
      "scf.yield"(%81, %87) : (tensor<16xf32>, tensor<8x16xf32>) -> ()
    }) : (i32, i32, i32, tensor<16xf32>, tensor<8x16xf32>) -> (tensor<16xf32>, tensor<8x16xf32>)
    %17 = "tensor.extract_slice"(%16#1) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 7, 0>, static_sizes = array<i64: 1, 16>, static_strides = array<i64: 1, 1>}> : (tensor<8x16xf32>) -> tensor<1x16xf32>
    %18 = "tensor.collapse_shape"(%17) <{reassociation = [[0, 1]]}> : (tensor<1x16xf32>) -> tensor<16xf32>
    %19 = "tensor.empty"() : () -> tensor<10xf32>
    %20 = "linalg.fill"(%1, %19) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg7: f32, %arg8: f32):
      "linalg.yield"(%arg7) : (f32) -> ()
    }) : (f32, tensor<10xf32>) -> tensor<10xf32>
    %21 = "linalg.vecmat"(%18, %12, %20) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
      %25 = "arith.mulf"(%arg4, %arg5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %26 = "arith.addf"(%arg6, %25) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%26) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>]} : (tensor<16xf32>, tensor<16x10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %22 = "tensor.empty"() : () -> tensor<10xf32>
    %23 = "linalg.generic"(%21, %13, %22) <{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg1: f32, %arg2: f32, %arg3: f32):
      %24 = "arith.addf"(%arg1, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%24) : (f32) -> ()
    }) : (tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    "util.return"(%23) : (tensor<10xf32>) -> ()
  }) : () -> ()
}) : () -> ()