// RUN: tinyml-opt %s -p "pack-scratch{limit=20}" --split-input-file --verify-diagnostics | filecheck %s
// RUN: not tinyml-opt %s --split-input-file -p "pack-scratch{packer=firstfit}" 2>&1 | filecheck %s --check-prefix=PACKER
// RUN: not tinyml-opt %s --split-input-file -p "pack-scratch{mode=first-fit}" 2>&1 | filecheck %s --check-prefix=FORMER
// RUN: not tinyml-opt %s --split-input-file -p "pack-scratch{align=3}" 2>&1 | filecheck %s --check-prefix=ALIGN
// RUN: not tinyml-opt %s --split-input-file -p "pack-scratch{limit=-1}" 2>&1 | filecheck %s --check-prefix=LIMIT
// RUN: not tinyml-opt %s --split-input-file -p "pack-scratch{limit=0}" 2>&1 | filecheck %s --check-prefix=NOTHING
// RUN: not tinyml-opt %s --split-input-file -p "pack-scratch{nodes=-1}" 2>&1 | filecheck %s --check-prefix=NODES
// RUN: not tinyml-opt %s --split-input-file -p "pack-scratch{coarsen=0}" 2>&1 | filecheck %s --check-prefix=COARSEN

// FORMER: error: pass 'pack-scratch': unknown option 'mode', did you mean 'packer'?
// PACKER: error: {{.*}}: pass 'pack-scratch': unknown packer 'firstfit', did you mean 'first-fit'?
// ALIGN: align must be a power of two, got 3
// LIMIT: limit must not be negative, got -1
// NOTHING: the limit is 0; alive at the peak
// NODES: nodes must not be negative, got -1
// COARSEN: coarsen must be positive, got 0

func.func @f(%X: memref<3x!fixed.q<16, 12>>) -> index {
  %a = scratch.alloc : memref<3x!fixed.q<16, 12>>
  %b = scratch.alloc : memref<3x!fixed.q<16, 12>>
  %c = scratch.alloc : memref<3x5x!fixed.q<8, 4>>
  tdsl.exp %X : memref<3x!fixed.q<16, 12>> into %a : memref<3x!fixed.q<16, 12>>
  tdsl.exp %a : memref<3x!fixed.q<16, 12>> into %b : memref<3x!fixed.q<16, 12>>
  tdsl.fill {value = 1.0 : f64} into %c : memref<3x5x!fixed.q<8, 4>>
  %k = tdsl.argmax %c : memref<3x5x!fixed.q<8, 4>>
  %l = tdsl.argmax %b : memref<3x!fixed.q<16, 12>>
  func.return %l : index
}
// CHECK: pack_scratch_invalid.mlir:24:3: the arena takes 21 bytes, the limit is 20; alive at the peak of 21 bytes, 'tdsl.fill' into c: c (15 bytes), b (6 bytes)

// -----

func.func @packed() -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %a = scratch.alloc : memref<4xf32>
  func.return %a : memref<4xf32>
}
// CHECK: @packed has an arena already

// -----

func.func @blocks(%X: memref<4xf32>) -> memref<4xf32> {
  %a = scratch.alloc : memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  cf.br ^next
^next:
  func.return %a : memref<4xf32>
}
// CHECK: 'pack-scratch' takes a program on memrefs: the function 'blocks' has 2 blocks, expected one

// -----

// A result without a name, and an op without a result in memory.
func.func @unnamed() -> index {
  %0 = scratch.alloc : memref<21x!fixed.q<8, 4>>
  tdsl.fill {value = 1.0 : f64} into %0 : memref<21x!fixed.q<8, 4>>
  %l = tdsl.argmax %0 : memref<21x!fixed.q<8, 4>>
  func.return %l : index
}
// CHECK: the arena takes 21 bytes, the limit is 20; alive at the peak of 21 bytes, 'tdsl.fill': {{[^ ]*}} (21 bytes)
