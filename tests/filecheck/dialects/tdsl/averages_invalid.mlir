// What the verifiers of averages, softmax and activations say.

// RUN: %invalid

%x = "test.op"() : () -> (tensor<2x3xf32>)
%r = tdsl.mean %x {axes = array<i64: 1, 0>} : tensor<2x3xf32> -> tensor<1x1xf32>
// CHECK: axes {{\[}}1, 0] are not some of the 2 axes of 2x3, in order

// -----

%x = "test.op"() : () -> (tensor<f32>)
%r = tdsl.softmax %x : tensor<f32> -> tensor<f32>
// CHECK: normalises the last axis, got a scalar

// -----

%x = "test.op"() : () -> (tensor<2xf32>)
%r = tdsl.normalise %x {least = 0.0 : f64} : tensor<2xf32> -> tensor<2xf32>
// CHECK: the least length must be positive and finite, got 0.0

// -----

%x = "test.op"() : () -> (tensor<3xf32>)
%r = tdsl.clip %x {low = 1.0 : f64, high = -1.0 : f64} : tensor<3xf32> -> tensor<3xf32>
// CHECK: clips to finite limits in order, got {{\[}}1.0, -1.0]

// -----

%x = "test.op"() : () -> (tensor<3xf32>)
%r = tdsl.leaky_relu %x {slope = 0x7FF0000000000000 : f64} : tensor<3xf32> -> tensor<3xf32>
// CHECK: the slope must be finite, got inf

// -----

%total = "test.op"() : () -> (i16)
%r = num.average %total {count = 9 : i64, of = !zeroskew.q<8, 0.5, 3>} : i16 -> !zeroskew.q<8, 0.5, 3>
// CHECK: i16 is not a total of 9 numbers of !zeroskew.q<8, 0.5, 3>

// -----

%total = "test.op"() : () -> (i32)
%r = num.mean %total {count = 9 : i64, of = !zeroskew.q<8, 0.5, 3>} : i32 -> f32
// CHECK: averages_invalid.mlir:42:1: mixes the families float, zeroskew; convert first

// -----

%a = "test.op"() : () -> (!zeroskew.q<8, 0.5, 3>)
%r = num.softmax_term %a, %a {into = !zeroskew.q<8, 0.5, 0>} : !zeroskew.q<8, 0.5, 3>, !zeroskew.q<8, 0.5, 3> -> f32
// CHECK: softmax in !zeroskew.q<8, 0.5, 0> has terms and totals of type i32, got f32

// -----

%x = "test.op"() : () -> (tensor<f32>)
%r = tdsl.normalise %x : tensor<f32> -> tensor<f32>
// CHECK: normalises the last axis, got a scalar

// -----

%a = "test.op"() : () -> (!fixed.q<16, 8>)
%total = "test.op"() : () -> (f32)
%r = num.add_square %total, %a {into = !fixed.q<16, 15>} : f32, !fixed.q<16, 8> -> f32
// CHECK: squares of !fixed.q<16, 8> are added in i32, got f32

// -----

%a = "test.op"() : () -> (!fixed.q<16, 8>)
%total = "test.op"() : () -> (i32)
%r = num.add_square %total, %a {into = !fixed.q<16, 15>} : i32, !fixed.q<16, 8> -> i64
// CHECK: the total changes its type from i32 to i64

// -----

%total = "test.op"() : () -> (i64)
%r = num.inverse_root %total {of = !fixed.q<16, 8>, into = !fixed.q<16, 15>} : i64 -> i64
// CHECK: the factor of a total in i64 has type i32, got i64

// -----

%a = "test.op"() : () -> (!fixed.q<16, 8>)
%s = "test.op"() : () -> (f32)
%r = num.normalised %a, %s, %s : !fixed.q<16, 8>, f32, f32 -> f32
// CHECK: averages_invalid.mlir:81:1: mixes the families exact, float; convert first

// -----

%total, %x = "test.op"() : () -> (tensor<1x1x1x2xi32>, tensor<1x2x2x3x!fixed.q<8, 4>>)
%r = tdsl.tally %total, %x : tensor<1x1x1x2xi32>, tensor<1x2x2x3x!fixed.q<8, 4>> -> tensor<1x1x1x2xi32>
// CHECK: adds images 1xHxWxC to totals 1x1x1xC, got 1x2x2x3 and 1x1x1x2

// -----

%total, %x = "test.op"() : () -> (tensor<1x1x1x3xf32>, tensor<1x2x2x3x!fixed.q<8, 4>>)
%r = tdsl.tally %total, %x : tensor<1x1x1x3xf32>, tensor<1x2x2x3x!fixed.q<8, 4>> -> tensor<1x1x1x3xf32>
// CHECK: f32 is not a total of numbers of !fixed.q<8, 4>

// -----

%total, %x = "test.op"() : () -> (tensor<1x1x1x3xi32>, tensor<1x2x2x3x!fixed.q<8, 4>>)
%r = tdsl.tally %total, %x : tensor<1x1x1x3xi32>, tensor<1x2x2x3x!fixed.q<8, 4>> -> tensor<1x1x1x3xi64>
// CHECK: the total changes its type

// -----

%total = "test.op"() : () -> (tensor<1x1x1x3xi64>)
%r = tdsl.quotient %total {count = 9 : i64, of = !fixed.q<8, 4>} : tensor<1x1x1x3xi64> -> tensor<1x1x1x3x!fixed.q<8, 4>>
// CHECK: i64 is not a total of 9 numbers of !fixed.q<8, 4>

// -----

%total = "test.op"() : () -> (tensor<1x1x1x3xi32>)
%r = tdsl.quotient %total {count = 9 : i64, of = !fixed.q<8, 4>} : tensor<1x1x1x3xi32> -> tensor<1x1x1x3xf32>
// CHECK: tdsl.quotient mixes the families exact and float

// -----

%r = tdsl.no_total -> tensor<1x1x1x2x!fixed.q<8, 4>>
// CHECK: totals are integers or f32, got !fixed.q<8, 4>

// -----

%r = tdsl.no_total -> tensor<1x1x1x2xsi32>
// CHECK: totals are integers or f32, got si32

// -----

%x = "test.op"() : () -> (tensor<3xf32>)
%r = tdsl.top_k_mask %x {count = 4 : i64} : tensor<3xf32> -> tensor<3xf32>
// CHECK: marks 4 of 3 elements

// -----

// A total of 32 bits has room for 8,191 terms of 2^18.
%a, %b = "test.op"() : () -> (tensor<8191x!fixed.q<8, 0>>, tensor<8192x!fixed.q<8, 0>>)
%fits = tdsl.softmax %a : tensor<8191x!fixed.q<8, 0>> -> tensor<8191x!fixed.q<16, 15>>
%r = tdsl.softmax %b : tensor<8192x!fixed.q<8, 0>> -> tensor<8192x!fixed.q<16, 15>>
// CHECK: a softmax in !fixed.q<16, 15> has at most 8191 numbers, got 8192
