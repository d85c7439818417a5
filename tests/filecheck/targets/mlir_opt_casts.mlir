// Conversions in modules of users: those of several values, and those that `-t mlir-opt` did not print, remain.

// RUN: tinyml-opt %s | filecheck %s

// Several results, and several operands.
func.func @several(%x: memref<4xi8, {element = !fixed.q<8, 7>}>, %i: index) -> i32 {
  %a, %b = builtin.unrealized_conversion_cast %i : index to i32, i32
  %c = builtin.unrealized_conversion_cast %a, %b : i32, i32 to i32
  %m = builtin.unrealized_conversion_cast %a, %b : i32, i32 to memref<2xi32>
  func.return %c : i32
}
// CHECK:      func.func @several(%x: memref<4x!fixed.q<8, 7>>, %i: index) -> i32 {
// CHECK-NEXT:   %a, %b = builtin.unrealized_conversion_cast %i : index to i32, i32
// CHECK-NEXT:   %c = builtin.unrealized_conversion_cast %a, %b : i32, i32 to i32
// CHECK-NEXT:   %m = builtin.unrealized_conversion_cast %a, %b : i32, i32 to memref<2xi32>

// A memref of something else, and one in the same memory, are no memref.cast.
func.func @others(%p: i32, %y: memref<4xi32>) -> memref<2xi32> {
  %m = builtin.unrealized_conversion_cast %p : i32 to memref<2xi32>
  %n = builtin.unrealized_conversion_cast %y : memref<4xi32> to memref<2x2xi32>
  func.return %m : memref<2xi32>
}
// CHECK:      func.func @others
// CHECK-NEXT:   %m = builtin.unrealized_conversion_cast %p : i32 to memref<2xi32>
// CHECK-NEXT:   %n = builtin.unrealized_conversion_cast %y : memref<4xi32> to memref<2x2xi32>

// A raw that is used as an integer, too, and a stored value that several values became.
func.func @raws(%x: memref<4xi8, {element = !fixed.q<8, 7>}>, %i: index) -> i8 {
  %raw = "memref.load"(%x, %i) : (memref<4xi8, {element = !fixed.q<8, 7>}>, index) -> i8
  %number = builtin.unrealized_conversion_cast %raw : i8 to !fixed.q<8, 7>
  %twice = num.add %number, %number : !fixed.q<8, 7>, !fixed.q<8, 7> -> !fixed.q<8, 7>
  %stored = builtin.unrealized_conversion_cast %twice : !fixed.q<8, 7> to i8
  "memref.store"(%stored, %x, %i) : (i8, memref<4xi8, {element = !fixed.q<8, 7>}>, index) -> ()
  %sum = arith.addi %raw, %raw : i8
  func.return %sum : i8
}
// CHECK:      func.func @raws
// CHECK-NEXT:   [[NUMBER:%[^ ]+]] = memref.load %x[%i] : memref<4x!fixed.q<8, 7>>
// CHECK-NEXT:   [[RAW:%[^ ]+]] = builtin.unrealized_conversion_cast [[NUMBER]] : !fixed.q<8, 7> to i8
// CHECK-NEXT:   %twice = num.add [[NUMBER]], [[NUMBER]]
// CHECK-NEXT:   memref.store %twice, %x[%i]
// CHECK-NEXT:   %sum = arith.addi [[RAW]], [[RAW]] : i8
