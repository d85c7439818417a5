// RUN: tinyml-opt %s -p forward-stores | filecheck %s

// A load from an address that was just stored to is the stored value; the memory is read by nobody else, and goes.
func.func @scalar(%v: i16, %w: i16, %i: index) -> (i16, i16) {
  %zero = arith.constant 0 : index
  %other = arith.constant 0 : index
  %m = rtl.memory : !rtl.memory<1, 16>
  %n = rtl.memory : !rtl.memory<4, 16>
  rtl.store %v, %m[%zero] : i16, !rtl.memory<1, 16>
  %a = rtl.load %m[%other] : !rtl.memory<1, 16> -> i16
  rtl.store %v, %n[%i] : i16, !rtl.memory<4, 16>
  rtl.store %w, %n[%zero] : i16, !rtl.memory<4, 16>
  %b = rtl.load %n[%i] : !rtl.memory<4, 16> -> i16
  func.return %a, %b : i16, i16
}
// CHECK-LABEL: func.func @scalar(%v: i16, %w: i16, %i: index) -> (i16, i16) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %other = arith.constant 0 : index
// CHECK-NEXT: %m = rtl.memory : !rtl.memory<1, 16>
// CHECK-NEXT: %n = rtl.memory : !rtl.memory<4, 16>
// CHECK-NEXT: rtl.store %v, %n[%i] : i16, !rtl.memory<4, 16>
// CHECK-NEXT: rtl.store %w, %n[%zero] : i16, !rtl.memory<4, 16>
// CHECK-NEXT: %b = rtl.load %n[%i] : !rtl.memory<4, 16> -> i16
// CHECK-NEXT: func.return %v, %b : i16, i16

// Addresses count elements of the width that is read: the second of two bytes is not the second word.
func.func @widths(%v: i8) -> (i8, i16) {
  %one = arith.constant 1 : index
  %m = rtl.memory : !rtl.memory<4, 16>
  rtl.store %v, %m[%one] : i8, !rtl.memory<4, 16>
  %word = rtl.load %m[%one] : !rtl.memory<4, 16> -> i16
  %byte = rtl.load %m[%one] : !rtl.memory<4, 16> -> i8
  func.return %byte, %word : i8, i16
}
// CHECK-LABEL: func.func @widths(%v: i8) -> (i8, i16) {
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %m = rtl.memory : !rtl.memory<4, 16>
// CHECK-NEXT: rtl.store %v, %m[%one] : i8, !rtl.memory<4, 16>
// CHECK-NEXT: %word = rtl.load %m[%one] : !rtl.memory<4, 16> -> i16
// CHECK-NEXT: func.return %v, %word : i8, i16
