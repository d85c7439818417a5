// Reals that a quantiser with a scale and a zero point reads are divided by the scale, in single precision, before the
// zero point is added and the sum is rounded.

// RUN: tinyml-opt %s -p lower-arith-to-c --split-input-file | filecheck %s

func.func @net(%x: memref<1x4xi8> {tinyml.format = "!fixed.s<4, 0, even>"}) -> index attributes {tdsl.interface = #tdsl.interface<input = <scales = [0.1], offsets = [0.0], points = [3.0]>>} {
  %c0 = arith.constant 0 : index
  func.return %c0 : index
}
// CHECK-LABEL: c.program @net
// CHECK-LABEL: c.func @net_set(
// CHECK: [[number:%.*]] = c.call @net_feature_number(%i, %value)
// CHECK: c.call @tm_multiply_to_even_s9(
// CHECK-LABEL: c.func @net_predict_floats(
// CHECK: c.call @net_feature_number(
// CHECK: c.call @tm_multiply_to_even_s9(
// CHECK: c.table @net_feature_scales 1
// CHECK: c.table @net_feature_points 1
// CHECK-NEXT: c.prototype @net_feature_number ["i", "real"] (index, f32) -> f32
// CHECK-SAME: return ((void)i, real / *(net_feature_scales + 0) + *(net_feature_points + 0));

// -----

// A quantiser without a zero point only divides.
func.func @without(%x: memref<1x4xi8> {tinyml.format = "!fixed.s<4, 0, even>"}) -> index attributes {tdsl.interface = #tdsl.interface<input = <scales = [0.1], offsets = [0.0], points = [0.0]>>} {
  %c0 = arith.constant 0 : index
  func.return %c0 : index
}
// CHECK-LABEL: c.program @without
// CHECK-LABEL: c.func @without_set(
// CHECK: c.call @without_feature_number(%i, %value)
// CHECK: c.table @without_feature_scales 1
// CHECK-NEXT: c.prototype @without_feature_number
// CHECK-SAME: return ((void)i, real / *(without_feature_scales + 0));
