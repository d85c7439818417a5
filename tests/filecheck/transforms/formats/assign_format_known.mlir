// RUN: tinyml-opt %s -p 'assign-format{width=8 zooms="sums:3"}' | filecheck %s
// RUN: tinyml-opt %s -p 'assign-format{width=32}' | filecheck %s --check-prefix=WIDE

// Two trees with leaves of -3.1 and 5.3 reach -6.2 and 10.6, whatever their profile says: the sums, and what a constant is added
// to, are integers of the votes' scale that hold them, of 16 bits at 8 and of 32 at 32, where the votes are narrowed.
// The tenfold reaches 126, for which 8 bits are multiples of 1. No zoom shortens what is known.
func.func @forest(%x: tensor<1x2xf32> {tdsl.profile = #tdsl.profile<-0.9, 0.9, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[-3.1], [5.3]]> : tensor<2x1xf32> {tdsl.profile = [#tdsl.profile<-3.1, 5.3, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {tdsl.profile = [#tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>], features = dense<1> : tensor<2xi32>, thresholds = dense<0.5> : tensor<2xf64>, children = dense<[[-1, -2], [-2, -1]]> : tensor<2x2xi32>, roots = dense<[0, 1]> : tensor<2xi32>} : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %start = tdsl.const dense<2.0> : tensor<1x1xf32> {tdsl.profile = [#tdsl.profile<2.0, 2.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<1x1xf32>
  %shifted = tdsl.add %sums, %start {tdsl.profile = [#tdsl.profile<2.0, 3.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  %ten = tdsl.const dense<10.0> : tensor<1x1xf32> {tdsl.profile = [#tdsl.profile<10.0, 10.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} -> tensor<1x1xf32>
  %y = tdsl.mul %shifted, %ten {tdsl.profile = [#tdsl.profile<20.0, 30.0, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK: %votes = {{.*}} -> tensor<2x1x!fixed.q<8, 4>>
// CHECK: %sums = tdsl.forest {{.*}} -> tensor<1x1x!fixed.q<16, 4>>
// CHECK: %shifted = tdsl.add {{.*}} -> tensor<1x1x!fixed.q<16, 4>>
// CHECK: %y = tdsl.mul {{.*}} -> tensor<1x1x!fixed.q<8, 0>>
// WIDE: %votes = {{.*}} -> tensor<2x1x!fixed.q<25, 21>>
// WIDE: %sums = tdsl.forest {{.*}} -> tensor<1x1x!fixed.q<32, 21>>
// WIDE: %shifted = tdsl.add {{.*}} -> tensor<1x1x!fixed.q<32, 21>>
// WIDE: %y = tdsl.mul {{.*}} -> tensor<1x1x!fixed.q<32, 24>>
