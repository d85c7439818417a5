// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/classes.npz},synthesise-format{data=%S/../Inputs/classes.npz bits=3}" | filecheck %s --check-prefix=OWN
// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/classes.npz},synthesise-format{data=%S/../Inputs/classes.npz bits=3 shared=true}" | filecheck %s --check-prefix=SHARED
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},synthesise-format{data=%S/../Inputs/classes.npz shared=true}" | filecheck %s --check-prefix=NONE

// Each constant has the list with which the program loses least, or both have one list, each with a power of two.
// OWN: tdsl.numbers = !codebook.c<3, 7, [-171, -115, -59, -22, 0, 44, 111, 212]>
// OWN: tdsl.numbers = !codebook.c<3, 6, [-57, -29, -17, -5, 0, 16, 51, 197]>
// SHARED: tdsl.numbers = !codebook.c<3, 7, [-171, -105, -53, -23, 0, 30, 85, 204]>
// SHARED: tdsl.numbers = !codebook.c<3, 6, [-171, -105, -53, -23, 0, 30, 85, 204]>

// A program without large constants gets none.
// NONE-NOT: tdsl.numbers
// NONE: func.return

func.func @two(%X: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %W1 = tdsl.const dense<[[1.02, -1.28], [0.21, -0.28], [-0.23, -0.11], [-1.01, -0.12], [-0.43, 1.66], [0.11, -0.18], [-0.14, -0.33], [-0.53, -0.2], [0.24, -0.12], [0.48, -0.1], [0.01, 0.77], [0.27, -0.25], [-0.09, 0.27], [0.97, -0.13], [-0.12, 0.5], [-0.44, -0.15], [0.44, 0.29], [0.05, 0.34], [-1.41, 0.51], [-0.48, -0.83], [0.14, 0.35], [-0.22, -0.54], [0.01, -0.03], [0.7, 0.37], [0.1, 0.56], [-0.1, -0.46], [0.29, 0.29], [-0.11, -0.39], [0.11, -1.25], [0.35, 0.25], [-0.82, 0.03], [-0.48, 0.38]]> : tensor<32x2xf32> -> tensor<32x2xf32>
  %W2 = tdsl.const dense<[[-1.52, 0.45, 1.43, -0.28, -0.52, 0.25, 0.22, -0.21, -0.32, 0.54, -0., 0.11, -0.08, 0.06, 0.04, 3.01, -0.22, 0.35, -0.68, 0.14, 0.32, 0.2, -0.13, 0.35, 0.32, 0.09, -0.49, 0.17, 0.14, -0.87, -0.45, -0.11], [-0.05, 3.64, -0.21, 0.32, 0.84, 0.48, 0.21, -0.16, -0.23, 1.03, -0.49, -0.51, 0.06, 0.11, -0.53, 0.3, -0.05, -0.28, -0.07, -0.43, -0.35, -0.83, -0.38, -0.91, 0.1, 0.64, -0.05, 0.17, -0.01, 0.05, 0.07, 0.55]]> : tensor<2x32xf32> -> tensor<2x32xf32>
  %t1 = tdsl.matmul %W1, %X : tensor<32x2xf32>, tensor<2x1xf32> -> tensor<32x1xf32>
  %t2 = tdsl.relu %t1 : tensor<32x1xf32> -> tensor<32x1xf32>
  %t3 = tdsl.matmul %W2, %t2 : tensor<2x32xf32>, tensor<32x1xf32> -> tensor<2x1xf32>
  func.return %t3 : tensor<2x1xf32>
}
