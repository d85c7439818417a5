// Integers of 24 bits: three bytes where the compiler has such a type, 32 bits elsewhere; literals do not widen them.

// RUN: tinyml-opt %s -t 'c{target=uno}' | filecheck %s
// RUN: tinyml-opt %s -t 'c{target=cortex-m4}' | filecheck %s --check-prefix=CORTEX

c.program @sum {
  c.arena @arena 1 {alignment = 1 : i64} : i8
  c.func @sum_predict(%X: !c.ptr<i8, const>) {
    %zero = c.literal 0 : index
    %many = c.literal 100000 : i24
    %few = c.literal -3 : i24
    %y = c.view @arena[0] {length = 1 : i64, doc = "int8_t"} : !c.ptr<i8>
    %x = c.load %X[%zero] : !c.ptr<i8, const>
    %wide = c.cast %x : i8 to i24
    %product = c.binary %wide "*" %many : i24
    %t = c.binary %product "+" %few : i24
    %small = c.compare %t "<" %many : i24
    %limited = c.conditional %small, %t, %many : i24
    %stored = c.cast %limited : i24 to i8
    c.store %stored, %y[%zero] : !c.ptr<i8>
    c.return
  }
}
// CHECK:      #pragma GCC optimize ("no-move-loop-invariants")
// CHECK:      #ifdef __AVR__
// CHECK-NEXT: #define TM_INT24 __int24
// CHECK-NEXT: #else
// CHECK-NEXT: #define TM_INT24 int32_t
// CHECK-NEXT: #endif
// CHECK:      const TM_INT24 t = (TM_INT24)X[0] * (TM_INT24)100000 - 3;
// CHECK-NEXT: arena[0] = (int8_t)(t < (TM_INT24)100000 ? t : (TM_INT24)100000);

// CORTEX-NOT: __int24
// CORTEX: #define TM_INT24 int32_t
