// Ops of signals read what they print: on reals, in formats, on buffers.

// RUN: %roundtrip

func.func @signals(%x: tensor<1x16xf32>, %q: tensor<2x16x!fixed.q<16, 15>>, %n: index) {
  %r = tdsl.reverse_bits %x : tensor<1x16xf32> -> tensor<1x16xf32>
// CHECK: %r = tdsl.reverse_bits %x : tensor<1x16xf32> -> tensor<1x16xf32>
  %b = tdsl.butterflies %q {radix = 4 : i64, span = 2 : i64} : tensor<2x16x!fixed.q<16, 15>> -> tensor<2x16x!fixed.q<16, 13>>
// CHECK-NEXT: %b = tdsl.butterflies %q {radix = 4 : i64, span = 2 : i64} : tensor<2x16x!fixed.q<16, 15>> -> tensor<2x16x!fixed.q<16, 13>>
  %s = tdsl.real_spectrum %b : tensor<2x16x!fixed.q<16, 13>> -> tensor<2x16x!fixed.q<16, 13>>
// CHECK-NEXT: %s = tdsl.real_spectrum %b : tensor<2x16x!fixed.q<16, 13>> -> tensor<2x16x!fixed.q<16, 13>>
  %p = tdsl.power %s : tensor<2x16x!fixed.q<16, 13>> -> tensor<2x8x!fixed.q<32, 26>>
// CHECK-NEXT: %p = tdsl.power %s : tensor<2x16x!fixed.q<16, 13>> -> tensor<2x8x!fixed.q<32, 26>>
  %m = tdsl.magnitude %s : tensor<2x16x!fixed.q<16, 13>> -> tensor<2x8x!fixed.q<16, 12>>
// CHECK-NEXT: %m = tdsl.magnitude %s : tensor<2x16x!fixed.q<16, 13>> -> tensor<2x8x!fixed.q<16, 12>>
  %w = tdsl.square_waves %x from %n {steps = array<i64: 100, 8192>} : tensor<1x16xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %w = tdsl.square_waves %x from %n {steps = array<i64: 100, 8192>} : tensor<1x16xf32> -> tensor<2x2xf32>
  %f = tdsl.biquad %x {coefficients = [0.25 : f64, 0.5 : f64, 0.25 : f64, -0.5 : f64, 0.125 : f64]} : tensor<1x16xf32> -> tensor<1x16xf32>
// CHECK-NEXT: %f = tdsl.biquad %x {coefficients = [2.500000e-01 : f64, 5.000000e-01 : f64, 2.500000e-01 : f64, -5.000000e-01 : f64, 1.250000e-01 : f64]}
  %k = tdsl.block_factor %q {limit = 1.0 : f64, most = 6 : i64} : tensor<2x16x!fixed.q<16, 15>> -> tensor<2x1x!fixed.q<8, 0>>
// CHECK-NEXT: %k = tdsl.block_factor %q {limit = 1.000000e+00 : f64, most = 6 : i64} : tensor<2x16x!fixed.q<16, 15>> -> tensor<2x1x!fixed.q<8, 0>>
  %d = tdsl.scale_block %q, %k : tensor<2x16x!fixed.q<16, 15>>, tensor<2x1x!fixed.q<8, 0>> -> tensor<2x16x!fixed.q<16, 15>>
// CHECK-NEXT: %d = tdsl.scale_block %q, %k : tensor<2x16x!fixed.q<16, 15>>, tensor<2x1x!fixed.q<8, 0>> -> tensor<2x16x!fixed.q<16, 15>>
  %h = tdsl.histogram %q {edges = dense<[[-0.25], [0.5], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0]]> : tensor<16x1xf64>} : tensor<2x16x!fixed.q<16, 15>> -> tensor<16x2x!fixed.q<8, 4>>
// CHECK-NEXT: %h = tdsl.histogram %q {edges = dense<{{.*}}> : tensor<16x1xf64>} : tensor<2x16x!fixed.q<16, 15>> -> tensor<16x2x!fixed.q<8, 4>>
  %l = tdsl.longest_run %q {threshold = 5.000000e-01 : f64, least = 4 : i64, below} : tensor<2x16x!fixed.q<16, 15>> -> tensor<1x2xf32>
// CHECK-NEXT: %l = tdsl.longest_run %q {threshold = 5.000000e-01 : f64, least = 4 : i64, below} : tensor<2x16x!fixed.q<16, 15>> -> tensor<1x2xf32>
  func.return
}

func.func @channels(%x: tensor<1x480x!zeroskew.q<16, 3.0517578e-05, 0>>, %n: tensor<1x40x!fixed.q<32, 0>>) {
  %t = tdsl.taper %x : tensor<1x480x!zeroskew.q<16, 3.0517578e-05, 0>> -> tensor<1x512x!fixed.q<16, 15>>
// CHECK: %t = tdsl.taper %x : tensor<1x480x!zeroskew.q<16, 3.0517578e-05, 0>> -> tensor<1x512x!fixed.q<16, 15>>
  %s = tdsl.scaled_spectrum %t : tensor<1x512x!fixed.q<16, 15>> -> tensor<1x512x!fixed.q<16, 15>>
// CHECK-NEXT: %s = tdsl.scaled_spectrum %t : tensor<1x512x!fixed.q<16, 15>> -> tensor<1x512x!fixed.q<16, 15>>
  %c = tdsl.channels %s {count = 40 : i64, rate = 1.600000e+04 : f64, low = 1.250000e+02 : f64, high = 7.500000e+03 : f64} : tensor<1x512x!fixed.q<16, 15>> -> tensor<1x40x!fixed.q<32, 0>>
// CHECK-NEXT: %c = tdsl.channels %s {count = 40 : i64, rate = 1.600000e+04 : f64, low = 1.250000e+02 : f64, high = 7.500000e+03 : f64} : tensor<1x512x!fixed.q<16, 15>> -> tensor<1x40x!fixed.q<32, 0>>
  %m = tdsl.noise %c, %n {even = 2.500000e-02 : f64, odd = 6.000000e-02 : f64} : tensor<1x40x!fixed.q<32, 0>>, tensor<1x40x!fixed.q<32, 0>> -> tensor<1x40x!fixed.q<32, 0>>
// CHECK-NEXT: %m = tdsl.noise %c, %n {even = 2.500000e-02 : f64, odd = 6.000000e-02 : f64} : tensor<1x40x!fixed.q<32, 0>>, tensor<1x40x!fixed.q<32, 0>> -> tensor<1x40x!fixed.q<32, 0>>
  %f = tdsl.channel_features %c, %m {least = 5.000000e-02 : f64, strength = 9.500000e-01 : f64, offset = 8.000000e+01 : f64, unit = 3.906250e-02 : f64, bits = 3 : i64} : tensor<1x40x!fixed.q<32, 0>>, tensor<1x40x!fixed.q<32, 0>> -> tensor<1x40x!zeroskew.q<8, 0.101960786, -128>>
// CHECK-NEXT: %f = tdsl.channel_features %c, %m {{{.*}}unit = 3.906250e-02 : f64{{.*}}} : tensor<1x40x!fixed.q<32, 0>>, tensor<1x40x!fixed.q<32, 0>> -> tensor<1x40x!zeroskew.q<8, 0.101960786, -128>>
  func.return
}

func.func @buffers(%x: memref<1x16x!fixed.q<16, 15>>, %y: memref<1x16x!fixed.q<16, 14>>) {
  tdsl.butterflies %x {radix = 2 : i64, span = 1 : i64} : memref<1x16x!fixed.q<16, 15>> into %y : memref<1x16x!fixed.q<16, 14>>
// CHECK: tdsl.butterflies %x {radix = 2 : i64, span = 1 : i64} : memref<1x16x!fixed.q<16, 15>> into %y : memref<1x16x!fixed.q<16, 14>>
  func.return
}
