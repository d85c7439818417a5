// Windows of a tile, by rows of weights and by channels: their sums stay in registers, and end as bytes.

// RUN: sed 's/"DOTS"/"tm_dot_requantised_s8"/; s/"CHANNELS"/"tm_channel_requantised_s8"/' %s | tinyml-opt -p 'select-kernels{target=uno},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=uno}' | %instructions | filecheck %s --check-prefix=AVR
// RUN: sed 's/"DOTS"/"tm_cm_dot_tile_s8"/; s/"CHANNELS"/"tm_cm_channel_tile_s8"/' %s | tinyml-opt -p 'select-kernels{target=cortex-m4},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=cortex-m4}' | %instructions | filecheck %s --check-prefix=DSP
// RUN: sed 's/"DOTS"/"tm_cm_dot_tile_s8"/; s/"CHANNELS"/"tm_cm_channel_tile_s8"/; s/-3\b/-128/g' %s | tinyml-opt -p 'select-kernels{target=cortex-m4},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=cortex-m4}' | %instructions | filecheck %s --check-prefix=LEAST
// RUN: sed 's/"DOTS"/"tm_cm_dot_tile_s8"/; s/"CHANNELS"/"tm_cm_channel_tile_s8"/; s/-3\b/-127/g' %s | tinyml-opt -p 'select-kernels{target=cortex-m4},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=cortex-m4}' | %instructions | filecheck %s --check-prefix=ABOVE
// RUN: sed 's/"DOTS"/"tm_cm_small_dot_tile_s8"/; s/"CHANNELS"/"tm_cm_small_channel_tile_s8"/' %s | tinyml-opt -p 'select-kernels{target=cortex-m0},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=cortex-m0}' | %instructions | filecheck %s --check-prefix=SMALL
// RUN: sed 's/"DOTS"/"tm_rv_dot_tile_s8"/; s/"CHANNELS"/"tm_rv_channel_tile_s8"/' %s | tinyml-opt -p 'select-kernels{target=riscv},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=riscv}' | %instructions | filecheck %s --check-prefix=RISCV

func.func @tiles(%x: memref<32x!zeroskew.q<8, 1.0, 0>>) -> (memref<16x!zeroskew.q<8, 64.0, -3>>, memref<24x!zeroskew.q<8, 64.0, -3>>) {
  %arena = scratch.arena {alignment = 4 : i64} : memref<40xi8>
  %y = scratch.view %arena[0 : i64] : memref<40xi8> to memref<16x!zeroskew.q<8, 64.0, -3>>
  %z = scratch.view %arena[16 : i64] : memref<40xi8> to memref<24x!zeroskew.q<8, 64.0, -3>>
  %s = scratch.constant dense<[40, -50, 60, 70]> : tensor<4xi32> -> memref<4x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
  %w = scratch.constant dense<3> : tensor<32xi8> -> memref<32x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  %v = scratch.constant dense<5> : tensor<12xi8> -> memref<12x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  %at0 = arith.constant 0 : index
  %y0 = scratch.slice %y[%at0] : memref<16x!zeroskew.q<8, 64.0, -3>> to memref<4x4x!zeroskew.q<8, 64.0, -3>>
  %w0 = scratch.slice %w[%at0] : memref<32x!zeroskew.q<8, 1.0, 0>, #scratch.flash> to memref<4x8x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  num.contract %window, %row to 4, 4 by #num.tile_kernel<"DOTS", rows = 4, runs = 1, length = 8, pitch = 0, step = 8, count = 4, zero = -3> {
    %n = memref.load %s[%row] : memref<4x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %w0, %x {spacing = array<i64: 1, 0, 8>} : !zeroskew.acc<32, 1.0>, memref<4x8x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<32x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 64.0, -3>
    memref.store %result, %y0[%window, %row] : memref<4x4x!zeroskew.q<8, 64.0, -3>>
  }
  %at1 = arith.constant 0 : index
  %y1 = scratch.slice %z[%at1] : memref<24x!zeroskew.q<8, 64.0, -3>> to memref<6x4x!zeroskew.q<8, 64.0, -3>>
  %w1 = scratch.slice %v[%at1] : memref<12x!zeroskew.q<8, 1.0, 0>, #scratch.flash> to memref<4x3x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  num.contract %window, %row to 6, 4 by #num.tile_kernel<"CHANNELS", rows = 4, runs = 1, length = 12, pitch = 0, step = 4, count = 6, zero = -3> {
    %n = memref.load %s[%row] : memref<4x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %w1, %x {spacing = array<i64: 1, 0, 4>, channels} : !zeroskew.acc<32, 1.0>, memref<4x3x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<32x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 64.0, -3>
    memref.store %result, %y1[%window, %row] : memref<6x4x!zeroskew.q<8, 64.0, -3>>
  }
  func.return %y, %z : memref<16x!zeroskew.q<8, 64.0, -3>>, memref<24x!zeroskew.q<8, 64.0, -3>>
}

// Two rows by two windows: two weights and two elements are four products. A function requantises all sums.
// AVR:      TM_KERNEL tm_requantised_s8(void)
// AVR:      void tm_dot_requantised_s8_4_1_8_0_8_4_125(
// AVR:      {{^2:$}}
// AVR-NEXT: lpm r20,Z+
// AVR-NEXT: lpm r21,Z+
// AVR-NEXT: ld r22,X+
// AVR-NEXT: ld r23,Y+
// AVR-NEXT: muls r20,r22
// AVR-NEXT: sbc r10,r15
// AVR-NEXT: add r2,r0
// AVR-NEXT: adc r3,r1
// AVR-NEXT: adc r10,r15
// AVR-NEXT: muls r21,r22
// AVR:      %~call %x[tm_requantised_s8]
// AVR-NEXT: st Y+,r25
// Three weights stay in registers; an element is loaded once for the three windows that it belongs to.
// AVR:      void tm_channel_requantised_s8_4_1_12_0_4_6_125(
// AVR:      lpm r16,Z+
// AVR-NEXT: lpm r17,Z+
// AVR-NEXT: lpm r18,Z+
// AVR:      {{^2:$}}
// AVR-NEXT: ld r25,Y
// AVR-NEXT: muls r18,r25
// AVR:      muls r17,r25
// AVR:      muls r16,r25
// AVR:      adiw r28,4

// Windows are widened once for all rows; four sums, each finished by five instructions.
// DSP:      void tm_cm_dot_tile_s8_4_1_8_0_8_4_125(
// DSP:      ldr r11, [lr, #8]
// DSP-NEXT: ldr r9, [lr], #4
// DSP-NEXT: sxtb16 r8, r9
// DSP-NEXT: sxtb16 r9, r9, ror #8
// DSP:      stm r2!, {r8, r9, r10, r11}
// DSP:      {{^2:$}}
// DSP-NEXT: ldm r0!, {r4, r6}
// DSP:      ldm r2!, {r8, r9, r10, r11}
// DSP-NEXT: ldr lr, [r0], #4
// DSP-NEXT: ldr r3, [r0], #4
// DSP-NEXT: sxtb16 r12, lr
// DSP-NEXT: sxtb16 lr, lr, ror #8
// DSP-NEXT: smlad r5, r12, r10, r4
// DSP-NEXT: smlad r5, lr, r11, r5
// DSP-NEXT: smlad r4, r12, r8, r4
// DSP-NEXT: smlad r4, lr, r9, r4
// DSP:      smmlar r4, r4, r8, r4
// DSP-NEXT: add r4, r4, r4, asr #31
// DSP-NEXT: asr r4, r4, r10
// DSP-NEXT: sub r4, r4, #5
// DSP-NEXT: ssat r4, #8, r4, asr #1
// With the least zero point, negative results saturate, however they are rounded.
// LEAST:      void tm_cm_dot_tile_s8_4_1_8_0_8_4_0(
// LEAST:      smmlar r4, r4, r8, r4
// LEAST-NEXT: asr r4, r4, r10
// LEAST-NEXT: sub r4, r4, #255
// LEAST-NEXT: ssat r4, #8, r4, asr #1
// ABOVE:      void tm_cm_dot_tile_s8_4_1_8_0_8_4_1(
// ABOVE:      smmlar r4, r4, r8, r4
// ABOVE-NEXT: add r4, r4, r4, asr #31
// ABOVE-NEXT: asr r4, r4, r10
// ABOVE-NEXT: sub r4, r4, #253
// DSP:      void tm_cm_channel_tile_s8_4_1_12_0_4_6_125(
// DSP:      ldrsb r5, [r1, #8]
// DSP-NEXT: smlabt r0, r5, r6, r0
// DSP-NEXT: smlabt r3, r5, r7, r3
// DSP-NEXT: ldr r4, [sp, #4]
// DSP-NEXT: smlabb r4, r5, r7, r4

// Four rows by a window, whose sums are in high registers: a product overwrites a factor.
// SMALL:      void tm_cm_small_dot_tile_s8_4_1_8_0_8_4_125(
// SMALL:      ldrsb r6, [r4, r5]
// SMALL-NEXT: ldrsb r7, [r0, r5]
// SMALL-NEXT: muls r7, r6, r7
// SMALL-NEXT: add r8, r8, r7
// SMALL:      void tm_cm_small_channel_tile_s8_4_1_12_0_4_6_125(
// SMALL:      adds r4, r4, r5
// SMALL-NEXT: ldrsb r7, [r3, r4]
// SMALL-NEXT: mov r6, r7
// SMALL-NEXT: muls r6, r1, r6
// SMALL-NEXT: add r8, r8, r6
// SMALL-NEXT: muls r7, r0, r7
// SMALL-NEXT: add r9, r9, r7

// Four rows by four windows: the first products are added to the starts.
// RISCV:      void tm_rv_dot_tile_s8_4_1_8_0_8_4_125(
// RISCV:      lb t1, 0(a3)
// RISCV-NEXT: mul t2, t0, t1
// RISCV-NEXT: add t2, a4, t2
// RISCV:      mul [[LOW:[as][0-9]+]], a4, [[FACTOR:[as][0-9]+]]
// RISCV-NEXT: mulhsu [[HIGH:[as][0-9]+]], a4, [[FACTOR]]
// RISCV-NEXT: srli [[LOW]], [[LOW]], 31
// RISCV-NEXT: add [[HIGH]], [[HIGH]], [[LOW]]
// RISCV:      void tm_rv_channel_tile_s8_4_1_12_0_4_6_125(
// RISCV:      lb t1, 8(a1)
// RISCV-NEXT: mul t2, t1, a6
// RISCV-NEXT: add a7, a7, t2
// RISCV-NEXT: mul t2, t1, s1
// RISCV-NEXT: add t0, t0, t2
// RISCV-NEXT: mul t1, t1, s0
// RISCV-NEXT: add t1, a3, t1
