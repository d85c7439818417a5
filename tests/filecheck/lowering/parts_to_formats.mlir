// The part of a program that is in f32 is rewritten as reals are, before it gets formats: its sum starts from the bias.
// The part with formats is unchanged: its bias is added after the sum is rounded.
// RUN: tinyml-opt %s -p "parts-to-formats{width=8 data=%S/../transforms/Inputs/linear.npz}" | filecheck %s
// Rows get no separate scales: the profile of a program with formats computes each op as it is.
// RUN: tinyml-opt %s -p "parts-to-formats{row-scales=true width=8 data=%S/../transforms/Inputs/linear.npz}" | filecheck %s
// Shiftry's arithmetic is not rewritten.
// RUN: tinyml-opt %s -p "parts-to-formats{format=shiftry width=8 data=%S/../transforms/Inputs/linear.npz}" | filecheck %s --check-prefix=PAPER
func.func @mixed(%X: tensor<2x1x!fixed.q<8, 5>>) -> tensor<3x1xf32> {
  %A = tdsl.const dense<[[64, 0], [0, 32]]> : tensor<2x2xi8> -> tensor<2x2x!fixed.q<8, 6>>
  %a = tdsl.const dense<[[3], [5]]> : tensor<2x1xi8> -> tensor<2x1x!fixed.q<8, 5>>
  %products = tdsl.matmul %A, %X : tensor<2x2x!fixed.q<8, 6>>, tensor<2x1x!fixed.q<8, 5>> -> tensor<2x1x!fixed.q<8, 5>>
  %sums = tdsl.add %products, %a : tensor<2x1x!fixed.q<8, 5>>, tensor<2x1x!fixed.q<8, 5>> -> tensor<2x1x!fixed.q<8, 5>>
  %reals = tdsl.cast %sums : tensor<2x1x!fixed.q<8, 5>> -> tensor<2x1xf32>
  %B = tdsl.const dense<[[0.5, -0.25], [0.75, 0.6], [0.1, 0.2]]> : tensor<3x2xf32> -> tensor<3x2xf32>
  %b = tdsl.const dense<[[0.3], [-0.7], [0.1]]> : tensor<3x1xf32> -> tensor<3x1xf32>
  %1 = tdsl.matmul %B, %reals : tensor<3x2xf32>, tensor<2x1xf32> -> tensor<3x1xf32>
  %2 = tdsl.add %1, %b : tensor<3x1xf32>, tensor<3x1xf32> -> tensor<3x1xf32>
  func.return %2 : tensor<3x1xf32>
}
// CHECK: %products = tdsl.matmul %A, %X {{.*}} : tensor<2x2x!fixed.q<8, 6>>, tensor<2x1x!fixed.q<8, 5>> -> tensor<2x1x!fixed.q<8, 5>>
// CHECK-NEXT: %sums = tdsl.add %products, %a
// CHECK: tdsl.matmul_sum %B, %sums from %b : tensor<3x1x!fixed.q<8, 7>>
// CHECK-NEXT: func.return
// PAPER: tdsl.matmul %B, %reals
// PAPER-NEXT: tdsl.add %0, %b
