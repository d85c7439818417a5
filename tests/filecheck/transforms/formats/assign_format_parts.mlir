// What has formats keeps them, with its constants and schemes; the part in f32 gets others, by the values that the
// first part really gives it: no more than 6.35, whatever the data.

// RUN: tinyml-opt %s -p 'profile{data=%S/../Inputs/linear.npz},assign-format{width=8 functions=seedot data=%S/../Inputs/linear.npz}' \
// RUN:   | filecheck %s
// RUN: not tinyml-opt %s -p 'assign-format{weights="synthesised:4"}' 2>&1 | filecheck %s --check-prefix=LISTS

// LISTS: lists of numbers are synthesised only for programs on reals, and a part of this program has formats

// CHECK-LABEL: func.func @parts(%x: tensor<2x1x!zeroskew.q<8, 0.05, 0>>
// CHECK: %w = tdsl.const dense<{{\[\[}}100, -100], [50, 20]]> : tensor<2x2xi8> {{.*}} -> tensor<2x2x!zeroskew.q<8, 0.1, 0>>
// CHECK: %v = tdsl.const {{.*}} -> tensor<2x2x!fixed.q<8, 7>>
// CHECK: %y = tdsl.matmul {{.*}}#tdsl.profile<4.8{{[0-9]*}}, 6.35{{.*}} -> tensor<2x1x!zeroskew.q<8, 0.05, 0>>
// CHECK: %f = tdsl.cast %y {{.*}} -> tensor<2x1x!fixed.q<8, 4>>
// CHECK: %z = tdsl.matmul %v, %f {{.*}} -> tensor<2x1x!fixed.q<8,
// CHECK: %t = tdsl.tanh %z {{.*}}scheme = "seedot"
// CHECK: %q = tdsl.cast %t {{.*}} : tensor<2x1x!fixed.q<8, 7>> -> tensor<2x1x!zeroskew.q<8, 0.01, 5>>
func.func @parts(%x: tensor<2x1x!zeroskew.q<8, 0.05, 0>>) -> tensor<2x1x!zeroskew.q<8, 0.01, 5>> {
  %w = tdsl.const dense<[[100, -100], [50, 20]]> : tensor<2x2xi8> -> tensor<2x2x!zeroskew.q<8, 0.1, 0>>
  %v = tdsl.const dense<[[0.5, -1.0], [0.3, 0.8]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %y = tdsl.matmul %w, %x : tensor<2x2x!zeroskew.q<8, 0.1, 0>>, tensor<2x1x!zeroskew.q<8, 0.05, 0>> -> tensor<2x1x!zeroskew.q<8, 0.05, 0>>
  %f = tdsl.cast %y : tensor<2x1x!zeroskew.q<8, 0.05, 0>> -> tensor<2x1xf32>
  %z = tdsl.matmul %v, %f : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %t = tdsl.tanh %z : tensor<2x1xf32> -> tensor<2x1xf32>
  %q = tdsl.cast %t : tensor<2x1xf32> -> tensor<2x1x!zeroskew.q<8, 0.01, 5>>
  func.return %q : tensor<2x1x!zeroskew.q<8, 0.01, 5>>
}
