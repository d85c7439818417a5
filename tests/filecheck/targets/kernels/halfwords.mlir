// Products of 16 bits by 16, in sums of 32.

// RUN: tinyml-opt %s -p 'select-kernels{target=uno},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=uno}' | %instructions | filecheck %s --check-prefix=AVR
// RUN: tinyml-opt %s -p 'select-kernels{target=cortex-m4},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=cortex-m4}' | %instructions | filecheck %s --check-prefix=ARM
// RUN: tinyml-opt %s -p 'select-kernels{target=riscv},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=riscv}' | %instructions | filecheck %s --check-prefix=RISCV

func.func @halfwords(%x: memref<8x!fixed.q<16, 12>>) -> memref<1x!fixed.q<16, 10>> {
  %i = arith.constant 0 : index
  %w = scratch.constant dense<[1, -2, 3, 4, 5, 6, 7, -32767]> : tensor<8xi16> -> memref<8x!fixed.q<16, 12>, #scratch.flash>
  %arena = scratch.arena {alignment = 4 : i64} : memref<4xi8>
  %scores = scratch.view %arena[0 : i64] : memref<4xi8> to memref<1x!fixed.q<16, 10>>
  %zero = num.zero : !fixed.acc<32, 24>
  %sum = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<32, 24>, memref<8x!fixed.q<16, 12>, #scratch.flash>, memref<8x!fixed.q<16, 12>>) -> !fixed.acc<32, 24>
  %score = num.finish %sum : !fixed.acc<32, 24> -> !fixed.q<16, 10>
  memref.store %score, %scores[%i] : memref<1x!fixed.q<16, 10>>
  func.return %scores : memref<1x!fixed.q<16, 10>>
}

// Bytes meet bytes, signed or not; the outer products meet in the same sum.
// AVR:      tm_dot_s16_s16_s32_steps
// AVR:      4:
// AVR-NEXT: lpm r18,Z+
// AVR-NEXT: lpm r20,Z+
// AVR-NEXT: ld r19,X+
// AVR-NEXT: ld r21,X+
// AVR-NEXT: mulsu r20,r19
// AVR-NEXT: sbc r25,r15
// AVR-NEXT: add r23,r0
// AVR-NEXT: adc r24,r1
// AVR-NEXT: adc r25,r15
// AVR-NEXT: mulsu r21,r18
// AVR:      mul r18,r19
// AVR-NEXT: movw r18,r0
// AVR-NEXT: muls r20,r21
// AVR-NEXT: add r22,r18
// AVR-NEXT: adc r23,r19
// AVR-NEXT: adc r24,r0
// AVR-NEXT: adc r25,r1
// AVR:      dec r16
// AVR-NEXT: breq 19f
// AVR-NEXT: rjmp 4b

// ARM:      #if TM_CORE == 6
// ARM:      ldrsh r6, [r4, r5]
// ARM-NEXT: ldrsh r7, [r0, r5]
// ARM-NEXT: muls r7, r6, r7
// ARM-NEXT: add r3, r3, r7
// ARM-NEXT: adds r5, r5, #2
// Two words at once where the row is aligned.
// ARM:      #elif TM_CORE == 8
// ARM:      lsls r3, r3, #30
// ARM-NEXT: bne 2f
// ARM-NEXT: 1:
// ARM-NEXT: ldr r3, [r1], #4
// ARM-NEXT: ldr r11, [r1], #4
// ARM-NEXT: ldrd r12, lr, [r0], #8
// ARM-NEXT: smlad r4, r12, r3, r4
// ARM-NEXT: smlad r4, lr, r11, r4

// RISCV:      lh a5, 2(a0)
// RISCV-NEXT: lh a6, 2(a1)
// RISCV-NEXT: mul a6, a6, a5
// RISCV-NEXT: add a3, a3, a6
