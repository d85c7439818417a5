// RUN: tinyml-opt %s | filecheck %s --check-prefix=TYPES
// RUN: tinyml-opt %s -p choose-accumulators | filecheck %s --check-prefix=SUMS
// RUN: tinyml-opt %s -p 'choose-accumulators,formats-to-buffers,buffers-to-loops{target=uno},loops-to-bits,bits-to-c' -t c | filecheck %s --check-prefix=AVR
// RUN: tinyml-opt %s -p 'choose-accumulators,formats-to-buffers,buffers-to-loops{target=cortex-m4},loops-to-bits,bits-to-c' -t c | filecheck %s --check-prefix=ARM

// The takums 1, -1, 9/8 and 0 of 8 bits as weights: the text of the types, the accumulator that is proven wide enough,
// and the C for two chips, in which the weights are bit patterns.
func.func @product(%x: tensor<4x1x!takum.t<8, -14, 1>>) -> tensor<1x1x!takum.t<6, -10, 8>> {
  %w = tdsl.const dense<[[64, -64, 65, 0]]> : tensor<1x4xi8> -> tensor<1x4x!takum.t<8, -6, 8>>
  %y = tdsl.matmul %w, %x : tensor<1x4x!takum.t<8, -6, 8>>, tensor<4x1x!takum.t<8, -14, 1>> -> tensor<1x1x!takum.t<6, -10, 8>>
  func.return %y : tensor<1x1x!takum.t<6, -10, 8>>
}
// TYPES: func.func @product(%x: tensor<4x1x!takum.t<8, -14, 1>>) -> tensor<1x1x!takum.t<6, -10, 8>>
// SUMS: tdsl.matmul %w, %x {acc = !fixed.acc<
// AVR: int8_t product_w[4]{{.*}} = {
// AVR-NEXT: 64, -64, 65, 0
// ARM: int8_t product_w[4]{{.*}} = {
// ARM-NEXT: 64, -64, 65, 0
