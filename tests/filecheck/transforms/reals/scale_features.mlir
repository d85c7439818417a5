// RUN: tinyml-opt %s -p "scale-features{data=%S/../Inputs/features.npz}" --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p "scale-features{data=%S/../Inputs/features.npz},scale-features{data=%S/../Inputs/features.npz}" --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p "scale-features{data=%S/../Inputs/features.npz},profile{data=%S/../Inputs/features.npz}" --split-input-file | filecheck %s --check-prefix=PROFILE
// RUN: not tinyml-opt %s -p "scale-features{data=%S/../Inputs/two.npz}" --split-input-file 2>&1 | filecheck %s --check-prefix=SHAPE

// RUN: tinyml-opt %s -p "scale-features{data=%S/../Inputs/far_features.npz}" --split-input-file | filecheck %s --check-prefix=FAR

// Features from 1 to 3, from -300 to 100 and always 5 become numbers from -1 to 1 by powers of two; a linear model
// absorbs the units.
// Features are off centre by more than 8 halves of their range. One from 1000 to 1009.3 has a zero, the multiple of 8 / 64
// next to 1004.65; one from 12 to 16 has none, and a scale of just 16; and one from 13 to 17 times 2^-130 has one, but no
// scale below 2^-126.
func.func @linear(%X: tensor<1x3xf32>) -> tensor<1x1xf32> {
  %mean = tdsl.const dense<[[1.0, 0.0, 0.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %W = tdsl.const dense<[[8.0], [0.5], [2.0]]> : tensor<3x1xf32> -> tensor<3x1xf32>
  %centred = tdsl.sub %X, %mean : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  %y = tdsl.matmul %centred, %W : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @linear(%X: tensor<1x3xf32>) -> tensor<1x1xf32> attributes {tdsl.interface = #tdsl.interface<input = <scales = [4.0, 512.0, 8.0], offsets = [0.0]>>} {
// CHECK-NEXT: %W = tdsl.const dense<{{\[\[}}3.200000e+01], [2.560000e+02], [1.600000e+01]]> : tensor<3x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %y = tdsl.matmul %X, %W : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %bias = tdsl.const dense<-8.000000e+00> : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.add %y, %bias : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return [[vy_1]] : tensor<1x1xf32>
// PROFILE-LABEL: func.func @linear
// PROFILE-SAME: tdsl.profile = #tdsl.profile<-0.5859375, 0.75,
// PROFILE-LABEL: func.func @distance(
// FAR-LABEL: func.func @linear(%X: tensor<1x3xf32>) -> {{.*}}#tdsl.interface<input = <scales = [8.0, 16.0, 1.1754943508222875e-38], offsets = [1004.625, 0.0, 1.1020259538958945e-38]>>
// FAR-LABEL: func.func @distance(

// -----

// Other readers let the caller compute the scaler, (x - mean) * rate.
func.func @distance(%X: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %mean = tdsl.const dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %rate = tdsl.const dense<[[0.5, 4.0, -2.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %centred = tdsl.sub %X, %mean : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  %scaled = tdsl.mul %centred, %rate : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  %square = tdsl.mul %scaled, %scaled : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %square : tensor<1x3xf32>
}
// CHECK-LABEL: func.func @distance(%X: tensor<1x3xf32>) -> tensor<1x3xf32> attributes {tdsl.interface = #tdsl.interface<input = <scales = [2.0, 0.25, -0.5], offsets = [1.0, 2.0, 3.0]>>} {
// CHECK-NEXT: %square = tdsl.mul %X, %X : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: func.return %square : tensor<1x3xf32>

// -----

// Several ops read the scaled vector, as the squares and the products of a support vector machine do: it comes before
// the first of them.
func.func @twice(%X: tensor<1x3xf32>) -> (tensor<1x1xf32>, tensor<2x1xf32>) {
  %mean = tdsl.const dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %S = tdsl.const dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32> -> tensor<2x3xf32>
  %centred = tdsl.sub %X, %mean : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  %column = tdsl.reshape %centred : tensor<1x3xf32> -> tensor<3x1xf32>
  %row = tdsl.reshape %column : tensor<3x1xf32> -> tensor<1x3xf32>
  %squares = tdsl.matmul %row, %column : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  %products = tdsl.matmul %S, %column : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  func.return %squares, %products : tensor<1x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @twice(%X: tensor<1x3xf32>) -> (tensor<1x1xf32>, tensor<2x1xf32>) attributes {tdsl.interface = #tdsl.interface<input = <scales = [1.0], offsets = [1.0, 2.0, 3.0]>>} {
// CHECK-NEXT: %S = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.000000e+00]]> : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: [[vX_1:%.*]] = tdsl.reshape %X : tensor<1x3xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %row = tdsl.reshape [[vX_1]] : tensor<3x1xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %squares = tdsl.matmul %row, [[vX_1]] : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %products = tdsl.matmul %S, [[vX_1]] : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %squares, %products : tensor<1x1xf32>, tensor<2x1xf32>

// -----

// Without a layer that absorbs scales, and without a scaler, the program stays.
func.func @neither(%X: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %y = tdsl.tanh %X : tensor<3x1xf32> -> tensor<3x1xf32>
  func.return %y : tensor<3x1xf32>
}
// CHECK-LABEL: func.func @neither(%X: tensor<3x1xf32>) -> tensor<3x1xf32> {
// CHECK-NEXT: %y = tdsl.tanh %X : tensor<3x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: func.return %y : tensor<3x1xf32>

// SHAPE: two.npz: pass 'scale-features': samples of `x` have 2 values, the program expects 3

// -----

// Features that are only stretched have units of their own, too.
func.func @stretched(%X: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %W = tdsl.const dense<[[2.0, 1.0, 4.0]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %y = tdsl.mul %X, %W : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %y : tensor<1x3xf32>
}
// CHECK-LABEL: func.func @stretched(%X: tensor<1x3xf32>) -> {{.*}}scales = [0.5, 1.0, 0.25]
// CHECK-NEXT: func.return %X

// -----

func.func @narrowed(%X: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %W = tdsl.const dense<[[0.5, 1.0, 0.25]]> : tensor<1x3xf32> -> tensor<1x3xf32>
  %y = tdsl.mul %X, %W : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %y : tensor<1x3xf32>
}
// CHECK-LABEL: func.func @narrowed(%X: tensor<1x3xf32>) -> {{.*}}scales = [2.0, 1.0, 4.0]
// CHECK-NEXT: func.return %X
