// RUN: tinyml-opt %s -p 'assign-format{format="!posit.p<16, 2>"}' --split-input-file | filecheck %s --check-prefix=POSIT
// RUN: tinyml-opt %s -p 'assign-format{format="!fixed.q<16, 15>"}' --split-input-file | filecheck %s --check-prefix=FIXED
// RUN: tinyml-opt %s -p 'assign-format{width=16 weights="!posit.p<8, 1>"}' --split-input-file | filecheck %s --check-prefix=WEIGHTS
// RUN: tinyml-opt %s -p 'assign-format{format="!fixed.q<16, 15>" width=16}' --split-input-file | filecheck %s --check-prefix=FIXED
// RUN: not tinyml-opt %s -p 'assign-format{format="!fixed.q<16, 15>" width=8}' --split-input-file 2>&1 | filecheck %s --check-prefix=WIDTH
// RUN: not tinyml-opt %s -p 'assign-format{format="!fixed.q<16"}' --split-input-file 2>&1 | filecheck %s --check-prefix=TEXT

// WIDTH: pass 'assign-format': elements of !fixed.q<16, 15> have 16 bits, got width 8: leave out the width
// TEXT: pass 'assign-format': no number format is written '!fixed.q<16': {{.*}}'>' expected

// A family would give up one bit of W, so that four products fit 32 bits: a type stays.
func.func @spare(%X: tensor<4x1xf32> {tdsl.profile = #tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x1xf32> {
  %W = tdsl.const dense<[[0.9, -0.9, 0.9, 0.9]]> : tensor<1x4xf32> {tdsl.profile = [#tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<1x4xf32>
  %p = tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<-3.0, 3.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  func.return %p : tensor<1x1xf32>
}
// POSIT-LABEL: func.func @spare(%X: tensor<4x1x!posit.p<16, 2>> {{.*}}tdsl.given = [!posit.p<16, 2>]
// POSIT-NEXT: %W = tdsl.const dense<{{.*}}> : tensor<1x4xi16> {{.*}} -> tensor<1x4x!posit.p<16, 2>>
// POSIT-NEXT: %p = tdsl.matmul {{.*}} -> tensor<1x1x!posit.p<16, 2>>
// FIXED-LABEL: func.func @spare(%X: tensor<4x1x!fixed.q<16, 15>> {{.*}}tdsl.given = [!fixed.q<16, 15>]
// FIXED-NEXT: %W = tdsl.const dense<{{.*}}> : tensor<1x4xi16> {{.*}} -> tensor<1x4x!fixed.q<16, 15>>
// FIXED-NEXT: %p = tdsl.matmul {{.*}} -> tensor<1x1x!fixed.q<16, 15>>
// Only the constants have the type of weights.
// WEIGHTS-LABEL: func.func @spare(%X: tensor<4x1x!fixed.q<16, 15>> {{.*}}tdsl.given = [!posit.p<8, 1>]
// WEIGHTS-NEXT: %W = tdsl.const dense<{{.*}}> : tensor<1x4xi8> {{.*}} -> tensor<1x4x!posit.p<8, 1>>
// WEIGHTS-NEXT: %p = tdsl.matmul {{.*}} -> tensor<1x1x!fixed.q<16, 13>>

// -----

// Single numbers, arguments of functions and bounded results have the type, too, whatever their ranges.
func.func @scalars(%X: tensor<1x4xf32> {tdsl.profile = #tdsl.profile<-4.5, 4.5, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x4xf32> {
  %g = tdsl.const dense<-0.3> : tensor<f32> {tdsl.profile = [#tdsl.profile<-0.3, -0.3, [-0.3, -0.3, -0.3, -0.3, -0.3]>]} -> tensor<f32>
  %Y = tdsl.reshape %X {tdsl.profile = [#tdsl.profile<-4.5, 4.5, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x4xf32> -> tensor<4x1xf32>
  %s = tdsl.matmul %X, %Y {tdsl.profile = [#tdsl.profile<0.0, 40.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  %m = tdsl.mul %s, %g {tdsl.profile = [#tdsl.profile<-12.0, 0.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x1xf32>, tensor<f32> -> tensor<1x1xf32>
  %e = tdsl.exp %m {tdsl.profile = [#tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x1xf32> -> tensor<1x1xf32>
  %z = tdsl.mul %e, %X {tdsl.profile = [#tdsl.profile<-4.5, 4.5, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x1xf32>, tensor<1x4xf32> -> tensor<1x4xf32>
  func.return %z : tensor<1x4xf32>
}
// POSIT-LABEL: func.func @scalars(%X: tensor<1x4x!posit.p<16, 2>>
// POSIT: tdsl.const {{.*}} -> tensor<!posit.p<16, 2>>
// POSIT: tdsl.matmul {{.*}} -> tensor<1x1x!posit.p<16, 2>>
// POSIT-NEXT: tdsl.mul {{.*}} -> tensor<1x1x!posit.p<16, 2>>
// POSIT-NEXT: tdsl.exp {{.*}} -> tensor<1x1x!posit.p<16, 2>>
// POSIT-NEXT: tdsl.mul {{.*}} -> tensor<1x4x!posit.p<16, 2>>
// FIXED-LABEL: func.func @scalars(%X: tensor<1x4x!fixed.q<16, 15>>
// FIXED: tdsl.const {{.*}} -> tensor<!fixed.q<16, 15>>
// FIXED: tdsl.matmul {{.*}} -> tensor<1x1x!fixed.q<16, 15>>
// FIXED-NEXT: tdsl.mul {{.*}} -> tensor<1x1x!fixed.q<16, 15>>
// FIXED-NEXT: tdsl.exp {{.*}} -> tensor<1x1x!fixed.q<16, 15>>
// FIXED-NEXT: tdsl.mul {{.*}} -> tensor<1x4x!fixed.q<16, 15>>
