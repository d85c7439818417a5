// RUN: tinyml-opt %s -p 'assign-format{format=fixed width=8 weights="midrise:1"}' | filecheck %s
// RUN: tinyml-opt %s -p 'assign-format{format=fixed width=16 weights="fixed:4"}' | filecheck %s --check-prefix=FIXED

// A mask gets the format of weights only if the format represents 0.
func.func @masked(%X: tensor<8x8xf32> {tdsl.profile = #tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<8x8xf32> {
  %W = tdsl.const dense<0.5> : tensor<8x8xf32> {tdsl.profile = [#tdsl.profile<-0.25, 0.5, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<8x8xf32>
  %m = tdsl.const dense<1.0> : tensor<8x8xf32> {tdsl.profile = [#tdsl.profile<0.0, 1.0, [0.0, 0.0, 1.0, 1.0, 1.0]>]} -> tensor<8x8xf32>
  %s = tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<-1.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  %p = tdsl.masked_softmax %s, %m {tdsl.profile = [#tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  func.return %p : tensor<8x8xf32>
}
// CHECK: %W = tdsl.const {{.*}} -> tensor<8x8x!midrise.q<1, 2>>
// CHECK-NEXT: %m = tdsl.const dense<127> : tensor<8x8xi8> {{.*}} -> tensor<8x8x!fixed.q<8, 7>>
// FIXED: %W = tdsl.const {{.*}} -> tensor<8x8x!fixed.q<4,
// FIXED-NEXT: %m = tdsl.const {{.*}} -> tensor<8x8x!fixed.q<4, 3>>
