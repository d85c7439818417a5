// A compressed row: values and the distances between them, which are one stream on AVR.

// RUN: tinyml-opt %s -p 'select-kernels{target=uno},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=uno}' | %instructions | filecheck %s --check-prefix=AVR
// RUN: tinyml-opt %s -p 'select-kernels{target=cortex-m4},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=cortex-m4}' | %instructions | filecheck %s --check-prefix=ARM
// RUN: tinyml-opt %s -p 'select-kernels{target=riscv},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=riscv}' | %instructions | filecheck %s --check-prefix=RV

func.func @sparse(%x: memref<8x!fixed.q<8, 7>>) -> memref<1x!fixed.q<8, 5>> {
  %i = arith.constant 0 : index
  %v = scratch.constant dense<[1, 2, -1]> : tensor<3xi8> -> memref<3x!fixed.q<8, 7>, #scratch.flash>
  %gaps = scratch.constant dense<[3, 4, 0]> : tensor<3xi8> -> memref<3xi8, #scratch.flash>
  %lengths = scratch.constant dense<[2, 1]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %arena = scratch.arena {alignment = 4 : i64} : memref<4xi8>
  %scores = scratch.view %arena[0 : i64] : memref<4xi8> to memref<1x!fixed.q<8, 5>>
  %zero = num.zero : !fixed.acc<32, 14>
  %sum = num.call #num.sparse_dot(%zero, %v, %gaps, %lengths, %x, %i, %i) : (!fixed.acc<32, 14>, memref<3x!fixed.q<8, 7>, #scratch.flash>, memref<3xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<8x!fixed.q<8, 7>>, index, index) -> !fixed.acc<32, 14>
  %score = num.finish %sum : !fixed.acc<32, 14> -> !fixed.q<8, 5>
  memref.store %score, %scores[%i] : memref<1x!fixed.q<8, 5>>
  func.return %scores : memref<1x!fixed.q<8, 5>>
}

// A byte of distance moves the pointer on; two bytes in front say how many entries follow.
// AVR:      tm_dot_row_s8_s8_s32_steps
// AVR:      lpm r20,Z+
// AVR-NEXT: lpm r21,Z+
// AVR:      4:
// AVR-NEXT: lpm r18,Z+
// AVR-NEXT: add r26,r18
// AVR-NEXT: adc r27,r17
// AVR-NEXT: lpm r18,Z+
// AVR-NEXT: ld r19,X+
// AVR-NEXT: muls r18,r19
// AVR:      subi r20,4
// AVR-NEXT: brcc 4b

// ARM:      #if TM_CORE == 6
// ARM:      ldrb r6, [r1, r5]
// ARM-NEXT: ldrsb r7, [r2, r6]
// ARM-NEXT: adds r2, r2, r6
// ARM:      #elif TM_CORE == 7 || TM_CORE == 8
// ARM:      ldrb r4, [r1], #1
// ARM-NEXT: add r2, r2, r4
// ARM-NEXT: ldrsb r4, [r0], #1
// ARM-NEXT: ldrsb lr, [r2]
// ARM-NEXT: mla r12, r4, lr, r12

// RV:      #if TM_CORE == 32
// RV:      andi a5, a3, -4
// RV:      1:
// RV-NEXT: lbu a6, 0(a1)
// RV-NEXT: add a2, a2, a6
// RV-NEXT: lb a6, 0(a0)
// RV-NEXT: lb a7, 0(a2)
// RV-NEXT: mul a7, a7, a6
// RV-NEXT: add a4, a4, a7
// RV-NEXT: lbu a6, 1(a1)
// RV:      addi a0, a0, 4
// RV-NEXT: addi a1, a1, 4
// RV-NEXT: bne a0, a5, 1b
// RV:      #else
// RV:      sum += (int32_t)*values++ * *x;
// RV:      tm_rv_dot_sparse_s8_s8_s32(sparse_v, sparse_gaps, x, 
