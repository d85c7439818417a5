// RUN: tinyml-opt %s -p forward-inserts --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p forward-inserts,pack-scratch,check-packing --split-input-file | filecheck %s --check-prefix=PACKED

// The part is computed in its place; the buffer in which it waited is gone.
func.func @part(%X: memref<4x3xf32>) -> memref<4x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %all = scratch.alloc : memref<4x3xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %column = scratch.alloc : memref<3x1xf32>
    %c3 = arith.constant 3 : index
    %at = arith.muli %i, %c3 : index
    %x = scratch.slice %X[%at] : memref<4x3xf32> to memref<3x1xf32>
    tdsl.exp %x : memref<3x1xf32> into %column : memref<3x1xf32>
    tdsl.add %column, %x : memref<3x1xf32>, memref<3x1xf32> into %column : memref<3x1xf32>
    %row = scratch.slice %column[%c0] : memref<3x1xf32> to memref<1x3xf32>
    tdsl.insert_slice %row, %all[%i, %c0] : memref<1x3xf32>, memref<4x3xf32> into %all : memref<4x3xf32>
  }
  func.return %all : memref<4x3xf32>
}
// CHECK-LABEL: func.func @part(%X: memref<4x3xf32>) -> memref<4x3xf32> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %all = scratch.alloc : memref<4x3xf32>
// CHECK-NEXT: scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %at = arith.muli %i, %c3 : index
// CHECK-NEXT: %x = scratch.slice %X[%at] : memref<4x3xf32> to memref<3x1xf32>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v1:%.*]] = arith.muli %i, [[v0]] : index
// CHECK-NEXT: [[v2:%.*]] = arith.addi [[v1]], %c0 : index
// CHECK-NEXT: %column = scratch.slice %all{{\[}}[[v2]]] : memref<4x3xf32> to memref<3x1xf32>
// CHECK-NEXT: tdsl.exp %x : memref<3x1xf32> into %column : memref<3x1xf32>
// CHECK-NEXT: tdsl.add %column, %x : memref<3x1xf32>, memref<3x1xf32> into %column : memref<3x1xf32>
// CHECK-NEXT: %row = scratch.slice %column[%c0] : memref<3x1xf32> to memref<1x3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : memref<4x3xf32>
// PACKED: scratch.arena {{.*}} : memref<48xi8>

// -----

// Not forwarded: a column of a matrix, whose elements do not stand one after the other; a part that is still used;
// one whose place is not yet known; one during whose computation the buffer is read.
func.func @not(%X: memref<3x1xf32>) -> memref<3x3xf32> {
  %c0 = arith.constant 0 : index
  %all = scratch.alloc : memref<3x3xf32>
  %column = scratch.alloc : memref<3x1xf32>
  %used = scratch.alloc : memref<1x3xf32>
  %late = scratch.alloc : memref<1x3xf32>
  %read = scratch.alloc : memref<1x3xf32>
  %x = scratch.slice %X[%c0] : memref<3x1xf32> to memref<1x3xf32>
  tdsl.fill {value = 0.0 : f64} into %all : memref<3x3xf32>
  tdsl.exp %X : memref<3x1xf32> into %column : memref<3x1xf32>
  tdsl.insert_slice %column, %all[%c0, %c0] : memref<3x1xf32>, memref<3x3xf32> into %all : memref<3x3xf32>
  tdsl.exp %x : memref<1x3xf32> into %used : memref<1x3xf32>
  tdsl.insert_slice %used, %all[%c0, %c0] : memref<1x3xf32>, memref<3x3xf32> into %all : memref<3x3xf32>
  tdsl.exp %used : memref<1x3xf32> into %late : memref<1x3xf32>
  %k = tdsl.argmax %late : memref<1x3xf32>
  tdsl.insert_slice %late, %all[%k, %c0] : memref<1x3xf32>, memref<3x3xf32> into %all : memref<3x3xf32>
  %row = scratch.slice %all[%c0] : memref<3x3xf32> to memref<1x3xf32>
  tdsl.exp %row : memref<1x3xf32> into %read : memref<1x3xf32>
  tdsl.insert_slice %read, %all[%c0, %c0] : memref<1x3xf32>, memref<3x3xf32> into %all : memref<3x3xf32>
  func.return %all : memref<3x3xf32>
}
// CHECK-LABEL: func.func @not(%X: memref<3x1xf32>) -> memref<3x3xf32> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %all = scratch.alloc : memref<3x3xf32>
// CHECK-NEXT: %column = scratch.alloc : memref<3x1xf32>
// CHECK-NEXT: %used = scratch.alloc : memref<1x3xf32>
// CHECK-NEXT: %late = scratch.alloc : memref<1x3xf32>
// CHECK-NEXT: %read = scratch.alloc : memref<1x3xf32>
// CHECK-NEXT: %x = scratch.slice %X[%c0] : memref<3x1xf32> to memref<1x3xf32>
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %all : memref<3x3xf32>
// CHECK-NEXT: tdsl.exp %X : memref<3x1xf32> into %column : memref<3x1xf32>
// CHECK-NEXT: tdsl.insert_slice %column, %all[%c0, %c0] : memref<3x1xf32>, memref<3x3xf32> into %all : memref<3x3xf32>
// CHECK-NEXT: tdsl.exp %x : memref<1x3xf32> into %used : memref<1x3xf32>
// CHECK-NEXT: tdsl.insert_slice %used, %all[%c0, %c0] : memref<1x3xf32>, memref<3x3xf32> into %all : memref<3x3xf32>
// CHECK-NEXT: tdsl.exp %used : memref<1x3xf32> into %late : memref<1x3xf32>
// CHECK-NEXT: %k = tdsl.argmax %late : memref<1x3xf32>
// CHECK-NEXT: tdsl.insert_slice %late, %all[%k, %c0] : memref<1x3xf32>, memref<3x3xf32> into %all : memref<3x3xf32>
// CHECK-NEXT: %row = scratch.slice %all[%c0] : memref<3x3xf32> to memref<1x3xf32>
// CHECK-NEXT: tdsl.exp %row : memref<1x3xf32> into %read : memref<1x3xf32>
// CHECK-NEXT: tdsl.insert_slice %read, %all[%c0, %c0] : memref<1x3xf32>, memref<3x3xf32> into %all : memref<3x3xf32>
// CHECK-NEXT: func.return %all : memref<3x3xf32>
// PACKED-LABEL: func.func @not

// -----

// An op that updates the very elements which the part replaces does so in their place. Those of another row stay apart.
func.func @update(%W: memref<3x1x!fixed.q<8, 7>>, %x: memref<1x1x!fixed.q<8, 7>>) -> memref<4x3x!fixed.acc<32, 14>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %all = scratch.alloc : memref<4x3x!fixed.acc<32, 14>>
  tdsl.zero into %all : memref<4x3x!fixed.acc<32, 14>>
  scf.for %i = %c0 to %c4 step %c1 {
    %sums = scratch.alloc : memref<3x1x!fixed.acc<32, 14>>
    %moved = scratch.alloc : memref<3x1x!fixed.acc<32, 14>>
    %at = arith.muli %i, %c3 : index
    %offset = arith.addi %at, %c0 : index
    %before = scratch.slice %all[%offset] : memref<4x3x!fixed.acc<32, 14>> to memref<3x1x!fixed.acc<32, 14>>
    tdsl.mac %before, %W, %x : memref<3x1x!fixed.acc<32, 14>>, memref<3x1x!fixed.q<8, 7>>, memref<1x1x!fixed.q<8, 7>> into %sums : memref<3x1x!fixed.acc<32, 14>>
    %row = scratch.slice %sums[%c0] : memref<3x1x!fixed.acc<32, 14>> to memref<1x3x!fixed.acc<32, 14>>
    tdsl.insert_slice %row, %all[%i, %c0] : memref<1x3x!fixed.acc<32, 14>>, memref<4x3x!fixed.acc<32, 14>> into %all : memref<4x3x!fixed.acc<32, 14>>
    tdsl.mac %before, %W, %x : memref<3x1x!fixed.acc<32, 14>>, memref<3x1x!fixed.q<8, 7>>, memref<1x1x!fixed.q<8, 7>> into %moved : memref<3x1x!fixed.acc<32, 14>>
    %above = scratch.slice %moved[%c0] : memref<3x1x!fixed.acc<32, 14>> to memref<1x3x!fixed.acc<32, 14>>
    tdsl.insert_slice %above, %all[%c0, %c0] : memref<1x3x!fixed.acc<32, 14>>, memref<4x3x!fixed.acc<32, 14>> into %all : memref<4x3x!fixed.acc<32, 14>>
  }
  func.return %all : memref<4x3x!fixed.acc<32, 14>>
}
// CHECK-LABEL: func.func @update(%W: memref<3x1x!fixed.q<8, 7>>, %x: memref<1x1x!fixed.q<8, 7>>) -> memref<4x3x!fixed.acc<32, 14>> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %all = scratch.alloc : memref<4x3x!fixed.acc<32, 14>>
// CHECK-NEXT: tdsl.zero into %all : memref<4x3x!fixed.acc<32, 14>>
// CHECK-NEXT: scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT: %moved = scratch.alloc : memref<3x1x!fixed.acc<32, 14>>
// CHECK-NEXT: %at = arith.muli %i, %c3 : index
// CHECK-NEXT: %offset = arith.addi %at, %c0 : index
// CHECK-NEXT: %before = scratch.slice %all[%offset] : memref<4x3x!fixed.acc<32, 14>> to memref<3x1x!fixed.acc<32, 14>>
// CHECK-NEXT: tdsl.mac %before, %W, %x : memref<3x1x!fixed.acc<32, 14>>, memref<3x1x!fixed.q<8, 7>>, memref<1x1x!fixed.q<8, 7>> into %before : memref<3x1x!fixed.acc<32, 14>>
// CHECK-NEXT: %row = scratch.slice %before[%c0] : memref<3x1x!fixed.acc<32, 14>> to memref<1x3x!fixed.acc<32, 14>>
// CHECK-NEXT: tdsl.mac %before, %W, %x : memref<3x1x!fixed.acc<32, 14>>, memref<3x1x!fixed.q<8, 7>>, memref<1x1x!fixed.q<8, 7>> into %moved : memref<3x1x!fixed.acc<32, 14>>
// CHECK-NEXT: %above = scratch.slice %moved[%c0] : memref<3x1x!fixed.acc<32, 14>> to memref<1x3x!fixed.acc<32, 14>>
// CHECK-NEXT: tdsl.insert_slice %above, %all[%c0, %c0] : memref<1x3x!fixed.acc<32, 14>>, memref<4x3x!fixed.acc<32, 14>> into %all : memref<4x3x!fixed.acc<32, 14>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : memref<4x3x!fixed.acc<32, 14>>
// PACKED: scratch.arena
// PACKED-LABEL: func.func @update(

// -----

// An op on elements overwrites its operand in the place of the part, unless that has another format, which may be packed
// to other bits, or is still used.
func.func @chain(%X: memref<1x3x!fixed.q<8, 7>>) -> memref<4x3x!fixed.q<8, 6>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %all = scratch.alloc : memref<4x3x!fixed.q<8, 6>>
  %kept = scratch.alloc : memref<1x3x!fixed.q<8, 6>>
  scf.for %i = %c0 to %c4 step %c1 {
    %exp = scratch.alloc : memref<1x3x!fixed.q<8, 7>>
    %tanh = scratch.alloc : memref<1x3x!fixed.q<8, 6>>
    %gate = scratch.alloc : memref<1x3x!fixed.q<8, 6>>
    %second = scratch.alloc : memref<1x3x!fixed.q<8, 6>>
    tdsl.exp %X : memref<1x3x!fixed.q<8, 7>> into %exp : memref<1x3x!fixed.q<8, 7>>
    tdsl.tanh %exp : memref<1x3x!fixed.q<8, 7>> into %tanh : memref<1x3x!fixed.q<8, 6>>
    tdsl.sigmoid %tanh : memref<1x3x!fixed.q<8, 6>> into %gate : memref<1x3x!fixed.q<8, 6>>
    tdsl.insert_slice %gate, %all[%i, %c0] : memref<1x3x!fixed.q<8, 6>>, memref<4x3x!fixed.q<8, 6>> into %all : memref<4x3x!fixed.q<8, 6>>
    %row = scratch.slice %all[%c0] : memref<4x3x!fixed.q<8, 6>> to memref<1x3x!fixed.q<8, 6>>
    tdsl.tanh %row : memref<1x3x!fixed.q<8, 6>> into %kept : memref<1x3x!fixed.q<8, 6>>
    tdsl.sigmoid %kept : memref<1x3x!fixed.q<8, 6>> into %second : memref<1x3x!fixed.q<8, 6>>
    tdsl.insert_slice %second, %all[%i, %c0] : memref<1x3x!fixed.q<8, 6>>, memref<4x3x!fixed.q<8, 6>> into %all : memref<4x3x!fixed.q<8, 6>>
  }
  func.return %all : memref<4x3x!fixed.q<8, 6>>
}
// CHECK-LABEL: func.func @chain(%X: memref<1x3x!fixed.q<8, 7>>) -> memref<4x3x!fixed.q<8, 6>> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %all = scratch.alloc : memref<4x3x!fixed.q<8, 6>>
// CHECK-NEXT: %kept = scratch.alloc : memref<1x3x!fixed.q<8, 6>>
// CHECK-NEXT: scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT: %exp = scratch.alloc : memref<1x3x!fixed.q<8, 7>>
// CHECK-NEXT: tdsl.exp %X : memref<1x3x!fixed.q<8, 7>> into %exp : memref<1x3x!fixed.q<8, 7>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v1:%.*]] = arith.muli %i, [[v0]] : index
// CHECK-NEXT: [[v2:%.*]] = arith.addi [[v1]], %c0 : index
// CHECK-NEXT: %tanh = scratch.slice %all{{\[}}[[v2]]] : memref<4x3x!fixed.q<8, 6>> to memref<1x3x!fixed.q<8, 6>>
// CHECK-NEXT: tdsl.tanh %exp : memref<1x3x!fixed.q<8, 7>> into %tanh : memref<1x3x!fixed.q<8, 6>>
// CHECK-NEXT: [[v3:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v4:%.*]] = arith.muli %i, [[v3]] : index
// CHECK-NEXT: [[v5:%.*]] = arith.addi [[v4]], %c0 : index
// CHECK-NEXT: %gate = scratch.slice %all{{\[}}[[v5]]] : memref<4x3x!fixed.q<8, 6>> to memref<1x3x!fixed.q<8, 6>>
// CHECK-NEXT: tdsl.sigmoid %tanh : memref<1x3x!fixed.q<8, 6>> into %gate : memref<1x3x!fixed.q<8, 6>>
// CHECK-NEXT: %row = scratch.slice %all[%c0] : memref<4x3x!fixed.q<8, 6>> to memref<1x3x!fixed.q<8, 6>>
// CHECK-NEXT: tdsl.tanh %row : memref<1x3x!fixed.q<8, 6>> into %kept : memref<1x3x!fixed.q<8, 6>>
// CHECK-NEXT: [[v6:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v7:%.*]] = arith.muli %i, [[v6]] : index
// CHECK-NEXT: [[v8:%.*]] = arith.addi [[v7]], %c0 : index
// CHECK-NEXT: %second = scratch.slice %all{{\[}}[[v8]]] : memref<4x3x!fixed.q<8, 6>> to memref<1x3x!fixed.q<8, 6>>
// CHECK-NEXT: tdsl.sigmoid %kept : memref<1x3x!fixed.q<8, 6>> into %second : memref<1x3x!fixed.q<8, 6>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %all : memref<4x3x!fixed.q<8, 6>>
// PACKED-LABEL: func.func @chain
// PACKED: scratch.arena

// -----

// What a loop carries may be any buffer, as this one is.
func.func @carried(%X: memref<4x3xf32>) -> memref<4x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %all = scratch.alloc : memref<4x3xf32>
  tdsl.fill {value = 0.0 : f64} into %all : memref<4x3xf32>
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%m = %all) -> (memref<4x3xf32>) {
    %row = scratch.alloc : memref<1x3xf32>
    %old = scratch.slice %m[%c0] : memref<4x3xf32> to memref<1x3xf32>
    tdsl.exp %old : memref<1x3xf32> into %row : memref<1x3xf32>
    tdsl.insert_slice %row, %all[%i, %c0] : memref<1x3xf32>, memref<4x3xf32> into %all : memref<4x3xf32>
    scf.yield %m : memref<4x3xf32>
  }
  func.return %all : memref<4x3xf32>
}
// CHECK-LABEL: func.func @carried
// CHECK: tdsl.exp %old : memref<1x3xf32> into %row
// CHECK: tdsl.insert_slice %row

// -----

// A row that goes on from what the last iteration has left in its buffer stays there.
func.func @first(%X: memref<2x3xf32>) -> memref<2x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %all = scratch.alloc : memref<2x3xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    %row = scratch.alloc : memref<1x3xf32>
    %x = scratch.slice %X[%c0] : memref<2x3xf32> to memref<1x3xf32>
    tdsl.add %row, %x : memref<1x3xf32>, memref<1x3xf32> into %row : memref<1x3xf32>
    tdsl.insert_slice %row, %all[%i, %c0] : memref<1x3xf32>, memref<2x3xf32> into %all : memref<2x3xf32>
  }
  func.return %all : memref<2x3xf32>
}
// CHECK-LABEL: func.func @first
// CHECK: %row = scratch.alloc : memref<1x3xf32>

// -----

// The caller fills the input, and a state is alive throughout: neither is a part of another buffer.
func.func @given() -> memref<2x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %all = scratch.alloc : memref<2x3xf32>
  %x = scratch.alloc {input} : memref<1x3xf32>
  %s = scratch.alloc {state} : memref<1x3xf32>
  tdsl.exp %x : memref<1x3xf32> into %x : memref<1x3xf32>
  tdsl.insert_slice %x, %all[%c0, %c0] : memref<1x3xf32>, memref<2x3xf32> into %all : memref<2x3xf32>
  tdsl.exp %s : memref<1x3xf32> into %s : memref<1x3xf32>
  tdsl.insert_slice %s, %all[%c1, %c0] : memref<1x3xf32>, memref<2x3xf32> into %all : memref<2x3xf32>
  func.return %all : memref<2x3xf32>
}
// CHECK-LABEL: func.func @given
// CHECK: tdsl.insert_slice %x, %all
// CHECK: tdsl.insert_slice %s, %all

// -----

// A row that a loop fills first is computed in its place; one that a branch may fill stays.
func.func @blocks(%X: memref<2x3xf32>, %b: i1) -> memref<2x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %all = scratch.alloc : memref<2x3xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    %row = scratch.alloc : memref<1x3xf32>
    scf.for %j = %c0 to %c3 step %c1 {
      %x = scratch.slice %X[%j] : memref<2x3xf32> to memref<1x1xf32>
      %e = scratch.slice %row[%j] : memref<1x3xf32> to memref<1x1xf32>
      tdsl.exp %x : memref<1x1xf32> into %e : memref<1x1xf32>
    }
    tdsl.insert_slice %row, %all[%i, %c0] : memref<1x3xf32>, memref<2x3xf32> into %all : memref<2x3xf32>
  }
  %part = scratch.alloc : memref<1x3xf32>
  %x = scratch.slice %X[%c0] : memref<2x3xf32> to memref<1x3xf32>
  scf.if %b {
    tdsl.exp %x : memref<1x3xf32> into %part : memref<1x3xf32>
  }
  tdsl.insert_slice %part, %all[%c0, %c0] : memref<1x3xf32>, memref<2x3xf32> into %all : memref<2x3xf32>
  func.return %all : memref<2x3xf32>
}
// CHECK-LABEL: func.func @blocks
// CHECK: %row = scratch.slice %all
// CHECK: tdsl.insert_slice %part, %all

// -----

// A row stays that may be another buffer, and one whose buffer is allocated before the loop.
func.func @unsure(%X: memref<1x3xf32>, %b: i1) -> memref<2x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %all = scratch.alloc : memref<2x3xf32>
  %before = scratch.alloc : memref<1x3xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    %row = scratch.alloc : memref<1x3xf32>
    %other = scratch.alloc : memref<1x3xf32>
    tdsl.exp %X : memref<1x3xf32> into %row : memref<1x3xf32>
    tdsl.exp %X : memref<1x3xf32> into %other : memref<1x3xf32>
    %either = scf.if %b -> (memref<1x3xf32>) {
      scf.yield %row : memref<1x3xf32>
    } else {
      scf.yield %other : memref<1x3xf32>
    }
    tdsl.exp %either : memref<1x3xf32> into %either : memref<1x3xf32>
    tdsl.insert_slice %row, %all[%i, %c0] : memref<1x3xf32>, memref<2x3xf32> into %all : memref<2x3xf32>
    tdsl.exp %X : memref<1x3xf32> into %before : memref<1x3xf32>
    tdsl.insert_slice %before, %all[%i, %c0] : memref<1x3xf32>, memref<2x3xf32> into %all : memref<2x3xf32>
  }
  func.return %all : memref<2x3xf32>
}
// CHECK-LABEL: func.func @unsure
// CHECK: tdsl.insert_slice %row, %all
// CHECK: tdsl.insert_slice %before, %all

// -----

// The state moves up before the new row is computed in its place, also by an elementwise op after another op.
func.func @ring(%X: memref<1x3xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %state = scratch.alloc {state} : memref<4x3xf32>
  %sums = scratch.alloc : memref<1x3xf32>
  %row = scratch.alloc : memref<1x3xf32>
  tdsl.softmax %X : memref<1x3xf32> into %sums : memref<1x3xf32>
  tdsl.exp %sums : memref<1x3xf32> into %row : memref<1x3xf32>
  tdsl.move_up %state {axis = 0 : i64, count = 1 : i64} : memref<4x3xf32> into %state : memref<4x3xf32>
  tdsl.insert_slice %row, %state[%c3, %c0] : memref<1x3xf32>, memref<4x3xf32> into %state : memref<4x3xf32>
  func.return
}
// CHECK-LABEL: func.func @ring
// CHECK: %state = scratch.alloc
// CHECK-NEXT: %sums = scratch.alloc : memref<1x3xf32>
// CHECK-NEXT: tdsl.softmax %X : memref<1x3xf32> into %sums : memref<1x3xf32>
// CHECK-NEXT: tdsl.move_up %state {axis = 0 : i64, count = 1 : i64} : memref<4x3xf32> into %state : memref<4x3xf32>
// CHECK: %row = scratch.slice %state{{.*}} : memref<4x3xf32> to memref<1x3xf32>
// CHECK-NEXT: tdsl.exp %sums : memref<1x3xf32> into %row : memref<1x3xf32>
// CHECK-NEXT: func.return

// -----

// The state does not move up before ops that read it: the row is computed from the state, or the state is read again.
func.func @read_rings(%X: memref<1x3xf32>) -> memref<1x3xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %state = scratch.alloc {state} : memref<4x3xf32>
  %again = scratch.alloc {state} : memref<4x3xf32>
  %old = scratch.slice %state[%c0] : memref<4x3xf32> to memref<1x3xf32>
  %oldest = scratch.slice %again[%c0] : memref<4x3xf32> to memref<1x3xf32>
  %row = scratch.alloc : memref<1x3xf32>
  %other = scratch.alloc : memref<1x3xf32>
  %read = scratch.alloc : memref<1x3xf32>
  tdsl.exp %old : memref<1x3xf32> into %row : memref<1x3xf32>
  tdsl.move_up %state {axis = 0 : i64, count = 1 : i64} : memref<4x3xf32> into %state : memref<4x3xf32>
  tdsl.insert_slice %row, %state[%c3, %c0] : memref<1x3xf32>, memref<4x3xf32> into %state : memref<4x3xf32>
  tdsl.exp %X : memref<1x3xf32> into %other : memref<1x3xf32>
  tdsl.exp %oldest : memref<1x3xf32> into %read : memref<1x3xf32>
  tdsl.move_up %again {axis = 0 : i64, count = 1 : i64} : memref<4x3xf32> into %again : memref<4x3xf32>
  tdsl.insert_slice %other, %again[%c3, %c0] : memref<1x3xf32>, memref<4x3xf32> into %again : memref<4x3xf32>
  func.return %read : memref<1x3xf32>
}
// CHECK-LABEL: func.func @read_rings
// CHECK: tdsl.exp %old : memref<1x3xf32> into %row : memref<1x3xf32>
// CHECK-NEXT: tdsl.move_up %state
// CHECK-NEXT: tdsl.insert_slice %row
// CHECK-NEXT: tdsl.exp %X
// CHECK-NEXT: tdsl.exp %oldest
// CHECK-NEXT: tdsl.move_up %again
// CHECK-NEXT: tdsl.insert_slice %other

// -----

// A view of the row precedes a reader of the state: the state does not move up before this reader.
func.func @viewed_ring(%X: memref<1x3xf32>) -> memref<1x3xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %state = scratch.alloc {state} : memref<4x3xf32>
  %row = scratch.alloc : memref<1x3xf32>
  %read = scratch.alloc : memref<1x3xf32>
  %old = scratch.slice %state[%c0] : memref<4x3xf32> to memref<1x3xf32>
  %view = scratch.slice %row[%c0] : memref<1x3xf32> to memref<1x3xf32>
  tdsl.exp %old : memref<1x3xf32> into %read : memref<1x3xf32>
  tdsl.softmax %X : memref<1x3xf32> into %view : memref<1x3xf32>
  tdsl.move_up %state {axis = 0 : i64, count = 1 : i64} : memref<4x3xf32> into %state : memref<4x3xf32>
  tdsl.insert_slice %row, %state[%c3, %c0] : memref<1x3xf32>, memref<4x3xf32> into %state : memref<4x3xf32>
  func.return %read : memref<1x3xf32>
}
// CHECK-LABEL: func.func @viewed_ring
// CHECK: tdsl.exp %old : memref<1x3xf32> into %read : memref<1x3xf32>
// CHECK-NEXT: tdsl.softmax %X
// CHECK-NEXT: tdsl.move_up %state
// CHECK-NEXT: tdsl.insert_slice %row
