// RUN: tinyml-opt %s -p pack-scratch,check-packing --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p "pack-scratch{align=8},check-packing{judge=other align=8}" --split-input-file | filecheck %s --check-prefix=ALIGN
// RUN: tinyml-opt %s -p "pack-scratch{align=8 packer=branch-and-bound},check-packing{judge=other align=8}" --split-input-file | filecheck %s --check-prefix=ROLES
// RUN: tinyml-opt %s -p "pack-scratch,check-packing{judge=exact-cover}" --split-input-file | filecheck %s --check-prefix=JUDGED
// RUN: tinyml-opt %s -p "pack-scratch{packer=exact-cover},check-packing" --split-input-file | filecheck %s --check-prefix=BEST
// RUN: tinyml-opt %s -p "pack-scratch{packer=branch-and-bound},check-packing" --split-input-file | filecheck %s --check-prefix=BEST
// RUN: tinyml-opt %s -p "pack-scratch{packer=exact-cover coarsen=4 nodes=100},check-packing" --split-input-file | filecheck %s --check-prefix=COARSE
// RUN: tinyml-opt %s -p "pack-scratch{packer=best-fit},check-packing" --split-input-file | filecheck %s --check-prefix=BEST
// RUN: tinyml-opt %s -p "pack-scratch{packer=shiftry},check-packing" --split-input-file | filecheck %s --check-prefix=SHIFTRY
// RUN: tinyml-opt %s -p "pack-scratch{limit=120}" --split-input-file | filecheck %s

// A buffer that ends at point 1 and one that starts at point 2 share bytes; factors and their product do not.
// The input is the caller's memory, the constant lies in flash; the unused buffer goes.
func.func @chain(%X: memref<8x1xf32>, %M: memref<8x8xf32, #scratch.flash>) -> index {
  %W = scratch.constant dense<1.0> : tensor<8x1xf32> -> memref<8x1xf32, #scratch.flash>
  %a = scratch.alloc : memref<8x1xf32>
  %unused = scratch.alloc : memref<100xf32>
  %b = scratch.alloc : memref<8x1xf32>
  %c = scratch.alloc : memref<8x1xf32>
  tdsl.add %X, %W : memref<8x1xf32>, memref<8x1xf32, #scratch.flash> into %a : memref<8x1xf32>
  tdsl.matmul %M, %a : memref<8x8xf32, #scratch.flash>, memref<8x1xf32> into %b : memref<8x1xf32>
  tdsl.matmul %M, %b : memref<8x8xf32, #scratch.flash>, memref<8x1xf32> into %c : memref<8x1xf32>
  %l = tdsl.argmax %c : memref<8x1xf32>
  func.return %l : index
}
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %arena = scratch.arena {alignment = 4 : i64, lower_bound = 64 : i64} : memref<64xi8>
// CHECK-NEXT: %a = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]}
// CHECK-NEXT: %b = scratch.view %arena[32 : i64] {live = [1 : i64, 2 : i64]}
// CHECK-NEXT: %c = scratch.view %arena[0 : i64] {live = [2 : i64, 3 : i64]}
// CHECK-NEXT: scratch.constant
// CHECK-NEXT: tdsl.add
// CHECK-NOT: scratch.alloc

// -----

// Views keep their buffer alive, a returned buffer lives to the end, elements are aligned.
func.func @views(%X: memref<4x!fixed.q<8, 7>>) -> memref<2x!fixed.q<16, 12>> {
  %c0 = arith.constant 0 : index
  %odd = scratch.alloc : memref<3x!fixed.q<8, 7>>
  %y = scratch.alloc : memref<2x!fixed.q<16, 12>>
  %z = scratch.alloc : memref<2x!fixed.q<16, 12>>
  %part = scratch.slice %X[%c0] : memref<4x!fixed.q<8, 7>> to memref<3x!fixed.q<8, 7>>
  tdsl.neg %part : memref<3x!fixed.q<8, 7>> into %odd : memref<3x!fixed.q<8, 7>>
  %two = scratch.slice %odd[%c0] : memref<3x!fixed.q<8, 7>> to memref<2x!fixed.q<8, 7>>
  %again = scratch.slice %two[%c0] : memref<2x!fixed.q<8, 7>> to memref<2x!fixed.q<8, 7>>
  tdsl.cast %again : memref<2x!fixed.q<8, 7>> into %y : memref<2x!fixed.q<16, 12>>
  tdsl.exp %again : memref<2x!fixed.q<8, 7>> into %z : memref<2x!fixed.q<16, 12>>
  %l = tdsl.argmax %odd : memref<3x!fixed.q<8, 7>>
  func.return %y : memref<2x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @views
// CHECK-NEXT: scratch.arena {alignment = 2 : i64, lower_bound = 11 : i64} : memref<11xi8>
// CHECK-NEXT: %odd = scratch.view %arena[8 : i64] {live = [0 : i64, 3 : i64]}
// CHECK-NEXT: %y = scratch.view %arena[0 : i64] {live = [1 : i64, 4 : i64]}
// CHECK-NEXT: %z = scratch.view %arena[4 : i64] {live = [2 : i64, 2 : i64]}
// BEST-LABEL: func.func @views
// BEST-NEXT: scratch.arena {{.*}} : memref<11xi8>
// COARSE-LABEL: func.func @views
// COARSE-NEXT: scratch.arena {{.*}}lower_bound = 11 : i64{{.*}}} : memref<12xi8>
// SHIFTRY-LABEL: func.func @chain
// SHIFTRY-NEXT: scratch.arena {{.*}} : memref<64xi8>
// SHIFTRY-LABEL: func.func @views
// SHIFTRY-NEXT: scratch.arena {{.*}} : memref<11xi8>
// SHIFTRY-NEXT: %odd = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]}
// SHIFTRY-NEXT: [[moved:%.*]] = scratch.view %arena[8 : i64] {live = [2 : i64, 3 : i64]}
// SHIFTRY: tdsl.cast
// SHIFTRY-NEXT: scratch.move %odd to [[moved]] : memref<3x!fixed.q<8, 7>> to memref<3x!fixed.q<8, 7>>
// SHIFTRY-NEXT: [[two:%.*]] = scratch.slice [[moved]][%c0]
// SHIFTRY-NEXT: [[again:%.*]] = scratch.slice [[two]][%c0]
// SHIFTRY-NEXT: tdsl.exp [[again]]
// ALIGN-LABEL: func.func @views
// ALIGN-NEXT: scratch.arena {alignment = 8 : i64, lower_bound = 19 : i64} : memref<19xi8>
// ALIGN-NEXT: %odd = scratch.view %arena[16 : i64]
// ALIGN-NEXT: %y = scratch.view %arena[0 : i64]
// ALIGN-NEXT: %z = scratch.view %arena[8 : i64]

// -----

// What is used inside a loop and allocated outside lives through all of it (points 1 to 8); what is allocated inside
// and overwritten first lives within an iteration, what is only written in part could come from an earlier one.
func.func @loops(%X: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %sum = scratch.alloc : memref<4xf32>
  %late = scratch.alloc : memref<4xf32>
  tdsl.fill {value = 0.0 : f64} into %sum : memref<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %t = scratch.alloc : memref<4xf32>
    %u = scratch.alloc : memref<4xf32>
    %part = scratch.alloc : memref<4xf32>
    tdsl.exp %X : memref<4xf32> into %t : memref<4xf32>
    tdsl.add %sum, %t : memref<4xf32>, memref<4xf32> into %sum : memref<4xf32>
    scf.for %j = %c1 to %c4 step %c1 {
      tdsl.exp %X : memref<4xf32> into %u : memref<4xf32>
      %one = scratch.slice %part[%j] : memref<4xf32> to memref<1xf32>
      tdsl.fill {value = 1.0 : f64} into %one : memref<1xf32>
    }
  }
  tdsl.neg %sum : memref<4xf32> into %late : memref<4xf32>
  %l = tdsl.argmax %sum : memref<4xf32>
  func.return %late : memref<4xf32>
}
// CHECK-LABEL: func.func @loops
// CHECK-NEXT: memref<48xi8>
// CHECK-NEXT: %sum = scratch.view {{.*}} {live = [0 : i64, 10 : i64]}
// CHECK-NEXT: %late = scratch.view {{.*}} {live = [9 : i64, 11 : i64]}
// CHECK-NEXT: %t = scratch.view %arena[32 : i64] {live = [2 : i64, 3 : i64]}
// CHECK-NEXT: %u = scratch.view %arena[32 : i64] {live = [4 : i64, 7 : i64]}
// CHECK-NEXT: %part = scratch.view {{.*}} {live = [1 : i64, 8 : i64]}

// -----

// Loops that write all of a buffer begin a new value as an op does.
func.func @filled() -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %sum = scratch.alloc : memref<4xf32>
  tdsl.fill {value = 0.0 : f64} into %sum : memref<4xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    %t = scratch.alloc : memref<4xf32>
    %u = scratch.alloc : memref<4xf32>
    scf.for %j = %c0 to %c2 step %c1 {
      scf.for %k = %c0 to %c2 step %c1 {
        %row = arith.muli %j, %c2 : index
        %at = arith.addi %row, %k : index
        %one = scratch.slice %t[%at] : memref<4xf32> to memref<1xf32>
        tdsl.fill {value = 1.0 : f64} into %one : memref<1xf32>
      }
    }
    tdsl.add %sum, %t : memref<4xf32>, memref<4xf32> into %sum : memref<4xf32>
    tdsl.exp %sum : memref<4xf32> into %u : memref<4xf32>
    tdsl.add %sum, %u : memref<4xf32>, memref<4xf32> into %sum : memref<4xf32>
  }
  func.return %sum : memref<4xf32>
}
// CHECK-LABEL: func.func @filled
// CHECK-NEXT: memref<32xi8>
// CHECK-NEXT: %sum = scratch.view %arena[0 : i64]
// CHECK-NEXT: %t = scratch.view %arena[16 : i64] {live = [2 : i64, 7 : i64]}
// CHECK-NEXT: %u = scratch.view %arena[16 : i64] {live = [8 : i64, 9 : i64]}

// -----

// Branches lie behind each other; a buffer that one of them may have made is alive in both.
func.func @branches(%X: memref<4xf32>, %which: i1) -> memref<4xf32> {
  %a = scratch.alloc : memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  %chosen = scf.if %which -> (memref<4xf32>) {
    %b = scratch.alloc : memref<4xf32>
    tdsl.exp %a : memref<4xf32> into %b : memref<4xf32>
    scf.yield %b : memref<4xf32>
  } else {
    %t = scratch.alloc : memref<4xf32>
    tdsl.exp %X : memref<4xf32> into %t : memref<4xf32>
    tdsl.add %a, %t : memref<4xf32>, memref<4xf32> into %a : memref<4xf32>
    scf.yield %a : memref<4xf32>
  }
  func.return %chosen : memref<4xf32>
}
// CHECK-LABEL: func.func @branches
// CHECK-NEXT: memref<48xi8>
// CHECK-NEXT: %a = scratch.view {{.*}} {live = [0 : i64, 7 : i64]}
// CHECK-NEXT: %b = scratch.view {{.*}} {live = [0 : i64, 7 : i64]}
// CHECK-NEXT: %t = scratch.view {{.*}} {live = [4 : i64, 5 : i64]}
// CHECK-NEXT: tdsl.exp

// -----

// No buffers, no arena.
func.func private @outside(memref<4xf32>)
func.func @nothing(%X: memref<4xf32>) -> index {
  %l = tdsl.argmax %X : memref<4xf32>
  func.return %l : index
}
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: tdsl.argmax

// -----

// Defragmentation (Shiftry, section 7.1): %x2 moves to the start to make room for %x4, between two ops; in a loop
// nothing moves. What stands in one place in turn moves as one.
func.func @defragmentation(%X: memref<8x1xf32>) -> (memref<8x1xf32>, memref<16x1xf32>) {
  %c0 = arith.constant 0 : index
  %x1 = scratch.alloc : memref<8x1xf32>
  %x2 = scratch.alloc : memref<8x1xf32>
  %x3 = scratch.alloc : memref<8x1xf32>
  %x4 = scratch.alloc : memref<16x1xf32>
  tdsl.exp %X : memref<8x1xf32> into %x1 : memref<8x1xf32>
  tdsl.exp %x1 : memref<8x1xf32> into %x2 : memref<8x1xf32>
  tdsl.add %x1, %X : memref<8x1xf32>, memref<8x1xf32> into %x3 : memref<8x1xf32>
  tdsl.fill {value = 0.0 : f64} into %x4 : memref<16x1xf32>
  %x5 = scratch.reuse %x2 : memref<8x1xf32> as memref<8x1xf32>
  tdsl.neg %x2 : memref<8x1xf32> into %x5 : memref<8x1xf32>
  func.return %x5, %x4 : memref<8x1xf32>, memref<16x1xf32>
}
// SHIFTRY-LABEL: func.func @defragmentation
// SHIFTRY-NEXT: scratch.arena {{.*}} : memref<96xi8>
// SHIFTRY-NEXT: %x1 = scratch.view %arena[0 : i64] {live = [0 : i64, 2 : i64]}
// SHIFTRY-NEXT: %x2 = scratch.view %arena[32 : i64] {live = [1 : i64, 2 : i64], place = 1 : i64}
// SHIFTRY-NEXT: [[x2:%.*]] = scratch.view %arena[0 : i64] {live = [3 : i64, 4 : i64], place = 1 : i64}
// SHIFTRY-NEXT: %x3 = scratch.view %arena[64 : i64]
// SHIFTRY-NEXT: %x4 = scratch.view %arena[32 : i64]
// SHIFTRY-NEXT: %x5 = scratch.view %arena[0 : i64] {live = [5 : i64, 5 : i64], place = 1 : i64}
// SHIFTRY: tdsl.add
// SHIFTRY-NEXT: scratch.move %x2 to [[x2]]
// SHIFTRY-NEXT: tdsl.fill
// SHIFTRY-NEXT: tdsl.neg [[x2]] : memref<8x1xf32> into %x5

// -----

// A result overlaps an operand that its op is the last to read. The elements of the result are twice as wide: when the
// third is written, only the fourth of the operand is still to be read, 6 bytes above its beginning.
func.func @wider(%X: memref<4x!fixed.q<16, 12>>) -> memref<4xf32> {
  %a = scratch.alloc : memref<4x!fixed.q<16, 12>>
  %b = scratch.alloc : memref<4xf32>
  tdsl.neg %X : memref<4x!fixed.q<16, 12>> into %a : memref<4x!fixed.q<16, 12>>
  tdsl.cast %a : memref<4x!fixed.q<16, 12>> into %b : memref<4xf32>
  func.return %b : memref<4xf32>
}
// CHECK-LABEL: func.func @wider
// CHECK-NEXT: scratch.arena {{.*}} : memref<16xi8>
// CHECK-NEXT: %a = scratch.view %arena[{{[68]}} : i64]
// CHECK-NEXT: %b = scratch.view %arena[0 : i64]
// JUDGED-LABEL: func.func @wider
// JUDGED-NEXT: scratch.arena {{.*}}lower_bound = 16 : i64, checked = "exact-cover"} : memref<16xi8>
// BEST-LABEL: func.func @wider
// BEST-NEXT: scratch.arena {{.*}}lower_bound = 16 : i64{{.*}}} : memref<16xi8>
// ALIGN-LABEL: func.func @wider
// ALIGN-NEXT: scratch.arena {{.*}} : memref<16xi8>
// SHIFTRY-LABEL: func.func @wider
// SHIFTRY-NEXT: scratch.arena {{.*}} : memref<32xi8>

// -----

// So does a loop nest: a window of 3x3 pixels of 2 bytes is gathered before each pixel of 3 bytes is written. The last
// pixel but one ends at byte 87, the last window begins at byte 46 of the operand: it has to lie 41 bytes higher.
func.func @convolution(%y: memref<1x6x5x2x!fixed.q<8, 6>>, %w: memref<3x18x!fixed.q<8, 6>>) -> memref<1x6x5x3x!fixed.q<8, 6>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c15 = arith.constant 15 : index
  %a = scratch.alloc : memref<1x6x5x2x!fixed.q<8, 6>>
  %b = scratch.alloc : memref<1x6x5x3x!fixed.q<8, 6>>
  tdsl.neg %y : memref<1x6x5x2x!fixed.q<8, 6>> into %a : memref<1x6x5x2x!fixed.q<8, 6>>
  scf.for %i = %c0 to %c6 step %c1 {
    scf.for %j = %c0 to %c5 step %c1 {
      %window = scratch.alloc : memref<1x3x3x2x!fixed.q<8, 6>>
      %top = arith.subi %i, %c1 : index
      %left = arith.subi %j, %c1 : index
      tdsl.window %a[%top, %left] {dilations = array<i64: 1, 1>, margins = array<i64: 1, 1, 1, 1>} : memref<1x6x5x2x!fixed.q<8, 6>> into %window : memref<1x3x3x2x!fixed.q<8, 6>>
      %column = scratch.slice %window[%c0] : memref<1x3x3x2x!fixed.q<8, 6>> to memref<18x1x!fixed.q<8, 6>>
      %row = arith.muli %i, %c15 : index
      %place = arith.muli %j, %c3 : index
      %offset = arith.addi %row, %place : index
      %pixel = scratch.slice %b[%offset] : memref<1x6x5x3x!fixed.q<8, 6>> to memref<3x1x!fixed.q<8, 6>>
      tdsl.matmul %w, %column : memref<3x18x!fixed.q<8, 6>>, memref<18x1x!fixed.q<8, 6>> into %pixel : memref<3x1x!fixed.q<8, 6>>
    }
  }
  func.return %b : memref<1x6x5x3x!fixed.q<8, 6>>
}
// First fit does not reach the peak where offsets are multiples of 8: exact cover proves that nothing does, and branch
// and bound, which did not, checks that.
// ALIGN-LABEL: func.func @convolution
// ALIGN-NEXT: scratch.arena {alignment = 8 : i64, lower_bound = 130 : i64, proof = "exact-cover", checked = "branch-and-bound"} : memref<130xi8>
// ROLES-LABEL: func.func @convolution
// ROLES-NEXT: scratch.arena {alignment = 8 : i64, lower_bound = 130 : i64, proof = "branch-and-bound", checked = "exact-cover"} : memref<130xi8>
// CHECK-LABEL: func.func @convolution
// CHECK-NEXT: scratch.arena {{.*}}lower_bound = 119 : i64} : memref<119xi8>
// CHECK-NEXT: %a = scratch.view %arena[41 : i64]
// CHECK-NEXT: %b = scratch.view %arena[0 : i64]

// -----

// What a branch hands on may be any buffer: %a may still be read when %b is written.
func.func @handed_on(%X: memref<4xf32>, %which: i1) -> index {
  %a = scratch.alloc : memref<4xf32>
  %b = scratch.alloc : memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  %chosen = scf.if %which -> (memref<4xf32>) {
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %X : memref<4xf32>
  }
  tdsl.reverse %chosen {axis = 0} : memref<4xf32> into %b : memref<4xf32>
  %l = tdsl.argmax %b : memref<4xf32>
  func.return %l : index
}
// CHECK-LABEL: func.func @handed_on
// CHECK-NEXT: scratch.arena {{.*}} : memref<32xi8>

// -----

// What may be the input lies beside it: the caller fills it before the first op.
func.func @input_handed_on(%which: i1) -> index {
  %X = scratch.alloc {input} : memref<4xf32>
  %a = scratch.alloc : memref<4xf32>
  %chosen = scf.if %which -> (memref<4xf32>) {
    tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %X : memref<4xf32>
  }
  tdsl.exp %X : memref<4xf32> into %chosen : memref<4xf32>
  %l = tdsl.argmax %chosen : memref<4xf32>
  func.return %l : index
}
// CHECK-LABEL: func.func @input_handed_on
// CHECK-NEXT: scratch.arena {{.*}} : memref<32xi8>

// -----

// An input that moves is the input only where the caller stores it.
func.func @moved_input() -> (memref<6x1xf32>, memref<12x1xf32>) {
  %first = scratch.alloc {input} : memref<6x1xf32>
  %in = scratch.alloc {input} : memref<6x1xf32>
  %c = scratch.alloc : memref<6x1xf32>
  %big = scratch.alloc : memref<12x1xf32>
  %y = scratch.alloc : memref<6x1xf32>
  tdsl.exp %first : memref<6x1xf32> into %c : memref<6x1xf32>
  tdsl.fill {value = 0.0 : f64} into %big : memref<12x1xf32>
  tdsl.add %in, %c : memref<6x1xf32>, memref<6x1xf32> into %y : memref<6x1xf32>
  func.return %y, %big : memref<6x1xf32>, memref<12x1xf32>
}
// SHIFTRY-LABEL: func.func @moved_input
// SHIFTRY-NEXT: scratch.arena {{.*}} : memref<120xi8>
// SHIFTRY-NEXT: %first = scratch.view %arena[0 : i64] {live = [-1 : i64, 0 : i64], input} : memref<120xi8> to memref<6x1xf32>
// SHIFTRY-NEXT: %in = scratch.view %arena[24 : i64] {live = [-1 : i64, 0 : i64], input} : memref<120xi8> to memref<6x1xf32>
// SHIFTRY-NEXT: [[moved:%.*]] = scratch.view %arena[72 : i64] {live = [1 : i64, 2 : i64]} : memref<120xi8> to memref<6x1xf32>
// SHIFTRY-NEXT: %c = scratch.view %arena[48 : i64] {live = [0 : i64, 2 : i64]} : memref<120xi8> to memref<6x1xf32>
// SHIFTRY-NEXT: %big = scratch.view %arena[0 : i64] {live = [1 : i64, 3 : i64]} : memref<120xi8> to memref<12x1xf32>
// SHIFTRY-NEXT: %y = scratch.view %arena[96 : i64] {live = [2 : i64, 3 : i64]} : memref<120xi8> to memref<6x1xf32>
// SHIFTRY-NEXT: tdsl.exp %first
// SHIFTRY-NEXT: scratch.move %in to [[moved]]
// SHIFTRY-NEXT: tdsl.fill
// SHIFTRY-NEXT: tdsl.add [[moved]], %c
