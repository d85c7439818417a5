// RUN: tinyml-opt %s | filecheck %s --check-prefix=TYPES
// RUN: tinyml-opt %s -p choose-accumulators | filecheck %s --check-prefix=SUMS
// RUN: tinyml-opt %s -p 'choose-accumulators,formats-to-buffers,buffers-to-loops{target=uno},loops-to-bits,bits-to-c' -t c | filecheck %s --check-prefix=AVR
// RUN: tinyml-opt %s -p 'choose-accumulators,formats-to-buffers,buffers-to-loops{target=cortex-m4},loops-to-bits,bits-to-c' -t c | filecheck %s --check-prefix=ARM

// The greatest and the least number of 8 bits with both signs and zero as weights: the text of the types, the accumulator
// that is proven wide enough, and the C for two chips.
func.func @product(%x: tensor<5x1x!lns.l<8, 0>>) -> tensor<1x1x!lns.l<6, 2>> {
  %w = tdsl.const dense<[[127, -127, 1, -1, 0]]> : tensor<1x5xi8> -> tensor<1x5x!lns.l<8, 1>>
  %y = tdsl.matmul %w, %x : tensor<1x5x!lns.l<8, 1>>, tensor<5x1x!lns.l<8, 0>> -> tensor<1x1x!lns.l<6, 2>>
  func.return %y : tensor<1x1x!lns.l<6, 2>>
}
// TYPES: func.func @product(%x: tensor<5x1x!lns.l<8, 0>>) -> tensor<1x1x!lns.l<6, 2>>
// SUMS: tdsl.matmul %w, %x {acc = !fixed.acc<
// AVR: int8_t product_w[5]{{.*}} = {
// AVR-NEXT: 127, -127, 1, -1, 0
// ARM: int8_t product_w[5]{{.*}} = {
// ARM-NEXT: 127, -127, 1, -1, 0
