// RUN: tinyml-opt %s -p 'select-kernels{target=avr}' | filecheck %s
// RUN: tinyml-opt %s -p select-kernels | filecheck %s --check-prefix=HOST

// Weights in flash, a vector in working memory, 16 bits each, a sum of 32: the chip has a kernel for it.
func.func @kernel(%w: memref<8x!fixed.q<16, 12>, #scratch.flash>, %x: memref<8x!fixed.q<16, 14>>) -> !fixed.q<16, 10> {
  %zero = num.zero : !fixed.acc<32, 26>
  %sum = num.dot %zero, %w, %x : !fixed.acc<32, 26>, memref<8x!fixed.q<16, 12>, #scratch.flash>, memref<8x!fixed.q<16, 14>> -> !fixed.acc<32, 26>
  %y = num.finish %sum : !fixed.acc<32, 26> -> !fixed.q<16, 10>
  func.return %y : !fixed.q<16, 10>
}
// CHECK: num.dot %zero, %w, %x {kernel = "tm_dot_s16_s16_s32"}
// HOST: scf.for {{.*}} -> (!fixed.acc<32, 26>)
// HOST: num.mac

// Floats round in every step: no integer kernel can stand for them.
func.func @floats(%w: memref<8xf32, #scratch.flash>, %x: memref<8xf32>) -> f32 {
  %zero = num.zero : f32
  %sum = num.dot %zero, %w, %x : f32, memref<8xf32, #scratch.flash>, memref<8xf32> -> f32
  func.return %sum : f32
}
// CHECK: func.func @floats
// CHECK: num.mac {{.*}} : f32, f32, f32 -> f32

// A compressed row without a kernel walks over its entries.
func.func @sparse(%v: memref<5xf32, #scratch.flash>, %gaps: memref<5xi8, #scratch.flash>, %x: memref<8xf32>, %at: index, %n: index) -> f32 {
  %zero = num.zero : f32
  %sum = num.sparse_dot %zero, %v, %gaps, %x from %at count %n : f32, memref<5xf32, #scratch.flash>, memref<5xi8, #scratch.flash>, memref<8xf32> -> f32
  func.return %sum : f32
}
// CHECK: func.func @sparse
// CHECK: scf.for {{.*}} = %{{.*}} to %n {{.*}} -> (f32, index, index)
// CHECK: arith.extui
// CHECK: num.mac
