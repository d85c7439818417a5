// Inputs in one array, each with a number format of its own, have functions of their own.

// RUN: tinyml-opt %s -p lower-arith-to-c --split-input-file | filecheck %s

func.func @net(%x: memref<1x5xi8> {tinyml.format = "!zeroskew.q<8, 0.5, 0>"}) -> index attributes {tdsl.interface = #tdsl.interface<input = <parts = [["image", 2], ["time", 2, !zeroskew.q<8, 0.25, -3>], ["place", 1, !zeroskew.q<8, 2.0, 1>]]>>} {
  %c0 = arith.constant 0 : index
  func.return %c0 : index
}
// CHECK-LABEL: c.program @net
// CHECK: c.define @net_INPUT_AT_image 0 : i64 {doc = "index of the first of 2 elements of image, !zeroskew.q<8, 0.5, 0>: real = raw * 2^-1"}
// CHECK-NEXT: c.define @net_INPUT_AT_time 2 : i64 {doc = "index of the first of 2 elements of time, !zeroskew.q<8, 0.25, -3>: real = (raw + 3) * 2^-2"}
// CHECK-NEXT: c.define @net_INPUT_AT_place 4 : i64 {doc = "index of the element of place, !zeroskew.q<8, 2.0, 1>: real = (raw - 1) * 2^1"}
// CHECK: c.func @net_set_image(%i: index, %value: f32)
// CHECK: c.literal 5.000000e-01 : f32
// CHECK: c.store {{%.*}}, {{%.*}}[%i]
// CHECK: c.func @net_set_time(%i: index, %value: f32)
// CHECK: c.literal 2.500000e-01 : f32
// CHECK: [[start:%.*]] = c.literal 2 : index
// CHECK-NEXT: [[place:%.*]] = c.binary %i "+" [[start]] : index
// CHECK-NEXT: c.store {{%.*}}, {{%.*}}{{\[}}[[place]]]

// NAME_set calls the function of the input that holds element i: those before 2, before 4, and the rest.
// CHECK-LABEL: c.func @net_set(%i: index, %value: f32)
// CHECK-NEXT: [[two:%.*]] = c.literal 2 : index
// CHECK-NEXT: [[first:%.*]] = c.compare %i "<" [[two]] : index
// CHECK-NEXT: c.if [[first]] {
// CHECK-NEXT: c.invoke @net_set_image(%i, %value)
// CHECK: [[four:%.*]] = c.literal 4 : index
// CHECK-NEXT: c.compare %i "<" [[four]] : index
// CHECK: c.binary %i "-" {{%.*}} : index
// CHECK-NEXT: c.invoke @net_set_time(
// CHECK: c.invoke @net_set_place(

// CHECK-LABEL: c.func @net_predict_floats(
// CHECK: c.for {{%.*}} = {{%.*}} to [[end:%.*]] {
// CHECK: c.literal 5.000000e-01 : f32
// CHECK: c.for
// CHECK: c.literal 2.500000e-01 : f32
// CHECK: c.for
// CHECK: c.literal 2.000000e+00 : f32
// CHECK: c.define @net_INPUT_SCALE_image
// CHECK-NEXT: c.define @net_INPUT_ZERO_image 0 : i64
// CHECK-NEXT: c.define @net_INPUT_SCALE_time
// CHECK-NEXT: c.define @net_INPUT_ZERO_time -3 : i64
// CHECK-NEXT: c.define @net_INPUT_SCALE_place
// CHECK-NEXT: c.define @net_INPUT_ZERO_place 1 : i64
// CHECK-NOT: c.define @net_INPUT_SCALE

// -----

// Inputs in one format share its function.
func.func @same(%x: memref<1x3xi8> {tinyml.format = "!zeroskew.q<8, 0.5, 0>"}) -> index attributes {tdsl.interface = #tdsl.interface<input = <parts = [["a", 2], ["b", 1]]>>} {
  %c0 = arith.constant 0 : index
  func.return %c0 : index
}
// CHECK-LABEL: c.program @same
// CHECK: c.define @same_INPUT_AT_a 0 : i64 {doc = "index of the first of 2 elements of a"}
// CHECK-NEXT: c.define @same_INPUT_AT_b 2 : i64 {doc = "index of the element of b"}
// CHECK: c.func @same_set(%i: index, %value: f32)
// CHECK: c.func @same_set_a(%i: index, %value: f32)
// CHECK-NEXT: c.invoke @same_set(%i, %value) : index, f32
// CHECK: c.func @same_set_b(%i: index, %value: f32)
// CHECK-NEXT: [[start:%.*]] = c.literal 2 : index
// CHECK-NEXT: [[place:%.*]] = c.binary %i "+" [[start]] : index
// CHECK-NEXT: c.invoke @same_set([[place]], %value) : index, f32
// CHECK: c.define @same_INPUT_SCALE

// -----

// A unit has one scale, and the integer of the real 0, which may be no whole one.
func.func @unit(%x: memref<2xi16> {tinyml.format = "!fixed.s<10, 9>"}) -> index attributes {tdsl.interface = #tdsl.interface<input = <unit = "0.5+3.25:s10", format = !fixed.s<10, 9>>>} {
  %c0 = arith.constant 0 : index
  func.return %c0 : index
}
// CHECK: c.define @unit_INPUT_UNIT "0.5+3.25:s10" {doc = "the integers that the input takes"}
// CHECK-NEXT: c.define @unit_INPUT_SCALE 5.000000e-01 : f32
// CHECK-NEXT: c.define @unit_INPUT_ZERO -6.500000e+00 : f32
