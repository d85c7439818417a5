// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/motivating.npz},search-maxscale{data=%S/../Inputs/motivating.npz format=seedot widths=8 metric=error}" | filecheck %s
// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/motivating.npz},search-maxscale{data=%S/../Inputs/motivating.npz widths=8 metric=error}" | filecheck %s --check-prefix=FIXED
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/motivating.npz},search-maxscale{data=%S/../Inputs/motivating.npz}" 2>&1 | filecheck %s --check-prefix=LABELS

// The linear classifier of SeeDot, section 3.
func.func @linear(%x: tensor<4x1xf32>) -> tensor<1x1xf32> {
  %w = tdsl.const dense<[[0.7793, -0.7316, 1.8008, -1.8622]]> : tensor<1x4xf32> -> tensor<1x4xf32>
  %y = tdsl.matmul %w, %x : tensor<1x4xf32>, tensor<4x1xf32> -> tensor<1x1xf32>
  func.return %y : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @linear(%x: tensor<4x1x!seedot.q<8, 7>>
// CHECK-SAME: {name = "y", {{.*}} format = !seedot.q<8, 5>, error = {{[^,]*}}, why = "maxscale 5"}
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}49, -46, 115, -119]]> : tensor<1x4xi8> {{.*}} -> tensor<1x4x!seedot.q<8, 6>>
// CHECK-NEXT: tdsl.matmul {{.*}} -> tensor<1x1x!seedot.q<8, 5>>

// With our arithmetic the same scales.
// FIXED: why = "maxscale 5"
// FIXED: tdsl.matmul {{.*}} -> tensor<1x1x!fixed.q<8, 5>>

// LABELS: pass 'search-maxscale': the metric 'accuracy' needs data with labels, or targets, `y`
