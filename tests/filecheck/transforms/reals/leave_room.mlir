// RUN: tinyml-opt %s -p 'leave-room{weights_margin=2.0}' | filecheck %s
// RUN: tinyml-opt %s -p 'leave-room{weights_margin=1.0}' | filecheck %s --check-prefix=SAME
// RUN: tinyml-opt %s -p leave-room | filecheck %s --check-prefix=SAME
// RUN: not tinyml-opt %s -p 'leave-room{weights_margin=0.99}' 2>&1 | filecheck %s --check-prefix=LESS
// RUN: not tinyml-opt %s -p 'leave-room{weights_margin=1e400}' 2>&1 | filecheck %s --check-prefix=INFINITE
// RUN: sed '/tdsl.const/s/{[^}]*}//' %s | not tinyml-opt -p leave-room 2>&1 | filecheck %s --check-prefix=NONE

// Constants have room, results keep their ranges.
func.func @predict(%X: tensor<1x1xf32> {tdsl.profile = #tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 1.0]>}) -> tensor<1x1xf32> {
  %W = tdsl.const dense<0.5> : tensor<1x1xf32> {tdsl.profile = [#tdsl.profile<-0.25, 0.5, [-0.25, 0.0, 0.0, 0.0, 0.5]>]} -> tensor<1x1xf32>
  %p = tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<0.0, 0.5, [0.0, 0.0, 0.0, 0.0, 0.5]>]} : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %p : tensor<1x1xf32>
}
// CHECK: %W = tdsl.const {{.*}}#tdsl.profile<-0.5, 1.0, [-0.25, 0.0, 0.0, 0.0, 0.5]>
// CHECK: tdsl.matmul {{.*}}#tdsl.profile<0.0, 0.5, [0.0, 0.0, 0.0, 0.0, 0.5]>
// SAME: #tdsl.profile<-0.25, 0.5, [-0.25, 0.0, 0.0, 0.0, 0.5]>
// LESS: --weights-margin: expected a factor of at least 1, got 0.99
// INFINITE: --weights-margin: expected a factor of at least 1, got inf
// NONE: the constant has no profile: run the profile pass first
