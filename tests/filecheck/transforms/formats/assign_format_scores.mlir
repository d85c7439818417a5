// RUN: python -c "import numpy as np; x = np.linspace(-0.9, 0.9, 40).reshape(20, 2); x[7] = 90, 30; np.savez('%t.npz', x=x)"
// RUN: python -c "import numpy as np; x = np.load('%t.npz')['x']; np.savez('%t.y.npz', x=x, y=np.zeros(20, int))"
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{width=8 data=%t.npz}' --split-input-file | filecheck %s --check-prefix=GREATEST
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{width=8 scale-by=scores data=%t.npz}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{width=8 scale-by=scores data=%t.y.npz}' --split-input-file | filecheck %s --check-prefix=CLASSES
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{width=8 scale-by=scores zooms="x:1" data=%t.npz}' --split-input-file | filecheck %s --check-prefix=ZOOM
// RUN: not tinyml-opt %s -p 'profile{data=%t.npz},assign-format{format=shiftry width=8 scale-by=scores data=%t.npz}' --split-input-file 2>&1 | filecheck %s --check-prefix=PUBLISHED
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{format=posit width=8 data=%t.npz}' --split-input-file | filecheck %s --check-prefix=POSIT
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{format=posit width=8 scale-by=greatest data=%t.npz}' --split-input-file | filecheck %s --check-prefix=POSITS
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{format=posit width=8}' --split-input-file | filecheck %s --check-prefix=POSITS
// RUN: not tinyml-opt %s -p 'profile{data=%t.npz},assign-format{scale-by=scores}' --split-input-file 2>&1 | filecheck %s --check-prefix=DATA
// RUN: not tinyml-opt %s -p 'profile{data=%t.npz},assign-format{scale-by=mean data=%t.npz}' --split-input-file 2>&1 | filecheck %s --check-prefix=UNKNOWN

// DATA: pass 'assign-format': choosing scales by scores needs data: add data=FILE
// PUBLISHED: pass 'assign-format': format 'shiftry' computes as published, and has no scales by scores
// UNKNOWN: pass 'assign-format': unknown rule for scales 'mean' (one of greatest, scores)

// One sample has numbers up to 90, whose errors change no result: what a clip cuts off has the derivative 0. The finest
// scale that is offered is 8 times as fine as that of the greatest number.
func.func @clipped(%x: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %w = tdsl.const dense<[[1.0, -0.5], [0.5, 0.25]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %c = tdsl.clip %x {low = -1.0 : f64, high = 1.0 : f64} : tensor<2x1xf32> -> tensor<2x1xf32>
  %y = tdsl.matmul %w, %c : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}
// GREATEST-LABEL: func.func @clipped(%x: tensor<2x1x!fixed.q<8, 0>>
// CHECK-LABEL: func.func @clipped(%x: tensor<2x1x!fixed.q<8, 3>>
// CLASSES-LABEL: func.func @clipped(%x: tensor<2x1x!fixed.q<8, 3>>
// A scale that is asked for stays.
// ZOOM-LABEL: func.func @clipped(%x: tensor<2x1x!fixed.q<8, 1>>
// Of posits, a window of 15 octaves has numbers below 1 beside 90 that are more than twice as fine as those of windows
// with es 0. By the greatest number, 90 is scaled to below 2, and the upper bound is the greatest posit, 2^6.
// POSIT-LABEL: func.func @clipped(%x: tensor<2x1x!posit.p<8, 1, -9, 6, -1>>
// POSITS-LABEL: func.func @clipped(%x: tensor<2x1x!posit.p<8, 0, -6, 7, -6>>

// -----

// Here the great numbers reach the results, which have no label and count as they are. If they are scores of classes,
// the great sample is far from the border: its class stays with half of its scores, and that of the others needs the
// finer scale.
func.func @linear(%x: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %w = tdsl.const dense<[[1.0, -0.5], [0.5, 0.25]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %y = tdsl.matmul %w, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y : tensor<2x1xf32>
}
// GREATEST-LABEL: func.func @linear(%x: tensor<2x1x!fixed.q<8, 0>>
// CHECK-LABEL: func.func @linear(%x: tensor<2x1x!fixed.q<8, 0>>
// CLASSES-LABEL: func.func @linear(%x: tensor<2x1x!fixed.q<8, 3>>
// ZOOM-LABEL: func.func @linear(
// Results of such unlike magnitudes suit posits with an exponent; that of the input is not worth the time.
// POSIT-LABEL: func.func @linear(%x: tensor<2x1x!posit.p<8, 0, -6, 7, -4>>
// POSIT: tdsl.matmul {{.*}} -> tensor<2x1x!posit.p<8, 1, -9, 6, -5>>
// POSITS-LABEL: func.func @linear(%x: tensor<2x1x!posit.p<8, 0, -6, 7, -6>>
