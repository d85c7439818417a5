// RUN: not tinyml-opt %s -p 'assign-format{format="!fixed.q<8, 9>" widths="B:!fixed.q<8, 19>"}' 2>&1 | filecheck %s
// RUN: tinyml-opt %s -p 'assign-format{format="!fixed.q<8, 9>" widths="B:!fixed.q<8, 18>"}' | filecheck %s --check-prefix=EQUAL

// The unit of an initial value may be that of products, but not a finer one.
func.func @start(%X: tensor<2x1xf32> {tdsl.profile = #tdsl.profile<-0.1, 0.1, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x1xf32> {
  %W = tdsl.const dense<[[0.1, -0.1]]> : tensor<1x2xf32> {tdsl.profile = [#tdsl.profile<-0.1, 0.1, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<1x2xf32>
  %B = tdsl.const dense<[[0.0001]]> : tensor<1x1xf32> {tdsl.profile = [#tdsl.profile<0.0001, 0.0001, [0.0001, 0.0001, 0.0001, 0.0001, 0.0001]>]} -> tensor<1x1xf32>
  %p = tdsl.matmul_sum %W, %X from %B : tensor<1x1xf32> {tdsl.profile = [#tdsl.profile<-0.02, 0.02, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %p : tensor<1x1xf32>
}
// CHECK: sums of products of !fixed.q<8, 9> and !fixed.q<8, 9> cannot start from numbers of !fixed.q<8, 19>, the given type of their initial value: give another
// EQUAL: %B = tdsl.const {{.*}} -> tensor<1x1x!fixed.q<8, 18>>
