// RUN: tinyml-opt %s -p leave-sample-room | filecheck %s --check-prefix=SAME
// RUN: tinyml-opt %s -p 'leave-sample-room{weights_margin=1.5}' | filecheck %s
// RUN: sed 's/attributes {/attributes {tinyml.sample_room = 3 : i64, /' %s | tinyml-opt -p leave-sample-room | filecheck %s
// RUN: sed 's/attributes {/attributes {tinyml.sample_room = 2 : i64, /' %s | tinyml-opt -p leave-sample-room | filecheck %s --check-prefix=SAME
// RUN: sed 's/attributes {/attributes {tinyml.sample_room = 1 : i64, /' %s | not tinyml-opt -p leave-sample-room 2>&1 | filecheck %s --check-prefix=MORE
// RUN: sed 's/tdsl.top_k_mask %near {count = 1 : i64}/tdsl.exp %near/' %s | tinyml-opt -p 'leave-sample-room{weights_margin=1.5}' | filecheck %s --check-prefix=ZERO
// RUN: sed 's/tdsl.top_k_mask %near {count = 1 : i64}/tdsl.softmax %near/' %s | not tinyml-opt -p 'leave-sample-room{weights_margin=1.5}' 2>&1 | filecheck %s --check-prefix=OTHERS
// RUN: sed 's/ from %addends : tensor<2x1xf32>//' %s | not tinyml-opt -p 'leave-sample-room{weights_margin=1.5}' 2>&1 | filecheck %s --check-prefix=ADDEND
// RUN: sed '/matmul_sum/s/{tdsl.profile = [^}]*}//' %s | not tinyml-opt -p 'leave-sample-room{weights_margin=1.5}' 2>&1 | filecheck %s --check-prefix=PROFILE
// RUN: sed 's/stored = .2, /stored = [5, /' %s | tinyml-opt -p 'leave-sample-room{weights_margin=1.5}' | filecheck %s --check-prefix=NONE

// Two samples of three features, and as many votes. The greatest number in the profile is 3, below 4: an added sample has -8.
func.func @nearest(%x: tensor<3x1xf32>) -> tensor<2x1xf32> attributes {tdsl.interface = #tdsl.interface<stored = [2, "samples", "fit fewer"]>} {
  %samples = tdsl.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> {tdsl.profile = [#tdsl.profile<1.0, 6.0, [1.0, 2.0, 3.0, 4.0, 6.0]>]} -> tensor<2x3xf32>
  %addends = tdsl.const dense<[[-1.0], [-2.0]]> : tensor<2x1xf32> {tdsl.profile = [#tdsl.profile<-2.0, -1.0, [-2.0, -2.0, -1.5, -1.0, -1.0]>]} -> tensor<2x1xf32>
  %near = tdsl.matmul_sum %samples, %x from %addends : tensor<2x1xf32> {tdsl.profile = [#tdsl.profile<-3.0, 2.0, [-3.0, -2.0, 0.0, 1.0, 2.0]>]} : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %mask = tdsl.top_k_mask %near {count = 1 : i64} : tensor<2x1xf32> -> tensor<2x1xf32>
  %votes = tdsl.const dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32> -> tensor<2x2xf32, #tdsl.csr>
  %y = tdsl.spmv %votes, %mask : tensor<2x2xf32, #tdsl.csr>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @nearest
// CHECK-SAME: tinyml.sample_room = 3 : i64
// CHECK: %samples = tdsl.const {{.*}} : tensor<3x3xf32> {tdsl.profile = [#tdsl.profile<1.0, 6.0
// CHECK: %addends = tdsl.const dense<{{\[\[}}-1.000000e+00], [-2.000000e+00], [-8.000000e+00]]> : tensor<3x1xf32> {tdsl.profile = [#tdsl.profile<-8.0, -1.0
// CHECK: tdsl.matmul_sum {{.*}} -> tensor<3x1xf32>
// CHECK: tdsl.top_k_mask {{.*}} -> tensor<3x1xf32>
// CHECK: %votes = tdsl.const dense<{{\[\[}}1.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00, 0.000000e+00]]> : tensor<2x3xf32> -> tensor<2x3xf32, #tdsl.csr>
// CHECK: tdsl.spmv {{.*}} -> tensor<2x1xf32>
// Without added samples, the addends' format still has room for theirs.
// SAME: tinyml.sample_room = 2 : i64
// SAME: %addends = tdsl.const {{.*}} : tensor<2x1xf32> {tdsl.profile = [#tdsl.profile<-8.0, -1.0
// MORE: --weights-for: the model has 2 samples, but the program has room for 1: compile the model anew, or the first one with a greater --weights-margin
// ZERO: %addends = tdsl.const dense<{{\[\[}}-1.000000e+00], [-2.000000e+00], [0.000000e+00]]>
// OTHERS: --weights-at: tdsl.softmax reads numbers of samples, whose number may change
// ADDEND: --weights-at: nearest samples need an addend for each sample
// PROFILE: the product has no profile: run the profile pass first
// NONE-NOT: sample_room
