// RUN: %roundtrip
// RUN: %generic

c.program @tiny attributes {notes = ["A note."]} {
  c.define @tiny_INPUT_LENGTH 3 {doc = "elements of X"}
  c.define @tiny_ADDRESS 4096 : ui32
  c.define @tiny_SCALE 5.000000e-01 : f32
  c.define @tiny_UNIT "mV"
  c.inline @TM_FLASH text "#define TM_FLASH"
  c.prototype @tiny_scale ["i"] (index) -> f32 {doc = "The scale."} text "    return 0.5f;"
  c.prototype @tiny_bind ["blob"] (!c.address) -> !c.text {defined = "caller"}
  c.table @tiny_scales 2 {value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>} : f32
  c.table @tiny_blob 3 {defined = "blob"} : ui8
  c.verbatim "tinyml/f32.h" provides ["tm_expf"] text "static float tm_expf(float x);\0A"
  c.constant @W dense<[1, -2, 3]> : tensor<3xi16> {doc = "3"}
  c.constant @V dense<[4, 5]> : tensor<2xi8> far
  c.arena @arena 8 {alignment = 2 : i64} : i16
  c.func @tiny_predict(%X: !c.ptr<i16, const>) -> i16 attributes {doc = "Runs."} {
    %zero = c.literal 0 : index
    %three = c.literal 3 : index
    %start = c.literal 0 : i32
    %y = c.view @arena[2] {length = 3 : i64, doc = "3"} : !c.ptr<i16, alias>
    %W = c.symbol @W : !c.ptr<i16, flash>
    %W1 = c.address %W[%zero] : !c.ptr<i16, flash>
    %w = c.variable = %W1 : !c.var<!c.ptr<i16, flash>>
    %acc = c.variable = %start : !c.var<i32>
    %late = c.variable : !c.var<i16>
    c.for %i = %zero to %three step 2 {
      %a = c.next %w : !c.var<!c.ptr<i16, flash>>
      %b = c.load %X[%i] : !c.ptr<i16, const>
      %p = c.multiply_wide %a, %b : i16, i16 -> i32
      %old = c.read %acc : i32
      %new = c.binary %old "+" %p : i32
      c.assign %acc = %new : i32
      %low = c.cast %new : i32 to i16
      c.store %low, %y[%i] : !c.ptr<i16, alias>
    }
    %sum = c.read %acc : i32
    %positive = c.compare %sum ">" %start : i32
    %no = c.unary "!" %positive : i1
    %minus = c.unary "-" %sum : i32
    %size = c.conditional %no, %minus, %sum : i32
    %label = c.cast %size : i32 to i16
    c.if %no {
      c.assign %late = %label : i16
    } else {
      c.assign %late = %label : i16
    }
    c.while {
      %left = c.read %acc : i32
      %more = c.compare %left ">" %start : i32
      c.condition %more
    } do {
      c.assign %acc = %start : i32
    } {note = "ends"}
    %f = c.literal 0.5 : f32
    %e = c.call @tm_expf(%f) : (f32) -> f32
    c.invoke @accumulate(%y, %f) : !c.ptr<i16, alias>, f32
    %four = c.array 4 : !c.ptr<i32>
    c.return %label : i16
  }
  c.func @nothing() attributes {local} {
    c.return
  }
}

c.program @several {
  c.instance @several_ctx {
    c.arena @arena 8 {alignment = 2 : i64} : i16
    c.buffer @input 3 {doc = "The input."} : i16
  }
  c.func @several_input(%ctx: !c.instance<@several_ctx>) -> !c.ptr<i16> {
    %X = c.symbol @input of %ctx : !c.instance<@several_ctx> : !c.ptr<i16>
    c.return %X : !c.ptr<i16>
  }
  c.func @several_scores(%ctx: !c.instance<@several_ctx>) -> !c.ptr<i16, const> {
    %y = c.view @arena[2] of %ctx : !c.instance<@several_ctx> {length = 3 : i64, doc = "3"} : !c.ptr<i16, const>
    c.invoke @several_set(%ctx) : !c.instance<@several_ctx>
    c.pragma "once"
    c.pragma "of an array" of %y : !c.ptr<i16, const> {symbol = @arena}
    c.return %y : !c.ptr<i16, const>
  }
}

// CHECK:      c.program @tiny attributes {notes = ["A note."]} {
// CHECK-NEXT:   c.define @tiny_INPUT_LENGTH 3 : i64 {doc = "elements of X"}
// CHECK-NEXT:   c.define @tiny_ADDRESS 4096 : ui32
// CHECK-NEXT:   c.define @tiny_SCALE 5.000000e-01 : f32
// CHECK-NEXT:   c.define @tiny_UNIT "mV"
// CHECK-NEXT:   c.inline @TM_FLASH text "#define TM_FLASH"
// CHECK-NEXT:   c.prototype @tiny_scale ["i"] (index) -> f32 {doc = "The scale."} text "    return 0.5f;"
// CHECK-NEXT:   c.prototype @tiny_bind ["blob"] (!c.address) -> !c.text {defined = "caller"}
// CHECK-NEXT:   c.table @tiny_scales 2 {value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>} : f32
// CHECK-NEXT:   c.table @tiny_blob 3 {defined = "blob"} : ui8
// CHECK-NEXT:   c.verbatim "tinyml/f32.h" provides ["tm_expf"] text "static float tm_expf(float x);\0A"
// CHECK-NEXT:   c.constant @W dense<[1, -2, 3]> : tensor<3xi16> {doc = "3"}
// CHECK-NEXT:   c.constant @V dense<[4, 5]> : tensor<2xi8> far
// CHECK-NEXT:   c.arena @arena 8 {alignment = 2 : i64} : i16
// CHECK-NEXT:   c.func @tiny_predict(%X: !c.ptr<i16, const>) -> i16 attributes {doc = "Runs."} {
// CHECK:          %y = c.view @arena[2] {length = 3 : i64, doc = "3"} : !c.ptr<i16, alias>
// CHECK-NEXT:     %W = c.symbol @W : !c.ptr<i16, flash>
// CHECK-NEXT:     %W1 = c.address %W[%zero] : !c.ptr<i16, flash>
// CHECK-NEXT:     %w = c.variable = %W1 : !c.var<!c.ptr<i16, flash>>
// CHECK-NEXT:     %acc = c.variable = %start : !c.var<i32>
// CHECK-NEXT:     %late = c.variable : !c.var<i16>
// CHECK-NEXT:     c.for %i = %zero to %three step 2 {
// CHECK-NEXT:       %a = c.next %w : !c.var<!c.ptr<i16, flash>>
// CHECK-NEXT:       %b = c.load %X[%i] : !c.ptr<i16, const>
// CHECK-NEXT:       %p = c.multiply_wide %a, %b : i16, i16 -> i32
// CHECK-NEXT:       %old = c.read %acc : i32
// CHECK-NEXT:       %new = c.binary %old "+" %p : i32
// CHECK-NEXT:       c.assign %acc = %new : i32
// CHECK:            c.store %low, %y[%i] : !c.ptr<i16, alias>
// CHECK:          %positive = c.compare %sum ">" %start : i32
// CHECK-NEXT:     %no = c.unary "!" %positive : i1
// CHECK-NEXT:     %minus = c.unary "-" %sum : i32
// CHECK-NEXT:     %size = c.conditional %no, %minus, %sum : i32
// CHECK:          c.if %no {
// CHECK-NEXT:       c.assign %late = %label : i16
// CHECK-NEXT:     } else {
// CHECK:          c.while {
// CHECK-NEXT:       %left = c.read %acc : i32
// CHECK-NEXT:       %more = c.compare %left ">" %start : i32
// CHECK-NEXT:       c.condition %more
// CHECK-NEXT:     } do {
// CHECK-NEXT:       c.assign %acc = %start : i32
// CHECK-NEXT:     } {note = "ends"}
// CHECK:          %e = c.call @tm_expf(%f) : (f32) -> f32
// CHECK-NEXT:     c.invoke @accumulate(%y, %f) : !c.ptr<i16, alias>, f32
// CHECK-NEXT:     %four = c.array 4 : !c.ptr<i32>
// CHECK-NEXT:     c.return %label : i16
// CHECK:        c.func @nothing() attributes {local} {

c.program @small {
  c.loaded @weights_in_ram {
    c.constant @b dense<[-1, 2]> : tensor<2xi16>
    c.constant @W dense<3> : tensor<1xi8> {doc = "1 int8_t"}
  }
  c.func @small_weights() -> !c.ptr<i8> {
    %weights = c.symbol @weights_in_ram : !c.ptr<i8>
    c.return %weights : !c.ptr<i8>
  }
}

// CHECK:      c.program @several {
// CHECK-NEXT:   c.instance @several_ctx {
// CHECK-NEXT:     c.arena @arena 8 {alignment = 2 : i64} : i16
// CHECK-NEXT:     c.buffer @input 3 {doc = "The input."} : i16
// CHECK-NEXT:   }
// CHECK-NEXT:   c.func @several_input(%ctx: !c.instance<@several_ctx>) -> !c.ptr<i16> {
// CHECK-NEXT:     %X = c.symbol @input of %ctx : !c.instance<@several_ctx> : !c.ptr<i16>
// CHECK:        c.func @several_scores(%ctx: !c.instance<@several_ctx>) -> !c.ptr<i16, const> {
// CHECK-NEXT:     %y = c.view @arena[2] of %ctx : !c.instance<@several_ctx> {length = 3 : i64, doc = "3"} : !c.ptr<i16, const>
// CHECK-NEXT:     c.invoke @several_set(%ctx) : !c.instance<@several_ctx>
// CHECK-NEXT:     c.pragma "once"
// CHECK-NEXT:     c.pragma "of an array" of %y : !c.ptr<i16, const> {symbol = @arena}

// CHECK:      c.program @small {
// CHECK-NEXT:   c.loaded @weights_in_ram {
// CHECK-NEXT:     c.constant @b dense<[-1, 2]> : tensor<2xi16>
// CHECK-NEXT:     c.constant @W dense<3> : tensor<1xi8> {doc = "1 int8_t"}
// CHECK-NEXT:   }

// GENERIC: "c.define"() <{sym_name = "tiny_INPUT_LENGTH", value = 3 : i64, doc = "elements of X"}> : () -> ()
// GENERIC: "c.for"(%zero, %three) <{step = 2 : i64}>
