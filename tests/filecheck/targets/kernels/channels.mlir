// Filters of channels that are code: the first has a zero row, a power of two and weights, the second none.

// RUN: sed 's/"CHANNELS"/"tm_cm_channel_tile_s8"/' %s | tinyml-opt -p 'spend-flash{target=cortex-m4 flash=20000}' | tinyml-opt | filecheck %s --check-prefix=TILE
// RUN: sed 's/by #num.tile_kernel<[^>]*>/by #num.code_kernel<"tm_cm_channels", "0">/' %s | not tinyml-opt -p 'select-kernels{target=cortex-m4}' 2>&1 | filecheck %s --check-prefix=STALE
// RUN: sed 's/"CHANNELS"/"tm_cm_channel_tile_s8"/' %s | tinyml-opt -p 'spend-flash{target=cortex-m4 flash=20000},select-kernels{target=cortex-m4}' | filecheck %s --check-prefix=IR
// RUN: sed 's/"CHANNELS"/"tm_cm_channel_tile_s8"/' %s | tinyml-opt -p 'spend-flash{target=cortex-m4 flash=20000},select-kernels{target=cortex-m4},canonicalize,lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=cortex-m4}' | %instructions | filecheck %s --check-prefix=DSP
// RUN: sed 's/"CHANNELS"/"tm_cm_small_channel_tile_s8"/' %s | tinyml-opt -p 'spend-flash{target=cortex-m0 flash=20000},select-kernels{target=cortex-m0},canonicalize,lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=cortex-m0}' | %instructions | filecheck %s --check-prefix=SMALL

func.func @channels(%x: memref<32x!zeroskew.q<8, 1.0, 0>>) -> memref<4x!zeroskew.q<8, 4.0, -3>> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<4xi8>
  %y = scratch.view %arena[0 : i64] : memref<4xi8> to memref<4x!zeroskew.q<8, 4.0, -3>>
  %w = scratch.constant dense<[5, 0, 4, 0, 0, 0, 7, -3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<18xi8> -> memref<18x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  %s = scratch.constant dense<[9, 40]> : tensor<2xi32> -> memref<2x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
  %at2 = arith.constant 0 : index
  %y2 = scratch.slice %y[%at2] : memref<4x!zeroskew.q<8, 4.0, -3>> to memref<2x2x!zeroskew.q<8, 4.0, -3>>
  %w2 = scratch.slice %w[%at2] : memref<18x!zeroskew.q<8, 1.0, 0>, #scratch.flash> to memref<2x9x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  num.contract %window, %row to 2, 2 by #num.tile_kernel<"CHANNELS", rows = 2, runs = 3, length = 6, pitch = 8, step = 2, count = 2, zero = -3> {
    %n = memref.load %s[%row] : memref<2x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %w2, %x {spacing = array<i64: 3, 8, 2>, channels} : !zeroskew.acc<32, 1.0>, memref<2x9x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<32x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 4.0, -3>
    memref.store %result, %y2[%window, %row] : memref<2x2x!zeroskew.q<8, 4.0, -3>>
  }
  func.return %y : memref<4x!zeroskew.q<8, 4.0, -3>>
}

// TILE: num.contract %window, %row to 2, 2 by #num.code_kernel<"tm_cm_channels", "{{[0-9a-f]+}}"> {
// STALE: the kernel of these sums is #num.code_kernel<"tm_cm_channels", "{{[0-9a-f]+}}">, got #num.code_kernel<"tm_cm_channels", "0">
// IR: num.call #num.coded_tile<{weights = dense<{{\[\[\[}}5, 0, 4], [0, 0, 0], [7, -3, 0]], {{\[\[}}0, 0, 0], [0, 0, 0], [0, 0, 0]]]> : tensor<2x3x3xi8>, starts = dense<[9, 40]> : tensor<2xi32>, multipliers = dense<1073741824> : tensor<2xi32>, shifts = dense<-1> : tensor<2xi8>, places = array<i64: 8, 2, 2, -3, 2>}, time = 38, once = 152, call = 16, stack = 36>({{%.*}}, %x) by #num.code_kernel<"tm_cm_channels", "{{[0-9a-f]+}}">

// Constants of the first channel: -3 and 5, 7, the multiplier, the start. Rows 0 and 2 are loaded, no other; 4 is a
// shift; and SSAT shifts to the right, behind the addition of the zero point.
// DSP:      void tm_cm_channels_{{[0-9a-f]+}}(
// DSP:      movw r5, #65533
// DSP-NEXT: movt r5, #5
// DSP-NEXT: movw r6, #7
// DSP-NEXT: movw r7, #0
// DSP-NEXT: movt r7, #32768
// DSP-NEXT: movw r8, #9
// DSP-NEXT: ldrsb r4, [r0, #0]
// DSP-NEXT: ldrsb r9, [r0, #16]
// DSP-NEXT: smlabt r2, r4, r5, r8
// DSP-NEXT: smlabb r2, r9, r6, r2
// DSP:      add r2, r2, r4, lsl #2
// DSP:      smmlar r2, r2, r7, r2
// DSP-NEXT: add r2, r2, r2, asr #31
// DSP-NEXT: sub r2, r2, #5
// DSP-NEXT: ssat r2, #8, r2, asr #1
// DSP-NEXT: strb r2, [r1, #0]
// A channel without weights is a byte.
// DSP:      mov r2, #7
// DSP-NEXT: strb r2, [r1, #0]
// DSP-NEXT: strb r2, [r1, #2]
// DSP-NEXT: pop
// DSP:      static const int8_t w[2][9] = {

// The last product of an element takes the place of the element, others that of a copy.
// SMALL:      void tm_cm_small_channels_{{[0-9a-f]+}}(
// SMALL:      movs r0, #5
// SMALL-NEXT: ldrsb r7, [r3, r4]
// SMALL-NEXT: muls r7, r0, r7
// SMALL-NEXT: add r8, r8, r7
// SMALL:      lsls r6, r7, #2
// SMALL-NEXT: add r8, r8, r6
// SMALL:      mov r6, r7
// SMALL-NEXT: muls r6, r0, r6
// SMALL-NEXT: add r8, r8, r6
// SMALL-NEXT: muls r7, r1, r7
// SMALL-NEXT: add r9, r9, r7
// SMALL:      bl 20f
// SMALL:      {{^20:$}}
// SMALL:      muls r0, r2, r0
// SMALL-NEXT: adds r0, r0, r1
// SMALL-NEXT: asrs r0, r0, #11
// SMALL-NEXT: adcs r0, r0, r3
