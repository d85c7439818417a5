// RUN: tinyml-opt %s -p reorder-ops --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p "reorder-ops{budget=1},pack-scratch,check-packing" --split-input-file | filecheck %s --check-prefix=BUDGET
// RUN: tinyml-opt %s -p reorder-ops,pack-scratch,check-packing --split-input-file | filecheck %s --check-prefix=PACKED

// Each branch makes much and keeps little: one after the other. What has no effect comes where it is used.
func.func @branches(%X: memref<1x1xf32>, %W: memref<1x8xf32, #scratch.flash>, %V: memref<8x1xf32, #scratch.flash>) -> memref<1x1xf32> {
  %c0 = arith.constant 0 : index
  %a = scratch.alloc : memref<8x1xf32>
  %b = scratch.alloc : memref<8x1xf32>
  %c = scratch.alloc : memref<8x1xf32>
  %p = scratch.alloc : memref<1x1xf32>
  %q = scratch.alloc : memref<1x1xf32>
  %r = scratch.alloc : memref<1x1xf32>
  tdsl.matmul %V, %X : memref<8x1xf32, #scratch.flash>, memref<1x1xf32> into %a : memref<8x1xf32>
  tdsl.add %V, %X : memref<8x1xf32, #scratch.flash>, memref<1x1xf32> into %b : memref<8x1xf32>
  tdsl.sub %V, %X : memref<8x1xf32, #scratch.flash>, memref<1x1xf32> into %c : memref<8x1xf32>
  %w = scratch.slice %W[%c0] : memref<1x8xf32, #scratch.flash> to memref<1x8xf32, #scratch.flash>
  tdsl.matmul %W, %a : memref<1x8xf32, #scratch.flash>, memref<8x1xf32> into %p : memref<1x1xf32>
  tdsl.matmul %W, %b : memref<1x8xf32, #scratch.flash>, memref<8x1xf32> into %q : memref<1x1xf32>
  tdsl.matmul_sum %w, %c from %p : memref<1x1xf32> : memref<1x8xf32, #scratch.flash>, memref<8x1xf32> into %r : memref<1x1xf32>
  tdsl.add %r, %q : memref<1x1xf32>, memref<1x1xf32> into %r : memref<1x1xf32>
  func.return %r : memref<1x1xf32>
}
// CHECK-LABEL: func.func @branches(%X: memref<1x1xf32>, %W: memref<1x8xf32, #scratch.flash>, %V: memref<8x1xf32, #scratch.flash>) -> memref<1x1xf32> {
// CHECK-NEXT: %a = scratch.alloc : memref<8x1xf32>
// CHECK-NEXT: tdsl.matmul %V, %X : memref<8x1xf32, #scratch.flash>, memref<1x1xf32> into %a : memref<8x1xf32>
// CHECK-NEXT: %p = scratch.alloc : memref<1x1xf32>
// CHECK-NEXT: tdsl.matmul %W, %a : memref<1x8xf32, #scratch.flash>, memref<8x1xf32> into %p : memref<1x1xf32>
// CHECK-NEXT: %c = scratch.alloc : memref<8x1xf32>
// CHECK-NEXT: tdsl.sub %V, %X : memref<8x1xf32, #scratch.flash>, memref<1x1xf32> into %c : memref<8x1xf32>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %w = scratch.slice %W[%c0] : memref<1x8xf32, #scratch.flash> to memref<1x8xf32, #scratch.flash>
// CHECK-NEXT: %r = scratch.alloc : memref<1x1xf32>
// CHECK-NEXT: tdsl.matmul_sum %w, %c from %p : memref<1x1xf32> : memref<1x8xf32, #scratch.flash>, memref<8x1xf32> into %r : memref<1x1xf32>
// CHECK-NEXT: %b = scratch.alloc : memref<8x1xf32>
// CHECK-NEXT: tdsl.add %V, %X : memref<8x1xf32, #scratch.flash>, memref<1x1xf32> into %b : memref<8x1xf32>
// CHECK-NEXT: %q = scratch.alloc : memref<1x1xf32>
// CHECK-NEXT: tdsl.matmul %W, %b : memref<1x8xf32, #scratch.flash>, memref<8x1xf32> into %q : memref<1x1xf32>
// CHECK-NEXT: tdsl.add %r, %q : memref<1x1xf32>, memref<1x1xf32> into %r : memref<1x1xf32>
// CHECK-NEXT: func.return %r : memref<1x1xf32>
// PACKED-LABEL: func.func @branches
// PACKED: scratch.arena {{.*}} : memref<36xi8>

// -----

// In a loop, too; what is used in another iteration or behind the loop stays where it is. The inner order counts as
// memory of the loop.
func.func @loops(%X: memref<8xf32>) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = scratch.alloc : memref<8xf32>
  tdsl.fill {value = 0.0 : f64} into %s : memref<8xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %a = scratch.alloc : memref<8xf32>
    %b = scratch.alloc : memref<8xf32>
    %k = scratch.alloc : memref<8xf32>
    tdsl.exp %X : memref<8xf32> into %a : memref<8xf32>
    tdsl.neg %X : memref<8xf32> into %b : memref<8xf32>
    tdsl.add %s, %a : memref<8xf32>, memref<8xf32> into %s : memref<8xf32>
    tdsl.mul %s, %b : memref<8xf32>, memref<8xf32> into %s : memref<8xf32>
    tdsl.tanh %X : memref<8xf32> into %k : memref<8xf32>
    tdsl.add %s, %k : memref<8xf32>, memref<8xf32> into %s : memref<8xf32>
  }
  func.return %s : memref<8xf32>
}
// CHECK-LABEL: func.func @loops(%X: memref<8xf32>) -> memref<8xf32> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %s = scratch.alloc : memref<8xf32>
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %s : memref<8xf32>
// CHECK-NEXT: scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT: %a = scratch.alloc : memref<8xf32>
// CHECK-NEXT: tdsl.exp %X : memref<8xf32> into %a : memref<8xf32>
// CHECK-NEXT: tdsl.add %s, %a : memref<8xf32>, memref<8xf32> into %s : memref<8xf32>
// CHECK-NEXT: %b = scratch.alloc : memref<8xf32>
// CHECK-NEXT: tdsl.neg %X : memref<8xf32> into %b : memref<8xf32>
// CHECK-NEXT: tdsl.mul %s, %b : memref<8xf32>, memref<8xf32> into %s : memref<8xf32>
// CHECK-NEXT: %k = scratch.alloc : memref<8xf32>
// CHECK-NEXT: tdsl.tanh %X : memref<8xf32> into %k : memref<8xf32>
// CHECK-NEXT: tdsl.add %s, %k : memref<8xf32>, memref<8xf32> into %s : memref<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %s : memref<8xf32>
// PACKED-LABEL: func.func @loops
// PACKED: scratch.arena {{.*}} : memref<64xi8>
// PACKED-LABEL: func.func @same(

// -----

// Nothing is gained, so nothing changes: not the chain, nor what is written and read in this order.
func.func @same(%X: memref<8xf32>) -> memref<8xf32> {
  %a = scratch.alloc : memref<8xf32>
  %b = scratch.alloc : memref<8xf32>
  %c = scratch.alloc : memref<8xf32>
  tdsl.exp %X : memref<8xf32> into %a : memref<8xf32>
  tdsl.neg %a : memref<8xf32> into %b : memref<8xf32>
  tdsl.neg %b : memref<8xf32> into %a : memref<8xf32>
  tdsl.add %a, %b : memref<8xf32>, memref<8xf32> into %c : memref<8xf32>
  func.return %c : memref<8xf32>
}
// CHECK-LABEL: func.func @same(%X: memref<8xf32>) -> memref<8xf32> {
// CHECK-NEXT: %a = scratch.alloc : memref<8xf32>
// CHECK-NEXT: %b = scratch.alloc : memref<8xf32>
// CHECK-NEXT: %c = scratch.alloc : memref<8xf32>
// CHECK-NEXT: tdsl.exp %X : memref<8xf32> into %a : memref<8xf32>
// CHECK-NEXT: tdsl.neg %a : memref<8xf32> into %b : memref<8xf32>
// CHECK-NEXT: tdsl.neg %b : memref<8xf32> into %a : memref<8xf32>
// CHECK-NEXT: tdsl.add %a, %b : memref<8xf32>, memref<8xf32> into %c : memref<8xf32>
// CHECK-NEXT: func.return %c : memref<8xf32>

// BUDGET-LABEL: func.func @branches{{.*}} attributes {scratch.order_gap = {{[0-9]+}} : i64}
// BUDGET-LABEL: func.func @loops
// BUDGET-LABEL: func.func @same

// -----

// What is returned is alive behind the last op: it comes last.
func.func @returned(%X: memref<16x1xf32>, %W: memref<1x16xf32, #scratch.flash>) -> (memref<16x1xf32>, index) {
  %r = scratch.alloc : memref<16x1xf32>
  %t = scratch.alloc : memref<16x1xf32>
  %p = scratch.alloc : memref<1x1xf32>
  tdsl.exp %X : memref<16x1xf32> into %r : memref<16x1xf32>
  tdsl.neg %X : memref<16x1xf32> into %t : memref<16x1xf32>
  tdsl.matmul %W, %t : memref<1x16xf32, #scratch.flash>, memref<16x1xf32> into %p : memref<1x1xf32>
  %l = tdsl.argmax %p : memref<1x1xf32>
  func.return %r, %l : memref<16x1xf32>, index
}
// CHECK-LABEL: func.func @returned(%X: memref<16x1xf32>, %W: memref<1x16xf32, #scratch.flash>) -> (memref<16x1xf32>, index) {
// CHECK-NEXT: %t = scratch.alloc : memref<16x1xf32>
// CHECK-NEXT: tdsl.neg %X : memref<16x1xf32> into %t : memref<16x1xf32>
// CHECK-NEXT: %p = scratch.alloc : memref<1x1xf32>
// CHECK-NEXT: tdsl.matmul %W, %t : memref<1x16xf32, #scratch.flash>, memref<16x1xf32> into %p : memref<1x1xf32>
// CHECK-NEXT: %l = tdsl.argmax %p : memref<1x1xf32>
// CHECK-NEXT: %r = scratch.alloc : memref<16x1xf32>
// CHECK-NEXT: tdsl.exp %X : memref<16x1xf32> into %r : memref<16x1xf32>
// CHECK-NEXT: func.return %r, %l : memref<16x1xf32>, index

// -----

// %c takes the place of %a although %b is read later: 144 bytes. Beside both it would be better made before %t.
func.func @one_of_two(%X: memref<16x1xf32>, %Y: memref<15x1xf32>, %V: memref<4x15xf32, #scratch.flash>, %W: memref<4x16xf32, #scratch.flash>) -> memref<4x1xf32> {
  %t = scratch.alloc : memref<15x1xf32>
  %e = scratch.alloc : memref<4x1xf32>
  %a = scratch.alloc : memref<16x1xf32>
  %b = scratch.alloc : memref<16x1xf32>
  %c = scratch.alloc : memref<16x1xf32>
  %r = scratch.alloc : memref<4x1xf32>
  %s = scratch.alloc : memref<4x1xf32>
  tdsl.exp %Y : memref<15x1xf32> into %t : memref<15x1xf32>
  tdsl.matmul %V, %t : memref<4x15xf32, #scratch.flash>, memref<15x1xf32> into %e : memref<4x1xf32>
  tdsl.exp %X : memref<16x1xf32> into %a : memref<16x1xf32>
  tdsl.neg %X : memref<16x1xf32> into %b : memref<16x1xf32>
  tdsl.add %a, %b : memref<16x1xf32>, memref<16x1xf32> into %c : memref<16x1xf32>
  tdsl.matmul_sum %W, %c from %e : memref<4x1xf32> : memref<4x16xf32, #scratch.flash>, memref<16x1xf32> into %r : memref<4x1xf32>
  tdsl.matmul_sum %W, %b from %r : memref<4x1xf32> : memref<4x16xf32, #scratch.flash>, memref<16x1xf32> into %s : memref<4x1xf32>
  func.return %s : memref<4x1xf32>
}
// CHECK-LABEL: func.func @one_of_two(%X: memref<16x1xf32>, %Y: memref<15x1xf32>, %V: memref<4x15xf32, #scratch.flash>, %W: memref<4x16xf32, #scratch.flash>) -> memref<4x1xf32> {
// CHECK-NEXT: %t = scratch.alloc : memref<15x1xf32>
// CHECK-NEXT: %e = scratch.alloc : memref<4x1xf32>
// CHECK-NEXT: %a = scratch.alloc : memref<16x1xf32>
// CHECK-NEXT: %b = scratch.alloc : memref<16x1xf32>
// CHECK-NEXT: %c = scratch.alloc : memref<16x1xf32>
// CHECK-NEXT: %r = scratch.alloc : memref<4x1xf32>
// CHECK-NEXT: %s = scratch.alloc : memref<4x1xf32>
// CHECK-NEXT: tdsl.exp %Y : memref<15x1xf32> into %t : memref<15x1xf32>
// CHECK-NEXT: tdsl.matmul %V, %t : memref<4x15xf32, #scratch.flash>, memref<15x1xf32> into %e : memref<4x1xf32>
// CHECK-NEXT: tdsl.exp %X : memref<16x1xf32> into %a : memref<16x1xf32>
// CHECK-NEXT: tdsl.neg %X : memref<16x1xf32> into %b : memref<16x1xf32>
// CHECK-NEXT: tdsl.add %a, %b : memref<16x1xf32>, memref<16x1xf32> into %c : memref<16x1xf32>
// CHECK-NEXT: tdsl.matmul_sum %W, %c from %e : memref<4x1xf32> : memref<4x16xf32, #scratch.flash>, memref<16x1xf32> into %r : memref<4x1xf32>
// CHECK-NEXT: tdsl.matmul_sum %W, %b from %r : memref<4x1xf32> : memref<4x16xf32, #scratch.flash>, memref<16x1xf32> into %s : memref<4x1xf32>
// CHECK-NEXT: func.return %s : memref<4x1xf32>

// -----

// A result takes the place of an operand of its size alone: the narrower %c lies beside %a, 112 bytes in any order.
func.func @narrower(%X: memref<16x1x!fixed.q<16, 12>>, %V: memref<8x16x!fixed.q<16, 12>, #scratch.flash>, %W: memref<8x16x!fixed.q<16, 12>, #scratch.flash>) -> memref<8x1x!fixed.q<16, 12>> {
  %a = scratch.alloc : memref<16x1x!fixed.q<32, 28>>
  %c = scratch.alloc : memref<16x1x!fixed.q<16, 12>>
  %t = scratch.alloc : memref<16x1x!fixed.q<32, 28>>
  %e = scratch.alloc : memref<8x1x!fixed.q<16, 12>>
  %r = scratch.alloc : memref<8x1x!fixed.q<16, 12>>
  tdsl.cast %X : memref<16x1x!fixed.q<16, 12>> into %a : memref<16x1x!fixed.q<32, 28>>
  tdsl.cast %a : memref<16x1x!fixed.q<32, 28>> into %c : memref<16x1x!fixed.q<16, 12>>
  tdsl.cast %X : memref<16x1x!fixed.q<16, 12>> into %t : memref<16x1x!fixed.q<32, 28>>
  tdsl.matmul %V, %t : memref<8x16x!fixed.q<16, 12>, #scratch.flash>, memref<16x1x!fixed.q<32, 28>> into %e : memref<8x1x!fixed.q<16, 12>>
  tdsl.matmul_sum %W, %c from %e : memref<8x1x!fixed.q<16, 12>> : memref<8x16x!fixed.q<16, 12>, #scratch.flash>, memref<16x1x!fixed.q<16, 12>> into %r : memref<8x1x!fixed.q<16, 12>>
  func.return %r : memref<8x1x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @narrower(%X: memref<16x1x!fixed.q<16, 12>>, %V: memref<8x16x!fixed.q<16, 12>, #scratch.flash>, %W: memref<8x16x!fixed.q<16, 12>, #scratch.flash>) -> memref<8x1x!fixed.q<16, 12>> {
// CHECK-NEXT: %a = scratch.alloc : memref<16x1x!fixed.q<32, 28>>
// CHECK-NEXT: %c = scratch.alloc : memref<16x1x!fixed.q<16, 12>>
// CHECK-NEXT: %t = scratch.alloc : memref<16x1x!fixed.q<32, 28>>
// CHECK-NEXT: %e = scratch.alloc : memref<8x1x!fixed.q<16, 12>>
// CHECK-NEXT: %r = scratch.alloc : memref<8x1x!fixed.q<16, 12>>
// CHECK-NEXT: tdsl.cast %X : memref<16x1x!fixed.q<16, 12>> into %a : memref<16x1x!fixed.q<32, 28>>
// CHECK-NEXT: tdsl.cast %a : memref<16x1x!fixed.q<32, 28>> into %c : memref<16x1x!fixed.q<16, 12>>
// CHECK-NEXT: tdsl.cast %X : memref<16x1x!fixed.q<16, 12>> into %t : memref<16x1x!fixed.q<32, 28>>
// CHECK-NEXT: tdsl.matmul %V, %t : memref<8x16x!fixed.q<16, 12>, #scratch.flash>, memref<16x1x!fixed.q<32, 28>> into %e : memref<8x1x!fixed.q<16, 12>>
// CHECK-NEXT: tdsl.matmul_sum %W, %c from %e : memref<8x1x!fixed.q<16, 12>> : memref<8x16x!fixed.q<16, 12>, #scratch.flash>, memref<16x1x!fixed.q<16, 12>> into %r : memref<8x1x!fixed.q<16, 12>>
// CHECK-NEXT: func.return %r : memref<8x1x!fixed.q<16, 12>>

// -----

// All ops after %s depend on all ops before it, so that these are a section. Its order is the best although a later
// section has a higher peak.
func.func @sections(%X: memref<1x1xf32>, %W: memref<1x8xf32, #scratch.flash>, %V: memref<8x1xf32, #scratch.flash>, %U: memref<64x1xf32, #scratch.flash>) -> memref<64x1xf32> {
  %a = scratch.alloc : memref<8x1xf32>
  %b = scratch.alloc : memref<8x1xf32>
  %p = scratch.alloc : memref<1x1xf32>
  %q = scratch.alloc : memref<1x1xf32>
  %s = scratch.alloc : memref<1x1xf32>
  %r = scratch.alloc : memref<64x1xf32>
  tdsl.matmul %V, %X : memref<8x1xf32, #scratch.flash>, memref<1x1xf32> into %a : memref<8x1xf32>
  tdsl.add %V, %X : memref<8x1xf32, #scratch.flash>, memref<1x1xf32> into %b : memref<8x1xf32>
  tdsl.matmul %W, %a : memref<1x8xf32, #scratch.flash>, memref<8x1xf32> into %p : memref<1x1xf32>
  tdsl.matmul %W, %b : memref<1x8xf32, #scratch.flash>, memref<8x1xf32> into %q : memref<1x1xf32>
  tdsl.add %p, %q : memref<1x1xf32>, memref<1x1xf32> into %s : memref<1x1xf32>
  tdsl.matmul %U, %s : memref<64x1xf32, #scratch.flash>, memref<1x1xf32> into %r : memref<64x1xf32>
  func.return %r : memref<64x1xf32>
}
// CHECK-LABEL: func.func @sections(%X: memref<1x1xf32>, %W: memref<1x8xf32, #scratch.flash>, %V: memref<8x1xf32, #scratch.flash>, %U: memref<64x1xf32, #scratch.flash>) -> memref<64x1xf32> {
// CHECK-NEXT: %a = scratch.alloc : memref<8x1xf32>
// CHECK-NEXT: tdsl.matmul %V, %X : memref<8x1xf32, #scratch.flash>, memref<1x1xf32> into %a : memref<8x1xf32>
// CHECK-NEXT: %p = scratch.alloc : memref<1x1xf32>
// CHECK-NEXT: tdsl.matmul %W, %a : memref<1x8xf32, #scratch.flash>, memref<8x1xf32> into %p : memref<1x1xf32>
// CHECK-NEXT: %b = scratch.alloc : memref<8x1xf32>
// CHECK-NEXT: tdsl.add %V, %X : memref<8x1xf32, #scratch.flash>, memref<1x1xf32> into %b : memref<8x1xf32>
// CHECK-NEXT: %q = scratch.alloc : memref<1x1xf32>
// CHECK-NEXT: tdsl.matmul %W, %b : memref<1x8xf32, #scratch.flash>, memref<8x1xf32> into %q : memref<1x1xf32>
// CHECK-NEXT: %s = scratch.alloc : memref<1x1xf32>
// CHECK-NEXT: tdsl.add %p, %q : memref<1x1xf32>, memref<1x1xf32> into %s : memref<1x1xf32>
// CHECK-NEXT: %r = scratch.alloc : memref<64x1xf32>
// CHECK-NEXT: tdsl.matmul %U, %s : memref<64x1xf32, #scratch.flash>, memref<1x1xf32> into %r : memref<64x1xf32>
// CHECK-NEXT: func.return %r : memref<64x1xf32>

// -----

// Three steps: the large buffer is read before the small result is written.
func.func @three(%X: memref<8x1xf32>, %W: memref<1x8xf32, #scratch.flash>) -> (memref<1x1xf32>, memref<1x1xf32>) {
  %a = scratch.alloc : memref<8x1xf32>
  %p = scratch.alloc : memref<1x1xf32>
  %q = scratch.alloc : memref<1x1xf32>
  tdsl.exp %X : memref<8x1xf32> into %a : memref<8x1xf32>
  tdsl.matmul %W, %X : memref<1x8xf32, #scratch.flash>, memref<8x1xf32> into %q : memref<1x1xf32>
  tdsl.matmul %W, %a : memref<1x8xf32, #scratch.flash>, memref<8x1xf32> into %p : memref<1x1xf32>
  func.return %p, %q : memref<1x1xf32>, memref<1x1xf32>
}
// CHECK-LABEL: func.func @three
// CHECK-NEXT: %a = scratch.alloc : memref<8x1xf32>
// CHECK-NEXT: tdsl.exp %X : memref<8x1xf32> into %a : memref<8x1xf32>
// CHECK-NEXT: %p = scratch.alloc : memref<1x1xf32>
// CHECK-NEXT: tdsl.matmul %W, %a
// CHECK-NEXT: %q = scratch.alloc : memref<1x1xf32>
// CHECK-NEXT: tdsl.matmul %W, %X
// PACKED-LABEL: func.func @three
// PACKED: scratch.arena {{.*}} : memref<32xi8>
