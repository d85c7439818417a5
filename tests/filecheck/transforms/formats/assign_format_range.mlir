// RUN: python -c "import numpy as np; x = np.exp2(np.linspace(-28, 15, 400)); np.savez('%t.far.npz', x=np.stack([x, -x], 1))"
// RUN: python -c "import numpy as np; x = np.exp2(np.linspace(-12, 15, 400)); np.savez('%t.near.npz', x=np.stack([x, -x], 1))"
// RUN: python -c "import numpy as np; x = np.random.default_rng(0).normal(size=(400, 2)); np.savez('%t.usual.npz', x=x)"
// RUN: tinyml-opt %s -p 'profile{data=%t.far.npz},assign-format{format=posit width=16 data=%t.far.npz}' | filecheck %s --check-prefix=FAR
// RUN: tinyml-opt %s -p 'profile{data=%t.near.npz},assign-format{format=posit width=16 data=%t.near.npz}' | filecheck %s --check-prefix=NEAR
// RUN: tinyml-opt %s -p 'profile{data=%t.near.npz},assign-format{format=posit width=8 data=%t.near.npz}' | filecheck %s --check-prefix=EIGHT
// RUN: tinyml-opt %s -p 'profile{data=%t.usual.npz},assign-format{format=posit width=16 data=%t.usual.npz}' | filecheck %s --check-prefix=USUAL
// RUN: tinyml-opt %s -p 'profile{data=%t.far.npz},assign-format{format=posit width=16 scale-by=greatest data=%t.far.npz}' | filecheck %s --check-prefix=GREATEST

// A window of 16 bits has at most 29 octaves. 43 octaves are in types of the standard, 27 in a window with an es above 0,
// and usual numbers in a window with es 0. Windows of 8 bits have at most 15 octaves. Without errors of scores, range
// does not count.
func.func @sum(%x: tensor<1x2xf32>) -> tensor<1x1xf32> {
  %w = tdsl.const dense<[[0.001], [1.0]]> : tensor<2x1xf32> {tdsl.profile = [#tdsl.profile<0.001, 1.0, [0.001, 0.001, 1.0, 1.0, 1.0]>]} -> tensor<2x1xf32>
  %y = tdsl.matmul %x, %w : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// FAR: func.func @sum(%x: tensor<1x2x!posit.p<16, {{[123]}}>>
// FAR: tdsl.matmul {{.*}} -> tensor<1x1x!posit.p<16, {{[123]}}>>
// NEAR: func.func @sum(%x: tensor<1x2x!posit.p<16, {{[123]}}, {{.*}}>>
// NEAR: tdsl.matmul {{.*}} -> tensor<1x1x!posit.p<16, {{[123]}}, {{.*}}>>
// EIGHT: func.func @sum(%x: tensor<1x2x!posit.p<8, {{[123]}}>>
// EIGHT: tdsl.matmul {{.*}} -> tensor<1x1x!posit.p<8, {{[123]}}>>
// USUAL: func.func @sum(%x: tensor<1x2x!posit.p<16, 0, {{.*}}>>
// USUAL: tdsl.matmul {{.*}} -> tensor<1x1x!posit.p<16, 0, {{.*}}>>
// GREATEST: func.func @sum(%x: tensor<1x2x!posit.p<16, 0, {{.*}}>>
