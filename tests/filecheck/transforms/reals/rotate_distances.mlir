// RUN: tinyml-opt %s -p "rotate-distances{data=%S/../Inputs/turned.npz}" | filecheck %s
// RUN: not tinyml-opt %s -p "rotate-distances{data=%S/../Inputs/wrong.npz}" 2>&1 | filecheck %s --check-prefix=SHAPE

// The first coordinate of W x reaches 3.25, the second 0.625; turned by nearly a right angle's half both reach 2.33, and 1.7
// times as great 0.99 of 4. The factor of the distance becomes 1 / 1.7^2 of itself.
func.func @f(%X: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %W = tdsl.const dense<[[1.0, 0.5], [0.25, -0.5]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<[[3.0], [0.5]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %g = tdsl.const dense<-1.0> : tensor<f32> -> tensor<f32>
  %p = tdsl.matmul %W, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.sub %p, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %r = tdsl.reshape %d : tensor<2x1xf32> -> tensor<1x2xf32>
  %s = tdsl.matmul %r, %d : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %e = tdsl.mul %g, %s : tensor<f32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %e : tensor<1x1xf32>
}
// CHECK: %W = tdsl.const dense<{{\[\[}}-1.12{{[0-9]*}}, -1.18{{[0-9]*}}], [1.35{{[0-9]*}}, -1.82{{[0-9]*}}e-01]]>
// CHECK: %B = tdsl.const dense<{{\[\[}}-3.61{{[0-9]*}}], [3.70{{[0-9]*}}]]>
// CHECK: %g = tdsl.const dense<-0.345{{[0-9]*}}>
// SHAPE: error: {{.*}}: pass 'rotate-distances': samples of `x` have 3 values, the program takes 2
