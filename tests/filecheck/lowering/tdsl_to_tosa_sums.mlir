// RUN: tinyml-opt %s -p lower-tdsl-to-tosa | filecheck %s

// Elementwise ops in 32 bits. A factor is 2^30 times 2^(30 - shift).

// Operands of 8 bits are 2^20 times as fine; 1/2 of the greater scale's double, and 1/4 of it. The unit is 1, of which 2^-20 stays.
func.func @added(%x: tensor<2x3x!zeroskew.q<8, 0.5, 3>>, %y: tensor<3x!zeroskew.q<8, 0.25, -5>>) -> tensor<2x3x!zeroskew.q<8, 1.0, 7>> {
  %s = tdsl.add %x, %y : tensor<2x3x!zeroskew.q<8, 0.5, 3>>, tensor<3x!zeroskew.q<8, 0.25, -5>> -> tensor<2x3x!zeroskew.q<8, 1.0, 7>>
  func.return %s : tensor<2x3x!zeroskew.q<8, 1.0, 7>>
}
// CHECK-LABEL: func.func @added(%x: tensor<2x3xi8>, %y: tensor<3xi8>) -> tensor<2x3xi8> {
// CHECK-NEXT: [[v0:%.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v1:%.*]] = "tosa.const"() <{values = dense<10> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v2:%.*]] = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v3:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v4:%.*]] = tosa.rescale %x, [[v0]], [[v1]], [[v2]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
// CHECK-NEXT: [[v5:%.*]] = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v6:%.*]] = tosa.rescale [[v4]], [[v0]], [[v5]], [[v3]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2x3xi32>
// CHECK-NEXT: [[v7:%.*]] = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v8:%.*]] = tosa.rescale %y, [[v0]], [[v1]], [[v7]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<3xi32>
// CHECK-NEXT: [[v9:%.*]] = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v10:%.*]] = tosa.rescale [[v8]], [[v0]], [[v9]], [[v3]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
// CHECK-NEXT: [[v11:%.*]] = "tosa.const_shape"() <{values = dense<[1, 3]> : tensor<2xindex>}> : () -> !tosa.shape<2>
// CHECK-NEXT: [[v12:%.*]] = "tosa.reshape"([[v10]], [[v11]]) : (tensor<3xi32>, !tosa.shape<2>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v13:%.*]] = tosa.add [[v6]], [[v12]] : (tensor<2x3xi32>, tensor<1x3xi32>) -> tensor<2x3xi32>
// CHECK-NEXT: [[v14:%.*]] = "tosa.const"() <{values = dense<50> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v15:%.*]] = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: %s = tosa.rescale [[v13]], [[v0]], [[v14]], [[v3]], [[v15]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
// CHECK-NEXT: func.return %s : tensor<2x3xi8>

// A constant is one of TOSA, and the result has half the unit.
func.func @subtracted(%x: tensor<2x!zeroskew.q<8, 0.5, 0>>) -> tensor<2x!zeroskew.q<8, 0.5, 0>> {
  %one = tdsl.fill {value = 1.0 : f64} -> tensor<2x!zeroskew.q<8, 0.5, 0>>
  %s = tdsl.sub %one, %x : tensor<2x!zeroskew.q<8, 0.5, 0>>, tensor<2x!zeroskew.q<8, 0.5, 0>> -> tensor<2x!zeroskew.q<8, 0.5, 0>>
  func.return %s : tensor<2x!zeroskew.q<8, 0.5, 0>>
}
// CHECK-LABEL: func.func @subtracted(%x: tensor<2xi8>) -> tensor<2xi8> {
// CHECK-NEXT: %one = "tosa.const"() <{values = dense<2> : tensor<2xi8>}> : () -> tensor<2xi8>
// CHECK-NEXT: [[v0:%.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v1:%.*]] = "tosa.const"() <{values = dense<10> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v2:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v3:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v4:%.*]] = tosa.rescale %one, [[v0]], [[v1]], [[v2]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2xi32>
// CHECK-NEXT: [[v5:%.*]] = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v6:%.*]] = tosa.rescale [[v4]], [[v0]], [[v5]], [[v3]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
// CHECK-NEXT: [[v7:%.*]] = tosa.rescale %x, [[v0]], [[v1]], [[v2]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2xi32>
// CHECK-NEXT: [[v8:%.*]] = tosa.rescale [[v7]], [[v0]], [[v5]], [[v3]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
// CHECK-NEXT: [[v9:%.*]] = tosa.sub [[v6]], [[v8]] : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
// CHECK-NEXT: [[v10:%.*]] = "tosa.const"() <{values = dense<49> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: %s = tosa.rescale [[v9]], [[v0]], [[v10]], [[v3]], [[v2]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2xi8>
// CHECK-NEXT: func.return %s : tensor<2xi8>

// The product of the scales by the result's: 1/8.
func.func @multiplied(%x: tensor<2x3x!zeroskew.q<8, 0.5, 3>>, %y: tensor<3x!zeroskew.q<8, 0.25, -5>>) -> tensor<2x3x!zeroskew.q<8, 1.0, 7>> {
  %p = tdsl.mul %x, %y : tensor<2x3x!zeroskew.q<8, 0.5, 3>>, tensor<3x!zeroskew.q<8, 0.25, -5>> -> tensor<2x3x!zeroskew.q<8, 1.0, 7>>
  func.return %p : tensor<2x3x!zeroskew.q<8, 1.0, 7>>
}
// CHECK-LABEL: func.func @multiplied(%x: tensor<2x3xi8>, %y: tensor<3xi8>) -> tensor<2x3xi8> {
// CHECK-NEXT: [[v0:%.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v1:%.*]] = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v2:%.*]] = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v3:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v4:%.*]] = tosa.rescale %x, [[v0]], [[v1]], [[v2]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2x3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2x3xi32>
// CHECK-NEXT: [[v5:%.*]] = "tosa.const"() <{values = dense<-5> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v6:%.*]] = tosa.rescale %y, [[v0]], [[v1]], [[v5]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<3xi32>
// CHECK-NEXT: [[v7:%.*]] = "tosa.const_shape"() <{values = dense<[1, 3]> : tensor<2xindex>}> : () -> !tosa.shape<2>
// CHECK-NEXT: [[v8:%.*]] = "tosa.reshape"([[v6]], [[v7]]) : (tensor<3xi32>, !tosa.shape<2>) -> tensor<1x3xi32>
// CHECK-NEXT: [[v9:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v10:%.*]] = tosa.mul [[v4]], [[v8]], [[v9]] : (tensor<2x3xi32>, tensor<1x3xi32>, tensor<1xi8>) -> tensor<2x3xi32>
// CHECK-NEXT: [[v11:%.*]] = "tosa.const"() <{values = dense<33> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v12:%.*]] = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: %p = tosa.rescale [[v10]], [[v0]], [[v11]], [[v3]], [[v12]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2x3xi8>
// CHECK-NEXT: func.return %p : tensor<2x3xi8>

// Raws of one scale are compared as they are.
func.func @extremes(%x: tensor<2x!zeroskew.q<8, 0.5, 3>>, %y: tensor<2x!zeroskew.q<8, 0.5, 3>>) -> (tensor<2x!zeroskew.q<8, 0.5, 3>>, tensor<2x!zeroskew.q<8, 0.5, 3>>) {
  %greater = tdsl.maximum %x, %y : tensor<2x!zeroskew.q<8, 0.5, 3>>, tensor<2x!zeroskew.q<8, 0.5, 3>> -> tensor<2x!zeroskew.q<8, 0.5, 3>>
  %lesser = tdsl.minimum %x, %y : tensor<2x!zeroskew.q<8, 0.5, 3>>, tensor<2x!zeroskew.q<8, 0.5, 3>> -> tensor<2x!zeroskew.q<8, 0.5, 3>>
  func.return %greater, %lesser : tensor<2x!zeroskew.q<8, 0.5, 3>>, tensor<2x!zeroskew.q<8, 0.5, 3>>
}
// CHECK-LABEL: func.func @extremes(%x: tensor<2xi8>, %y: tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>) {
// CHECK-NEXT: [[v0:%.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v1:%.*]] = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v2:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v3:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v4:%.*]] = tosa.rescale %x, [[v0]], [[v1]], [[v2]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2xi32>
// CHECK-NEXT: [[v5:%.*]] = tosa.rescale %y, [[v0]], [[v1]], [[v2]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2xi32>
// CHECK-NEXT: [[v6:%.*]] = "tosa.greater_equal"([[v4]], [[v5]]) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
// CHECK-NEXT: [[v7:%.*]] = "tosa.select"([[v6]], [[v4]], [[v5]]) : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
// CHECK-NEXT: %greater = tosa.rescale [[v7]], [[v0]], [[v1]], [[v3]], [[v2]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2xi8>
// CHECK-NEXT: [[v8:%.*]] = tosa.rescale %x, [[v0]], [[v1]], [[v2]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2xi32>
// CHECK-NEXT: [[v9:%.*]] = tosa.rescale %y, [[v0]], [[v1]], [[v2]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<2xi32>
// CHECK-NEXT: [[v10:%.*]] = "tosa.greater_equal"([[v9]], [[v8]]) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
// CHECK-NEXT: [[v11:%.*]] = "tosa.select"([[v10]], [[v8]], [[v9]]) : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
// CHECK-NEXT: %lesser = tosa.rescale [[v11]], [[v0]], [[v1]], [[v3]], [[v2]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<2xi8>
// CHECK-NEXT: func.return %greater, %lesser : tensor<2xi8>, tensor<2xi8>

// Twice as fine, from zero point 3 to -4.
func.func @rescaled(%x: tensor<2x!zeroskew.q<8, 0.5, 3>>) -> tensor<2x!zeroskew.q<8, 0.25, -4>> {
  %y = tdsl.cast %x : tensor<2x!zeroskew.q<8, 0.5, 3>> -> tensor<2x!zeroskew.q<8, 0.25, -4>>
  func.return %y : tensor<2x!zeroskew.q<8, 0.25, -4>>
}
// CHECK-LABEL: func.func @rescaled(%x: tensor<2xi8>) -> tensor<2xi8> {
// CHECK-NEXT: [[v0:%.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v1:%.*]] = "tosa.const"() <{values = dense<29> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v2:%.*]] = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v3:%.*]] = "tosa.const"() <{values = dense<-4> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: %y = tosa.rescale %x, [[v0]], [[v1]], [[v2]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2xi8>
// CHECK-NEXT: func.return %y : tensor<2xi8>

// The raw of 2.0 is 7, that of 0.0 is 3. Gaps between elements are gathered, of a place behind the last element.
func.func @moved(%x: tensor<1x2x3x1x!zeroskew.q<8, 0.5, 3>>) -> (tensor<1x4x4x1x!zeroskew.q<8, 0.5, 3>>, tensor<1x3x2x1x!zeroskew.q<8, 0.5, 3>>, tensor<1x2x5x1x!zeroskew.q<8, 0.5, 3>>) {
  %p = tdsl.pad %x {low = array<i64: 0, 2, 0, 0>, high = array<i64: 0, 0, 1, 0>, value = 2.0 : f64} : tensor<1x2x3x1x!zeroskew.q<8, 0.5, 3>> -> tensor<1x4x4x1x!zeroskew.q<8, 0.5, 3>>
  %t = tdsl.transpose %x {permutation = array<i64: 0, 2, 1, 3>} : tensor<1x2x3x1x!zeroskew.q<8, 0.5, 3>> -> tensor<1x3x2x1x!zeroskew.q<8, 0.5, 3>>
  %g = tdsl.pad %x {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 0, 0>, interior = array<i64: 0, 0, 1, 0>} : tensor<1x2x3x1x!zeroskew.q<8, 0.5, 3>> -> tensor<1x2x5x1x!zeroskew.q<8, 0.5, 3>>
  func.return %p, %t, %g : tensor<1x4x4x1x!zeroskew.q<8, 0.5, 3>>, tensor<1x3x2x1x!zeroskew.q<8, 0.5, 3>>, tensor<1x2x5x1x!zeroskew.q<8, 0.5, 3>>
}
// CHECK-LABEL: func.func @moved(%x: tensor<1x2x3x1xi8>) -> (tensor<1x4x4x1xi8>, tensor<1x3x2x1xi8>, tensor<1x2x5x1xi8>) {
// CHECK-NEXT: [[v0:%.*]] = "tosa.const_shape"() <{values = dense<[0, 0, 2, 0, 0, 1, 0, 0]> : tensor<8xindex>}> : () -> !tosa.shape<8>
// CHECK-NEXT: [[v1:%.*]] = "tosa.const"() <{values = dense<7> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: %p = "tosa.pad"(%x, [[v0]], [[v1]]) : (tensor<1x2x3x1xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x4x4x1xi8>
// CHECK-NEXT: %t = "tosa.transpose"(%x) <{perms = array<i32: 0, 2, 1, 3>}> : (tensor<1x2x3x1xi8>) -> tensor<1x3x2x1xi8>
// CHECK-NEXT: [[v2:%.*]] = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v3:%.*]] = "tosa.const_shape"() <{values = dense<6> : tensor<1xindex>}> : () -> !tosa.shape<1>
// CHECK-NEXT: [[v4:%.*]] = "tosa.reshape"(%x, [[v3]]) : (tensor<1x2x3x1xi8>, !tosa.shape<1>) -> tensor<6xi8>
// CHECK-NEXT: [[v5:%.*]] = tosa.concat [[v4]], [[v2]] {axis = 0 : i32} : (tensor<6xi8>, tensor<1xi8>) -> tensor<7xi8>
// CHECK-NEXT: [[v6:%.*]] = "tosa.const"() <{values = dense<{{\[\[}}{{\[\[}}0], [6], [1], [6], [2]], {{\[\[}}3], [6], [4], [6], [5]]]]> : tensor<1x2x5x1xi32>}> : () -> tensor<1x2x5x1xi32>
// CHECK-NEXT: [[v7:%.*]] = "tosa.const_shape"() <{values = dense<[1, 7, 1]> : tensor<3xindex>}> : () -> !tosa.shape<3>
// CHECK-NEXT: [[v8:%.*]] = "tosa.reshape"([[v5]], [[v7]]) : (tensor<7xi8>, !tosa.shape<3>) -> tensor<1x7x1xi8>
// CHECK-NEXT: [[v9:%.*]] = "tosa.const_shape"() <{values = dense<[1, 10]> : tensor<2xindex>}> : () -> !tosa.shape<2>
// CHECK-NEXT: [[v10:%.*]] = "tosa.reshape"([[v6]], [[v9]]) : (tensor<1x2x5x1xi32>, !tosa.shape<2>) -> tensor<1x10xi32>
// CHECK-NEXT: [[v11:%.*]] = "tosa.gather"([[v8]], [[v10]]) : (tensor<1x7x1xi8>, tensor<1x10xi32>) -> tensor<1x10x1xi8>
// CHECK-NEXT: [[v12:%.*]] = "tosa.const_shape"() <{values = dense<[1, 2, 5, 1]> : tensor<4xindex>}> : () -> !tosa.shape<4>
// CHECK-NEXT: %g = "tosa.reshape"([[v11]], [[v12]]) : (tensor<1x10x1xi8>, !tosa.shape<4>) -> tensor<1x2x5x1xi8>
// CHECK-NEXT: func.return %p, %t, %g : tensor<1x4x4x1xi8>, tensor<1x3x2x1xi8>, tensor<1x2x5x1xi8>

// Along one axis after the other; 1/6 of the sum is twice that in the finer scale.
func.func @averaged(%x: tensor<1x2x3x2x!zeroskew.q<8, 0.5, 3>>) -> tensor<1x1x1x2x!zeroskew.q<8, 0.25, -4>> {
  %m = tdsl.mean %x {axes = array<i64: 1, 2>} : tensor<1x2x3x2x!zeroskew.q<8, 0.5, 3>> -> tensor<1x1x1x2x!zeroskew.q<8, 0.25, -4>>
  func.return %m : tensor<1x1x1x2x!zeroskew.q<8, 0.25, -4>>
}
// CHECK-LABEL: func.func @averaged(%x: tensor<1x2x3x2xi8>) -> tensor<1x1x1x2xi8> {
// CHECK-NEXT: [[v0:%.*]] = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v1:%.*]] = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v2:%.*]] = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v3:%.*]] = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v4:%.*]] = tosa.rescale %x, [[v0]], [[v1]], [[v2]], [[v3]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x2x3x2xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<1x2x3x2xi32>
// CHECK-NEXT: [[v5:%.*]] = tosa.reduce_sum [[v4]] {axis = 1 : i32} : (tensor<1x2x3x2xi32>) -> tensor<1x1x3x2xi32>
// CHECK-NEXT: [[v6:%.*]] = tosa.reduce_sum [[v5]] {axis = 2 : i32} : (tensor<1x1x3x2xi32>) -> tensor<1x1x1x2xi32>
// CHECK-NEXT: [[v7:%.*]] = "tosa.const"() <{values = dense<715827882> : tensor<1xi32>}> : () -> tensor<1xi32>
// CHECK-NEXT: [[v8:%.*]] = "tosa.const"() <{values = dense<31> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: [[v9:%.*]] = "tosa.const"() <{values = dense<-4> : tensor<1xi8>}> : () -> tensor<1xi8>
// CHECK-NEXT: %m = tosa.rescale [[v6]], [[v7]], [[v8]], [[v3]], [[v9]] {scale32 = true, rounding_mode = DOUBLE_ROUND, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<1x1x1x2xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x2xi8>
// CHECK-NEXT: func.return %m : tensor<1x1x1x2xi8>
