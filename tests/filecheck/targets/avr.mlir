// Constants lie in program memory; helpers read them there, and multiply bytes. Nothing needs to be aligned.

// RUN: tinyml-opt %s -t 'c{target=uno}' | filecheck %s

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
    %n = c.multiply_wide %t, %first : i8, i16 -> i32
    %large = c.literal 70000 : i32
    %o = c.binary %n "+" %large : i32
    %q = c.cast %o : i32 to i16
    c.store %q, %y[%zero] : !c.ptr<i16>
    c.store %m, %y[%two] : !c.ptr<i16>
    c.return %first : i16
  }
  c.func @tiny_scores() -> !c.ptr<i16, const> attributes {doc = "The scores."} {
    %y = c.view @arena[0] {length = 2 : i64, doc = "2x1 int16_t"} : !c.ptr<i16, const>
    c.return %y : !c.ptr<i16, const>
  }
}

// CHECK:      #define TM_FLASH __attribute__((__progmem__))
// CHECK:      TM_INLINE int8_t tm_flash_i8(const int8_t *p)
// CHECK:      TM_INLINE int16_t tm_next_i16(const int16_t **p)
// CHECK-NEXT: {
// CHECK-NEXT: #ifdef __AVR__
// CHECK-NEXT:     int16_t value;
// CHECK-NEXT:     __asm__("lpm %A0, Z+\n\tlpm %B0, Z+" : "=r"(value), "+z"(*p));
// CHECK-NEXT:     return value;
// CHECK-NEXT: #else
// CHECK-NEXT:     return *(*p)++;
// CHECK:      TM_INLINE int16_t tm_mul8(int8_t a, int8_t b)
// CHECK:      static const int16_t tiny_W[8] TM_FLASH = {
// CHECK:      static int16_t tiny_arena[3];
// CHECK:          for (uint8_t i = 0; i < 2; i++) {
// CHECK-NEXT:         const int16_t *w = &tiny_W[4 * i];
// CHECK:                  sum += tm_mul16(tm_next_i16(&w), X[k]);
// CHECK:          y[0] = (int16_t)((int32_t)tm_mul16_8(first, t) + 70000);
// CHECK-NEXT:     y[2] = tm_mul8(t, tm_flash_i8(tiny_T));
