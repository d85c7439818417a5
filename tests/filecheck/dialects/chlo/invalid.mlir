// The functions of CHLO keep the type.

// RUN: %invalid

%x = "test.op"() : () -> tensor<4xf32>
%y = "chlo.square"(%x) : (tensor<4xf32>) -> tensor<4xf64>
// CHECK: its result has elements of f64, not of f32
