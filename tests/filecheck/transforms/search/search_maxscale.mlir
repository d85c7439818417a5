// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/motivating.npz},search-maxscale{data=%S/../Inputs/motivating.npz format=seedot widths=8 metric=error}" | filecheck %s
// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/motivating.npz},search-maxscale{data=%S/../Inputs/motivating.npz widths=8 metric=error}" | filecheck %s --check-prefix=FIXED
// RUN: tinyml-opt %S/../Inputs/scales.mlir -p "profile{data=%S/../Inputs/motivating.npz},search-maxscale{data=%S/../Inputs/motivating.npz format=seedot widths=16 metric=error}" | filecheck %s --check-prefix=SIXTEEN
// RUN: tinyml-opt %S/../Inputs/scales.mlir -p "profile{data=%S/../Inputs/motivating.npz},search-maxscale{data=%S/../Inputs/motivating.npz format=seedot widths=32 metric=error}" | filecheck %s --check-prefix=RULES
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/motivating.npz},search-maxscale{data=%S/../Inputs/motivating.npz}" 2>&1 | filecheck %s --check-prefix=LABELS
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-maxscale{data=%S/../Inputs/linear.npz metric=error widths=8,16 flash=18 target=host}" | filecheck %s --check-prefix=NARROW
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-maxscale{data=%S/../Inputs/linear.npz metric=error widths=8,16 flash=36 ram=16 target=host}" | filecheck %s --check-prefix=WIDE
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-maxscale{data=%S/../Inputs/linear.npz metric=error widths=8,16 ram=7 target=host}" 2>&1 | filecheck %s --check-prefix=RAM

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

// Limits decide the width, by the bytes of eighteen weights and of the arena.
// NARROW: {name = "X", {{.*}} format = !fixed.q<8,
// WIDE: {name = "X", {{.*}} format = !fixed.q<16,
// RAM: no program works in 7 bytes of RAM at the tried widths 8, 16 (--widths sets others): the least that was found takes 8 bytes of RAM

// Figure 3: a sum has the lesser scale of its operands, or one less where that is no less than maxscale; the product of
// the tables of an exponential reaches e^3.64.
// SIXTEEN: name = "x", {{.*}} format = !seedot.q<16, 15>{{.*}}name = "w", {{.*}} format = !seedot.q<16, 14>{{.*}}name = "b", {{.*}} format = !seedot.q<16, 16>{{.*}}name = "y", {{.*}} format = !seedot.q<16, 11>{{.*}}name = "n", {{.*}} format = !seedot.q<16, 11>{{.*}}name = "e", {{.*}} format = !seedot.q<16, 9>{{.*}}name = "m", {{.*}} format = !seedot.q<16, 11>{{.*}}name = "a", {{.*}} format = !seedot.q<16, 9>{{.*}}name = "s", {{.*}} format = !seedot.q<16, 9>{{.*}} why = "maxscale 9"
// RULES: name = "x", {{.*}} format = !seedot.q<32, 31>{{.*}}name = "w", {{.*}} format = !seedot.q<32, 30>{{.*}}name = "b", {{.*}} format = !seedot.q<32, 32>{{.*}}name = "y", {{.*}} format = !seedot.q<32, 27>{{.*}}name = "n", {{.*}} format = !seedot.q<32, 27>{{.*}}name = "e", {{.*}} format = !seedot.q<32, 25>{{.*}}name = "m", {{.*}} format = !seedot.q<32, 27>{{.*}}name = "a", {{.*}} format = !seedot.q<32, 24>{{.*}}name = "s", {{.*}} format = !seedot.q<32, 24>{{.*}} why = "maxscale 24"
