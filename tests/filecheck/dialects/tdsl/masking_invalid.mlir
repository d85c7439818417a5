// What the verifier of a softmax with a mask says.

// RUN: %invalid

// A mask has the shape of the last axes: one element for all rows is none.
%x, %m, %n = "test.op"() : () -> (tensor<2x3xf32>, tensor<3xf32>, tensor<1x3xf32>)
%fits = tdsl.masked_softmax %x, %m : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
%r = tdsl.masked_softmax %x, %n : tensor<2x3xf32>, tensor<1x3xf32> -> tensor<2x3xf32>
// CHECK: a mask of shape 1x3 is not for the last axes of 2x3

// -----

%x, %m = "test.op"() : () -> (tensor<2x3xf32>, tensor<f32>)
%r = tdsl.masked_softmax %x, %m : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
// CHECK: a mask of shape {{.*}} is not for the last axes of 2x3

// -----

// Each row needs an element.
%x = "test.op"() : () -> (tensor<2x2xf32>)
%m = tdsl.const dense<[[0.0, 1.0], [0.0, 0.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
%r = tdsl.masked_softmax %x, %m : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK: a row is masked entirely, so that it has no softmax

// -----

// A total of 32 bits has room for 8,191 terms of 2^18.
%a, %b = "test.op"() : () -> (tensor<8191x!fixed.q<8, 0>>, tensor<8192x!fixed.q<8, 0>>)
%fits = tdsl.masked_softmax %a, %a : tensor<8191x!fixed.q<8, 0>>, tensor<8191x!fixed.q<8, 0>> -> tensor<8191x!fixed.q<16, 15>>
%r = tdsl.masked_softmax %b, %b : tensor<8192x!fixed.q<8, 0>>, tensor<8192x!fixed.q<8, 0>> -> tensor<8192x!fixed.q<16, 15>>
// CHECK: a softmax in !fixed.q<16, 15> has at most 8191 numbers, got 8192
