// Zero points and scales become operands of ops in TOSA 1.0.

// RUN: tinyml-opt %s -p lower-tdsl-to-tosa | filecheck %s

// The convolution pads the image itself, and a channel has a factor of its own: 1 / 2 * 1 / 2 / (1 / 4), and a quarter.
func.func @layers(%x: tensor<1x5x5x2x!zeroskew.q<8, 0.5, 3>>) -> (tensor<3x!zeroskew.q<8, 0.25, -7>>, tensor<1x3x3x1x!zeroskew.q<8, 0.25, -7>>) {
  %w = tdsl.const dense<1> : tensor<2x3x3x2xi8> -> tensor<2x3x3x2x!zeroskew.q<8, [0.5, 0.125], 0>>
  %p = tdsl.pad %x {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 2, 0>} : tensor<1x5x5x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x7x8x2x!zeroskew.q<8, 0.5, 3>>
  %y = tdsl.conv2d %w, %p {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x3x3x2x!zeroskew.q<8, [0.5, 0.125], 0>>, tensor<1x7x8x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x3x3x2x!zeroskew.q<8, 0.25, -7>>
  %r = tdsl.relu %y : tensor<1x3x3x2x!zeroskew.q<8, 0.25, -7>> -> tensor<1x3x3x2x!zeroskew.q<8, 0.25, -7>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %channel = tdsl.slice %r[%zero, %zero, %zero, %one] : tensor<1x3x3x2x!zeroskew.q<8, 0.25, -7>> -> tensor<1x3x3x1x!zeroskew.q<8, 0.25, -7>>
  %flat = tdsl.reshape %channel : tensor<1x3x3x1x!zeroskew.q<8, 0.25, -7>> -> tensor<9x!zeroskew.q<8, 0.25, -7>>
  %every = tdsl.slice %flat[%one] {strides = array<i64: 3>} : tensor<9x!zeroskew.q<8, 0.25, -7>> -> tensor<3x!zeroskew.q<8, 0.25, -7>>
  %s = tdsl.sigmoid %channel : tensor<1x3x3x1x!zeroskew.q<8, 0.25, -7>> -> tensor<1x3x3x1x!zeroskew.q<8, 0.25, -7>>
  func.return %every, %s : tensor<3x!zeroskew.q<8, 0.25, -7>>, tensor<1x3x3x1x!zeroskew.q<8, 0.25, -7>>
}
// CHECK-LABEL: func.func @layers(%x: tensor<1x5x5x2xi8>) -> (tensor<3xi8>, tensor<1x3x3x1xi8>)

// The last window ends where the padded image does.
// CHECK: [[image:%.*]] = "tosa.const"() <{values = dense<3> : tensor<1xi8>}>
// CHECK: [[sums:%.*]] = "tosa.conv2d"(%x, {{.*}}, [[image]], {{.*}}) <{acc_type = i32, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 2, 2>, dilation = array<i64: 1, 1>}>
// CHECK: [[shifts:%.*]] = "tosa.const"() <{values = dense<[30, 32]> : tensor<2xi8>}>
// CHECK: [[zero:%.*]] = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}>
// CHECK: %y = tosa.rescale [[sums]], {{.*}}, [[shifts]], {{.*}}, [[zero]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = true
// CHECK: %r = tosa.clamp %y {min_val = -7 : i8, max_val = 127 : i8}
// CHECK: %channel = "tosa.slice"(%r,

// What no op of TOSA moves is gathered.
// CHECK-NOT: tosa.concat
// CHECK: dense<[1, 4, 7]> : tensor<3xi32>
// CHECK: "tosa.gather"
// CHECK: %s = "tosa.table"(%channel, {{.*}}) : (tensor<1x3x3x1xi8>, tensor<256xi8>) -> tensor<1x3x3x1xi8>

// Raws stay the same under another format.
func.func @reinterpreted(%x: tensor<2x!zeroskew.q<8, 0.5, 3>>) -> tensor<2x!zeroskew.q<8, 0.25, -7>> {
  %r = tdsl.reinterpret %x : tensor<2x!zeroskew.q<8, 0.5, 3>> -> tensor<2x!zeroskew.q<8, 0.125, -7>>
  %y = tdsl.cast %r : tensor<2x!zeroskew.q<8, 0.125, -7>> -> tensor<2x!zeroskew.q<8, 0.25, -7>>
  func.return %y : tensor<2x!zeroskew.q<8, 0.25, -7>>
}
// CHECK-LABEL: func.func @reinterpreted(%x: tensor<2xi8>) -> tensor<2xi8>
// CHECK: [[zero:%.*]] = "tosa.const"() <{values = dense<-7> : tensor<1xi8>}>
// CHECK: %y = tosa.rescale %x, {{.*}}, {{.*}}, [[zero]], [[zero]]
