// Rows by windows where flash permits: widened weights in a stream on one chip, and weights as code on the other.

// RUN: sed 's/"DOTS"/"tm_cm_dot_tile_s8"/' %s | tinyml-opt -p 'spend-flash{target=cortex-m4 flash=20000},select-kernels{target=cortex-m4},canonicalize,lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=cortex-m4}' | %instructions | filecheck %s --check-prefix=DSP
// RUN: sed 's/"DOTS"/"tm_cm_small_dot_tile_s8"/' %s | tinyml-opt -p 'spend-flash{target=cortex-m0 flash=20000},select-kernels{target=cortex-m0},canonicalize,lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=cortex-m0}' | %instructions | filecheck %s --check-prefix=SMALL

func.func @rows(%x: memref<96x!zeroskew.q<8, 1.0, 0>>) -> memref<32x!zeroskew.q<8, 64.0, -3>> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<32xi8>
  %y = scratch.view %arena[0 : i64] : memref<32xi8> to memref<32x!zeroskew.q<8, 64.0, -3>>
  %w = scratch.constant dense<[3, 0, 4, 0, 5, 0, 8, 0, -5, 0, 9, 0, 1, 0, 18, 0, 3, 0, 4, 0, 5, 0, 8, 0, -5, 0, 9, 0, 1, 0, 18, 0]> : tensor<32xi8> -> memref<32x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  %s = scratch.constant dense<[40, -50, 60, 70]> : tensor<4xi32> -> memref<4x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
  %at3 = arith.constant 0 : index
  %y3 = scratch.slice %y[%at3] : memref<32x!zeroskew.q<8, 64.0, -3>> to memref<8x4x!zeroskew.q<8, 64.0, -3>>
  %w3 = scratch.slice %w[%at3] : memref<32x!zeroskew.q<8, 1.0, 0>, #scratch.flash> to memref<4x8x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  num.contract %window, %row to 8, 4 by #num.tile_kernel<"DOTS", rows = 4, runs = 1, length = 8, pitch = 0, step = 8, count = 8, zero = -3> {
    %n = memref.load %s[%row] : memref<4x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %w3, %x {spacing = array<i64: 1, 0, 8>} : !zeroskew.acc<32, 1.0>, memref<4x8x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<96x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 64.0, -3>
    memref.store %result, %y3[%window, %row] : memref<8x4x!zeroskew.q<8, 64.0, -3>>
  }
  func.return %y : memref<32x!zeroskew.q<8, 64.0, -3>>
}

// Windows are widened once, two elements of the first before those of the second; eight sums meet six words.
// DSP:      void tm_cm_wide_tile_s8_4_1_8_0_8_8_125(
// DSP:      ldr r11, [lr, #8]
// DSP-NEXT: ldr r10, [lr], #4
// DSP-NEXT: sxtb16 r8, r10
// DSP:      stm r2!, {r8, r9, r10, r11}
// The first products are added to the start values of rows; loads follow one another.
// DSP:      ldm r0!, {r4, r6, r8, r10}
// DSP-NEXT: mov r2, sp
// DSP-NEXT: ldr r3, [r2, #4]
// DSP-NEXT: ldr r1, [r2], #8
// DSP-NEXT: ldr r12, [r0], #4
// DSP-NEXT: ldr lr, [r0], #4
// DSP-NEXT: smlad r5, r12, r3, r4
// DSP-NEXT: smlad r4, r12, r1, r4
// DSP-NEXT: smlad r7, lr, r3, r6
// DSP-NEXT: smlad r6, lr, r1, r6
// DSP-NEXT: ldm r0!, {r12, lr}
// DSP:      smlad r10, lr, r1, r10
// DSP:      smlad r5, r12, r3, r5
// DSP:      smlad r10, lr, r1, r10
// The factors of two rows are loaded at a time.
// DSP:      ldr r1, [sp, #44]
// DSP-NEXT: ldr r12, [r0], #4
// DSP-NEXT: ldr r2, [r0], #4
// DSP-NEXT: ldrb lr, [r0, #8]
// DSP-NEXT: ldrb r3, [r0, #9]
// DSP-NEXT: smmlar r4, r4, r12, r4
// DSP:      strb r5, [r1, #4]
// Of four weights of each row those of elements 0 and 2 come first, then 1 and 3, as halfwords.
// DSP:      sum += (int16_t)((uint8_t)weights[at / 4 * 32 + at % 2 * 16 + row * 4 + at % 4 / 2 * 2] |

// Elements of zeros are not loaded; rows with the same weight share a product; 1 and 4 take no multiplication.
// SMALL:      void tm_cm_small_rows_{{[0-9a-f]+}}(
// SMALL:      ldrsb r7, [r3, r4]
// SMALL:      movs r6, #3
// SMALL-NEXT: muls r6, r7, r6
// SMALL-NEXT: add r8, r8, r6
// SMALL-NEXT: add r10, r10, r6
// SMALL-NEXT: adds r3, #2
// SMALL-NEXT: ldrsb r7, [r3, r4]
// SMALL-NEXT: lsls r6, r7, #2
// SMALL-NEXT: add r8, r8, r6
// SMALL-NEXT: add r10, r10, r6
// SMALL:      add r9, r9, r7
// SMALL-NEXT: add r11, r11, r7
// SMALL:      add r5, sp, #32
// SMALL-NEXT: bl 20f
// SMALL:      beq 2f
// SMALL-NEXT: bl 1b
// SMALL:      {{^20:$}}
// SMALL:      ldrh r6, [r5, #6]
