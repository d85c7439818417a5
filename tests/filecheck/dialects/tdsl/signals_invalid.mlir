// What the verifiers of ops of signals say.

// RUN: %invalid

%x = "test.op"() : () -> (tensor<1x12xf32>)
%r = tdsl.reverse_bits %x : tensor<1x12xf32> -> tensor<1x12xf32>
// CHECK: transforms a power of two of complex numbers, at least 2, got shape 1x12

// -----

%x = "test.op"() : () -> (tensor<1x16xf32>)
%r = tdsl.butterflies %x {radix = 3 : i64, span = 1 : i64} : tensor<1x16xf32> -> tensor<1x16xf32>
// CHECK: has radix 2 or 4 and a span that is a power of two, together at most 8 numbers, got radix 3 and span 1

// -----

%x = "test.op"() : () -> (tensor<1x16xf32>)
%r = tdsl.butterflies %x {radix = 4 : i64, span = 4 : i64} : tensor<1x16xf32> -> tensor<1x16xf32>
// CHECK: together at most 8 numbers, got radix 4 and span 4

// -----

%x = "test.op"() : () -> (tensor<1x16x!fixed.q<16, 15>>)
%r = tdsl.real_spectrum %x : tensor<1x16x!fixed.q<16, 15>> -> tensor<1x16x!fixed.q<8, 4>>
// CHECK: works in place, on elements of 2 bytes, which give none of 1

// -----

%x = "test.op"() : () -> (tensor<1x16x!fixed.q<16, 15>>)
%r = tdsl.reverse_bits %x : tensor<1x16x!fixed.q<16, 15>> -> tensor<1x16x!fixed.q<16, 14>>
// CHECK: moves bits unchanged, so formats must be equal

// -----

%x, %n = "test.op"() : () -> (tensor<1x16xf32>, index)
%r = tdsl.square_waves %x from %n {steps = array<i64: 8193>} : tensor<1x16xf32> -> tensor<2x1xf32>
// CHECK: phases advance by 1 to 8192 with a sample, got [8193]

// -----

%x, %n = "test.op"() : () -> (tensor<16xf32>, index)
%r = tdsl.square_waves %x from %n {steps = array<i64: 5>} : tensor<16xf32> -> tensor<2x1xf32>
// CHECK: takes a chunk of 1 x D samples, got shape 16

// -----

%x = "test.op"() : () -> (tensor<1x16xf32>)
%r = tdsl.biquad %x {coefficients = [0.25 : f64, 0.5 : f64]} : tensor<1x16xf32> -> tensor<1x16xf32>
// CHECK: has five finite coefficients, got [0.25, 0.5]

// -----

%x = "test.op"() : () -> (tensor<1x16xf32>)
%r = tdsl.block_factor %x {limit = 3.0 : f64, most = 6 : i64} : tensor<1x16xf32> -> tensor<1x1xf32>
// CHECK: the limit is a power of two, got 3.0

// -----

%x = "test.op"() : () -> (tensor<1x16xf32>)
%r = tdsl.block_factor %x {limit = 1.0 : f64, most = 15 : i64} : tensor<1x16xf32> -> tensor<1x1xf32>
// CHECK: there are from 1 to 14 doublings, got 15

// -----

%x = "test.op"() : () -> (tensor<f32>)
%r = tdsl.block_factor %x {limit = 1.0 : f64, most = 4 : i64} : tensor<f32> -> tensor<1xf32>
// CHECK: scales the last axis, got a scalar

// -----

%x = "test.op"() : () -> (tensor<4x2xf32>)
%r = tdsl.histogram %x {edges = dense<[[0.5]]> : tensor<1x1xf64>} : tensor<4x2xf32> -> tensor<1x2xf32>
// CHECK: takes n x A elements and edges A x (B - 1), got 4x2 and 1x1

// -----

%x = "test.op"() : () -> (tensor<4x1xf32>)
%r = tdsl.histogram %x {edges = dense<[[0.5, 0.25]]> : tensor<1x2xf64>} : tensor<4x1xf32> -> tensor<1x3xf32>
// CHECK: edges are finite and ascend

// -----

%x = "test.op"() : () -> (tensor<40000x1xf32>)
%r = tdsl.histogram %x {edges = dense<[[0.5]]> : tensor<1x1xf64>} : tensor<40000x1xf32> -> tensor<1x2xf32>
// CHECK: counts at most 32767 elements, got 40000

// -----

%x = "test.op"() : () -> (tensor<4xf32>)
%r = tdsl.longest_run %x {threshold = 0x7FF0000000000000 : f64, least = 1 : i64} : tensor<4xf32> -> tensor<1x2xf32>
// CHECK: the threshold is finite

// -----

%x = "test.op"() : () -> (tensor<4xf32>)
%r = tdsl.longest_run %x {threshold = 0.5 : f64, least = 5 : i64} : tensor<4xf32> -> tensor<1x2xf32>
// CHECK: runs of at least 5 of 4 elements

// -----

%x = "test.op"() : () -> (tensor<4x0xf32>)
%r = tdsl.longest_run %x {threshold = 0.5 : f64, least = 1 : i64} : tensor<4x0xf32> -> tensor<1x2xf32>
// CHECK: needs at least one element

// -----

%x = "test.op"() : () -> (tensor<4x3xf32>)
%r = tdsl.move_up %x {axis = 1 : i64, count = 3 : i64} : tensor<4x3xf32> -> tensor<4x3xf32>
// CHECK: elements of 4x3 do not move up by 3 along axis 1

// -----

%x = "test.op"() : () -> (tensor<2x480x!fixed.q<16, 15>>)
%y = tdsl.taper %x : tensor<2x480x!fixed.q<16, 15>> -> tensor<1x512x!fixed.q<16, 15>>
// CHECK: takes one row 1 x N, got shape 2x480

// -----

%x = "test.op"() : () -> (tensor<1x480x!fixed.q<16, 15>>)
%y = tdsl.taper %x : tensor<1x480x!fixed.q<16, 15>> -> tensor<1x480x!fixed.q<16, 15>>
// CHECK: result has shape 1x480, expected 1x512 from the operands

// -----

%x = "test.op"() : () -> (tensor<1x512x!fixed.q<16, 14>>)
%y = tdsl.taper %x : tensor<1x512x!fixed.q<16, 14>> -> tensor<1x512x!fixed.q<16, 15>>
// CHECK: computes on integers of 16 bits in units of 3.0517578125e-05, got !fixed.q<16, 14>

// -----

%x = "test.op"() : () -> (tensor<1x512xf32>)
%y = tdsl.taper %x : tensor<1x512xf32> -> tensor<1x512x!fixed.q<16, 15>>
// CHECK: computes on integers of 16 bits in units of 3.0517578125e-05, got f32

// -----

// 64 complex numbers are a power of four, 128 are none.
%x = "test.op"() : () -> (tensor<1x256x!fixed.q<16, 15>>)
%y = tdsl.scaled_spectrum %x : tensor<1x256x!fixed.q<16, 15>> -> tensor<1x256x!fixed.q<16, 15>>
// CHECK: transforms a power of four of complex numbers, got 128

// -----

%x = "test.op"() : () -> (tensor<1x512x!fixed.q<16, 15>>)
%y = tdsl.channels %x {count = 40 : i64, rate = 16000.0 : f64, low = 125.0 : f64, high = 8000.0 : f64} : tensor<1x512x!fixed.q<16, 15>> -> tensor<1x40x!fixed.q<32, 0>>
// CHECK: has channels between 0 Hz and half the sampling rate, got 40 from 125.0 to 8000.0 Hz at 16000.0 Hz

// -----

%x = "test.op"() : () -> (tensor<1x40x!fixed.q<32, 0>>)
%n = "test.op"() : () -> (tensor<1x39x!fixed.q<32, 0>>)
%y = tdsl.noise %x, %n {even = 0.025 : f64, odd = 0.06 : f64} : tensor<1x40x!fixed.q<32, 0>>, tensor<1x39x!fixed.q<32, 0>> -> tensor<1x40x!fixed.q<32, 0>>
// CHECK: takes two rows of equal length, got 1x39

// -----

%x = "test.op"() : () -> (tensor<1x40x!fixed.q<32, 0>>)
%n = "test.op"() : () -> (tensor<1x40x!fixed.q<32, 0>>)
%y = tdsl.noise %x, %n {even = 0.025 : f64, odd = 1.0 : f64} : tensor<1x40x!fixed.q<32, 0>>, tensor<1x40x!fixed.q<32, 0>> -> tensor<1x40x!fixed.q<32, 0>>
// CHECK: moves by a share between 0 and 1, got 1.0

// -----

%x = "test.op"() : () -> (tensor<1x40x!fixed.q<32, 0>>)
%n = "test.op"() : () -> (tensor<1x40x!fixed.q<32, 0>>)
%y = tdsl.channel_features %x, %n {least = 1.0 : f64, strength = 0.95 : f64, offset = 80.0 : f64, unit = 0.0390625 : f64, bits = 3 : i64} : tensor<1x40x!fixed.q<32, 0>>, tensor<1x40x!fixed.q<32, 0>> -> tensor<1x40x!zeroskew.q<16, 0.0390625, 0>>
// CHECK: has a least share in [0, 1), a strength in (0, 1] and an offset above 0, got 1.0, 0.95, 80.0

// -----

%x = "test.op"() : () -> (tensor<1x40x!fixed.q<32, 0>>)
%n = "test.op"() : () -> (tensor<1x40x!fixed.q<32, 0>>)
%y = tdsl.channel_features %x, %n {least = 0.05 : f64, strength = 0.95 : f64, offset = 80.0 : f64, unit = 0.0390625 : f64, bits = 9 : i64} : tensor<1x40x!fixed.q<32, 0>>, tensor<1x40x!fixed.q<32, 0>> -> tensor<1x40x!zeroskew.q<16, 0.0390625, 0>>
// CHECK: has from 0 to 8 bits, got 9

// -----

%x = "test.op"() : () -> (tensor<1x40x!fixed.q<32, 0>>)
%n = "test.op"() : () -> (tensor<1x40x!fixed.q<32, 0>>)
%y = tdsl.channel_features %x, %n {least = 0.05 : f64, strength = 0.95 : f64, offset = 80.0 : f64, unit = 0.0390625 : f64, bits = 3 : i64} : tensor<1x40x!fixed.q<32, 0>>, tensor<1x40x!fixed.q<32, 0>> -> tensor<1x40x!zeroskew.q<16, 0.0390626, 0>>
// CHECK: computes on integers of 16 bits in units of 0.0390625, got !zeroskew.q<16, 0.0390626, 0>

// -----

// Features are rounded to a coarser unit.
%x = "test.op"() : () -> (tensor<1x40x!fixed.q<32, 0>>)
%n = "test.op"() : () -> (tensor<1x40x!fixed.q<32, 0>>)
%y = tdsl.channel_features %x, %n {least = 0.05 : f64, strength = 0.95 : f64, offset = 80.0 : f64, unit = 0.0390625 : f64, bits = 3 : i64} : tensor<1x40x!fixed.q<32, 0>>, tensor<1x40x!fixed.q<32, 0>> -> tensor<1x40x!zeroskew.q<8, 0.0390625, -128>>
// CHECK: features in units of 0.0390625 do not become !zeroskew.q<8, 0.0390625, -128>
