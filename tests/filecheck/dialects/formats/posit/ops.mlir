// The types of posits read what they print, alone and inside other types, and meet those of fixed point without a cast.

// RUN: %roundtrip
// RUN: %generic

func.func @types(%a: !posit.p<8, 0>, %b: !posit.p<2, 3>, %c: !posit.p<32, 2>, %d: !posit.p<8, 2, -15, 0, -3>, %e: !posit.p<16, 1, -28, 1>, %t: tensor<2x3x!posit.p<8, 0, -6, 7>>, %m: memref<4x!posit.p<12, 1>, #scratch.flash>) -> f32 {
  %r = "test.op"() : () -> f32
  func.return %r : f32
}
// CHECK-LABEL: func.func @types(%{{.*}}: !posit.p<8, 0>, %{{.*}}: !posit.p<2, 3>, %{{.*}}: !posit.p<32, 2>, %{{.*}}: !posit.p<8, 2, -15, 0, -3>, %{{.*}}: !posit.p<16, 1, -28, 1>, %{{.*}}: tensor<2x3x!posit.p<8, 0, -6, 7>>, %{{.*}}: memref<4x!posit.p<12, 1>, #scratch.flash>) -> f32
// GENERIC: function_type = (!posit.p<8, 0>, !posit.p<2, 3>, !posit.p<32, 2>, !posit.p<8, 2, -15, 0, -3>, !posit.p<16, 1, -28, 1>, tensor<2x3x!posit.p<8, 0, -6, 7>>, memref<4x!posit.p<12, 1>, #scratch.flash>) -> f32

func.func @mixed(%x: tensor<4x1x!fixed.q<16, 12>>) -> tensor<2x1x!fixed.q<16, 11>> {
  %W = tdsl.const dense<[[64, -64, 32, 1], [0, 127, -127, 3]]> : tensor<2x4xi8> -> tensor<2x4x!posit.p<8, 0, -6, 7>>
  %y = tdsl.matmul %W, %x {acc = !fixed.acc<32, 18>} : tensor<2x4x!posit.p<8, 0, -6, 7>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 11>>
  func.return %y : tensor<2x1x!fixed.q<16, 11>>
}
// CHECK: tdsl.matmul {{.*}} : tensor<2x4x!posit.p<8, 0, -6, 7>>, tensor<4x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 11>>

// Constants that are taken apart for a quire.
func.func @unpacked(%w: memref<4x!posit.unpacked<8, 2, -27, 4>, #scratch.flash>) {
  func.return
}
// CHECK-LABEL: func.func @unpacked(%{{.*}}: memref<4x!posit.unpacked<8, 2, -27, 4>, #scratch.flash>) {
// GENERIC: function_type = (memref<4x!posit.unpacked<8, 2, -27, 4>, #scratch.flash>) -> ()
