// RUN: tinyml-opt %s | filecheck %s --check-prefix=TYPES
// RUN: tinyml-opt %s -p choose-accumulators | filecheck %s --check-prefix=SUMS
// RUN: tinyml-opt %s -p 'choose-accumulators,formats-to-buffers,buffers-to-loops{target=uno},loops-to-bits,bits-to-c' -t c | filecheck %s --check-prefix=C
// RUN: tinyml-opt %s -p 'choose-accumulators,formats-to-buffers,buffers-to-loops{target=cortex-m4},loops-to-bits,bits-to-c' -t c | filecheck %s --check-prefix=C

// The patterns 1, -1, infinity and NaN of binary8p4 as weights: sums are floats, and C converts each pattern.
func.func @product(%x: tensor<4x1x!p3109.b<3>>) -> tensor<1x1x!p3109.b<5>> {
  %w = tdsl.const dense<[[64, -64, 127, -128]]> : tensor<1x4xi8> -> tensor<1x4x!p3109.b<4>>
  %y = tdsl.matmul %w, %x : tensor<1x4x!p3109.b<4>>, tensor<4x1x!p3109.b<3>> -> tensor<1x1x!p3109.b<5>>
  func.return %y : tensor<1x1x!p3109.b<5>>
}
// TYPES: func.func @product(%x: tensor<4x1x!p3109.b<3>>) -> tensor<1x1x!p3109.b<5>>
// SUMS: tdsl.matmul %w, %x {acc = f32}
// C: int8_t product_w[4]{{.*}} = {
// C-NEXT: 64, -64, 127, -128
