// RUN: tinyml-opt %s -p reorder-ops --split-input-file | filecheck %s

// The buffers of a loop that comes first are not alive at the same time.
func.func @first(%Y: memref<1x1xf32>, %X: memref<8xf32>, %W: memref<1x7xf32, #scratch.flash>, %V: memref<7x1xf32, #scratch.flash>, %Z: memref<8xf32>) -> memref<1x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    %d = scratch.alloc : memref<8xf32>
    %e = scratch.alloc : memref<8xf32>
    %f = scratch.alloc : memref<8xf32>
    tdsl.reverse %X {axis = 0} : memref<8xf32> into %d : memref<8xf32>
    tdsl.reverse %d {axis = 0} : memref<8xf32> into %e : memref<8xf32>
    tdsl.reverse %e {axis = 0} : memref<8xf32> into %f : memref<8xf32>
    tdsl.neg %f : memref<8xf32> into %Z : memref<8xf32>
  }
  %a = scratch.alloc : memref<7x1xf32>
  %b = scratch.alloc : memref<7x1xf32>
  %c = scratch.alloc : memref<7x1xf32>
  %p = scratch.alloc : memref<1x1xf32>
  %q = scratch.alloc : memref<1x1xf32>
  %r = scratch.alloc : memref<1x1xf32>
  tdsl.matmul %V, %Y : memref<7x1xf32, #scratch.flash>, memref<1x1xf32> into %a : memref<7x1xf32>
  tdsl.add %V, %Y : memref<7x1xf32, #scratch.flash>, memref<1x1xf32> into %b : memref<7x1xf32>
  tdsl.sub %V, %Y : memref<7x1xf32, #scratch.flash>, memref<1x1xf32> into %c : memref<7x1xf32>
  tdsl.matmul %W, %a : memref<1x7xf32, #scratch.flash>, memref<7x1xf32> into %p : memref<1x1xf32>
  tdsl.matmul %W, %b : memref<1x7xf32, #scratch.flash>, memref<7x1xf32> into %q : memref<1x1xf32>
  tdsl.matmul_sum %W, %c from %p : memref<1x1xf32> : memref<1x7xf32, #scratch.flash>, memref<7x1xf32> into %r : memref<1x1xf32>
  tdsl.add %r, %q : memref<1x1xf32>, memref<1x1xf32> into %r : memref<1x1xf32>
  func.return %r : memref<1x1xf32>
}
// CHECK-LABEL: func.func @first(
// CHECK: tdsl.matmul %V, %Y
// CHECK-NEXT: %p = scratch.alloc
// CHECK-NEXT: tdsl.matmul %W, %a

// -----

// A buffer from outside a branch does not count in it, even if the branch is the last to read it.
func.func @branch(%Y: memref<1x1xf32>, %flag: i1, %W: memref<1x7xf32, #scratch.flash>, %V: memref<7x1xf32, #scratch.flash>, %Z: memref<1x1xf32>, %U: memref<1x1xf32>) {
  %o = scratch.alloc : memref<1x1x90xf32>
  tdsl.fill {value = 1.0 : f64} into %o : memref<1x1x90xf32>
  scf.if %flag {
    %c0 = arith.constant 0 : index
    %s = scratch.slice %o[%c0] : memref<1x1x90xf32> to memref<1x1xf32>
    %a = scratch.alloc : memref<7x1xf32>
    %b = scratch.alloc : memref<7x1xf32>
    %c = scratch.alloc : memref<7x1xf32>
    %p = scratch.alloc : memref<1x1xf32>
    %q = scratch.alloc : memref<1x1xf32>
    %r = scratch.alloc : memref<1x1xf32>
    tdsl.matmul %V, %Y : memref<7x1xf32, #scratch.flash>, memref<1x1xf32> into %a : memref<7x1xf32>
    tdsl.add %V, %Y : memref<7x1xf32, #scratch.flash>, memref<1x1xf32> into %b : memref<7x1xf32>
    tdsl.sub %V, %Y : memref<7x1xf32, #scratch.flash>, memref<1x1xf32> into %c : memref<7x1xf32>
    tdsl.matmul %W, %a : memref<1x7xf32, #scratch.flash>, memref<7x1xf32> into %p : memref<1x1xf32>
    tdsl.matmul %W, %b : memref<1x7xf32, #scratch.flash>, memref<7x1xf32> into %q : memref<1x1xf32>
    tdsl.matmul_sum %W, %c from %p : memref<1x1xf32> : memref<1x7xf32, #scratch.flash>, memref<7x1xf32> into %r : memref<1x1xf32>
    tdsl.add %r, %q : memref<1x1xf32>, memref<1x1xf32> into %Z : memref<1x1xf32>
    tdsl.neg %s : memref<1x1xf32> into %U : memref<1x1xf32>
  }
  func.return
}
// CHECK-LABEL: func.func @branch(
// CHECK: tdsl.matmul %V, %Y
// CHECK-NEXT: %p = scratch.alloc
// CHECK-NEXT: tdsl.matmul %W, %a

// -----

// A loop that reads each row of %q before it writes the row of its result needs no further bytes: %v comes after it.
func.func @rows(%X: memref<8x8xf32>, %Z: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %x = scratch.alloc : memref<8x8xf32>
  %q = scratch.alloc : memref<8x8xf32>
  %k = scratch.alloc : memref<8x8xf32>
  %v = scratch.alloc : memref<8x8xf32>
  %row = scratch.alloc : memref<8x1xf32>
  %s = scratch.alloc : memref<8x8xf32>
  tdsl.reverse %X {axis = 0} : memref<8x8xf32> into %x : memref<8x8xf32>
  tdsl.reverse %x {axis = 0} : memref<8x8xf32> into %q : memref<8x8xf32>
  tdsl.reverse %x {axis = 0} : memref<8x8xf32> into %k : memref<8x8xf32>
  tdsl.reverse %x {axis = 1} : memref<8x8xf32> into %v : memref<8x8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %at = arith.muli %i, %c8 : index
    %in = scratch.slice %q[%at] : memref<8x8xf32> to memref<8x1xf32>
    %out = scratch.slice %s[%at] : memref<8x8xf32> to memref<8x1xf32>
    tdsl.matmul %k, %in : memref<8x8xf32>, memref<8x1xf32> into %row : memref<8x1xf32>
    tdsl.neg %row : memref<8x1xf32> into %out : memref<8x1xf32>
  }
  tdsl.matmul %s, %v : memref<8x8xf32>, memref<8x8xf32> into %Z : memref<8x8xf32>
  func.return
}
// CHECK-LABEL: func.func @rows(
// CHECK: scf.for
// CHECK: tdsl.reverse %x {axis = 1 : i64}
// CHECK: tdsl.matmul %s, %v
