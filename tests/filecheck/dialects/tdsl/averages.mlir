// Averages, softmax, normalisations and activations read what they print, as values and on buffers, and refuse what does not fit.

// RUN: %roundtrip

func.func @values(%x: tensor<1x4x4x3xf32>, %q: tensor<1x4x4x3x!zeroskew.q<8, 0.5, 3>>) {
  %pool = tdsl.average_pool %q {kernel = array<i64: 2, 2>, padding = array<i64: 1, 0, 0, 0>, strides = array<i64: 2, 1>} : tensor<1x4x4x3x!zeroskew.q<8, 0.5, 3>> -> tensor<1x2x3x3x!zeroskew.q<8, 0.5, 3>>
// CHECK: %pool = tdsl.average_pool %q {kernel = array<i64: 2, 2>, padding = array<i64: 1, 0, 0, 0>, strides = array<i64: 2, 1>} : tensor<1x4x4x3x!zeroskew.q<8, 0.5, 3>> -> tensor<1x2x3x3x!zeroskew.q<8, 0.5, 3>>
  %mean = tdsl.mean %q {axes = array<i64: 1, 2>} : tensor<1x4x4x3x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x1x3x!zeroskew.q<8, 0.25, 0>>
// CHECK: %mean = tdsl.mean %q {axes = array<i64: 1, 2>} : tensor<1x4x4x3x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x1x3x!zeroskew.q<8, 0.25, 0>>
  %softmax = tdsl.softmax %q : tensor<1x4x4x3x!zeroskew.q<8, 0.5, 3>> -> tensor<1x4x4x3x!zeroskew.q<8, 0.00390625, -128>>
// CHECK: %softmax = tdsl.softmax %q : tensor<1x4x4x3x!zeroskew.q<8, 0.5, 3>> -> tensor<1x4x4x3x!zeroskew.q<8, 0.00390625, -128>>
  %unit = tdsl.normalise %q : tensor<1x4x4x3x!zeroskew.q<8, 0.5, 3>> -> tensor<1x4x4x3x!zeroskew.q<8, 0.0078125, 0>>
// CHECK: %unit = tdsl.normalise %q : tensor<1x4x4x3x!zeroskew.q<8, 0.5, 3>> -> tensor<1x4x4x3x!zeroskew.q<8, 0.0078125, 0>>
  %above = tdsl.normalise %q {least = 5.000000e-01 : f64} : tensor<1x4x4x3x!zeroskew.q<8, 0.5, 3>> -> tensor<1x4x4x3x!zeroskew.q<8, 0.0078125, 0>>
// CHECK: %above = tdsl.normalise %q {least = 5.000000e-01 : f64} : tensor<1x4x4x3x!zeroskew.q<8, 0.5, 3>> -> tensor<1x4x4x3x!zeroskew.q<8, 0.0078125, 0>>
  %clip = tdsl.clip %x {low = -1.0 : f64, high = 1.0 : f64} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: %clip = tdsl.clip %x {low = -1.000000e+00 : f64, high = 1.000000e+00 : f64} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
  %step = tdsl.step %x : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: %step = tdsl.step %x : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
  %mask = tdsl.top_k_mask %x {count = 5 : i64} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: %mask = tdsl.top_k_mask %x {count = 5 : i64} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
  %leaky = tdsl.leaky_relu %x {slope = 0.125 : f64} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: %leaky = tdsl.leaky_relu %x {slope = 1.250000e-01 : f64} : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
  %swish = tdsl.hard_swish %x : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
// CHECK: %swish = tdsl.hard_swish %x : tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
  func.return
}

func.func @buffers(%x: memref<1x4x4x1xf32>, %y: memref<1x2x2x1xf32>, %z: memref<1x1x1x1xf32>) {
  tdsl.average_pool %x {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : memref<1x4x4x1xf32> into %y : memref<1x2x2x1xf32>
// CHECK: tdsl.average_pool %x {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : memref<1x4x4x1xf32> into %y : memref<1x2x2x1xf32>
  tdsl.mean %y {axes = array<i64: 1, 2>} : memref<1x2x2x1xf32> into %z : memref<1x1x1x1xf32>
// CHECK: tdsl.mean %y {axes = array<i64: 1, 2>} : memref<1x2x2x1xf32> into %z : memref<1x1x1x1xf32>
  tdsl.softmax %y : memref<1x2x2x1xf32> into %y : memref<1x2x2x1xf32>
// CHECK: tdsl.softmax %y : memref<1x2x2x1xf32> into %y : memref<1x2x2x1xf32>
  tdsl.normalise %y : memref<1x2x2x1xf32> into %y : memref<1x2x2x1xf32>
// CHECK: tdsl.normalise %y : memref<1x2x2x1xf32> into %y : memref<1x2x2x1xf32>
  func.return
}

func.func @steps(%total: i32, %value: !zeroskew.q<8, 0.5, 3>, %real: f32) {
  %tally = num.tally %total, %value : i32, !zeroskew.q<8, 0.5, 3> -> i32
// CHECK: %tally = num.tally %total, %value : i32, !zeroskew.q<8, 0.5, 3> -> i32
  %average = num.average %total {count = 9 : i64, of = !zeroskew.q<8, 0.5, 3>} : i32 -> !zeroskew.q<8, 0.5, 3>
// CHECK: %average = num.average %total {count = 9 : i64, of = !zeroskew.q<8, 0.5, 3>} : i32 -> !zeroskew.q<8, 0.5, 3>
  %mean = num.mean %total {count = 9 : i64, of = !zeroskew.q<8, 0.5, 3>} : i32 -> !zeroskew.q<8, 0.25, 0>
// CHECK: %mean = num.mean %total {count = 9 : i64, of = !zeroskew.q<8, 0.5, 3>} : i32 -> !zeroskew.q<8, 0.25, 0>
  %term = num.softmax_term %value, %value {into = !zeroskew.q<8, 0.00390625, -128>} : !zeroskew.q<8, 0.5, 3>, !zeroskew.q<8, 0.5, 3> -> i32
// CHECK: %term = num.softmax_term %value, %value {into = !zeroskew.q<8, 0.00390625, -128>} : !zeroskew.q<8, 0.5, 3>, !zeroskew.q<8, 0.5, 3> -> i32
  %sum = num.softmax_add %total, %term {into = !zeroskew.q<8, 0.00390625, -128>} : i32, i32 -> i32
// CHECK: %sum = num.softmax_add %total, %term {into = !zeroskew.q<8, 0.00390625, -128>} : i32, i32 -> i32
  %share = num.softmax_share %term, %sum : i32, i32 -> !zeroskew.q<8, 0.00390625, -128>
// CHECK: %share = num.softmax_share %term, %sum : i32, i32 -> !zeroskew.q<8, 0.00390625, -128>
  %squares = num.add_square %total, %value {into = !zeroskew.q<8, 0.0078125, 0>} : i32, !zeroskew.q<8, 0.5, 3> -> i32
// CHECK: %squares = num.add_square %total, %value {into = !zeroskew.q<8, 0.0078125, 0>} : i32, !zeroskew.q<8, 0.5, 3> -> i32
  %factor = num.inverse_root %squares {of = !zeroskew.q<8, 0.5, 3>, into = !zeroskew.q<8, 0.0078125, 0>} : i32 -> i32
// CHECK: %factor = num.inverse_root %squares {of = !zeroskew.q<8, 0.5, 3>, into = !zeroskew.q<8, 0.0078125, 0>} : i32 -> i32
  %unit = num.normalised %value, %factor, %squares : !zeroskew.q<8, 0.5, 3>, i32, i32 -> !zeroskew.q<8, 0.0078125, 0>
// CHECK: %unit = num.normalised %value, %factor, %squares : !zeroskew.q<8, 0.5, 3>, i32, i32 -> !zeroskew.q<8, 0.0078125, 0>
  %decided = num.step %real : f32 -> f32
// CHECK: %decided = num.step %real : f32 -> f32
  %leaky = num.leaky_relu %real {slope = -0.5 : f64} : f32 -> f32
// CHECK: %leaky = num.leaky_relu %real {slope = -5.000000e-01 : f64} : f32 -> f32
  %swish = num.hard_swish %real : f32 -> f32
// CHECK: %swish = num.hard_swish %real : f32 -> f32
  func.return
}
