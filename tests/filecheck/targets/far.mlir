// Far constants stand among the code, in an even number of bytes; their addresses count bytes.

// RUN: tinyml-opt %s -t 'c{target=mega}' | filecheck %s
// RUN: not tinyml-opt %s -t 'c{target=host}' 2>&1 | filecheck %s --check-prefix=HOST
// HOST: constant 'W' is far, which constants of host are not

c.program @tiny {
  c.define @tiny_INPUT_LENGTH 4 {doc = "elements of X"}
  c.define @tiny_OUTPUT_LENGTH 0 {doc = "elements of the scores"}
  c.constant @W dense<[1, -2, 3]> : tensor<3xi16> far {doc = "3 int16_t"}
  c.constant @T dense<[-1, 0, 1]> : tensor<3xi8> far {doc = "3 int8_t"}
  c.constant @N dense<[7]> : tensor<1xi8> {doc = "1 int8_t"}
  c.func @tiny_predict(%X: !c.ptr<i16, const>) -> i16 {
    %zero = c.literal 0 : index
    %one = c.literal 1 : index
    %three = c.literal 3 : index
    %n = c.symbol @N : !c.ptr<i8, flash>
    %w = c.symbol @W : !c.ptr<i16, far>
    %t = c.symbol @T : !c.ptr<i8, far>
    %first = c.load %n[%zero] : !c.ptr<i8, flash>
    %start = c.cast %first : i8 to i16
    %sum = c.variable = %start : !c.var<i16>
    %at = c.address %t[%one] : !c.ptr<i8, far>
    %p = c.variable = %at : !c.var<!c.ptr<i8, far>>
    c.for %i = %zero to %three step 1 {
      %v = c.load %w[%i] : !c.ptr<i16, far>
      %s = c.read %sum : i16
      %u = c.binary %s "+" %v : i16
      c.assign %sum = %u : i16
    }
    %y = c.next %p : !c.var<!c.ptr<i8, far>>
    %wide = c.cast %y : i8 to i16
    %s = c.read %sum : i16
    %r = c.binary %s "+" %wide : i16
    c.return %r : i16
  }
}

// CHECK: #pragma GCC optimize ("no-jump-tables")
// CHECK: typedef __uint24 tm_far;
// CHECK: #define TM_FAR(ARRAY)
// CHECK: #define TM_FLASH __attribute__((__progmem__))
// CHECK: int8_t tm_next_far_i8(tm_far *p)
// CHECK: int16_t tm_far_i16(tm_far p)
// CHECK: out __RAMPZ__, %2\n\telpm %A0, Z+\n\telpm %B0, Z
// CHECK: static const int16_t tiny_W[3] TM_FLASH_FAR = {
// CHECK: static const int8_t tiny_T[4] TM_FLASH_FAR = {
// CHECK: static const int8_t tiny_N[1] TM_FLASH = {
// CHECK: tm_flash_i8(tiny_N)
// CHECK: tm_far p = TM_FAR(tiny_T) + 1;
// CHECK: tm_far_i16(TM_FAR(tiny_W) + 2 * i)
// CHECK: tm_next_far_i8(&p)
