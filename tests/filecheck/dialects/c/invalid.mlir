// RUN: %invalid

%p = "test.op"() : () -> !c.ptr<f64>
// CHECK: no element type of C: f64

// -----

%p = "test.op"() : () -> !c.ptr<i16, eeprom>
// CHECK: unknown memory 'eeprom' (one of ram, const, alias, flash, far)

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

// -----

c.program @shared {
  c.instance @shared_ctx {
    c.buffer @input 3 : i16
  }
  c.arena @arena 8 {alignment = 2 : i64} : i16
}
// CHECK: 'arena' is static: instances would share it

// -----

c.program @lone {
  c.instance @lone_ctx {
    c.buffer @input 3 : i16
  }
  c.func @lone_run(%i: index) {
    c.return
  }
}
// CHECK: 'lone_run' takes !c.instance<@lone_ctx> first, got (index)

// -----

c.program @none {
  c.func @none_run(%ctx: !c.instance<@none_ctx>) {
    c.return
  }
}
// CHECK: 'none_run' expected no instance, because the program declares none, got (!c.instance<@none_ctx>)

// -----

c.program @direct {
  c.instance @direct_ctx {
    c.arena @arena 8 {alignment = 2 : i64} : i16
  }
  c.func @direct_scores(%ctx: !c.instance<@direct_ctx>) -> !c.ptr<i16> {
    %y = c.view @arena[2] {length = 3 : i64} : !c.ptr<i16>
    c.return %y : !c.ptr<i16>
  }
}
// CHECK: 'direct_scores': 'arena' is of an instance

// -----

c.program @constant {
  c.instance @constant_ctx {
    c.arena @arena 8 {alignment = 2 : i64} : i16
  }
  c.constant @W dense<1> : tensor<3xi16>
  c.func @constant_weights(%ctx: !c.instance<@constant_ctx>) -> !c.ptr<i16, flash> {
    %W = c.symbol @W of %ctx : !c.instance<@constant_ctx> : !c.ptr<i16, flash>
    c.return %W : !c.ptr<i16, flash>
  }
}
// CHECK: 'constant_weights': 'W' is static

// -----

c.program @kinds {
  c.instance @one_ctx {
    c.buffer @input 3 : i16
  }
  c.instance @two_ctx {
    c.buffer @input 3 : i16
  }
}
// CHECK: a program has instances of one kind

// -----

c.instance @empty_ctx {
^bb0:
}
// CHECK: a structure of C has at least one member

// -----

c.instance @function_ctx {
  c.define @LENGTH 3 {doc = "elements"}
}
// CHECK: an instance consists of an arena and buffers, got c.define

// -----

c.loaded @weights {
  c.constant @W dense<3> : tensor<1xi8>
  c.constant @b dense<[-1, 2]> : tensor<2xi16>
}
// CHECK: arrays of larger elements come first

// -----

c.loaded @function {
  c.define @LENGTH 3 {doc = "elements"}
}
// CHECK: a structure that the caller writes consists of constant arrays

// -----

%v, %n = "test.op"() : () -> (!c.var<i16>, i16)
c.while {
  c.assign %v = %n : i16
} do {
  c.assign %v = %n : i16
}
// CHECK: the first region must end in c.condition

// -----

c.program @wrong {
  c.define @wrong_SCALE 5.000000e-01 : f64
}
// CHECK: the value of a macro is an i64, a ui32, an f32 or a string, got 5.000000e-01 : f64

// -----

c.program @wrong {
  c.prototype @wrong_row ["to"] () -> () {defined = "caller"}
}
// CHECK: 0 parameters have 1 names

// -----

c.program @wrong {
  c.prototype @wrong_row [] () -> () {defined = "caller"} text "return;"
}
// CHECK: a function of a header has either a text or the place of its definition

// -----

c.program @wrong {
  c.prototype @wrong_row [] () -> () {defined = "elsewhere"}
}
// CHECK: unknown place 'elsewhere' (one of caller, blob, source)

// -----

c.program @wrong {
  c.prototype @wrong_row ["a"] (f64) -> () {defined = "caller"}
}
// CHECK: no type of C: f64

// -----

c.program @wrong {
  c.table @wrong_scales 2 {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : f32
}
// CHECK: a table of 2 elements has 3

// -----

c.program @wrong {
  c.table @wrong_scales 2 : f32
}
// CHECK: a table of a header has either a value or the place of its definition
