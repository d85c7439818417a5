// Types with groups read what they print. Sums of groups are shifted before they join, and the whole is rounded once.

// RUN: %roundtrip
// RUN: %generic
// RUN: tinyml-opt %s -p 'formats-to-buffers,lower-tdsl-to-loops' | filecheck %s --check-prefix=LOOPS

func.func @blocks(%x: tensor<6x1x!fixed.q<8, 7>>) -> tensor<2x1x!fixed.q<8, 5>> {
  %w = tdsl.const dense<[[1, -2, 3, 7, 0, 5], [7, 6, -5, 1, 1, -7]]> : tensor<2x6xi8> -> tensor<2x6x!mxint.b<4, 3, 4 of 6, [0, 2, 1, 0]>>
  %y = tdsl.matmul %w, %x : tensor<2x6x!mxint.b<4, 3, 4 of 6, [0, 2, 1, 0]>>, tensor<6x1x!fixed.q<8, 7>> -> tensor<2x1x!fixed.q<8, 5>>
  func.return %y : tensor<2x1x!fixed.q<8, 5>>
}
// CHECK: tensor<2x6x!mxint.b<4, 3, 4 of 6, [0, 2, 1, 0]>>
// GENERIC: tensor<2x6x!mxint.b<4, 3, 4 of 6, [0, 2, 1, 0]>>

// A group of 4 in each row, then the rest of it.
// LOOPS-LABEL: func.func @blocks(
// LOOPS: %w = scratch.constant {{.*}} -> memref<2x6x!fixed.q<4, 3>, #scratch.flash>
// LOOPS: %w_shifts = scratch.constant dense<[0, 2, 1, 0]> : tensor<4xi8> -> memref<4xi8, #scratch.flash>
// LOOPS: %part = num.zero : [[acc:!fixed.acc<16, 10>]]
// LOOPS: num.call #num.dot(%part, {{.*}}memref<4x!fixed.q<4, 3>, #scratch.flash>
// LOOPS: num.add_shifted %{{.*}}, %{{.*}}, %{{.*}} : [[acc]], [[acc]] -> [[acc]]
// LOOPS: num.call #num.dot({{.*}}memref<2x!fixed.q<4, 3>, #scratch.flash>
// LOOPS: num.add_shifted
// LOOPS: num.finish

// Reshaping keeps the order of elements, and the groups.
func.func @reshaped(%x: tensor<6x1x!fixed.q<8, 7>>) -> tensor<2x1x!fixed.q<8, 5>> {
  %w = tdsl.const dense<1> : tensor<2x2x3xi8> -> tensor<2x2x3x!mxint.b<8, 3, 6 of 6, [0, 4]>>
  %m = tdsl.reshape %w : tensor<2x2x3x!mxint.b<8, 3, 6 of 6, [0, 4]>> -> tensor<2x6x!mxint.b<8, 3, 6 of 6, [0, 4]>>
  %y = tdsl.matmul %m, %x : tensor<2x6x!mxint.b<8, 3, 6 of 6, [0, 4]>>, tensor<6x1x!fixed.q<8, 7>> -> tensor<2x1x!fixed.q<8, 5>>
  func.return %y : tensor<2x1x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @reshaped
