// RUN: tinyml-opt %s -p fuse-loops --split-input-file | filecheck %s

// What the first loop stores the second one has in a register; a row of the product may be written over an element that
// only the same row reads, in whatever shape. These are nests over dot products that `select-kernels` has made.
func.func @epilogue(%X: memref<2x!fixed.q<16, 12>>, %W: memref<8x!fixed.q<16, 12>, #scratch.flash>) {
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %C = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x1x!fixed.q<16, 12>>
  %H = scratch.view %arena[8 : i64] : memref<16xi8> to memref<1x4x!fixed.q<16, 12>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  num.nest %i to 4 {
    %empty = num.zero : !fixed.acc<32, 24>
    %at = arith.muli %i, %two : index
    %row = scratch.slice %W[%at] : memref<8x!fixed.q<16, 12>, #scratch.flash> to memref<2x!fixed.q<16, 12>, #scratch.flash>
    %sum = num.call #num.dot(%empty, %row, %X) : (!fixed.acc<32, 24>, memref<2x!fixed.q<16, 12>, #scratch.flash>, memref<2x!fixed.q<16, 12>>) -> !fixed.acc<32, 24>
    %c = num.finish %sum : !fixed.acc<32, 24> -> !fixed.q<16, 12>
    memref.store %c, %C[%i, %zero] : memref<4x1x!fixed.q<16, 12>>
  }
  %row_of_C = scratch.slice %C[%zero] : memref<4x1x!fixed.q<16, 12>> to memref<1x4x!fixed.q<16, 12>>
  num.nest %j to 4 {
    %c = memref.load %row_of_C[%zero, %j] : memref<1x4x!fixed.q<16, 12>>
    %h = memref.load %H[%zero, %j] : memref<1x4x!fixed.q<16, 12>>
    %next = num.add %c, %h : !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.q<16, 12>
    memref.store %next, %H[%zero, %j] : memref<1x4x!fixed.q<16, 12>>
  }
  func.return
}
// CHECK-LABEL: func.func @epilogue(%X: memref<2x!fixed.q<16, 12>>, %W: memref<8x!fixed.q<16, 12>, #scratch.flash>) {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
// CHECK-NEXT: %C = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x1x!fixed.q<16, 12>>
// CHECK-NEXT: %H = scratch.view %arena[8 : i64] : memref<16xi8> to memref<1x4x!fixed.q<16, 12>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: %row_of_C = scratch.slice %C[%zero] : memref<4x1x!fixed.q<16, 12>> to memref<1x4x!fixed.q<16, 12>>
// CHECK-NEXT: num.nest %j to 4 {
// CHECK-NEXT: %empty = num.zero : !fixed.acc<32, 24>
// CHECK-NEXT: %at = arith.muli %j, %two : index
// CHECK-NEXT: %row = scratch.slice %W[%at] : memref<8x!fixed.q<16, 12>, #scratch.flash> to memref<2x!fixed.q<16, 12>, #scratch.flash>
// CHECK-NEXT: %sum = num.call #num.dot(%empty, %row, %X) : (!fixed.acc<32, 24>, memref<2x!fixed.q<16, 12>, #scratch.flash>, memref<2x!fixed.q<16, 12>>) -> !fixed.acc<32, 24>
// CHECK-NEXT: %c = num.finish %sum : !fixed.acc<32, 24> -> !fixed.q<16, 12>
// CHECK-NEXT: %h = memref.load %H[%zero, %j] : memref<1x4x!fixed.q<16, 12>>
// CHECK-NEXT: %next = num.add %c, %h : !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.q<16, 12>
// CHECK-NEXT: memref.store %next, %H[%zero, %j] : memref<1x4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// A nest becomes part of the contraction before it, where its maps are arithmetic on the number of the row.
func.func @contraction(%X: memref<2x!fixed.q<16, 12>>, %W: memref<4x2x!fixed.q<16, 12>, #scratch.flash>, %at: index, %Y: memref<9x!fixed.q<16, 12>>) {
  %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
  %C = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4x!fixed.q<16, 12>>
  num.contract %i to 4 {
    %zero = num.zero : !fixed.acc<32, 24>
    %sum = num.products %zero, %W, %X : !fixed.acc<32, 24>, memref<4x2x!fixed.q<16, 12>, #scratch.flash>, memref<2x!fixed.q<16, 12>> -> !fixed.acc<32, 24>
    %c = num.finish %sum : !fixed.acc<32, 24> -> !fixed.q<16, 12>
    memref.store %c, %C[%i] : memref<4x!fixed.q<16, 12>>
  }
  num.nest %j to 4 {
    %c = memref.load %C[%j] : memref<4x!fixed.q<16, 12>>
    %next = num.neg %c : !fixed.q<16, 12> -> !fixed.q<16, 12>
    %to = affine.apply affine_map<(d0)[s0] -> ((d0 * 2) + s0)> (%j)[%at]
    memref.store %next, %Y[%to] : memref<9x!fixed.q<16, 12>>
  }
  func.return
}
// CHECK-LABEL: func.func @contraction(%X: memref<2x!fixed.q<16, 12>>, %W: memref<4x2x!fixed.q<16, 12>, #scratch.flash>, %at: index, %Y: memref<9x!fixed.q<16, 12>>) {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
// CHECK-NEXT: %C = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 2 : index
// CHECK-NEXT: num.contract %j to 4 {
// CHECK-NEXT: %zero = num.zero : !fixed.acc<32, 24>
// CHECK-NEXT: %sum = num.products %zero, %W, %X : !fixed.acc<32, 24>, memref<4x2x!fixed.q<16, 12>, #scratch.flash>, memref<2x!fixed.q<16, 12>> -> !fixed.acc<32, 24>
// CHECK-NEXT: %c = num.finish %sum : !fixed.acc<32, 24> -> !fixed.q<16, 12>
// CHECK-NEXT: %next = num.neg %c : !fixed.q<16, 12> -> !fixed.q<16, 12>
// CHECK-NEXT: [[v1:%.*]] = arith.muli %j, [[v0]] : index
// CHECK-NEXT: %to = arith.addi [[v1]], %at : index
// CHECK-NEXT: memref.store %next, %Y[%to] : memref<9x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// Nests of several axes stay as they are.
func.func @matrices(%X: memref<2x3xf32>, %Y: memref<2x3xf32>) {
  num.nest %i, %j to 2, 3 {
    %x = memref.load %X[%i, %j] : memref<2x3xf32>
    memref.store %x, %Y[%i, %j] : memref<2x3xf32>
  }
  num.nest %i, %j to 2, 3 {
    %y = memref.load %Y[%i, %j] : memref<2x3xf32>
    memref.store %y, %X[%i, %j] : memref<2x3xf32>
  }
  func.return
}
// CHECK-LABEL: func.func @matrices(%X: memref<2x3xf32>, %Y: memref<2x3xf32>) {
// CHECK-NEXT: num.nest %i, %j to 2, 3 {
// CHECK-NEXT: %x = memref.load %X[%i, %j] : memref<2x3xf32>
// CHECK-NEXT: memref.store %x, %Y[%i, %j] : memref<2x3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[vi_1:%.*]], [[vj_1:%.*]] to 2, 3 {
// CHECK-NEXT: %y = memref.load %Y{{\[}}[[vi_1]], [[vj_1]]] : memref<2x3xf32>
// CHECK-NEXT: memref.store %y, %X{{\[}}[[vi_1]], [[vj_1]]] : memref<2x3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// What else is read stays stored.
func.func @still_read() -> memref<4x!fixed.q<16, 12>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %B = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %half = num.constant {value = 0.5 : f64} -> !fixed.q<16, 12>
  num.nest %i to 4 {
    memref.store %half, %A[%i] : memref<4x!fixed.q<16, 12>>
  }
  num.nest %i to 4 {
    %a = memref.load %A[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %a, %B[%i] : memref<4x!fixed.q<16, 12>>
  }
  func.return %A : memref<4x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @still_read() -> memref<4x!fixed.q<16, 12>> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
// CHECK-NEXT: %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %B = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: %half = num.constant {value = 5.000000e-01 : f64} -> !fixed.q<16, 12>
// CHECK-NEXT: num.nest %i to 4 {
// CHECK-NEXT: memref.store %half, %A[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %half, %B[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %A : memref<4x!fixed.q<16, 12>>

// -----

// B is written in place of A, element by element.
func.func @in_place() -> memref<4x!fixed.q<16, 12>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
  %A = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4x!fixed.q<16, 12>>
  %B = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4x!fixed.q<16, 12>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %half = num.constant {value = 0.5 : f64} -> !fixed.q<16, 12>
  num.nest %i to 4 {
    memref.store %half, %A[%i] : memref<4x!fixed.q<16, 12>>
  }
  num.nest %i to 4 {
    %a = memref.load %A[%i] : memref<4x!fixed.q<16, 12>>
    %b = num.neg %a : !fixed.q<16, 12> -> !fixed.q<16, 12>
    memref.store %b, %B[%i] : memref<4x!fixed.q<16, 12>>
  }
  func.return %B : memref<4x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @in_place() -> memref<4x!fixed.q<16, 12>> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
// CHECK-NEXT: %A = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %B = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: %half = num.constant {value = 5.000000e-01 : f64} -> !fixed.q<16, 12>
// CHECK-NEXT: num.nest %i to 4 {
// CHECK-NEXT: %b = num.neg %half : !fixed.q<16, 12> -> !fixed.q<16, 12>
// CHECK-NEXT: memref.store %b, %B[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %B : memref<4x!fixed.q<16, 12>>

// -----

// B lies where the rows to come find X.
func.func @overlap() {
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %X = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %B = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  num.nest %i to 4 {
    %empty = num.zero : !fixed.acc<32, 24>
    %sum = num.call #num.dot(%empty, %X, %X) : (!fixed.acc<32, 24>, memref<4x!fixed.q<16, 12>>, memref<4x!fixed.q<16, 12>>) -> !fixed.acc<32, 24>
    %c = num.finish %sum : !fixed.acc<32, 24> -> !fixed.q<16, 12>
    memref.store %c, %A[%i] : memref<4x!fixed.q<16, 12>>
  }
  num.nest %i to 4 {
    %a = memref.load %A[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %a, %B[%i] : memref<4x!fixed.q<16, 12>>
  }
  func.return
}
// CHECK-LABEL: func.func @overlap() {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
// CHECK-NEXT: %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %X = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %B = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: num.nest %i to 4 {
// CHECK-NEXT: %empty = num.zero : !fixed.acc<32, 24>
// CHECK-NEXT: %sum = num.call #num.dot(%empty, %X, %X) : (!fixed.acc<32, 24>, memref<4x!fixed.q<16, 12>>, memref<4x!fixed.q<16, 12>>) -> !fixed.acc<32, 24>
// CHECK-NEXT: %c = num.finish %sum : !fixed.acc<32, 24> -> !fixed.q<16, 12>
// CHECK-NEXT: memref.store %c, %A[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[vi_1:%.*]] to 4 {
// CHECK-NEXT: %a = memref.load %A{{\[}}[[vi_1]]] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %a, %B{{\[}}[[vi_1]]] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// Elements of other iterations, and other trips.
func.func @other_elements(%X: memref<4x!fixed.q<16, 12>>) {
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %B = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  num.nest %i to 3 {
    %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %x, %A[%i] : memref<4x!fixed.q<16, 12>>
  }
  num.nest %i to 3 {
    %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%i)
    %a = memref.load %A[%next] : memref<4x!fixed.q<16, 12>>
    memref.store %a, %B[%i] : memref<4x!fixed.q<16, 12>>
  }
  num.nest %i to 4 {
    %b = memref.load %B[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %b, %A[%i] : memref<4x!fixed.q<16, 12>>
  }
  func.return
}
// CHECK-LABEL: func.func @other_elements(%X: memref<4x!fixed.q<16, 12>>) {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
// CHECK-NEXT: %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %B = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %three = arith.constant 3 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: num.nest %i to 3 {
// CHECK-NEXT: %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %x, %A[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[vi_1:%.*]] to 3 {
// CHECK-NEXT: %next = affine.apply affine_map<(d0) -> ((d0 + 1))> ([[vi_1]])
// CHECK-NEXT: %a = memref.load %A[%next] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %a, %B{{\[}}[[vi_1]]] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[vi_2:%.*]] to 4 {
// CHECK-NEXT: %b = memref.load %B{{\[}}[[vi_2]]] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %b, %A{{\[}}[[vi_2]]] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// %B takes the place of %A: the same bytes in the same iteration.
func.func @in_place(%X: memref<4x!fixed.q<16, 12>>) {
  %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
  %A = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4x!fixed.q<16, 12>>
  %B = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4x!fixed.q<16, 11>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  num.nest %i to 4 {
    %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %x, %A[%i] : memref<4x!fixed.q<16, 12>>
  }
  num.nest %i to 4 {
    %a = memref.load %A[%i] : memref<4x!fixed.q<16, 12>>
    %b = num.convert %a : !fixed.q<16, 12> -> !fixed.q<16, 11>
    memref.store %b, %B[%i] : memref<4x!fixed.q<16, 11>>
  }
  func.return
}
// CHECK-LABEL: func.func @in_place(%X: memref<4x!fixed.q<16, 12>>) {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
// CHECK-NEXT: %A = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %B = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4x!fixed.q<16, 11>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: num.nest %i to 4 {
// CHECK-NEXT: %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %b = num.convert %x : !fixed.q<16, 12> -> !fixed.q<16, 11>
// CHECK-NEXT: memref.store %b, %B[%i] : memref<4x!fixed.q<16, 11>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// %B lies over the input.
func.func @over_the_input() {
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %X = scratch.view %arena[8 : i64] {input} : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %B = scratch.view %arena[10 : i64] : memref<16xi8> to memref<3x!fixed.q<16, 12>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  num.nest %i to 3 {
    %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %x, %A[%i] : memref<4x!fixed.q<16, 12>>
  }
  num.nest %i to 3 {
    %a = memref.load %A[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %a, %B[%i] : memref<3x!fixed.q<16, 12>>
  }
  func.return
}
// CHECK-LABEL: func.func @over_the_input() {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
// CHECK-NEXT: %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %X = scratch.view %arena[8 : i64] {input} : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %B = scratch.view %arena[10 : i64] : memref<16xi8> to memref<3x!fixed.q<16, 12>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %three = arith.constant 3 : index
// CHECK-NEXT: num.nest %i to 3 {
// CHECK-NEXT: %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %x, %A[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[vi_1:%.*]] to 3 {
// CHECK-NEXT: %a = memref.load %A{{\[}}[[vi_1]]] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %a, %B{{\[}}[[vi_1]]] : memref<3x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// Pixel by pixel, an activation joins the rows before it, whose elements lie at one place of the image for both.
func.func @pixels(%X: memref<12x!fixed.q<16, 12>>) -> memref<12x!fixed.q<16, 12>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<24xi8>
  %A = scratch.view %arena[0 : i64] : memref<24xi8> to memref<12x!fixed.q<16, 12>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  scf.for %p = %zero to %three step %one {
    %at = arith.muli %p, %four : index
    %pixel = scratch.slice %A[%at] : memref<12x!fixed.q<16, 12>> to memref<4x!fixed.q<16, 12>>
    num.nest %i to 4 {
      %of = affine.apply affine_map<(d0)[s0] -> (d0 + s0)> (%i)[%at]
      %x = memref.load %X[%of] : memref<12x!fixed.q<16, 12>>
      memref.store %x, %pixel[%i] : memref<4x!fixed.q<16, 12>>
    }
    num.nest %i to 4 {
      %of = affine.apply affine_map<(d0)[s0] -> (d0 + s0)> (%i)[%at]
      %a = memref.load %A[%of] : memref<12x!fixed.q<16, 12>>
      %b = num.neg %a : !fixed.q<16, 12> -> !fixed.q<16, 12>
      memref.store %b, %pixel[%i] : memref<4x!fixed.q<16, 12>>
    }
  }
  func.return %A : memref<12x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @pixels(%X: memref<12x!fixed.q<16, 12>>) -> memref<12x!fixed.q<16, 12>> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<24xi8>
// CHECK-NEXT: %A = scratch.view %arena[0 : i64] : memref<24xi8> to memref<12x!fixed.q<16, 12>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %three = arith.constant 3 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: scf.for %p = %zero to %three step %one {
// CHECK-NEXT: %at = arith.muli %p, %four : index
// CHECK-NEXT: %pixel = scratch.slice %A[%at] : memref<12x!fixed.q<16, 12>> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: num.nest %i to 4 {
// CHECK-NEXT: %of = affine.apply affine_map<(d0)[s0] -> ((d0 + s0))> (%i)[%at]
// CHECK-NEXT: %x = memref.load %X[%of] : memref<12x!fixed.q<16, 12>>
// CHECK-NEXT: [[vof_1:%.*]] = affine.apply affine_map<(d0)[s0] -> ((d0 + s0))> (%i)[%at]
// CHECK-NEXT: %b = num.neg %x : !fixed.q<16, 12> -> !fixed.q<16, 12>
// CHECK-NEXT: memref.store %b, %pixel[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %A : memref<12x!fixed.q<16, 12>>

// -----

// The rows of the next pixel lie over the last one's, so that the loops do not meet in the same element.
func.func @next_pixel(%X: memref<12x!fixed.q<16, 12>>) -> memref<12x!fixed.q<16, 12>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<24xi8>
  %A = scratch.view %arena[0 : i64] : memref<24xi8> to memref<12x!fixed.q<16, 12>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  scf.for %p = %zero to %two step %one {
    %at = arith.muli %p, %four : index
    %from = arith.muli %p, %two : index
    num.nest %i to 4 {
      %of = affine.apply affine_map<(d0)[s0] -> (d0 + s0)> (%i)[%at]
      %x = memref.load %X[%of] : memref<12x!fixed.q<16, 12>>
      memref.store %x, %A[%of] : memref<12x!fixed.q<16, 12>>
    }
    num.nest %i to 4 {
      %of = affine.apply affine_map<(d0)[s0] -> (d0 + s0)> (%i)[%from]
      %a = memref.load %A[%of] : memref<12x!fixed.q<16, 12>>
      memref.store %a, %A[%of] : memref<12x!fixed.q<16, 12>>
    }
  }
  func.return %A : memref<12x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @next_pixel(%X: memref<12x!fixed.q<16, 12>>) -> memref<12x!fixed.q<16, 12>> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<24xi8>
// CHECK-NEXT: %A = scratch.view %arena[0 : i64] : memref<24xi8> to memref<12x!fixed.q<16, 12>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: scf.for %p = %zero to %two step %one {
// CHECK-NEXT: %at = arith.muli %p, %four : index
// CHECK-NEXT: %from = arith.muli %p, %two : index
// CHECK-NEXT: num.nest %i to 4 {
// CHECK-NEXT: %of = affine.apply affine_map<(d0)[s0] -> ((d0 + s0))> (%i)[%at]
// CHECK-NEXT: %x = memref.load %X[%of] : memref<12x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %x, %A[%of] : memref<12x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[vi_1:%.*]] to 4 {
// CHECK-NEXT: [[vof_1:%.*]] = affine.apply affine_map<(d0)[s0] -> ((d0 + s0))> ([[vi_1]])[%from]
// CHECK-NEXT: %a = memref.load %A{{\[}}[[vof_1]]] : memref<12x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %a, %A{{\[}}[[vof_1]]] : memref<12x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %A : memref<12x!fixed.q<16, 12>>

// -----

// The caller, and another view of the same bytes, read what the first loop stores; a view that is written first does not.
func.func @other_readers(%X: memref<4x!fixed.q<16, 12>>, %Y: memref<4x!fixed.q<16, 12>>) -> memref<4x!fixed.q<16, 12>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<24xi8>
  %A = scratch.view %arena[0 : i64] : memref<24xi8> to memref<4x!fixed.q<16, 12>>
  %B = scratch.view %arena[8 : i64] : memref<24xi8> to memref<4x!fixed.q<16, 12>>
  %C = scratch.view %arena[16 : i64] : memref<24xi8> to memref<4x!fixed.q<16, 12>>
  %pairs = scratch.view %arena[0 : i64] : memref<24xi8> to memref<2x2x!fixed.q<16, 12>>
  %again = scratch.view %arena[8 : i64] : memref<24xi8> to memref<2x!fixed.q<16, 12>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  num.nest %i to 4 {
    %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %x, %A[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %x, %B[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %x, %Y[%i] : memref<4x!fixed.q<16, 12>>
  }
  num.nest %i to 4 {
    %a = memref.load %A[%i] : memref<4x!fixed.q<16, 12>>
    %b = memref.load %B[%i] : memref<4x!fixed.q<16, 12>>
    %y = memref.load %Y[%i] : memref<4x!fixed.q<16, 12>>
    %ab = num.add %a, %b : !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.q<16, 12>
    %sum = num.add %ab, %y : !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.q<16, 12>
    memref.store %sum, %C[%i] : memref<4x!fixed.q<16, 12>>
  }
  num.nest %i to 2 {
    %pair = memref.load %pairs[%one, %i] : memref<2x2x!fixed.q<16, 12>>
    memref.store %pair, %again[%i] : memref<2x!fixed.q<16, 12>>
  }
  scf.for %i = %one to %two step %one {
    %last = memref.load %again[%i] : memref<2x!fixed.q<16, 12>>
    memref.store %last, %C[%i] : memref<4x!fixed.q<16, 12>>
  }
  func.return %C : memref<4x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @other_readers(%X: memref<4x!fixed.q<16, 12>>, %Y: memref<4x!fixed.q<16, 12>>) -> memref<4x!fixed.q<16, 12>> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<24xi8>
// CHECK-NEXT: %A = scratch.view %arena[0 : i64] : memref<24xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %B = scratch.view %arena[8 : i64] : memref<24xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %C = scratch.view %arena[16 : i64] : memref<24xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %pairs = scratch.view %arena[0 : i64] : memref<24xi8> to memref<2x2x!fixed.q<16, 12>>
// CHECK-NEXT: %again = scratch.view %arena[8 : i64] : memref<24xi8> to memref<2x!fixed.q<16, 12>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: num.nest %i to 4 {
// CHECK-NEXT: %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %x, %A[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %x, %Y[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %ab = num.add %x, %x : !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.q<16, 12>
// CHECK-NEXT: %sum = num.add %ab, %x : !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.q<16, 12>
// CHECK-NEXT: memref.store %sum, %C[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[vi_1:%.*]] to 2 {
// CHECK-NEXT: %pair = memref.load %pairs[%one, [[vi_1]]] : memref<2x2x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %pair, %again{{\[}}[[vi_1]]] : memref<2x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.for [[vi_2:%.*]] = %one to %two step %one {
// CHECK-NEXT: %last = memref.load %again{{\[}}[[vi_2]]] : memref<2x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %last, %C{{\[}}[[vi_2]]] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %C : memref<4x!fixed.q<16, 12>>

// -----

// In the next iteration of the outer loop, another view of the bytes is read before it is written.
func.func @next_iteration(%X: memref<4x!fixed.q<16, 12>>) -> memref<4x!fixed.q<16, 12>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %before = scratch.view %arena[0 : i64] : memref<16xi8> to memref<2x2x!fixed.q<16, 12>>
  %C = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.for %t = %zero to %four step %one {
    %old = memref.load %before[%one, %one] : memref<2x2x!fixed.q<16, 12>>
    memref.store %old, %X[%t] : memref<4x!fixed.q<16, 12>>
    num.nest %i to 4 {
      %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
      memref.store %x, %A[%i] : memref<4x!fixed.q<16, 12>>
    }
    num.nest %i to 4 {
      %a = memref.load %A[%i] : memref<4x!fixed.q<16, 12>>
      memref.store %a, %C[%i] : memref<4x!fixed.q<16, 12>>
    }
  }
  func.return %C : memref<4x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @next_iteration(%X: memref<4x!fixed.q<16, 12>>) -> memref<4x!fixed.q<16, 12>> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
// CHECK-NEXT: %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %before = scratch.view %arena[0 : i64] : memref<16xi8> to memref<2x2x!fixed.q<16, 12>>
// CHECK-NEXT: %C = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: scf.for %t = %zero to %four step %one {
// CHECK-NEXT: %old = memref.load %before[%one, %one] : memref<2x2x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %old, %X[%t] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: num.nest %i to 4 {
// CHECK-NEXT: %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %x, %A[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %x, %C[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %C : memref<4x!fixed.q<16, 12>>

// -----

// %A takes the place of %B element by element: no later iteration reads what this one has stored.
func.func @in_turn(%X: memref<4x!fixed.q<16, 12>>) -> memref<4x!fixed.q<16, 12>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %B = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 11>>
  %C = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  num.nest %i to 4 {
    %b = memref.load %B[%i] : memref<4x!fixed.q<16, 12>>
    %a = num.convert %b : !fixed.q<16, 12> -> !fixed.q<16, 11>
    memref.store %a, %A[%i] : memref<4x!fixed.q<16, 11>>
  }
  num.nest %i to 4 {
    %a = memref.load %A[%i] : memref<4x!fixed.q<16, 11>>
    %c = num.convert %a : !fixed.q<16, 11> -> !fixed.q<16, 12>
    memref.store %c, %C[%i] : memref<4x!fixed.q<16, 12>>
  }
  func.return %C : memref<4x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @in_turn(%X: memref<4x!fixed.q<16, 12>>) -> memref<4x!fixed.q<16, 12>> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
// CHECK-NEXT: %B = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 11>>
// CHECK-NEXT: %C = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: num.nest %i to 4 {
// CHECK-NEXT: %b = memref.load %B[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %a = num.convert %b : !fixed.q<16, 12> -> !fixed.q<16, 11>
// CHECK-NEXT: %c = num.convert %a : !fixed.q<16, 11> -> !fixed.q<16, 12>
// CHECK-NEXT: memref.store %c, %C[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %C : memref<4x!fixed.q<16, 12>>

// -----

// Buffers of equal bytes count as one: in the next iteration of the outer loop, %S is written before %T is read.
func.func @overwritten_in_place(%X: memref<4x!fixed.q<16, 12>>) -> memref<4x!fixed.q<16, 12>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<20xi8>
  %S = scratch.view %arena[0 : i64] : memref<20xi8> to memref<4x!fixed.q<16, 12>>
  %T = scratch.view %arena[0 : i64] : memref<20xi8> to memref<2x2x!fixed.q<16, 12>>
  %A = scratch.view %arena[4 : i64] : memref<20xi8> to memref<4x!fixed.q<16, 12>>
  %C = scratch.view %arena[12 : i64] : memref<20xi8> to memref<4x!fixed.q<16, 12>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  scf.for %t = %zero to %four step %one {
    num.nest %i to 4 {
      %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
      memref.store %x, %S[%i] : memref<4x!fixed.q<16, 12>>
    }
    num.nest %i to 2 {
      %y = memref.load %T[%one, %i] : memref<2x2x!fixed.q<16, 12>>
      memref.store %y, %T[%zero, %i] : memref<2x2x!fixed.q<16, 12>>
      memref.store %y, %X[%i] : memref<4x!fixed.q<16, 12>>
    }
    num.nest %i to 4 {
      %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
      memref.store %x, %A[%i] : memref<4x!fixed.q<16, 12>>
    }
    num.nest %i to 4 {
      %a = memref.load %A[%i] : memref<4x!fixed.q<16, 12>>
      memref.store %a, %C[%i] : memref<4x!fixed.q<16, 12>>
    }
  }
  func.return %C : memref<4x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @overwritten_in_place(%X: memref<4x!fixed.q<16, 12>>) -> memref<4x!fixed.q<16, 12>> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<20xi8>
// CHECK-NEXT: %S = scratch.view %arena[0 : i64] : memref<20xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %T = scratch.view %arena[0 : i64] : memref<20xi8> to memref<2x2x!fixed.q<16, 12>>
// CHECK-NEXT: %A = scratch.view %arena[4 : i64] : memref<20xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %C = scratch.view %arena[12 : i64] : memref<20xi8> to memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: scf.for %t = %zero to %four step %one {
// CHECK-NEXT: num.nest %i to 4 {
// CHECK-NEXT: %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %x, %S[%i] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[vi_1:%.*]] to 2 {
// CHECK-NEXT: %y = memref.load %T[%one, [[vi_1]]] : memref<2x2x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %y, %T[%zero, [[vi_1]]] : memref<2x2x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store %y, %X{{\[}}[[vi_1]]] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[vi_2:%.*]] to 4 {
// CHECK-NEXT: [[vx_1:%.*]] = memref.load %X{{\[}}[[vi_2]]] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: memref.store [[vx_1]], %C{{\[}}[[vi_2]]] : memref<4x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return %C : memref<4x!fixed.q<16, 12>>

// -----

// Not over a store between them, nor over what has a body.
func.func @store(%X: memref<4x!fixed.q<16, 12>>, %v: !fixed.q<16, 12>, %f: i1) {
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %B = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %zero = arith.constant 0 : index
  num.nest %i to 4 {
    %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %x, %A[%i] : memref<4x!fixed.q<16, 12>>
  }
  memref.store %v, %A[%zero] : memref<4x!fixed.q<16, 12>>
  num.nest %i to 4 {
    %a = memref.load %A[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %a, %B[%i] : memref<4x!fixed.q<16, 12>>
  }
  func.return
}
// CHECK-LABEL: func.func @store
// CHECK-COUNT-2: num.nest

// -----

func.func @branch(%X: memref<4x!fixed.q<16, 12>>, %v: index, %f: i1) -> index {
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %B = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  num.nest %i to 4 {
    %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %x, %A[%i] : memref<4x!fixed.q<16, 12>>
  }
  %c = scf.if %f -> (index) {
    scf.yield %v : index
  } else {
    %one = arith.constant 1 : index
    %w = arith.addi %v, %one : index
    scf.yield %w : index
  }
  num.nest %i to 4 {
    %a = memref.load %A[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %a, %B[%i] : memref<4x!fixed.q<16, 12>>
  }
  func.return %c : index
}
// CHECK-LABEL: func.func @branch
// CHECK-COUNT-2: num.nest

// -----

// What an unknown function may read is stored.
func.func @unknown(%X: memref<4x!fixed.q<16, 12>>) {
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %A = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  %B = scratch.view %arena[8 : i64] : memref<16xi8> to memref<4x!fixed.q<16, 12>>
  num.nest %i to 4 {
    %x = memref.load %X[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %x, %A[%i] : memref<4x!fixed.q<16, 12>>
  }
  num.nest %i to 4 {
    %a = memref.load %A[%i] : memref<4x!fixed.q<16, 12>>
    memref.store %a, %B[%i] : memref<4x!fixed.q<16, 12>>
  }
  func.call @read(%A) : (memref<4x!fixed.q<16, 12>>) -> ()
  func.return
}
func.func private @read(memref<4x!fixed.q<16, 12>>) -> ()
// CHECK-LABEL: func.func @unknown
// CHECK: num.nest %i to 4 {
// CHECK: memref.store %x, %A[%i]
// CHECK-NEXT: memref.store %x, %B[%i]
// CHECK-NEXT: }
// CHECK-NEXT: func.call @read(%A)

// -----

// A copy overwrites all elements of A, whose bytes B has.
func.func @overwritten(%X: memref<4xi8>, %Y: memref<4xi8>) -> memref<4xi8> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<4xi8>
  %A = scratch.view %arena[0 : i64] : memref<4xi8> to memref<4xi8>
  %B = scratch.view %arena[0 : i64] : memref<4xi8> to memref<4xi8>
  %zero = arith.constant 0 : index
  %count = arith.constant 4 : index
  num.nest %i to 4 {
    %x = memref.load %X[%i] : memref<4xi8>
    %a = arith.addi %x, %x : i8
    memref.store %a, %A[%i] : memref<4xi8>
  }
  num.nest %i to 4 {
    %a = memref.load %A[%i] : memref<4xi8>
    memref.store %a, %Y[%i] : memref<4xi8>
  }
  scratch.copy_run %X[%zero] to %B[%zero] count %count {most = 4 : i64} : memref<4xi8> to memref<4xi8>
  func.return %B : memref<4xi8>
}
// CHECK-LABEL: func.func @overwritten(
// CHECK: %a = arith.addi %x, %x : i8
// CHECK-NEXT: memref.store %a, %Y

// -----

// The copy leaves the last element, which the caller reads in B.
func.func @partly_overwritten(%X: memref<4xi8>, %Y: memref<4xi8>) -> memref<4xi8> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<4xi8>
  %A = scratch.view %arena[0 : i64] : memref<4xi8> to memref<4xi8>
  %B = scratch.view %arena[0 : i64] : memref<4xi8> to memref<4xi8>
  %zero = arith.constant 0 : index
  %count = arith.constant 3 : index
  num.nest %i to 4 {
    %x = memref.load %X[%i] : memref<4xi8>
    %a = arith.addi %x, %x : i8
    memref.store %a, %A[%i] : memref<4xi8>
  }
  num.nest %i to 4 {
    %a = memref.load %A[%i] : memref<4xi8>
    memref.store %a, %Y[%i] : memref<4xi8>
  }
  scratch.copy_run %X[%zero] to %B[%zero] count %count {most = 4 : i64} : memref<4xi8> to memref<4xi8>
  func.return %B : memref<4xi8>
}
// CHECK-LABEL: func.func @partly_overwritten(
// CHECK: %a = arith.addi %x, %x : i8
// CHECK-NEXT: memref.store %a, %A
// CHECK-NEXT: memref.store %a, %Y

// -----

// The last nest reads elements of B before it overwrites them.
func.func @read_behind_the_write(%X: memref<4xi8>, %Y: memref<4xi8>, %Z: memref<4xi8>) {
  %arena = scratch.arena {alignment = 1 : i64} : memref<4xi8>
  %A = scratch.view %arena[0 : i64] : memref<4xi8> to memref<4xi8>
  %B = scratch.view %arena[0 : i64] : memref<4xi8> to memref<4xi8>
  %seven = arith.constant 7 : i8
  num.nest %i to 4 {
    %x = memref.load %X[%i] : memref<4xi8>
    %a = arith.addi %x, %x : i8
    memref.store %a, %A[%i] : memref<4xi8>
  }
  num.nest %i to 4 {
    %a = memref.load %A[%i] : memref<4xi8>
    memref.store %a, %Y[%i] : memref<4xi8>
  }
  num.nest %i to 4 {
    memref.store %seven, %B[%i] : memref<4xi8>
    %last = affine.apply affine_map<(d0) -> (3 - d0)> (%i)
    %b = memref.load %B[%last] : memref<4xi8>
    memref.store %b, %Z[%i] : memref<4xi8>
  }
  func.return
}
// CHECK-LABEL: func.func @read_behind_the_write(
// CHECK: %a = arith.addi %x, %x : i8
// CHECK-NEXT: memref.store %a, %A
// CHECK-NEXT: memref.store %a, %Y

// -----

// The next call reads the state.
func.func @state(%X: memref<4xi8>, %Y: memref<4xi8>) {
  %arena = scratch.arena {alignment = 1 : i64} : memref<4xi8>
  %S = scratch.view %arena[0 : i64] {state} : memref<4xi8> to memref<4xi8>
  num.nest %i to 4 {
    %x = memref.load %X[%i] : memref<4xi8>
    %s = arith.addi %x, %x : i8
    memref.store %s, %S[%i] : memref<4xi8>
  }
  num.nest %i to 4 {
    %s = memref.load %S[%i] : memref<4xi8>
    memref.store %s, %Y[%i] : memref<4xi8>
  }
  func.return
}
// CHECK-LABEL: func.func @state(
// CHECK: %s = arith.addi %x, %x : i8
// CHECK-NEXT: memref.store %s, %S
// CHECK-NEXT: memref.store %s, %Y
