// RUN: tinyml-opt %s -p 'assign-format{width=8}' | filecheck %s
// RUN: tinyml-opt %s -p 'assign-format{format=shiftry width=16}' | filecheck %s --check-prefix=PUBLISHED

// Steps are 0 or 1, shares that are returned up to 1; those between layers have the range of the data.
func.func @shares(%x: tensor<1x2xf32> {tdsl.profile = #tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x2xf32> {
  %step = tdsl.step %x {tdsl.profile = [#tdsl.profile<0.0, 0.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x2xf32> -> tensor<1x2xf32>
  %inner = tdsl.sigmoid %step {tdsl.profile = [#tdsl.profile<0.1, 0.2, [0.1, 0.1, 0.1, 0.1, 0.1]>]} : tensor<1x2xf32> -> tensor<1x2xf32>
  %y = tdsl.softmax %inner {tdsl.profile = [#tdsl.profile<0.1, 0.2, [0.1, 0.1, 0.1, 0.1, 0.1]>]} : tensor<1x2xf32> -> tensor<1x2xf32>
  func.return %y : tensor<1x2xf32>
}
// CHECK: %step = tdsl.step {{.*}} -> tensor<1x2x!fixed.q<8, 7>>
// CHECK: %inner = tdsl.sigmoid {{.*}} -> tensor<1x2x!fixed.q<8, 9>>
// CHECK: %y = tdsl.softmax {{.*}} -> tensor<1x2x!fixed.q<8, 7>>
// PUBLISHED: %y = tdsl.softmax {{.*}} -> tensor<1x2x!shiftry.q<16, 17>>
