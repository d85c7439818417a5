// RUN: tinyml-opt %s -p 'place-memories{memory="fast=16:0/0,slow=64K:3/3" target=riscv}' | filecheck %s
// RUN: tinyml-opt %s -p 'place-memories{memory="fast=64:1/0,slow=64K:3/3,flash=1M:1/0" target=riscv}' | filecheck %s --check-prefix=COLD
// RUN: tinyml-opt %s -p 'place-memories{memory="fast=64:1/0,slow=64K:3/3,flash=1M:2/0" target=riscv}' | filecheck %s --check-prefix=HOT

// The part of a memory starts at a multiple of the alignment of all buffers: 6 behind 5 bytes.
func.func @odd(%X: memref<5x1x!fixed.q<8, 7>>) -> index {
  %M = scratch.constant dense<1> : tensor<5x5xi8> -> memref<5x5x!fixed.q<8, 7>, #scratch.flash>
  %N = scratch.constant dense<1> : tensor<10x5xi8> -> memref<10x5x!fixed.q<8, 7>, #scratch.flash>
  %a = scratch.alloc : memref<5x1x!fixed.q<8, 7>>
  %b = scratch.alloc : memref<10x1x!fixed.q<16, 7>>
  tdsl.matmul %M, %X {acc = !fixed.acc<32, 14>} : memref<5x5x!fixed.q<8, 7>, #scratch.flash>, memref<5x1x!fixed.q<8, 7>> into %a : memref<5x1x!fixed.q<8, 7>>
  tdsl.matmul %N, %a {acc = !fixed.acc<32, 14>} : memref<10x5x!fixed.q<8, 7>, #scratch.flash>, memref<5x1x!fixed.q<8, 7>> into %b : memref<10x1x!fixed.q<16, 7>>
  %l = tdsl.argmax %b : memref<10x1x!fixed.q<16, 7>>
  func.return %l : index
}
// CHECK: scratch.arena {alignment = 2 : i64
// CHECK-SAME: offset = 0 : i64, bytes = 5 : i64
// CHECK-SAME: offset = 6 : i64, bytes = 20 : i64
// CHECK-SAME: : memref<26xi8>
// CHECK-NEXT: %a = scratch.view %arena[0 : i64]
// CHECK-NEXT: %b = scratch.view %arena[6 : i64]

// A memory that is as fast as flash holds no copies of constants, one that is faster holds those for which it has room.
// COLD: name = "fast"
// COLD-SAME: bytes = 25 : i64, stack = 0 : i64, hot = {}
// COLD-SAME: name = "slow"
// COLD-SAME: offset = 26 : i64, bytes = 0 : i64
// COLD-SAME: : memref<25xi8>
// HOT: name = "fast"
// HOT-SAME: bytes = 25 : i64, stack = 0 : i64, hot = {v{{[0-9a-f]+}} = 25 : i64}
// HOT-SAME: cost = 179 : i64
