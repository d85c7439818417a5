// Rows of weights that are code: each is an immediate, and zeros take nothing.

// RUN: tinyml-opt %s -p 'spend-flash{target=uno flash=20000},select-kernels{target=uno},canonicalize,lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=uno}' | %instructions | filecheck %s --check-prefix=AVR
// RUN: tinyml-opt %s -p 'spend-flash{target=cortex-m4 flash=20000},select-kernels{target=cortex-m4},canonicalize,lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=cortex-m4}' | %instructions | filecheck %s --check-prefix=ARM

func.func @code(%x: memref<4x!fixed.q<8, 6>>) -> memref<3x!fixed.q<8, 2>> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<3xi8>
  %y = scratch.view %arena[0 : i64] : memref<3xi8> to memref<3x!fixed.q<8, 2>>
  %w = scratch.constant dense<[[1, 2, -3, 4], [0, 0, 127, 0], [5, -6, 7, -8]]> : tensor<3x4xi8> -> memref<3x4x!fixed.q<8, 4>, #scratch.flash>
  %b = scratch.constant dense<[1, -2, 3]> : tensor<3xi8> -> memref<3x!fixed.q<8, 10>, #scratch.flash>
  num.contract %i to 3 {
    %bias = memref.load %b[%i] : memref<3x!fixed.q<8, 10>, #scratch.flash>
    %start = num.start %bias : !fixed.q<8, 10> -> !fixed.acc<24, 10>
    %sum = num.products %start, %w, %x : !fixed.acc<24, 10>, memref<3x4x!fixed.q<8, 4>, #scratch.flash>, memref<4x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
    %z = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
    memref.store %z, %y[%i] : memref<3x!fixed.q<8, 2>>
  }
  func.return %y : memref<3x!fixed.q<8, 2>>
}

// An element meets the weights of all rows; one of 1 is an addition, and -8 takes the product by 4 of the first row.
// AVR:      void tm_avr_rows_{{[0-9a-f]+}}(
// AVR:      ldd r18,Z+0
// AVR:      ldi r19,5
// AVR-NEXT: muls r18,r19
// AVR:      ldd r18,Z+1
// AVR-NEXT: ldi r19,2
// AVR-NEXT: muls r18,r19
// AVR-NEXT: add r25,r0
// AVR-NEXT: adc r20,r1
// AVR:      ldi r19,4
// AVR-NEXT: muls r18,r19
// AVR-NEXT: add r25,r0
// AVR-NEXT: adc r20,r1
// AVR-NEXT: lsl r0
// AVR-NEXT: rol r1
// AVR-NEXT: sub r5,r0
// AVR-NEXT: sbc r22,r1

// Powers of two are shifts of an addition or subtraction. No sum leaves a byte: none is limited.
// ARM:      void tm_cm_rows_{{[0-9a-f]+}}(
// ARM:      ldrsb r12, [r0, #1]
// ARM-NEXT: add r4, r4, r12, lsl #1
// ARM-NEXT: movw lr, #6
// ARM-NEXT: mls r6, r12, lr, r6
// ARM:      sub r6, r6, r12, lsl #3
// ARM-NEXT: asr r4, r4, #8
// ARM-NEXT: strb r4, [r1, #0]
