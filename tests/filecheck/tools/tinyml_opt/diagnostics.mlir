// xDSL's own ways to test for an error still work.

// RUN: %invalid

"arith.nonsense"() : () -> ()
// CHECK: Operation arith.nonsense is not registered

// -----

%0 = arith.constant 300 : i8
// CHECK: diagnostics.mlir:10:1: Integer value 300 is out of range for type i8

// -----

%0, %1 = "test.op"() : () -> (i32, f32)
%2 = "arith.addi"(%0, %1) : (i32, f32) -> i32
// CHECK: operand 'rhs' at position 1 does not verify
