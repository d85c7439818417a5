// RUN: tinyml-opt %s -p "assign-format{width=8}" | filecheck %s --check-prefix=NEAREST
// RUN: tinyml-opt %s -p "assign-format{width=8 data=%S/../Inputs/two.npz}" | filecheck %s --check-prefix=DATA
// RUN: not tinyml-opt %s -p "assign-format{width=8 data=%S/../Inputs/wrong.npz}" 2>&1 | filecheck %s --check-prefix=SHAPE

// The inputs are (1, -2) and (0.5, 3). Rounded to nearest, the weights of the first row, 64.49 and 63.6 units, are 0.49 too
// small and 0.4 too great: the sums are -1.29 and 0.96 units off. With 65 for the first, -0.29 and 1.46. The second row is
// exact.
func.func @f(%X: tensor<2x1xf32> {tdsl.profile = #tdsl.profile<-2.0, 3.0, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<2x1xf32> {
  %W = tdsl.const dense<[[0.503828125, 0.496875], [0.78125, 0.78125]]> : tensor<2x2xf32> {tdsl.profile = [#tdsl.profile<0.5, 0.8, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<2x2xf32>
  %p = tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<-1.0, 3.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %p : tensor<2x1xf32>
}
// NEAREST: %W = tdsl.const dense<{{\[\[}}64, 64], [100, 100]]>
// DATA: %W = tdsl.const dense<{{\[\[}}65, 64], [100, 100]]>
// SHAPE: error: {{.*}}: pass 'assign-format': samples of `x` have 3 values, the program expects 2
