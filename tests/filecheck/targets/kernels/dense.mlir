// A dense product of bytes: fetch, multiply, accumulate and loop, as each instruction set composes them.

// RUN: tinyml-opt %s -p 'select-kernels{target=uno},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=uno}' | %instructions | filecheck %s --check-prefix=AVR
// RUN: tinyml-opt %s -p 'select-kernels{target=cortex-m4},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=cortex-m4}' | %instructions | filecheck %s --check-prefix=ARM
// RUN: tinyml-opt %s -p 'select-kernels{target=riscv},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=riscv}' | %instructions | filecheck %s --check-prefix=RISCV

func.func @dense(%x: memref<8x!fixed.q<8, 7>>) -> memref<1x!fixed.q<8, 5>> {
  %i = arith.constant 0 : index
  %w = scratch.constant dense<[1, -2, 3, 4, 5, 6, 7, -127]> : tensor<8xi8> -> memref<8x!fixed.q<8, 7>, #scratch.flash>
  %arena = scratch.arena {alignment = 4 : i64} : memref<4xi8>
  %scores = scratch.view %arena[0 : i64] : memref<4xi8> to memref<1x!fixed.q<8, 5>>
  %zero = num.zero : !fixed.acc<32, 14>
  %sum = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<32, 14>, memref<8x!fixed.q<8, 7>, #scratch.flash>, memref<8x!fixed.q<8, 7>>) -> !fixed.acc<32, 14>
  %score = num.finish %sum : !fixed.acc<32, 14> -> !fixed.q<8, 5>
  memref.store %score, %scores[%i] : memref<1x!fixed.q<8, 5>>
  func.return %scores : memref<1x!fixed.q<8, 5>>
}

// Four products gather in 16 bits above the lowest byte of the sum, since the weights are known to allow it; a call
// enters at one of eight steps.
// AVR:      tm_dot_s8_s8_s32_by4_steps
// AVR:      8:
// AVR-NEXT: lpm r18,Z+
// AVR-NEXT: ld r19,X+
// AVR-NEXT: muls r18,r19
// AVR-NEXT: add r22,r0
// AVR-NEXT: ldi r20,128
// AVR-NEXT: adc r20,r1
// AVR:      5:
// AVR-NEXT: lpm r18,Z+
// AVR-NEXT: ld r19,X+
// AVR-NEXT: muls r18,r19
// AVR-NEXT: add r22,r0
// AVR-NEXT: adc r20,r1
// AVR-NEXT: add r23,r20
// AVR-NEXT: clr r1
// AVR-NEXT: adc r24,r1
// AVR-NEXT: adc r25,r1
// AVR:      0:
// AVR-NEXT: dec r21
// AVR-NEXT: brne 8b
// AVR-NEXT: clr r1
// AVR-NEXT: ret

// ARMv6-M: an index is counted up to 0, which is the end of both arrays.
// ARM:      #if TM_CORE == 6
// ARM:      1:
// ARM-NEXT: ldrsb r6, [r4, r5]
// ARM-NEXT: ldrsb r7, [r0, r5]
// ARM-NEXT: muls r7, r6, r7
// ARM-NEXT: add r3, r3, r7
// ARM-NEXT: adds r5, r5, #1
// ARM-NEXT: bne 1b
// ARMv7-M: products are added as they are made.
// ARM:      #elif TM_CORE == 7
// ARM:      8:
// ARM-NEXT: ldrsb r3, [r1], #1
// ARM-NEXT: ldrsb r12, [r0], #1
// ARM-NEXT: mla r4, r12, r3, r4
// With DSP instructions four bytes at once, two products each.
// ARM:      #elif TM_CORE == 8
// ARM:      1:
// ARM-NEXT: ldr r11, [r1], #4
// ARM-NEXT: sxtb16 r3, r11
// ARM-NEXT: sxtb16 r11, r11, ror #8
// ARM-NEXT: ldr lr, [r0], #4
// ARM-NEXT: sxtb16 r12, lr
// ARM-NEXT: sxtb16 lr, lr, ror #8
// ARM-NEXT: smlad r4, r12, r3, r4
// ARM-NEXT: smlad r4, lr, r11, r4
// ARM-NEXT: subs r2, r2, #4
// ARM-NEXT: bge 1b
// ARM:      #else
// ARM-NEXT: for (int i = 0; i < n; i++)
// ARM-NEXT: sum += (int32_t)w[i] * x[i];

// Offsets reach four elements, so that pointers move once for them.
// RISCV:      #if TM_CORE == 32
// RISCV:      1:
// RISCV-NEXT: lb a5, 0(a0)
// RISCV-NEXT: lb a6, 0(a1)
// RISCV-NEXT: mul a6, a6, a5
// RISCV-NEXT: add a3, a3, a6
// RISCV-NEXT: lb a5, 1(a0)
// RISCV:      addi a0, a0, 4
// RISCV-NEXT: addi a1, a1, 4
// RISCV-NEXT: bne a0, a4, 1b
