// RUN: tinyml-opt %s -p "assign-format{width=8}" | filecheck %s --check-prefix=NEAREST
// RUN: tinyml-opt %s -p "assign-format{width=8 data=%S/Inputs/two.npz}" | filecheck %s --check-prefix=DATA
// RUN: not tinyml-opt %s -p "assign-format{width=8 data=%S/Inputs/wrong.npz}" 2>&1 | filecheck %s --check-prefix=SHAPE

// The inputs are (1, -2) and (0.5, 3), on average (0.75, 0.5). Rounded to nearest, both weights of the first row, 64.4
// and 64.4 units, are 0.4 too small and the sum is 0.5 too small on average. With 65 for the first it is 0.25 too great;
// the second input varies too much to be worth it. The second row is exact.
func.func @f(%X: tensor<2x1xf32> {tdsl.profile = #tdsl.profile<-2.0, 3.0, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<2x1xf32> {
  %W = tdsl.const dense<[[0.503125, 0.503125], [0.78125, 0.78125]]> : tensor<2x2xf32> {tdsl.profile = [#tdsl.profile<0.5, 0.8, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<2x2xf32>
  %p = tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<-1.0, 3.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %p : tensor<2x1xf32>
}
// NEAREST: %W = tdsl.const dense<{{\[\[}}64, 64], [100, 100]]>
// DATA: %W = tdsl.const dense<{{\[\[}}65, 64], [100, 100]]>
// SHAPE: error: {{.*}}: pass 'assign-format': samples of `x` have 3 values, the program takes 2
