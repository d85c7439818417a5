// RUN: tinyml-opt %s -p 'assign-format{width=8}' | filecheck %s
// RUN: sed 's/limit = 255.9921875/limit = 256.0/' %s | tinyml-opt -p 'assign-format{width=8}' | filecheck %s --check-prefix=ABOVE
// RUN: sed 's/, limit = 255.9921875 : f64//' %s | tinyml-opt -p 'assign-format{width=8}' | filecheck %s --check-prefix=KNOWN

// Votes of zero and a half need two bits, and two trees reach 1. If they may change, votes keep their 8 bits, and the sums
// hold the limit: 32767 in multiples of 2^-7 with 16 bits, and 32768 with 32.
func.func @forest(%x: tensor<1x2xf32> {tdsl.profile = #tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[0.0], [0.5]]> : tensor<2x1xf32> {tdsl.profile = [#tdsl.profile<0.0, 0.75, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {tdsl.profile = [#tdsl.profile<0.0, 2.0, [0.0, 0.0, 0.0, 0.0, 0.0]>], features = dense<1> : tensor<2xi32>, thresholds = dense<0.5> : tensor<2xf64>, children = dense<[[-1, -2], [-2, -1]]> : tensor<2x2xi32>, roots = dense<[0, 1]> : tensor<2xi32>, limit = 255.9921875 : f64} : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK: %votes = {{.*}} -> tensor<2x1x!fixed.q<8, 7>>
// CHECK: %sums = tdsl.forest {{.*}} -> tensor<1x1x!fixed.q<16, 7>>
// ABOVE: %votes = {{.*}} -> tensor<2x1x!fixed.q<8, 7>>
// ABOVE: %sums = tdsl.forest {{.*}} -> tensor<1x1x!fixed.q<32, 7>>
// KNOWN: %votes = {{.*}} -> tensor<2x1x!fixed.q<2, 1>>
