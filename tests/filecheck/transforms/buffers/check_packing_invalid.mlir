// RUN: tinyml-opt %s -p check-packing --split-input-file --verify-diagnostics | filecheck %s
// RUN: tinyml-opt %s -p 'check-packing{judge=exact-cover}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=JUDGED

func.func @later(%X: memref<4xf32>) -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<28xi8>
  %a = scratch.view %arena[0 : i64] : memref<28xi8> to memref<4xf32>
  %b = scratch.view %arena[12 : i64] : memref<28xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %b : memref<4xf32>
  func.return %a : memref<4xf32>
}
// CHECK: check_packing_invalid.mlir:9:3: 'tdsl.exp' writes b (bytes 12 to 27) over a (bytes 0 to 15), which is read later

// -----

func.func @operand(%X: memref<4xf32>) -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<28xi8>
  %a = scratch.view %arena[0 : i64] : memref<28xi8> to memref<4xf32>
  %b = scratch.view %arena[12 : i64] : memref<28xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  tdsl.exp %a : memref<4xf32> into %b : memref<4xf32>
  func.return %b : memref<4xf32>
}
// CHECK: 'tdsl.exp' writes b (bytes 12 to 27) over a (bytes 0 to 15), which it reads

// -----

// The next iteration reads %a again.
func.func @loop(%X: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = scratch.arena {alignment = 4 : i64} : memref<20xi8>
  %a = scratch.view %arena[0 : i64] : memref<20xi8> to memref<4xf32>
  %b = scratch.view %arena[4 : i64] : memref<20xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  scf.for %i = %c0 to %c1 step %c1 {
    %k = tdsl.argmax %a : memref<4xf32>
    tdsl.exp %X : memref<4xf32> into %b : memref<4xf32>
  }
  func.return
}
// CHECK: 'tdsl.exp' writes b (bytes 4 to 19) over a (bytes 0 to 15), which is read later

// -----

// What the end of an iteration has put into a part of %a is still there in the middle of the next one.
func.func @around(%X: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = scratch.arena {alignment = 4 : i64} : memref<20xi8>
  %a = scratch.view %arena[0 : i64] : memref<20xi8> to memref<4xf32>
  %b = scratch.view %arena[4 : i64] : memref<20xi8> to memref<4xf32>
  %part = scratch.slice %a[%c0] : memref<4xf32> to memref<1xf32>
  scf.for %i = %c0 to %c1 step %c1 {
    tdsl.exp %X : memref<4xf32> into %b : memref<4xf32>
    tdsl.fill {value = 1.0 : f64} into %part : memref<1xf32>
    %k = tdsl.argmax %a : memref<4xf32>
  }
  func.return
}
// CHECK: 'tdsl.exp' writes b (bytes 4 to 19) over a (bytes 0 to 15), which is read later

// -----

// Through a slice of a slice, and a branch.
func.func @views(%X: memref<4xf32>, %which: i1) -> memref<1xf32> {
  %c0 = arith.constant 0 : index
  %arena = scratch.arena {alignment = 4 : i64} : memref<20xi8>
  %a = scratch.view %arena[0 : i64] : memref<20xi8> to memref<4xf32>
  %b = scratch.view %arena[4 : i64] : memref<20xi8> to memref<4xf32>
  %half = scratch.slice %a[%c0] : memref<4xf32> to memref<2xf32>
  %one = scratch.slice %half[%c0] : memref<2xf32> to memref<1xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  scf.if %which {
    tdsl.exp %X : memref<4xf32> into %b : memref<4xf32>
  }
  func.return %one : memref<1xf32>
}
// CHECK: 'tdsl.exp' writes b (bytes 4 to 19) over a (bytes 0 to 15), which is read later

// -----

func.func @alignment(%X: memref<4xf32>) {
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %a = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  func.return
}
// CHECK: a (bytes 0 to 15) is not aligned for elements of 4 bytes

// -----

func.func @height(%X: memref<4xf32>) {
  %arena = scratch.arena {alignment = 4 : i64} : memref<20xi8>
  %a = scratch.view %arena[0 : i64] : memref<20xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  func.return
}
// CHECK: the arena has 20 bytes, its buffers end at 16

// -----

func.func @unplaced() -> memref<4xf32> {
  %a = scratch.alloc : memref<4xf32>
  func.return %a : memref<4xf32>
}
// CHECK: a has no address

// -----

func.func @elsewhere(%somewhere: memref<16xi8>) -> memref<4xf32> {
  %a = scratch.view %somewhere[0 : i64] : memref<16xi8> to memref<4xf32>
  func.return %a : memref<4xf32>
}
// CHECK: a (bytes 0 to 15) is not in a scratch.arena

// -----

func.func @nowhere() -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %part = scratch.slice %arena[%c0] : memref<16xi8> to memref<16xi8>
  %a = scratch.view %part[0 : i64] : memref<16xi8> to memref<4xf32>
  func.return %a : memref<4xf32>
}
// CHECK: a (bytes 0 to 15) is not in a scratch.arena

// -----

// The input is still needed.
func.func @input() -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<32xi8>
  %X = scratch.view %arena[0 : i64] {input} : memref<32xi8> to memref<4xf32>
  %a = scratch.view %arena[8 : i64] : memref<32xi8> to memref<2xf32>
  %b = scratch.view %arena[16 : i64] : memref<32xi8> to memref<4xf32>
  tdsl.fill {value = 1.0 : f64} into %a : memref<2xf32>
  tdsl.exp %X : memref<4xf32> into %b : memref<4xf32>
  func.return %b : memref<4xf32>
}
// CHECK: 'tdsl.fill' writes a (bytes 8 to 15) over X (bytes 0 to 15), which is read later

// -----

// Element 0 of %b would be written over element 1 of %a.
func.func @overtaken(%X: memref<4xf32>) -> memref<4x!fixed.q<16, 8>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<10xi8>
  %a = scratch.view %arena[0 : i64] : memref<10xi8> to memref<4x!fixed.q<8, 4>>
  %b = scratch.view %arena[2 : i64] : memref<10xi8> to memref<4x!fixed.q<16, 8>>
  tdsl.fill {value = 1.0 : f64} into %a : memref<4x!fixed.q<8, 4>>
  tdsl.cast %a : memref<4x!fixed.q<8, 4>> into %b : memref<4x!fixed.q<16, 8>>
  func.return %b : memref<4x!fixed.q<16, 8>>
}
// CHECK: 'tdsl.cast' writes b (bytes 2 to 9) over a (bytes 0 to 3), which it reads

// -----

// The last elements are read first.
func.func @reversed(%X: memref<4xf32>) -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %a = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  %b = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  tdsl.reverse %a {axis = 0} : memref<4xf32> into %b : memref<4xf32>
  func.return %b : memref<4xf32>
}
// CHECK: 'tdsl.reverse' writes b (bytes 0 to 15) over a (bytes 0 to 15), which it reads

// -----

// In place, but the old value is read again.
func.func @again(%X: memref<4xf32>) -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %a = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  %b = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  tdsl.exp %a : memref<4xf32> into %b : memref<4xf32>
  func.return %a : memref<4xf32>
}
// CHECK: 'tdsl.exp' writes b (bytes 0 to 15) over a (bytes 0 to 15), which is read later

// -----

// The old place is empty once the buffer has moved.
func.func @left(%X: memref<4xf32>) -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<20xi8>
  %a = scratch.view %arena[0 : i64] : memref<20xi8> to memref<4xf32>
  %b = scratch.view %arena[4 : i64] : memref<20xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %a : memref<4xf32>
  scratch.move %a to %b : memref<4xf32> to memref<4xf32>
  func.return %a : memref<4xf32>
}
// CHECK: 'scratch.move' writes b (bytes 4 to 19) over a (bytes 0 to 15), which is read later

// -----

// The first byte of a group holds high bits of all its elements: 9 bits may not be written over 12.
func.func @packed(%X: memref<8x!fixed.q<16, 4>>) -> index {
  %arena = scratch.arena {alignment = 1 : i64} : memref<12xi8>
  %a = scratch.view %arena[0 : i64] : memref<12xi8> to memref<8x!fixed.q<12, 4>, #scratch.packed_ram<12>>
  %b = scratch.view %arena[0 : i64] : memref<12xi8> to memref<8x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  tdsl.cast %X : memref<8x!fixed.q<16, 4>> into %a : memref<8x!fixed.q<12, 4>, #scratch.packed_ram<12>>
  tdsl.cast %a : memref<8x!fixed.q<12, 4>, #scratch.packed_ram<12>> into %b : memref<8x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  %l = tdsl.argmax %b : memref<8x!fixed.q<9, 4>, #scratch.packed_ram<9>>
  func.return %l : index
}
// CHECK: 'tdsl.cast' writes b (bytes 0 to 8) over a (bytes 0 to 11), which it reads

// -----

// A result in the bytes of the operand that a loop is the last to read, 2 bytes too high: 16 bits are read as 32 are
// written. One element lower it is right.
func.func @too_close(%X: memref<4x!fixed.q<16, 12>>) -> memref<4x!fixed.q<32, 12>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %a = scratch.view %arena[4 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %b = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<32, 12>>
  tdsl.neg %X : memref<4x!fixed.q<16, 12>> into %a : memref<4x!fixed.q<16, 12>>
  scf.for %i = %c0 to %c4 step %c1 {
    %from = scratch.slice %a[%i] : memref<4x!fixed.q<16, 12>> to memref<1x!fixed.q<16, 12>>
    %to = scratch.slice %b[%i] : memref<4x!fixed.q<32, 12>> to memref<1x!fixed.q<32, 12>>
    tdsl.cast %from : memref<1x!fixed.q<16, 12>> into %to : memref<1x!fixed.q<32, 12>>
  }
  func.return %b : memref<4x!fixed.q<32, 12>>
}
// CHECK: 'tdsl.cast' writes b (bytes 0 to 15) over a (bytes 4 to 11), which it reads

// -----

func.func @far_enough(%X: memref<4x!fixed.q<16, 12>>) -> memref<4x!fixed.q<32, 12>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %a = scratch.view %arena[6 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %b = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<32, 12>>
  tdsl.neg %X : memref<4x!fixed.q<16, 12>> into %a : memref<4x!fixed.q<16, 12>>
  scf.for %i = %c0 to %c4 step %c1 {
    %from = scratch.slice %a[%i] : memref<4x!fixed.q<16, 12>> to memref<1x!fixed.q<16, 12>>
    %to = scratch.slice %b[%i] : memref<4x!fixed.q<32, 12>> to memref<1x!fixed.q<32, 12>>
    tdsl.cast %from : memref<1x!fixed.q<16, 12>> into %to : memref<1x!fixed.q<32, 12>>
  }
  func.return %b : memref<4x!fixed.q<32, 12>>
}
// CHECK-LABEL: func.func @far_enough

// -----

// A convolution in place leaves nothing of its image.
func.func @destroyed() -> memref<1x4x4x1xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<80xi8>
  %X = scratch.view %arena[0 : i64] {input} : memref<80xi8> to memref<1x4x4x1xf32>
  %y = scratch.view %arena[64 : i64] : memref<80xi8> to memref<1x2x2x1xf32>
  %F = scratch.constant dense<1.0> : tensor<1x3x3x1xf32> -> memref<1x3x3x1xf32, #scratch.flash>
  tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, turns = array<i64: 1, 1, 1>} : memref<1x3x3x1xf32, #scratch.flash>, memref<1x4x4x1xf32> into %y : memref<1x2x2x1xf32>
  func.return %X : memref<1x4x4x1xf32>
}
// CHECK: 'tdsl.conv2d' destroys X (bytes 0 to 63), which is read later

// -----

func.func @given(%X: memref<1x4x4x1xf32>) -> memref<1x2x2x1xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %y = scratch.view %arena[0 : i64] : memref<16xi8> to memref<1x2x2x1xf32>
  %F = scratch.constant dense<1.0> : tensor<1x3x3x1xf32> -> memref<1x3x3x1xf32, #scratch.flash>
  tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, turns = array<i64: 2>} : memref<1x3x3x1xf32, #scratch.flash>, memref<1x4x4x1xf32> into %y : memref<1x2x2x1xf32>
  func.return %y : memref<1x2x2x1xf32>
}
// CHECK: 'tdsl.conv2d' destroys X (bytes 0 to 63), which is the caller's

// -----

// Two of three buffers are alive at the same time: they need no 48 bytes.
func.func @bound(%X: memref<4xf32>) -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64, lower_bound = 48 : i64} : memref<48xi8>
  %a = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<48xi8> to memref<4xf32>
  %b = scratch.view %arena[16 : i64] {live = [1 : i64, 2 : i64]} : memref<48xi8> to memref<4xf32>
  %c = scratch.view %arena[32 : i64] {live = [2 : i64, 3 : i64]} : memref<48xi8> to memref<4xf32>
  tdsl.reverse %X {axis = 0} : memref<4xf32> into %a : memref<4xf32>
  tdsl.reverse %a {axis = 0} : memref<4xf32> into %b : memref<4xf32>
  tdsl.reverse %b {axis = 0} : memref<4xf32> into %c : memref<4xf32>
  func.return %c : memref<4xf32>
}
// CHECK-LABEL: func.func @bound
// JUDGED: the lower bound of the arena is 48 bytes, but exact-cover packs it in {{[34]}}

// -----

// What exact cover claims to have proved is judged by branch and bound.
func.func @claimed(%X: memref<4xf32>) -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64, lower_bound = 36 : i64, proof = "exact-cover"} : memref<36xi8>
  %a = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<36xi8> to memref<4xf32>
  %b = scratch.view %arena[20 : i64] {live = [1 : i64, 2 : i64]} : memref<36xi8> to memref<4xf32>
  %c = scratch.view %arena[0 : i64] {live = [2 : i64, 3 : i64]} : memref<36xi8> to memref<4xf32>
  tdsl.reverse %X {axis = 0} : memref<4xf32> into %a : memref<4xf32>
  tdsl.reverse %a {axis = 0} : memref<4xf32> into %b : memref<4xf32>
  tdsl.reverse %b {axis = 0} : memref<4xf32> into %c : memref<4xf32>
  func.return %c : memref<4xf32>
}
// CHECK-LABEL: func.func @claimed
// JUDGED: the lower bound of the arena is 36 bytes, but branch-and-bound packs it in 32

// -----

func.func @proved(%X: memref<4xf32>) -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64, lower_bound = 32 : i64, proof = "exact-cover"} : memref<32xi8>
  %a = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<32xi8> to memref<4xf32>
  %b = scratch.view %arena[16 : i64] {live = [1 : i64, 2 : i64]} : memref<32xi8> to memref<4xf32>
  %c = scratch.view %arena[0 : i64] {live = [2 : i64, 3 : i64]} : memref<32xi8> to memref<4xf32>
  tdsl.reverse %X {axis = 0} : memref<4xf32> into %a : memref<4xf32>
  tdsl.reverse %a {axis = 0} : memref<4xf32> into %b : memref<4xf32>
  tdsl.reverse %b {axis = 0} : memref<4xf32> into %c : memref<4xf32>
  func.return %c : memref<4xf32>
}
// CHECK-LABEL: func.func @proved
// JUDGED-LABEL: func.func @proved
// JUDGED-NEXT: scratch.arena {{.*}}proof = "exact-cover", checked = "branch-and-bound"}

// -----

// What a branch chooses is written: where it is %b, %a is lost.
func.func @chosen(%X: memref<4xf32>, %flag: i1) {
  %arena = scratch.arena {alignment = 4 : i64} : memref<20xi8>
  %a = scratch.view %arena[0 : i64] : memref<20xi8> to memref<4xf32>
  %b = scratch.view %arena[4 : i64] : memref<20xi8> to memref<4xf32>
  %either = scf.if %flag -> (memref<4xf32>) {
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %b : memref<4xf32>
  }
  tdsl.exp %X : memref<4xf32> into %either : memref<4xf32>
  %k = tdsl.argmax %a : memref<4xf32>
  func.return
}
// CHECK: 'tdsl.exp' writes b (bytes 4 to 19) over a (bytes 0 to 15), which is read later

// -----

// The loop fills all of %a, but then overwrites the last element before it reads %a.
func.func @filled(%X: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %arena = scratch.arena {alignment = 4 : i64} : memref<44xi8>
  %a = scratch.view %arena[0 : i64] : memref<44xi8> to memref<4xf32>
  %b = scratch.view %arena[12 : i64] : memref<44xi8> to memref<4xf32>
  %c = scratch.view %arena[28 : i64] : memref<44xi8> to memref<4xf32>
  scf.for %i = %c0 to %c1 step %c1 {
    tdsl.fill {value = 1.0 : f64} into %a : memref<4xf32>
    tdsl.exp %X : memref<4xf32> into %b : memref<4xf32>
    tdsl.neg %a : memref<4xf32> into %c : memref<4xf32>
  }
  func.return %c : memref<4xf32>
}
// CHECK: 'tdsl.exp' writes b (bytes 12 to 27) over a (bytes 0 to 15), which is read later

// -----

// Only one branch overwrites the buffer that is read behind them.
func.func @one_branch(%X: memref<4xf32>, %which: i1) -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %a = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  %y = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %y : memref<4xf32>
  tdsl.neg %X : memref<4xf32> into %a : memref<4xf32>
  %k = tdsl.argmax %a : memref<4xf32>
  scf.if %which {
    tdsl.exp %X : memref<4xf32> into %y : memref<4xf32>
  } else {
    %l = tdsl.argmax %X : memref<4xf32>
  }
  func.return %y : memref<4xf32>
}
// CHECK: 'tdsl.neg' writes a (bytes 0 to 15) over y (bytes 0 to 15), which is read later

// -----

// Without a second branch, the buffer may be read as it was before.
func.func @no_other_branch(%X: memref<4xf32>, %which: i1) -> memref<4xf32> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %a = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  %y = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xf32>
  tdsl.exp %X : memref<4xf32> into %y : memref<4xf32>
  tdsl.neg %X : memref<4xf32> into %a : memref<4xf32>
  %k = tdsl.argmax %a : memref<4xf32>
  scf.if %which {
    tdsl.exp %X : memref<4xf32> into %y : memref<4xf32>
  }
  func.return %y : memref<4xf32>
}
// CHECK: 'tdsl.neg' writes a (bytes 0 to 15) over y (bytes 0 to 15), which is read later
