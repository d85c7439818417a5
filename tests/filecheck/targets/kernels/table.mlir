// Posits of 8 bits in both arrays: their integers come from a table.

// RUN: tinyml-opt %s -p 'select-kernels{target=uno},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=uno}' | %instructions | filecheck %s --check-prefix=AVR
// RUN: tinyml-opt %s -p 'select-kernels{target=riscv},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=riscv}' | %instructions | filecheck %s --check-prefix=C

func.func @table(%x: memref<8x!posit.p<8, 0, -6, 1>>) -> memref<1x!fixed.q<16, 5>> {
  %i = arith.constant 0 : index
  %w = scratch.constant dense<[16, 32, 3, 4, 5, 6, 7, -8]> : tensor<8xi8> -> memref<8x!posit.p<8, 0, -6, 1>, #scratch.flash>
  %arena = scratch.arena {alignment = 4 : i64} : memref<4xi8>
  %scores = scratch.view %arena[0 : i64] : memref<4xi8> to memref<1x!fixed.q<16, 5>>
  %zero = num.zero : !fixed.acc<32, 12>
  %sum = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<32, 12>, memref<8x!posit.p<8, 0, -6, 1>, #scratch.flash>, memref<8x!posit.p<8, 0, -6, 1>>) -> !fixed.acc<32, 12>
  %score = num.finish %sum : !fixed.acc<32, 12> -> !fixed.q<16, 5>
  memref.store %score, %scores[%i] : memref<1x!fixed.q<16, 5>>
  func.return %scores : memref<1x!fixed.q<16, 5>>
}

// A byte, twice, is the place in the table; the product of the integers is that of halfwords.
// AVR:      tm_dot_t8_t8_s32_steps
// AVR:      lpm r18,Z+
// AVR-NEXT: movw r12,r30
// AVR-NEXT: lsl r18
// AVR-NEXT: sbc r31,r31
// AVR-NEXT: mov r30,r18
// AVR-NEXT: add r30,r10
// AVR-NEXT: adc r31,r11
// AVR-NEXT: lpm r18,Z+
// AVR-NEXT: lpm r20,Z
// AVR:      mulsu r20,r19
// AVR:      movw r30,r12

// C: total += (int32_t)table[(int8_t)w[0]] * other[x[0]];
