// RUN: tinyml-opt %s -p update-in-place --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p update-in-place,pack-scratch,check-packing{judge=exact-cover} --split-input-file | filecheck %s --check-prefix=PACKED

// A chain of elementwise ops stays in one place, also under another shape and where elements become narrower; a sum of
// two dying operands takes the place of one of them. The buffer that is returned lives on.
func.func @chain(%X: memref<4x1x!fixed.q<16, 4>>) -> memref<4x1x!fixed.q<8, 4>> {
  %c0 = arith.constant 0 : index
  %a = scratch.alloc : memref<4x1x!fixed.q<16, 4>>
  %b = scratch.alloc : memref<1x4x!fixed.q<16, 5>>
  %c = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  %d = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  tdsl.neg %X : memref<4x1x!fixed.q<16, 4>> into %a : memref<4x1x!fixed.q<16, 4>>
  %row = scratch.slice %a[%c0] : memref<4x1x!fixed.q<16, 4>> to memref<1x4x!fixed.q<16, 4>>
  tdsl.exp %row : memref<1x4x!fixed.q<16, 4>> into %b : memref<1x4x!fixed.q<16, 5>>
  %column = scratch.slice %b[%c0] : memref<1x4x!fixed.q<16, 5>> to memref<4x1x!fixed.q<16, 5>>
  tdsl.cast %column : memref<4x1x!fixed.q<16, 5>> into %c : memref<4x1x!fixed.q<8, 4>>
  tdsl.add %c, %c : memref<4x1x!fixed.q<8, 4>>, memref<4x1x!fixed.q<8, 4>> into %d : memref<4x1x!fixed.q<8, 4>>
  func.return %d : memref<4x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @chain(%X: memref<4x1x!fixed.q<16, 4>>) -> memref<4x1x!fixed.q<8, 4>> {
// CHECK-NEXT: %a = scratch.alloc : memref<4x1x!fixed.q<16, 4>>
// CHECK-NEXT: %b = scratch.reuse %a : memref<4x1x!fixed.q<16, 4>> as memref<1x4x!fixed.q<16, 5>>
// CHECK-NEXT: %c = scratch.reuse %b : memref<1x4x!fixed.q<16, 5>> as memref<4x1x!fixed.q<8, 4>>
// CHECK-NEXT: %d = scratch.reuse %c : memref<4x1x!fixed.q<8, 4>> as memref<4x1x!fixed.q<8, 4>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: tdsl.neg %X : memref<4x1x!fixed.q<16, 4>> into %a : memref<4x1x!fixed.q<16, 4>>
// CHECK-NEXT: %row = scratch.slice %a[%c0] : memref<4x1x!fixed.q<16, 4>> to memref<1x4x!fixed.q<16, 4>>
// CHECK-NEXT: tdsl.exp %row : memref<1x4x!fixed.q<16, 4>> into %b : memref<1x4x!fixed.q<16, 5>>
// CHECK-NEXT: %column = scratch.slice %b[%c0] : memref<1x4x!fixed.q<16, 5>> to memref<4x1x!fixed.q<16, 5>>
// CHECK-NEXT: tdsl.cast %column : memref<4x1x!fixed.q<16, 5>> into %c : memref<4x1x!fixed.q<8, 4>>
// CHECK-NEXT: tdsl.add %c, %c : memref<4x1x!fixed.q<8, 4>>, memref<4x1x!fixed.q<8, 4>> into %d : memref<4x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %d : memref<4x1x!fixed.q<8, 4>>
// PACKED-LABEL: func.func @chain
// PACKED: %arena = scratch.arena {{.*}} : memref<8xi8>
// PACKED-NEXT: %a = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]{{.*}}}
// PACKED-NEXT: %b = scratch.view %arena[0 : i64] {live = [2 : i64, 2 : i64]{{.*}}}
// PACKED-NEXT: %c = scratch.view %arena[0 : i64] {live = [3 : i64, 3 : i64]{{.*}}}
// PACKED-NEXT: %d = scratch.view %arena[0 : i64] {live = [4 : i64, 4 : i64]{{.*}}}

// -----

// Not in place: what is read later (%a), read in another order (%b), read again for other elements (%c as a factor), and
// what would be overtaken by wider elements (%d).
func.func @not(%X: memref<4x1x!fixed.q<8, 4>>, %W: memref<4x4x!fixed.q<8, 4>, #scratch.flash>) -> memref<4x1x!fixed.q<16, 4>> {
  %a = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  %b = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  %c = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  %d = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  %e = scratch.alloc : memref<4x1x!fixed.q<16, 4>>
  tdsl.neg %X : memref<4x1x!fixed.q<8, 4>> into %a : memref<4x1x!fixed.q<8, 4>>
  tdsl.neg %a : memref<4x1x!fixed.q<8, 4>> into %b : memref<4x1x!fixed.q<8, 4>>
  %k = tdsl.argmax %a : memref<4x1x!fixed.q<8, 4>>
  tdsl.reverse %b {axis = 0} : memref<4x1x!fixed.q<8, 4>> into %c : memref<4x1x!fixed.q<8, 4>>
  tdsl.matmul %W, %c : memref<4x4x!fixed.q<8, 4>, #scratch.flash>, memref<4x1x!fixed.q<8, 4>> into %d : memref<4x1x!fixed.q<8, 4>>
  tdsl.cast %d : memref<4x1x!fixed.q<8, 4>> into %e : memref<4x1x!fixed.q<16, 4>>
  func.return %e : memref<4x1x!fixed.q<16, 4>>
}
// CHECK-LABEL: func.func @not(%X: memref<4x1x!fixed.q<8, 4>>, %W: memref<4x4x!fixed.q<8, 4>, #scratch.flash>) -> memref<4x1x!fixed.q<16, 4>> {
// CHECK-NEXT: %a = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
// CHECK-NEXT: %b = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
// CHECK-NEXT: %c = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
// CHECK-NEXT: %d = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
// CHECK-NEXT: %e = scratch.alloc : memref<4x1x!fixed.q<16, 4>>
// CHECK-NEXT: tdsl.neg %X : memref<4x1x!fixed.q<8, 4>> into %a : memref<4x1x!fixed.q<8, 4>>
// CHECK-NEXT: tdsl.neg %a : memref<4x1x!fixed.q<8, 4>> into %b : memref<4x1x!fixed.q<8, 4>>
// CHECK-NEXT: %k = tdsl.argmax %a : memref<4x1x!fixed.q<8, 4>>
// CHECK-NEXT: tdsl.reverse %b {axis = 0 : i64} : memref<4x1x!fixed.q<8, 4>> into %c : memref<4x1x!fixed.q<8, 4>>
// CHECK-NEXT: tdsl.matmul %W, %c : memref<4x4x!fixed.q<8, 4>, #scratch.flash>, memref<4x1x!fixed.q<8, 4>> into %d : memref<4x1x!fixed.q<8, 4>>
// CHECK-NEXT: tdsl.cast %d : memref<4x1x!fixed.q<8, 4>> into %e : memref<4x1x!fixed.q<16, 4>>
// CHECK-NEXT: func.return %e : memref<4x1x!fixed.q<16, 4>>
// PACKED-LABEL: func.func @not

// -----

// What is smaller takes the place of a larger buffer unless more would then be needed at once: %b would keep all of %a
// while %late is there.
func.func @smaller(%X: memref<8x1x!fixed.q<16, 4>>) -> (memref<8x1x!fixed.q<8, 4>>, memref<8x1x!fixed.q<16, 4>>) {
  %a = scratch.alloc : memref<8x1x!fixed.q<16, 4>>
  %b = scratch.alloc : memref<8x1x!fixed.q<8, 4>>
  %late = scratch.alloc : memref<8x1x!fixed.q<16, 4>>
  tdsl.neg %X : memref<8x1x!fixed.q<16, 4>> into %a : memref<8x1x!fixed.q<16, 4>>
  tdsl.cast %a : memref<8x1x!fixed.q<16, 4>> into %b : memref<8x1x!fixed.q<8, 4>>
  tdsl.neg %X : memref<8x1x!fixed.q<16, 4>> into %late : memref<8x1x!fixed.q<16, 4>>
  func.return %b, %late : memref<8x1x!fixed.q<8, 4>>, memref<8x1x!fixed.q<16, 4>>
}
// CHECK-LABEL: func.func @smaller(%X: memref<8x1x!fixed.q<16, 4>>) -> (memref<8x1x!fixed.q<8, 4>>, memref<8x1x!fixed.q<16, 4>>) {
// CHECK-NEXT: %a = scratch.alloc : memref<8x1x!fixed.q<16, 4>>
// CHECK-NEXT: %b = scratch.alloc : memref<8x1x!fixed.q<8, 4>>
// CHECK-NEXT: %late = scratch.alloc : memref<8x1x!fixed.q<16, 4>>
// CHECK-NEXT: tdsl.neg %X : memref<8x1x!fixed.q<16, 4>> into %a : memref<8x1x!fixed.q<16, 4>>
// CHECK-NEXT: tdsl.cast %a : memref<8x1x!fixed.q<16, 4>> into %b : memref<8x1x!fixed.q<8, 4>>
// CHECK-NEXT: tdsl.neg %X : memref<8x1x!fixed.q<16, 4>> into %late : memref<8x1x!fixed.q<16, 4>>
// CHECK-NEXT: func.return %b, %late : memref<8x1x!fixed.q<8, 4>>, memref<8x1x!fixed.q<16, 4>>
// PACKED-LABEL: func.func @smaller
// PACKED: scratch.arena {{.*}} : memref<24xi8>

// -----

// A single result takes the place of whatever its op reads.
func.func @single(%X: memref<8x1x!fixed.q<16, 4>>) -> memref<1x1x!fixed.q<8, 4>> {
  %c0 = arith.constant 0 : index
  %a = scratch.alloc : memref<8x1x!fixed.q<16, 4>>
  %b = scratch.alloc : memref<1x1x!fixed.q<8, 4>>
  tdsl.neg %X : memref<8x1x!fixed.q<16, 4>> into %a : memref<8x1x!fixed.q<16, 4>>
  %row = scratch.slice %a[%c0] : memref<8x1x!fixed.q<16, 4>> to memref<1x8x!fixed.q<16, 4>>
  tdsl.matmul %row, %a : memref<1x8x!fixed.q<16, 4>>, memref<8x1x!fixed.q<16, 4>> into %b : memref<1x1x!fixed.q<8, 4>>
  func.return %b : memref<1x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @single(%X: memref<8x1x!fixed.q<16, 4>>) -> memref<1x1x!fixed.q<8, 4>> {
// CHECK-NEXT: %a = scratch.alloc : memref<8x1x!fixed.q<16, 4>>
// CHECK-NEXT: %b = scratch.reuse %a : memref<8x1x!fixed.q<16, 4>> as memref<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: tdsl.neg %X : memref<8x1x!fixed.q<16, 4>> into %a : memref<8x1x!fixed.q<16, 4>>
// CHECK-NEXT: %row = scratch.slice %a[%c0] : memref<8x1x!fixed.q<16, 4>> to memref<1x8x!fixed.q<16, 4>>
// CHECK-NEXT: tdsl.matmul %row, %a : memref<1x8x!fixed.q<16, 4>>, memref<8x1x!fixed.q<16, 4>> into %b : memref<1x1x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %b : memref<1x1x!fixed.q<8, 4>>
// PACKED-LABEL: func.func @single

// -----

// A part is put into the operand itself, and sums go on where they are: nothing is copied.
func.func @changed(%X: memref<3x1x!fixed.q<16, 4>>) -> (memref<3x1x!fixed.q<16, 4>>, memref<3x1x!fixed.q<16, 4>>) {
  %c0 = arith.constant 0 : index
  %a = scratch.alloc : memref<3x1x!fixed.q<16, 4>>
  %one = scratch.alloc : memref<1x1x!fixed.q<16, 4>>
  %b = scratch.alloc : memref<3x1x!fixed.q<16, 4>>
  %s = scratch.alloc : memref<3x1x!fixed.acc<32, 8>>
  %t = scratch.alloc : memref<3x1x!fixed.acc<32, 8>>
  %u = scratch.alloc : memref<3x1x!fixed.q<16, 4>>
  tdsl.neg %X : memref<3x1x!fixed.q<16, 4>> into %a : memref<3x1x!fixed.q<16, 4>>
  tdsl.fill {value = 1.0 : f64} into %one : memref<1x1x!fixed.q<16, 4>>
  tdsl.insert_slice %one, %a[%c0, %c0] : memref<1x1x!fixed.q<16, 4>>, memref<3x1x!fixed.q<16, 4>> into %b : memref<3x1x!fixed.q<16, 4>>
  tdsl.zero into %s : memref<3x1x!fixed.acc<32, 8>>
  tdsl.mac %s, %X, %one : memref<3x1x!fixed.acc<32, 8>>, memref<3x1x!fixed.q<16, 4>>, memref<1x1x!fixed.q<16, 4>> into %t : memref<3x1x!fixed.acc<32, 8>>
  tdsl.finish %t : memref<3x1x!fixed.acc<32, 8>> into %u : memref<3x1x!fixed.q<16, 4>>
  func.return %b, %u : memref<3x1x!fixed.q<16, 4>>, memref<3x1x!fixed.q<16, 4>>
}
// CHECK-LABEL: func.func @changed(%X: memref<3x1x!fixed.q<16, 4>>) -> (memref<3x1x!fixed.q<16, 4>>, memref<3x1x!fixed.q<16, 4>>) {
// CHECK-NEXT: %a = scratch.alloc : memref<3x1x!fixed.q<16, 4>>
// CHECK-NEXT: %one = scratch.alloc : memref<1x1x!fixed.q<16, 4>>
// CHECK-NEXT: %s = scratch.alloc : memref<3x1x!fixed.acc<32, 8>>
// CHECK-NEXT: %u = scratch.reuse %s : memref<3x1x!fixed.acc<32, 8>> as memref<3x1x!fixed.q<16, 4>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: tdsl.neg %X : memref<3x1x!fixed.q<16, 4>> into %a : memref<3x1x!fixed.q<16, 4>>
// CHECK-NEXT: tdsl.fill {value = 1.000000e+00 : f64} into %one : memref<1x1x!fixed.q<16, 4>>
// CHECK-NEXT: tdsl.insert_slice %one, %a[%c0, %c0] : memref<1x1x!fixed.q<16, 4>>, memref<3x1x!fixed.q<16, 4>> into %a : memref<3x1x!fixed.q<16, 4>>
// CHECK-NEXT: tdsl.zero into %s : memref<3x1x!fixed.acc<32, 8>>
// CHECK-NEXT: tdsl.mac %s, %X, %one : memref<3x1x!fixed.acc<32, 8>>, memref<3x1x!fixed.q<16, 4>>, memref<1x1x!fixed.q<16, 4>> into %s : memref<3x1x!fixed.acc<32, 8>>
// CHECK-NEXT: tdsl.finish %s : memref<3x1x!fixed.acc<32, 8>> into %u : memref<3x1x!fixed.q<16, 4>>
// CHECK-NEXT: func.return %a, %u : memref<3x1x!fixed.q<16, 4>>, memref<3x1x!fixed.q<16, 4>>
// PACKED-LABEL: func.func @changed

// -----

// In a loop: what an iteration makes may be changed in place, what a later one reads may not.
func.func @loop(%X: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %state = scratch.alloc : memref<4xf32>
  tdsl.fill {value = 0.0 : f64} into %state : memref<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %t = scratch.alloc : memref<4xf32>
    %u = scratch.alloc : memref<4xf32>
    %v = scratch.alloc : memref<4xf32>
    tdsl.neg %state : memref<4xf32> into %t : memref<4xf32>
    tdsl.exp %t : memref<4xf32> into %u : memref<4xf32>
    tdsl.add %u, %state : memref<4xf32>, memref<4xf32> into %v : memref<4xf32>
    tdsl.add %v, %X : memref<4xf32>, memref<4xf32> into %state : memref<4xf32>
  }
  func.return %state : memref<4xf32>
}
// CHECK-LABEL: func.func @loop(%X: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT: %state = scratch.alloc : memref<4xf32>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %state : memref<4xf32>
// CHECK-NEXT: scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT: %t = scratch.alloc : memref<4xf32>
// CHECK-NEXT: %u = scratch.reuse %t : memref<4xf32> as memref<4xf32>
// CHECK-NEXT: %v = scratch.reuse %u : memref<4xf32> as memref<4xf32>
// CHECK-NEXT: tdsl.neg %state : memref<4xf32> into %t : memref<4xf32>
// CHECK-NEXT: tdsl.exp %t : memref<4xf32> into %u : memref<4xf32>
// CHECK-NEXT: tdsl.add %u, %state : memref<4xf32>, memref<4xf32> into %v : memref<4xf32>
// CHECK-NEXT: tdsl.add %v, %X : memref<4xf32>, memref<4xf32> into %state : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %state : memref<4xf32>
// PACKED-LABEL: func.func @loop
// PACKED: scratch.arena {{.*}} : memref<32xi8>
// PACKED-LABEL: func.func @unwritten(

// -----

// Buffers that begin at the same op keep their order: a buffer is there before another takes its place.
func.func @unwritten(%X: memref<4xf32>) -> index {
  %a = scratch.alloc : memref<4xf32>
  %b = scratch.alloc : memref<4xf32>
  tdsl.neg %a : memref<4xf32> into %b : memref<4xf32>
  %l = tdsl.argmax %b : memref<4xf32>
  func.return %l : index
}
// CHECK-LABEL: func.func @unwritten(%X: memref<4xf32>) -> index {
// CHECK-NEXT: %a = scratch.alloc : memref<4xf32>
// CHECK-NEXT: %b = scratch.reuse %a : memref<4xf32> as memref<4xf32>
// CHECK-NEXT: tdsl.neg %a : memref<4xf32> into %b : memref<4xf32>
// CHECK-NEXT: %l = tdsl.argmax %b : memref<4xf32>
// CHECK-NEXT: func.return %l : index

// -----

// Of two operands that end here the smaller one gives its bytes, on either side.
func.func @least(%X: memref<4x1x!fixed.q<16, 4>>) -> (memref<4x1x!fixed.q<8, 4>>, memref<4x1x!fixed.q<8, 4>>) {
  %a = scratch.alloc : memref<4x1x!fixed.q<16, 4>>
  %b = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  %c = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  %d = scratch.alloc : memref<4x1x!fixed.q<8, 5>>
  %e = scratch.alloc : memref<4x1x!fixed.q<16, 5>>
  %f = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  tdsl.neg %X : memref<4x1x!fixed.q<16, 4>> into %a : memref<4x1x!fixed.q<16, 4>>
  tdsl.cast %X : memref<4x1x!fixed.q<16, 4>> into %b : memref<4x1x!fixed.q<8, 4>>
  tdsl.add %a, %b : memref<4x1x!fixed.q<16, 4>>, memref<4x1x!fixed.q<8, 4>> into %c : memref<4x1x!fixed.q<8, 4>>
  tdsl.cast %X : memref<4x1x!fixed.q<16, 4>> into %d : memref<4x1x!fixed.q<8, 5>>
  tdsl.cast %X : memref<4x1x!fixed.q<16, 4>> into %e : memref<4x1x!fixed.q<16, 5>>
  tdsl.add %d, %e : memref<4x1x!fixed.q<8, 5>>, memref<4x1x!fixed.q<16, 5>> into %f : memref<4x1x!fixed.q<8, 4>>
  func.return %c, %f : memref<4x1x!fixed.q<8, 4>>, memref<4x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @least
// CHECK: %c = scratch.reuse %b
// CHECK: %f = scratch.reuse %d

// -----

// What was written before is no new result.
func.func @again(%X: memref<4x1x!fixed.q<8, 4>>) -> (index, memref<4x1x!fixed.q<8, 4>>) {
  %a = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  %r = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  tdsl.neg %X : memref<4x1x!fixed.q<8, 4>> into %a : memref<4x1x!fixed.q<8, 4>>
  tdsl.fill {value = 1.0 : f64} into %r : memref<4x1x!fixed.q<8, 4>>
  %k = tdsl.argmax %r : memref<4x1x!fixed.q<8, 4>>
  tdsl.exp %a : memref<4x1x!fixed.q<8, 4>> into %r : memref<4x1x!fixed.q<8, 4>>
  func.return %k, %r : index, memref<4x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @again
// CHECK-NOT: scratch.reuse
// CHECK: func.return %k, %r

// -----

// The bytes of a buffer of a branch are not there for one outside it.
func.func @branch(%X: memref<4xf32>, %b: i1) -> memref<4xf32> {
  %u = scratch.alloc : memref<4xf32>
  scf.if %b {
    %t = scratch.alloc : memref<4xf32>
    tdsl.neg %X : memref<4xf32> into %t : memref<4xf32>
    tdsl.exp %t : memref<4xf32> into %u : memref<4xf32>
  } else {
    tdsl.exp %X : memref<4xf32> into %u : memref<4xf32>
  }
  func.return %u : memref<4xf32>
}
// CHECK-LABEL: func.func @branch
// CHECK-NOT: scratch.reuse
// CHECK: func.return %u

// -----

// A single result with more bytes than the three elements that it is computed from.
func.func @wider(%X: memref<3x1x!fixed.q<8, 4>>) -> memref<1x1x!fixed.q<32, 8>> {
  %c0 = arith.constant 0 : index
  %a = scratch.alloc : memref<3x1x!fixed.q<8, 4>>
  %b = scratch.alloc : memref<1x1x!fixed.q<32, 8>>
  tdsl.neg %X : memref<3x1x!fixed.q<8, 4>> into %a : memref<3x1x!fixed.q<8, 4>>
  %row = scratch.slice %X[%c0] : memref<3x1x!fixed.q<8, 4>> to memref<1x3x!fixed.q<8, 4>>
  tdsl.matmul %row, %a : memref<1x3x!fixed.q<8, 4>>, memref<3x1x!fixed.q<8, 4>> into %b : memref<1x1x!fixed.q<32, 8>>
  func.return %b : memref<1x1x!fixed.q<32, 8>>
}
// CHECK-LABEL: func.func @wider
// CHECK-NOT: scratch.reuse
// CHECK: func.return %b

// -----

// The peak is where %a and %big are alive, before %b is in the place of %a: %c may keep all of it while %late is there.
func.func @early(%X: memref<8x1x!fixed.q<16, 4>>) -> (memref<8x1x!fixed.q<8, 4>>, memref<8x1x!fixed.q<16, 4>>) {
  %a = scratch.alloc : memref<8x1x!fixed.q<16, 4>>
  %big = scratch.alloc : memref<8x1x!fixed.q<16, 5>>
  %b = scratch.alloc : memref<8x1x!fixed.q<16, 4>>
  %c = scratch.alloc : memref<8x1x!fixed.q<8, 4>>
  %late = scratch.alloc : memref<8x1x!fixed.q<16, 4>>
  tdsl.neg %X : memref<8x1x!fixed.q<16, 4>> into %a : memref<8x1x!fixed.q<16, 4>>
  tdsl.cast %X : memref<8x1x!fixed.q<16, 4>> into %big : memref<8x1x!fixed.q<16, 5>>
  %k = tdsl.argmax %big : memref<8x1x!fixed.q<16, 5>>
  tdsl.neg %a : memref<8x1x!fixed.q<16, 4>> into %b : memref<8x1x!fixed.q<16, 4>>
  tdsl.cast %b : memref<8x1x!fixed.q<16, 4>> into %c : memref<8x1x!fixed.q<8, 4>>
  tdsl.neg %X : memref<8x1x!fixed.q<16, 4>> into %late : memref<8x1x!fixed.q<16, 4>>
  func.return %c, %late : memref<8x1x!fixed.q<8, 4>>, memref<8x1x!fixed.q<16, 4>>
}
// CHECK-LABEL: func.func @early
// CHECK: %c = scratch.reuse %b

// -----

// A part is put into a buffer of another shape: the result has its bytes, and its own shape.
func.func @turned(%X: memref<1x4x!fixed.q<16, 4>>) -> memref<4x1x!fixed.q<16, 4>> {
  %c0 = arith.constant 0 : index
  %a = scratch.alloc : memref<1x4x!fixed.q<16, 4>>
  %one = scratch.alloc : memref<1x1x!fixed.q<16, 4>>
  %b = scratch.alloc : memref<4x1x!fixed.q<16, 4>>
  tdsl.neg %X : memref<1x4x!fixed.q<16, 4>> into %a : memref<1x4x!fixed.q<16, 4>>
  tdsl.fill {value = 1.0 : f64} into %one : memref<1x1x!fixed.q<16, 4>>
  %column = scratch.slice %a[%c0] : memref<1x4x!fixed.q<16, 4>> to memref<4x1x!fixed.q<16, 4>>
  tdsl.insert_slice %one, %column[%c0, %c0] : memref<1x1x!fixed.q<16, 4>>, memref<4x1x!fixed.q<16, 4>> into %b : memref<4x1x!fixed.q<16, 4>>
  func.return %b : memref<4x1x!fixed.q<16, 4>>
}
// CHECK-LABEL: func.func @turned
// CHECK: %b = scratch.reuse %a : memref<1x4x!fixed.q<16, 4>> as memref<4x1x!fixed.q<16, 4>>
// CHECK: tdsl.insert_slice %one, %column[%c0, %c0] : {{.*}} into %b

// -----

// A buffer whose first reader also writes it cannot take its own place, nor may a buffer be its own source.
func.func @own(%X: memref<4x1x!fixed.q<16, 4>>) -> memref<4x1x!fixed.q<16, 4>> {
  %a = scratch.alloc : memref<4x1x!fixed.q<16, 4>>
  %b = scratch.alloc : memref<4x1x!fixed.q<16, 4>>
  tdsl.add %a, %X : memref<4x1x!fixed.q<16, 4>>, memref<4x1x!fixed.q<16, 4>> into %a : memref<4x1x!fixed.q<16, 4>>
  tdsl.neg %X : memref<4x1x!fixed.q<16, 4>> into %b : memref<4x1x!fixed.q<16, 4>>
  func.return %b : memref<4x1x!fixed.q<16, 4>>
}
// CHECK-LABEL: func.func @own
// CHECK: %a = scratch.alloc : memref<4x1x!fixed.q<16, 4>>
// CHECK: tdsl.add %a, %X : memref<4x1x!fixed.q<16, 4>>, memref<4x1x!fixed.q<16, 4>> into %a : memref<4x1x!fixed.q<16, 4>>

// -----

// A loop reads each column before it inserts a column of the result in the same place: the result has the bytes of the
// operand.
func.func @columns(%P: memref<4x4x!fixed.q<8, 4>>, %V: memref<4x4x!fixed.q<8, 4>>) -> memref<4x4x!fixed.q<8, 4>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = scratch.alloc : memref<4x4x!fixed.q<8, 4>>
  %column = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  %out = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  %y = scratch.alloc : memref<4x4x!fixed.q<8, 4>>
  tdsl.neg %V : memref<4x4x!fixed.q<8, 4>> into %v : memref<4x4x!fixed.q<8, 4>>
  scf.for %i = %c0 to %c4 step %c1 {
    tdsl.slice %v[%c0, %i] : memref<4x4x!fixed.q<8, 4>> into %column : memref<4x1x!fixed.q<8, 4>>
    tdsl.matmul %P, %column : memref<4x4x!fixed.q<8, 4>>, memref<4x1x!fixed.q<8, 4>> into %out : memref<4x1x!fixed.q<8, 4>>
    tdsl.insert_slice %out, %y[%c0, %i] : memref<4x1x!fixed.q<8, 4>>, memref<4x4x!fixed.q<8, 4>> into %y : memref<4x4x!fixed.q<8, 4>>
  }
  func.return %y : memref<4x4x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @columns
// CHECK: %y = scratch.reuse %v : memref<4x4x!fixed.q<8, 4>> as memref<4x4x!fixed.q<8, 4>>
// PACKED-LABEL: func.func @columns
// PACKED: scratch.arena {{.*}} : memref<24xi8>

// -----

// The loop inserts columns from the last to the first, before it has read the columns in their place.
func.func @columns_in_turn(%P: memref<4x4x!fixed.q<8, 4>>, %V: memref<4x4x!fixed.q<8, 4>>) -> memref<4x4x!fixed.q<8, 4>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %v = scratch.alloc : memref<4x4x!fixed.q<8, 4>>
  %column = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  %out = scratch.alloc : memref<4x1x!fixed.q<8, 4>>
  %y = scratch.alloc : memref<4x4x!fixed.q<8, 4>>
  tdsl.neg %V : memref<4x4x!fixed.q<8, 4>> into %v : memref<4x4x!fixed.q<8, 4>>
  scf.for %i = %c0 to %c4 step %c1 {
    %last = arith.subi %c3, %i : index
    tdsl.slice %v[%c0, %i] : memref<4x4x!fixed.q<8, 4>> into %column : memref<4x1x!fixed.q<8, 4>>
    tdsl.matmul %P, %column : memref<4x4x!fixed.q<8, 4>>, memref<4x1x!fixed.q<8, 4>> into %out : memref<4x1x!fixed.q<8, 4>>
    tdsl.insert_slice %out, %y[%c0, %last] : memref<4x1x!fixed.q<8, 4>>, memref<4x4x!fixed.q<8, 4>> into %y : memref<4x4x!fixed.q<8, 4>>
  }
  func.return %y : memref<4x4x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @columns_in_turn
// CHECK: %y = scratch.alloc : memref<4x4x!fixed.q<8, 4>>
