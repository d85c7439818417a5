// RUN: tinyml-opt %s -p "rotate-distances{data=%S/../Inputs/turned.npz}" --split-input-file | filecheck %s
// RUN: not tinyml-opt %s -p "rotate-distances{data=%S/../Inputs/wrong.npz}" --split-input-file 2>&1 | filecheck %s --check-prefix=SHAPE
// RUN: tinyml-opt %s -p "rotate-distances{data=%S/../Inputs/linear.npz}" --split-input-file | filecheck %s --check-prefix=SINGLE

// CHECK-LABEL: func.func @f
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
// SHAPE: error: {{.*}}: pass 'rotate-distances': samples of `x` have 3 values, the program expects 2

// The moments of a single sample have rank 1. Vectors become 1.7612 times as great, and the factor 1 / 1.7612^2 of itself.
// SINGLE-LABEL: func.func @f
// SINGLE-NEXT: %W = tdsl.const dense<{{\[\[}}-1.43{{[0-9]*}}, 0.147{{[0-9]*}}], [-1.11{{[0-9]*}}, -1.23{{[0-9]*}}]]>
// SINGLE-NEXT: %B = tdsl.const dense<{{\[\[}}-3.95{{[0-9]*}}], [-3.60{{[0-9]*}}]]>
// SINGLE-NEXT: %g = tdsl.const dense<-0.322{{[0-9]*}}>

// -----

// No rotation makes both coordinates of (40, 40) smaller, and W x is nearer: all stays as it is. Nothing can take 1 / s^2.
func.func @level(%X: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %W = tdsl.const dense<[[1.0, 0.5], [0.25, -0.5]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<[[40.0], [40.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %p = tdsl.matmul %W, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.sub %p, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %r = tdsl.reshape %d : tensor<2x1xf32> -> tensor<1x2xf32>
  %s = tdsl.matmul %r, %d : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %s : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @level
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1.000000e+00, 5.000000e-01], [2.500000e-01, -5.000000e-01]]>
// CHECK-NEXT: %B = tdsl.const dense<4.000000e+01>

// -----

// Prototypes that are indexed, and from which W x is subtracted: 0.99 of 64 is 1.584 times as great, 1 / 1.584^2 is 0.39856.
func.func @indexed(%X: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %W = tdsl.const dense<[[1.0, 0.5], [0.25, -0.5]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<[[[40.0], [40.0]], [[40.0], [-40.0]]]> : tensor<2x2x1xf32> -> tensor<2x2x1xf32>
  %c1 = arith.constant 1 : index
  %b = tdsl.index %B[%c1] : tensor<2x2x1xf32> -> tensor<2x1xf32>
  %p = tdsl.matmul %W, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.sub %b, %p : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %r = tdsl.reshape %d : tensor<2x1xf32> -> tensor<1x2xf32>
  %s = tdsl.matmul %r, %d : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %g = tdsl.const dense<1.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %e = tdsl.mul %s, %g : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %e : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @indexed
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}1.584000e+00, 7.920000e-01], [3.960000e-01, -7.920000e-01]]>
// CHECK-NEXT: %B = tdsl.const dense<{{\[\[\[}}6.336000e+01], [6.336000e+01]], {{\[\[}}6.336000e+01], [-6.336000e+01]]]>
// CHECK: %g = tdsl.const dense<0.3985{{[0-9]*}}>

// -----

// Two factors are two distances: neither takes 1 / s^2. Nor does one of a sum, or of a distance that is read again.
func.func @factors(%X: tensor<2x1xf32>) -> tensor<1x2xf32> {
  %W = tdsl.const dense<[[1.0, 0.5], [0.25, -0.5]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<[[40.0], [40.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %p = tdsl.matmul %W, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.sub %p, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %r = tdsl.reshape %d : tensor<2x1xf32> -> tensor<1x2xf32>
  %s = tdsl.matmul %r, %d : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %g = tdsl.const dense<1.0> : tensor<1x2xf32> -> tensor<1x2xf32>
  %e = tdsl.mul %g, %s : tensor<1x2xf32>, tensor<1x1xf32> -> tensor<1x2xf32>
  func.return %e : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @factors
// CHECK: %B = tdsl.const dense<4.000000e+01>

// -----

func.func @sum(%X: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %W = tdsl.const dense<[[1.0, 0.5], [0.25, -0.5]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<[[40.0], [40.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %p = tdsl.matmul %W, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.sub %p, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %r = tdsl.reshape %d : tensor<2x1xf32> -> tensor<1x2xf32>
  %s = tdsl.matmul %r, %d : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %g = tdsl.const dense<1.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %e = tdsl.add %g, %s : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %e : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @sum
// CHECK: %B = tdsl.const dense<4.000000e+01>

// -----

func.func @read(%X: tensor<2x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %W = tdsl.const dense<[[1.0, 0.5], [0.25, -0.5]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<[[40.0], [40.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %p = tdsl.matmul %W, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.sub %p, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %r = tdsl.reshape %d : tensor<2x1xf32> -> tensor<1x2xf32>
  %s = tdsl.matmul %r, %d : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %g = tdsl.const dense<1.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %e = tdsl.mul %g, %s : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %e, %s : tensor<1x1xf32>, tensor<1x1xf32>
}
// CHECK-LABEL: func.func @read
// CHECK: %B = tdsl.const dense<4.000000e+01>

// -----

// A tenth of a matrix may be zeros, beside a column of zeros; more are kept, as the matrix may become sparse.
func.func @tenth(%X: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %W = tdsl.const dense<[[0.5, 0.0], [0.5, 0.25], [0.25, 0.5], [0.5, 0.5], [0.5, 0.5]]> : tensor<5x2xf32> -> tensor<5x2xf32>
  %B = tdsl.const dense<[[8.0], [0.0], [0.0], [0.0], [0.0]]> : tensor<5x1xf32> -> tensor<5x1xf32>
  %p = tdsl.matmul %W, %X : tensor<5x2xf32>, tensor<2x1xf32> -> tensor<5x1xf32>
  %d = tdsl.sub %p, %B : tensor<5x1xf32>, tensor<5x1xf32> -> tensor<5x1xf32>
  %r = tdsl.reshape %d : tensor<5x1xf32> -> tensor<1x5xf32>
  %s = tdsl.matmul %r, %d : tensor<1x5xf32>, tensor<5x1xf32> -> tensor<1x1xf32>
  func.return %s : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @tenth
// CHECK: %B = tdsl.const dense<
// CHECK-NOT: 8.000000e+00
// CHECK: func.return

// -----

func.func @more(%X: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %W = tdsl.const dense<[[0.5, 0.0], [0.5, 0.0], [0.25, 0.5], [0.5, 0.5], [0.5, 0.5]]> : tensor<5x2xf32> -> tensor<5x2xf32>
  %B = tdsl.const dense<[[8.0], [0.0], [0.0], [0.0], [0.0]]> : tensor<5x1xf32> -> tensor<5x1xf32>
  %p = tdsl.matmul %W, %X : tensor<5x2xf32>, tensor<2x1xf32> -> tensor<5x1xf32>
  %d = tdsl.sub %p, %B : tensor<5x1xf32>, tensor<5x1xf32> -> tensor<5x1xf32>
  %r = tdsl.reshape %d : tensor<5x1xf32> -> tensor<1x5xf32>
  %s = tdsl.matmul %r, %d : tensor<1x5xf32>, tensor<5x1xf32> -> tensor<1x1xf32>
  func.return %s : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @more
// CHECK: %B = tdsl.const dense<{{\[\[}}8.000000e+00], [0.000000e+00]

// -----

func.func @column(%X: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %W = tdsl.const dense<[[0.5, 0.0], [0.5, 0.0], [0.25, 0.0], [0.5, 0.0], [0.5, 0.0]]> : tensor<5x2xf32> -> tensor<5x2xf32>
  %B = tdsl.const dense<[[8.0], [0.0], [0.0], [0.0], [0.0]]> : tensor<5x1xf32> -> tensor<5x1xf32>
  %p = tdsl.matmul %W, %X : tensor<5x2xf32>, tensor<2x1xf32> -> tensor<5x1xf32>
  %d = tdsl.sub %p, %B : tensor<5x1xf32>, tensor<5x1xf32> -> tensor<5x1xf32>
  %r = tdsl.reshape %d : tensor<5x1xf32> -> tensor<1x5xf32>
  %s = tdsl.matmul %r, %d : tensor<1x5xf32>, tensor<5x1xf32> -> tensor<1x1xf32>
  func.return %s : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @column
// CHECK: %B = tdsl.const dense<
// CHECK-NOT: 8.000000e+00
// CHECK: func.return

// -----

// Constants that something else reads stay.
func.func @others(%X: tensor<2x1xf32>) -> (tensor<1x1xf32>, tensor<2x1xf32>) {
  %W = tdsl.const dense<[[1.0, 0.5], [0.25, -0.5]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<[[8.0], [0.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %p = tdsl.matmul %W, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.sub %p, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %r = tdsl.reshape %d : tensor<2x1xf32> -> tensor<1x2xf32>
  %s = tdsl.matmul %r, %d : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %s, %B : tensor<1x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @others
// CHECK: %B = tdsl.const dense<{{\[\[}}8.000000e+00], [0.000000e+00]]>

// -----

func.func @weights(%X: tensor<2x1xf32>) -> (tensor<1x1xf32>, tensor<2x2xf32>) {
  %W = tdsl.const dense<[[1.0, 0.5], [0.25, -0.5]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<[[8.0], [0.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %p = tdsl.matmul %W, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.sub %p, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %r = tdsl.reshape %d : tensor<2x1xf32> -> tensor<1x2xf32>
  %s = tdsl.matmul %r, %d : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %s, %W : tensor<1x1xf32>, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @weights
// CHECK: %B = tdsl.const dense<{{\[\[}}8.000000e+00], [0.000000e+00]]>

// -----

// And so does a product that is read again.
func.func @product(%X: tensor<2x1xf32>) -> (tensor<1x1xf32>, tensor<2x1xf32>) {
  %W = tdsl.const dense<[[1.0, 0.5], [0.25, -0.5]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<[[8.0], [0.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %p = tdsl.matmul %W, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.sub %p, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %r = tdsl.reshape %d : tensor<2x1xf32> -> tensor<1x2xf32>
  %s = tdsl.matmul %r, %d : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %s, %p : tensor<1x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @product
// CHECK: %B = tdsl.const dense<{{\[\[}}8.000000e+00], [0.000000e+00]]>
