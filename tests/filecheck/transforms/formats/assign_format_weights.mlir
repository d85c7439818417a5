// RUN: tinyml-opt %s --pass-pipeline='builtin.module(assign-format{format=fixed width=16 weights="posit:8"}, choose-accumulators)' | filecheck %s
// RUN: tinyml-opt %s --pass-pipeline='builtin.module(assign-format{format=fixed width=16 weights="posit:8" widths="y:posit:12","W:16"}, choose-accumulators)' | filecheck %s --check-prefix=NAMED

// Constants of several elements have a format of their own; products of both are exact sums of integers.
func.func @dense(%X: tensor<2x1xf32> {tdsl.profile = #tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<2x1xf32> {
  %W = tdsl.const dense<[[0.5, -0.25], [0.01, 0.7]]> : tensor<2x2xf32> {tdsl.profile = [#tdsl.profile<-0.25, 0.7, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<2x2xf32>
  %y = tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<-1.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @dense(%X: tensor<2x1x!fixed.q<16, 15>>
// CHECK-NEXT: %W = tdsl.const dense<{{.*}}> : tensor<2x2xi8> {{.*}} -> tensor<2x2x!posit.p<8, 0, -6, 1, 1>>
// CHECK-NEXT: tdsl.matmul %W, %X {{.*}}acc = !fixed.acc<24, 22>{{.*}} -> tensor<2x1x!fixed.q<16, 15>>

// NAMED: %W = tdsl.const dense<{{.*}}> : tensor<2x2xi16> {{.*}} -> tensor<2x2x!posit.p<16,
// NAMED: tdsl.matmul %W, %X {{.*}} -> tensor<2x1x!posit.p<12,
