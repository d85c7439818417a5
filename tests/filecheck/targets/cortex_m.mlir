// Plain C, as for the host.

// RUN: tinyml-opt %s -t 'c{target=cortex-m4}' | filecheck %s

c.program @tiny attributes {notes = ["A note."]} {
  c.define @tiny_INPUT_LENGTH 4 {doc = "elements of X"}
  c.define @tiny_OUTPUT_LENGTH 2 {doc = "elements of the scores"}
  c.constant @W dense<[1, -2, 3, -32768, 5, 6, 7, 8]> : tensor<8xi16> {doc = "2x4 int16_t"}
  c.constant @T dense<[-1, 0, 1]> : tensor<3xi8> {doc = "3 int8_t"}
  c.arena @arena 6 {alignment = 4 : i64} : i16
  c.func @tiny_predict(%X: !c.ptr<i16, const>) -> i16 attributes {doc = "Runs the model on X."} {
    %zero = c.literal 0 : index
    %two = c.literal 2 : index
    %four = c.literal 4 : index
    %none = c.literal 0 : i32
    %half = c.literal 2048 : i32
    %shift = c.literal 12 : i32
    %top = c.literal 32767 : i32
    %W = c.symbol @W : !c.ptr<i16, flash>
    %T = c.symbol @T : !c.ptr<i8, flash>
    %y = c.view @arena[0] {length = 2 : i64, doc = "2x1 int16_t"} : !c.ptr<i16>
    c.for %i = %zero to %two {
      %o = c.binary %four "*" %i : index
      %row = c.address %W[%o] : !c.ptr<i16, flash>
      %w = c.variable = %row : !c.var<!c.ptr<i16, flash>>
      %sum = c.variable = %none : !c.var<i32>
      c.for %k = %zero to %four {
        %a = c.next %w : !c.var<!c.ptr<i16, flash>>
        %b = c.load %X[%k] : !c.ptr<i16, const>
        %p = c.multiply_wide %a, %b : i16, i16 -> i32
        %old = c.read %sum : i32
        %new = c.binary %old "+" %p : i32
        c.assign %sum = %new : i32
      }
      %total = c.read %sum : i32
      %rounded = c.binary %total "+" %half : i32
      %int = c.binary %rounded ">>" %shift : i32
      %small = c.compare %int "<" %top : i32
      %limited = c.conditional %small, %int, %top : i32
      %stored = c.cast %limited : i32 to i16
      c.store %stored, %y[%i] : !c.ptr<i16>
    }
    %t = c.load %T[%two] : !c.ptr<i8, flash>
    %u = c.load %T[%zero] : !c.ptr<i8, flash>
    %m = c.multiply_wide %t, %u : i8, i8 -> i16
    %first = c.load %y[%zero] : !c.ptr<i16>
    c.store %m, %y[%two] : !c.ptr<i16>
    c.return %first : i16
  }
  c.func @tiny_scores() -> !c.ptr<i16, const> attributes {doc = "The scores."} {
    %y = c.view @arena[0] {length = 2 : i64, doc = "2x1 int16_t"} : !c.ptr<i16, const>
    c.return %y : !c.ptr<i16, const>
  }
}

// CHECK:      #include "tiny.h"
// CHECK-NOT:  TM_FLASH
// CHECK:      /* tiny_W: 2x4 int16_t */
// CHECK-NEXT: static const int16_t tiny_W[8] __attribute__((__aligned__(4))) = {
// CHECK-NEXT:     1, -2, 3, INT16_MIN, 5, 6, 7, 8
// CHECK-NEXT: };
// CHECK:      static int16_t tiny_arena[3] __attribute__((__aligned__(4)));
// CHECK:                  sum += (int32_t)*w++ * (int32_t)X[k];
// CHECK:          y[2] = (int16_t)((int16_t)tiny_T[2] * (int16_t)tiny_T[0]);
