// RUN: tinyml-opt %s -p 'assign-format{format=shiftry}' | filecheck %s

// The literature's scales: that of the operands where they supply no finer one; 1 fits into a function's result.
func.func @published(%X: tensor<1x1xf32> {tdsl.profile = #tdsl.profile<-6.0, 6.0, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x1xf32> {
  %s = tdsl.sigmoid %X {tdsl.profile = [#tdsl.profile<0.01, 0.99, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x1xf32> -> tensor<1x1xf32>
  %y = tdsl.sub %s, %s {tdsl.profile = [#tdsl.profile<0.0, 0.1, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @published(%X: tensor<1x1x!shiftry.q<16, 12>>
// CHECK-NEXT: tdsl.sigmoid {{.*}} -> tensor<1x1x!shiftry.q<16, 14>>
// CHECK-NEXT: tdsl.sub {{.*}} -> tensor<1x1x!shiftry.q<16, 14>>
