// RUN: tinyml-opt %s -p 'take-profiles{weights_for="%S/Inputs/earlier-samples"}' | filecheck %s
// RUN: sed 's/3x1xf32/4x1xf32/g; s/5x3xf32/5x4xf32/g' %s | not tinyml-opt -p 'take-profiles{weights_for="%S/Inputs/earlier-samples"}' 2>&1 | filecheck %s --check-prefix=OTHER
// RUN: sed 's/stored = .5/stored = [3/' %s | not tinyml-opt -p 'take-profiles{weights_for="%S/Inputs/earlier-samples"}' 2>&1 | filecheck %s --check-prefix=OTHER

// Five samples instead of two, and three entries: the earlier program states its numbers.
func.func @predict(%x: tensor<3x1xf32> {tdsl.profile = #tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 1.0]>}) -> tensor<4x1xf32> attributes {tdsl.interface = #tdsl.interface<stored = [5, "samples", "fit fewer"]>} {
  %samples = tdsl.const dense<0.5> : tensor<5x3xf32> {tdsl.profile = [#tdsl.profile<-2.0, 2.0, [-2.0, -1.0, 0.0, 1.0, 2.0]>]} -> tensor<5x3xf32>
  %addends = tdsl.const dense<0.25> : tensor<5x1xf32> {tdsl.profile = [#tdsl.profile<-2.0, 2.0, [-2.0, -1.0, 0.0, 1.0, 2.0]>]} -> tensor<5x1xf32>
  %near = tdsl.matmul_sum %samples, %x from %addends : tensor<5x1xf32> : tensor<5x3xf32>, tensor<3x1xf32> -> tensor<5x1xf32>
  %mask = tdsl.top_k_mask %near {count = 1 : i64} : tensor<5x1xf32> -> tensor<5x1xf32>
  %votes = tdsl.const dense<[[1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.5], [0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<4x5xf32> {tdsl.profile = [#tdsl.profile<-2.0, 2.0, [-2.0, -1.0, 0.0, 1.0, 2.0]>]} -> tensor<4x5xf32, #tdsl.csr>
  %y = tdsl.spmv %votes, %mask : tensor<4x5xf32, #tdsl.csr>, tensor<5x1xf32> -> tensor<4x1xf32>
  func.return %y : tensor<4x1xf32>
}
// CHECK-LABEL: func.func @predict
// CHECK-SAME: stored = [5, "samples"
// CHECK-SAME: tinyml.sample_room = 2 : i64
// CHECK: tdsl.spmv %votes, %mask {room = 2 : i64}
// OTHER: --weights-for: the model has other operations or shapes than the program of this folder
