// RUN: tinyml-opt %s -p 'place-memories{memory="fast=32:0/0,slow=64K:3/3" target=riscv},check-packing' | filecheck %s
// RUN: tinyml-opt %s -p 'place-memories{memory="fast=16:0/0,slow=64K:3/3" target=riscv},check-packing' | filecheck %s --check-prefix=LESS
// RUN: tinyml-opt %s -p 'place-memories{memory="slow=16:3/3,fast=16:0/0" target=riscv judge=none},check-packing' | filecheck %s --check-prefix=TURNED
// RUN: tinyml-opt %s -p 'place-memories{memory="fast=16:0/0,slow=64K:2/1" target=riscv}' | filecheck %s --check-prefix=LOADS
// RUN: tinyml-opt %s -p 'place-memories{memory="fast=16:0/0,slow=64K:1/2" target=riscv}' | filecheck %s --check-prefix=STORES
// RUN: tinyml-opt %s -p 'place-memories{memory="fast=48:0/0,slow=64K:3/3,stack=32" target=riscv}' | filecheck %s --check-prefix=TIGHT
// RUN: not tinyml-opt %s -p 'place-memories{memory="fast=16:0/0" target=riscv}' 2>&1 | filecheck %s --check-prefix=LITTLE
// RUN: tinyml-opt %s -p 'place-memories{memory="fast=304:0/0,slow=64K:3/3,flash=1M:5/0" target=riscv}' | filecheck %s --check-prefix=HOT
// RUN: tinyml-opt %s -p 'place-memories{memory="fast=288:0/0,slow=64K:3/3,flash=1M:5/0" target=riscv}' | filecheck %s --check-prefix=WARM
// RUN: tinyml-opt %s -p 'place-memories{memory="fast=32:0/0,slow=64K:3/3,stack=32" target=riscv}' | filecheck %s --check-prefix=STACK
// RUN: tinyml-opt %s -p 'place-memories{memory="fast=64:0/0,slow=64K:3/3,stack=32" target=riscv}' | filecheck %s --check-prefix=BESIDE
// RUN: tinyml-opt %s -p 'place-memories{memory="fast=16:0/0,slow=64K:3/3,flash=1M:5/0" target=riscv nodes=1}' | filecheck %s --check-prefix=FEW
// RUN: not tinyml-opt %s -p 'place-memories{memory="fast=96:0/0" target=riscv judge=optimist}' 2>&1 | filecheck %s --check-prefix=JUDGE
// RUN: not tinyml-opt %s -p 'place-memories{memory="fast=96:0/0" target=riscv nodes=0}' 2>&1 | filecheck %s --check-prefix=NODES
// RUN: sed 's/riscv/uno/' %s | not tinyml-opt -p 'place-memories{memory="fast=96:0/0" target=uno}' 2>&1 | filecheck %s --check-prefix=UNO
// RUN: not tinyml-opt %s -p 'place-memories{memory="fast=96:0/0" target=riscv instances=true}' 2>&1 | filecheck %s --check-prefix=INSTANCES
// RUN: not tinyml-opt %s -p 'place-memories{memory="fast=96:0/0" target=riscv pack_buffers=true}' 2>&1 | filecheck %s --check-prefix=PACKED
// RUN: sed '/scratch.alloc/d; /tdsl.matmul/d; s/argmax %c/argmax %X/' %s | not tinyml-opt -p 'place-memories{memory="fast=96:0/0" target=riscv}' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not tinyml-opt %s -p 'place-memories{memory="fast=96" target=riscv}' 2>&1 | filecheck %s --check-prefix=UNKNOWN

// Two buffers of 16 bytes are alive at once, and fast memory of 32 bytes holds all of them. In 16 bytes, a and c follow
// one another, and b waits: 4 blocks of 4 rows load its 16 elements, and 16 are stored.
func.func @chain(%X: memref<16x1x!fixed.q<8, 7>>) -> index {
  %M = scratch.constant dense<100> : tensor<16x16xi8> -> memref<16x16x!fixed.q<8, 7>, #scratch.flash>
  %a = scratch.alloc : memref<16x1x!fixed.q<8, 7>>
  %b = scratch.alloc : memref<16x1x!fixed.q<8, 7>>
  %c = scratch.alloc : memref<16x1x!fixed.q<8, 7>>
  tdsl.matmul %M, %X {acc = !fixed.acc<32, 14>} : memref<16x16x!fixed.q<8, 7>, #scratch.flash>, memref<16x1x!fixed.q<8, 7>> into %a : memref<16x1x!fixed.q<8, 7>>
  tdsl.matmul %M, %a {acc = !fixed.acc<32, 14>} : memref<16x16x!fixed.q<8, 7>, #scratch.flash>, memref<16x1x!fixed.q<8, 7>> into %b : memref<16x1x!fixed.q<8, 7>>
  tdsl.matmul %M, %b {acc = !fixed.acc<32, 14>} : memref<16x16x!fixed.q<8, 7>, #scratch.flash>, memref<16x1x!fixed.q<8, 7>> into %c : memref<16x1x!fixed.q<8, 7>>
  %l = tdsl.argmax %c : memref<16x1x!fixed.q<8, 7>>
  func.return %l : index
}
// CHECK: scratch.arena {alignment = 1 : i64, lower_bound = 32 : i64, memories = {memories = [{name = "fast", macro = "TM_MEMORY_FAST", section = ".bss.tinyml.fast", size = 32 : i64, read = 0 : i64, write = 0 : i64, offset = 0 : i64, bytes = 32 : i64, stack = 0 : i64, hot = {}}, {name = "slow", macro = "TM_MEMORY_SLOW", section = ".bss.tinyml.slow", size = 65536 : i64, read = 3 : i64, write = 3 : i64, offset = 32 : i64, bytes = 0 : i64, stack = 0 : i64, hot = {}}], cost = 0 : i64, bound = 0 : i64, proof = "relaxation", checked = "exhaustive"}} : memref<32xi8>
// LESS: offset = 0 : i64, bytes = 16 : i64
// LESS-SAME: offset = 16 : i64, bytes = 16 : i64
// LESS-SAME: cost = 240 : i64, bound = 240 : i64, proof = "search", checked = "exhaustive"
// LESS-NEXT: %a = scratch.view %arena[0 : i64]
// LESS-NEXT: %b = scratch.view %arena[16 : i64]
// LESS-NEXT: %c = scratch.view %arena[0 : i64]
// TURNED: cost = 240 : i64, bound = 240 : i64, proof = "{{.*}}", checked = ""
// TURNED-NEXT: %a = scratch.view %arena[16 : i64]
// TURNED-NEXT: %b = scratch.view %arena[0 : i64]
// LOADS: cost = 144 : i64
// STORES: cost = 96 : i64
// LITTLE: place_memories.mlir:{{.*}}: pass 'place-memories': --memory: buffers need 32 bytes, the largest (a) 16 in one memory; the memories have fast 16

// The matrix of 256 bytes and the starts of its sums, 16 bytes, are loaded 3 times. They are copied to fast memory if it
// has room for them; with 16 bytes less, the starts are copied to slow memory.
// HOT: name = "fast"
// HOT-SAME: bytes = 32 : i64, stack = 0 : i64, hot = {v{{[0-9a-f]+}} = 256 : i64, v{{[0-9a-f]+}} = 16 : i64}
// HOT-SAME: cost = 0 : i64
// WARM: name = "fast"
// WARM-SAME: bytes = 32 : i64, stack = 0 : i64, hot = {v{{[0-9a-f]+}} = 256 : i64}
// WARM-SAME: name = "slow"
// WARM-SAME: bytes = 0 : i64, stack = 0 : i64, hot = {v{{[0-9a-f]+}} = 16 : i64}
// WARM-SAME: cost = 144 : i64, bound = 144 : i64, proof = "search", checked = "exhaustive"

// The sums of blocks are local arrays: 48 loads and 48 stores, fewer than those of the buffers.
// STACK: name = "fast"
// STACK-SAME: bytes = 32 : i64, stack = 0 : i64
// STACK-SAME: name = "slow"
// STACK-SAME: bytes = 0 : i64, stack = 32 : i64
// STACK-SAME: cost = 288 : i64
// TIGHT: bytes = 16 : i64, stack = 32 : i64
// TIGHT-SAME: bytes = 16 : i64, stack = 0 : i64
// TIGHT-SAME: cost = 240 : i64
// BESIDE: bytes = 32 : i64, stack = 32 : i64
// BESIDE-SAME: cost = 0 : i64

// The first choice, and a bound that counts what the fast memory lacks.
// FEW: cost = 2688 : i64, bound = 2546 : i64, proof = "", checked = "exhaustive"

// JUDGE: unknown judge 'optimist'
// NODES: nodes must be positive, got 0
// UNO: --memory: programs of uno have one memory for buffers
// INSTANCES: --memory: an instance lies where its caller declares it: leave out --instances
// PACKED: --memory: packed buffers are unpacked across one arena: leave out --pack-buffers
// NONE: --memory: the program has no buffers
// UNKNOWN: --memory: no wait states of fast are known: write fast=96:READ/WRITE
