func.func @predict(%x: tensor<3x1xf32> {tdsl.profile = #tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 1.0]>}) -> tensor<4x1xf32> attributes {tdsl.interface = #tdsl.interface<stored = [2, "samples", "fit fewer"]>} {
  %samples = tdsl.const dense<1.0> : tensor<2x3xf32> {tdsl.profile = [#tdsl.profile<-2.0, 2.0, [-2.0, -1.0, 0.0, 1.0, 2.0]>]} -> tensor<2x3xf32>
  %addends = tdsl.const dense<[[-1.0], [-2.0]]> : tensor<2x1xf32> {tdsl.profile = [#tdsl.profile<-2.0, 2.0, [-2.0, -1.0, 0.0, 1.0, 2.0]>]} -> tensor<2x1xf32>
  %near = tdsl.matmul_sum %samples, %x from %addends : tensor<2x1xf32> : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %mask = tdsl.top_k_mask %near {count = 1 : i64} : tensor<2x1xf32> -> tensor<2x1xf32>
  %votes = tdsl.const dense<[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]> : tensor<4x2xf32> {tdsl.profile = [#tdsl.profile<-2.0, 2.0, [-2.0, -1.0, 0.0, 1.0, 2.0]>]} -> tensor<4x2xf32, #tdsl.csr>
  %y = tdsl.spmv %votes, %mask : tensor<4x2xf32, #tdsl.csr>, tensor<2x1xf32> -> tensor<4x1xf32>
  func.return %y : tensor<4x1xf32>
}
