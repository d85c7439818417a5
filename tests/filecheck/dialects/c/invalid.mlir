// RUN: %invalid

%p = "test.op"() : () -> !c.ptr<f64>
// CHECK: no element type of C: f64

// -----

%p = "test.op"() : () -> !c.ptr<i16, eeprom>
// CHECK: unknown memory 'eeprom' (one of ram, const, alias, flash)

// -----

%a, %b = "test.op"() : () -> (f32, f32)
%c = c.binary %a "&" %b : f32
// CHECK: no operator on f32: '&' (one of +, -, *)

// -----

%a, %b = "test.op"() : () -> (i16, i16)
%c = c.compare %a "<>" %b : i16
// CHECK: no operator on i16: '<>' (one of <, <=, >, >=, ==, !=)

// -----

%a = "test.op"() : () -> i16
%c = c.unary "!" %a : i16
// CHECK: '!' cannot be applied to i16

// -----

%a, %b = "test.op"() : () -> (i16, i16)
%c = c.multiply_wide %a, %b : i16, i16 -> i16
// CHECK: the product of i16 and i16 does not fit in i16

// -----

%a = "test.op"() : () -> f32
%c = c.cast %a : f32 to i16
// CHECK: casts are between integers, got f32

// -----

%i, %v, %p = "test.op"() : () -> (index, i16, !c.ptr<i16, flash>)
c.store %v, %p[%i] : !c.ptr<i16, flash>
// CHECK: cannot store through !c.ptr<i16, flash>: 'flash' is read-only

// -----

%v = "test.op"() : () -> !c.var<i16>
%n = "c.next"(%v) : (!c.var<i16>) -> i16
// CHECK: operand 'variable' at position 0 does not verify

// -----

%i = "test.op"() : () -> index
c.for %k = %i to %i step 0 {
}
// CHECK: the step must be positive, got 0

// -----

c.func @two(%x: i16) -> (i16, i16) {
  "test.termop"() : () -> ()
}
// CHECK: a function of C returns one value or none

// -----

c.func @wrong(%x: i16) -> i32 {
  c.return %x : i16
}
// CHECK: function returns i32, got i16

// -----

"c.func"() <{sym_name = "number", function_type = 1 : i64}> ({
^bb0(%x: i16):
  c.return %x : i16
}) : () -> ()
// CHECK: 1 : i64 should be of base attribute fun

// -----

"c.func"() <{sym_name = "number"}> ({
^bb0(%x: i16):
  c.return %x : i16
}) : () -> ()
// CHECK: property 'function_type' expected

// -----

c.arena @arena 0 {alignment = 1 : i64} : i8
// CHECK: an array of C has at least one byte, got 0
