// Weights of 4 and of 11 bits, packed: the fetch is another one, product and loop stay.

// RUN: tinyml-opt %s -p 'select-kernels{target=uno},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=uno}' | %instructions | filecheck %s --check-prefix=AVR
// RUN: tinyml-opt %s -p 'select-kernels{target=riscv},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t 'c{target=riscv}' | %instructions | filecheck %s --check-prefix=C

func.func @packed(%x: memref<8x!fixed.q<8, 7>>) -> memref<2x!fixed.q<8, 5>> {
  %first = arith.constant 0 : index
  %second = arith.constant 1 : index
  %four = scratch.constant dense<[1, -2, 3, 4, 5, 6, 7, -7]> : tensor<8xi8> -> memref<8x!fixed.q<4, 3>, #scratch.packed<4>>
  %eleven = scratch.constant dense<[1, -2, 3, 4, 5, 6, 7, -1023]> : tensor<8xi16> -> memref<8x!fixed.q<11, 3>, #scratch.packed<11>>
  %arena = scratch.arena {alignment = 4 : i64} : memref<4xi8>
  %scores = scratch.view %arena[0 : i64] : memref<4xi8> to memref<2x!fixed.q<8, 5>>
  %zero = num.zero : !fixed.acc<32, 10>
  %sum = num.call #num.dot(%zero, %four, %x) : (!fixed.acc<32, 10>, memref<8x!fixed.q<4, 3>, #scratch.packed<4>>, memref<8x!fixed.q<8, 7>>) -> !fixed.acc<32, 10>
  %score = num.finish %sum : !fixed.acc<32, 10> -> !fixed.q<8, 5>
  memref.store %score, %scores[%first] : memref<2x!fixed.q<8, 5>>
  %more = num.call #num.dot(%zero, %eleven, %x) : (!fixed.acc<32, 10>, memref<8x!fixed.q<11, 3>, #scratch.packed<11>>, memref<8x!fixed.q<8, 7>>) -> !fixed.acc<32, 10>
  %another = num.finish %more : !fixed.acc<32, 10> -> !fixed.q<8, 5>
  memref.store %another, %scores[%second] : memref<2x!fixed.q<8, 5>>
  func.return %scores : memref<2x!fixed.q<8, 5>>
}

// AVR:      tm_dot_s4_s8_s32_steps
// AVR:      lpm r21,Z+
// AVR-NEXT: mov r18,r21
// AVR-NEXT: andi r18,15
// AVR-NEXT: subi r18,8
// AVR-NEXT: ld r19,X+
// AVR-NEXT: muls r18,r19
// AVR:      swap r21
// AVR-NEXT: andi r21,15
// AVR-NEXT: subi r21,8
// AVR-NEXT: ld r19,X+
// AVR-NEXT: muls r21,r19

// The low bytes of a group of eight come by themselves, the high bits from three bytes that stay in registers.
// AVR:      tm_dot_s11_s8_s32_steps
// AVR:      lpm r14,Z+
// AVR-NEXT: lpm r21,Z+
// AVR-NEXT: ld r18,X+
// AVR-NEXT: lpm r19,Z+
// AVR-NEXT: mulsu r18,r19
// AVR:      mov r19,r21
// AVR-NEXT: andi r19,3
// AVR-NEXT: lsr r14
// AVR-NEXT: rol r19
// AVR-NEXT: subi r19,4
// AVR-NEXT: muls r18,r19

// C:      int32_t tm_c_dot_s4_s8_s32
// C:      total += ((w[0] & 15) - 8) * x[0];
// C-NEXT: total += ((w[0] >> 4 & 15) - 8) * x[1];
// C:      int32_t tm_c_dot_s11_s8_s32
// C:      total += (int32_t)((((int8_t)((uint8_t)(w[1] ^ 170) << 6) >> 6) * 2 + (w[0] & 1)) * 256 + (uint8_t)w[2]) * x[0];
