// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},synthesise-format{data=%S/../Inputs/linear.npz bits=3}" > %t.mlir
// RUN: filecheck %s --check-prefix=LISTS < %t.mlir
// RUN: tinyml-opt %t.mlir -p assign-format | filecheck %s --check-prefix=FORMATS
// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},synthesise-format{data=%S/../Inputs/linear.npz bits=3 integer_bits=4 shared=true}" | filecheck %s --check-prefix=NARROW
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},synthesise-format{data=%S/../Inputs/linear.npz bits=3 integer_bits=2}" 2>&1 | filecheck %s --check-prefix=FEW
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},synthesise-format{data=%S/../Inputs/linear.npz bits=9}" 2>&1 | filecheck %s --check-prefix=WIDE
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},synthesise-format{data=%S/../Inputs/linear.npz format=f32}" 2>&1 | filecheck %s --check-prefix=FAMILY
// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},synthesise-format{data=%S/../Inputs/linear.npz bits=3 integer_bits=3}" | filecheck %s --check-prefix=LEAST
// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},synthesise-format{data=%S/../Inputs/linear.npz bits=3 integer_bits=16}" | filecheck %s --check-prefix=MOST
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},synthesise-format{data=%S/../Inputs/linear.npz bits=3 integer_bits=17}" 2>&1 | filecheck %s --check-prefix=MANY
// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/halves.npz},synthesise-format{data=%S/../Inputs/halves.npz bits=3}" | filecheck %s --check-prefix=HALVES

// The constant of 64 elements gets a list of eight numbers, the one of 32 none.
// LISTS: tdsl.const {{.*}} tdsl.numbers = !codebook.c<3, 8, [-207, -116, -78, -33, 0, 49, 106, 188]>
// LISTS-NOT: tdsl.numbers

// `assign-format` needs no data to give the list, which has done its work then.
// FORMATS-NOT: tdsl.numbers
// FORMATS: -> tensor<32x2x!codebook.c<3, {{[0-9]+}}, [{{[-0-9, ]+}}]>>
// FORMATS: -> tensor<1x32x!fixed.q<15, {{[0-9]+}}>>

// With four bits no integer is beyond 7, and the list is the one of all powers with which the program loses least.
// NARROW: tdsl.numbers = !codebook.c<3, 3, [-7, -4, -2, -1, 0, 2, 5, 7]>

// Integers have at least as many bits as the list, and at most 16.
// LEAST: tdsl.numbers = !codebook.c<3, 2, [-3, -2, -1, 0, 1, 2, 3]>
// MOST: tdsl.numbers = !codebook.c<3, 15, [-28967, -16444, -10505, -4703, 0, 5522, 17065, 27830]>
// MANY: integers of a list of 3 bits have from 3 to 16, got 17
// FEW: integers of a list of 3 bits have from 3 to 16, got 2
// WIDE: codebooks have from 2 to 8 bits, got 9
// FAMILY: no format with a list of numbers has products with f32

// 32 samples are halves of 16, each of which judges lists whose programs are refined on the other.
// HALVES: tdsl.numbers = !codebook.c<3, 8, [-207, -118, -74, -31, 0, 48, 115, 196]>

func.func @wide(%X: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %W1 = tdsl.const dense<[[0.02, 0.23], [-0.23, 0.18], [0.46, 0.21], [0.78, -0.44], [0.03, -0.35], [-0.39, -0.09], [0.11, 0.21], [0.25, 1.12], [0.43, -0.8], [0.1, -0.31], [-0.26, 0.65], [-0.11, -0.98], [0.16, -0.15], [-0.59, -0.46], [-0.31, -0.01], [-0.21, 0.04], [0.92, -0.4], [-0.4, -0.12], [0.55, -0.35], [0.72, -0.65], [-0.52, -0.03], [-0.43, -0.31], [0.23, 0.36], [0.06, -0.14], [0.67, 0.2], [-0.12, 0.61], [-0.45, 0.08], [0.33, -0.01], [-0.29, 0.18], [-0.27, -0.3], [-0.51, 0.65], [-0.27, 0.58]]> : tensor<32x2xf32> -> tensor<32x2xf32>
  %W2 = tdsl.const dense<[[0.19, -0.13, 0.33, 0.14, 0.07, -0.69, 0.04, 0.45, 0.24, 0.5, 0.75, 0.21, 0.99, -0.76, -0.12, -1.26, 0.41, 0.05, 0.84, -0.18, -1.01, 0.64, -0.67, -0.63, -0.09, 0.31, -0.25, 0.09, -0.94, 0.87, -0.03, 0.06]]> : tensor<1x32xf32> -> tensor<1x32xf32>
  %t1 = tdsl.matmul %W1, %X : tensor<32x2xf32>, tensor<2x1xf32> -> tensor<32x1xf32>
  %t2 = tdsl.relu %t1 : tensor<32x1xf32> -> tensor<32x1xf32>
  %t3 = tdsl.matmul %W2, %t2 : tensor<1x32xf32>, tensor<32x1xf32> -> tensor<1x1xf32>
  func.return %t3 : tensor<1x1xf32>
}
