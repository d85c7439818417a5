// RUN: tinyml-opt %s -p 'pack-constants{target=uno packed=always}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'pack-constants{target=uno}' --split-input-file | filecheck %s --check-prefix=AUTO
// RUN: tinyml-opt %s -p 'pack-constants{target=uno packed=never}' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: not tinyml-opt %s -p 'pack-constants{packed=often}' 2>&1 | filecheck %s --check-prefix=WRONG
// NEVER-NOT: #scratch.packed
// WRONG: constants are packed auto, always, never, not 'often'

// Four elements of 6 bits are a group: rows of 6 are filled up, so that each begins with a group. On the whole 4 bytes
// less are no reason to have another kernel.
func.func @rows(%X: memref<6x1x!fixed.q<16, 14>>, %Y: memref<2x1x!fixed.q<16, 10>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %six = arith.constant 6 : index
  %W = scratch.constant dense<[[1, -2, 3, 4, 5, 6], [7, 8, 9, 10, 11, -31]]> : tensor<2x6xi8> -> memref<2x6x!fixed.q<6, 3>, #scratch.flash>
  %x = scratch.slice %X[%zero] : memref<6x1x!fixed.q<16, 14>> to memref<6x!fixed.q<16, 14>>
  scf.for %i = %zero to %two step %one {
    %at = arith.muli %i, %six : index
    %row = scratch.slice %W[%at] : memref<2x6x!fixed.q<6, 3>, #scratch.flash> to memref<6x!fixed.q<6, 3>, #scratch.flash>
    %start = num.zero : !fixed.acc<32, 17>
    %sum = num.call #num.dot(%start, %row, %x) : (!fixed.acc<32, 17>, memref<6x!fixed.q<6, 3>, #scratch.flash>, memref<6x!fixed.q<16, 14>>) -> !fixed.acc<32, 17>
    %y = num.finish %sum {bound = array<i64: -9000000, 9000000>} : !fixed.acc<32, 17> -> !fixed.q<16, 10>
    memref.store %y, %Y[%i, %zero] : memref<2x1x!fixed.q<16, 10>>
  }
  func.return
}
// CHECK-LABEL: func.func @rows(%X: memref<6x1x!fixed.q<16, 14>>, %Y: memref<2x1x!fixed.q<16, 10>>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %six = arith.constant 6 : index
// CHECK-NEXT: %W = scratch.constant dense<{{\[\[}}1, -2, 3, 4, 5, 6, 0, 0], [7, 8, 9, 10, 11, -31, 0, 0]]> : tensor<2x8xi8> -> memref<2x8x!fixed.q<6, 3>, #scratch.packed<6>>
// CHECK-NEXT: %x = scratch.slice %X[%zero] : memref<6x1x!fixed.q<16, 14>> to memref<6x!fixed.q<16, 14>>
// CHECK-NEXT: scf.for %i = %zero to %two step %one {
// CHECK-NEXT: %at = arith.muli %i, %six : index
// CHECK-NEXT: [[v0:%.*]] = arith.constant 8 : index
// CHECK-NEXT: [[v1:%.*]] = arith.muli %i, [[v0]] : index
// CHECK-NEXT: %row = scratch.slice %W{{\[}}[[v1]]] : memref<2x8x!fixed.q<6, 3>, #scratch.packed<6>> to memref<6x!fixed.q<6, 3>, #scratch.packed<6>>
// CHECK-NEXT: %start = num.zero : !fixed.acc<32, 17>
// CHECK-NEXT: %sum = num.call #num.dot(%start, %row, %x) : (!fixed.acc<32, 17>, memref<6x!fixed.q<6, 3>, #scratch.packed<6>>, memref<6x!fixed.q<16, 14>>) -> !fixed.acc<32, 17>
// CHECK-NEXT: %y = num.finish %sum {bound = array<i64: -9000000, 9000000>} : !fixed.acc<32, 17> -> !fixed.q<16, 10>
// CHECK-NEXT: memref.store %y, %Y[%i, %zero] : memref<2x1x!fixed.q<16, 10>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// AUTO-LABEL: func.func @rows
// AUTO: #scratch.flash

// -----

// Rows of several axes, such as the filters of a convolution, get a single one.
func.func @filters(%x: memref<6x!fixed.q<16, 14>>, %Y: memref<2x!fixed.q<16, 10>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %six = arith.constant 6 : index
  %W = scratch.constant dense<[[[1, -2], [3, 4], [5, 6]], [[7, 8], [9, 10], [11, -31]]]> : tensor<2x3x2xi8> -> memref<2x3x2x!fixed.q<6, 3>, #scratch.flash>
  scf.for %i = %zero to %two step %one {
    %at = arith.muli %i, %six : index
    %row = scratch.slice %W[%at] : memref<2x3x2x!fixed.q<6, 3>, #scratch.flash> to memref<6x!fixed.q<6, 3>, #scratch.flash>
    %start = num.zero : !fixed.acc<32, 17>
    %sum = num.call #num.dot(%start, %row, %x) : (!fixed.acc<32, 17>, memref<6x!fixed.q<6, 3>, #scratch.flash>, memref<6x!fixed.q<16, 14>>) -> !fixed.acc<32, 17>
    %y = num.finish %sum {bound = array<i64: -9000000, 9000000>} : !fixed.acc<32, 17> -> !fixed.q<16, 10>
    memref.store %y, %Y[%i] : memref<2x!fixed.q<16, 10>>
  }
  func.return
}
// CHECK-LABEL: func.func @filters(%x: memref<6x!fixed.q<16, 14>>, %Y: memref<2x!fixed.q<16, 10>>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %six = arith.constant 6 : index
// CHECK-NEXT: %W = scratch.constant dense<{{\[\[}}1, -2, 3, 4, 5, 6, 0, 0], [7, 8, 9, 10, 11, -31, 0, 0]]> : tensor<2x8xi8> -> memref<2x8x!fixed.q<6, 3>, #scratch.packed<6>>
// CHECK-NEXT: scf.for %i = %zero to %two step %one {
// CHECK-NEXT: %at = arith.muli %i, %six : index
// CHECK-NEXT: [[v0:%.*]] = arith.constant 8 : index
// CHECK-NEXT: [[v1:%.*]] = arith.muli %i, [[v0]] : index
// CHECK-NEXT: %row = scratch.slice %W{{\[}}[[v1]]] : memref<2x8x!fixed.q<6, 3>, #scratch.packed<6>> to memref<6x!fixed.q<6, 3>, #scratch.packed<6>>
// CHECK-NEXT: %start = num.zero : !fixed.acc<32, 17>
// CHECK-NEXT: %sum = num.call #num.dot(%start, %row, %x) : (!fixed.acc<32, 17>, memref<6x!fixed.q<6, 3>, #scratch.packed<6>>, memref<6x!fixed.q<16, 14>>) -> !fixed.acc<32, 17>
// CHECK-NEXT: %y = num.finish %sum {bound = array<i64: -9000000, 9000000>} : !fixed.acc<32, 17> -> !fixed.q<16, 10>
// CHECK-NEXT: memref.store %y, %Y[%i] : memref<2x!fixed.q<16, 10>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// AUTO-LABEL: func.func @filters

// -----

// A matrix of 4 bits saves 200 bytes where the kernel takes 130; that one takes 11 cycles where the other takes 9.
// What counts are the raws, not the format.
func.func @pays(%x: memref<40x!fixed.q<8, 7>>, %y: memref<10x!fixed.q<8, 3>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %forty = arith.constant 40 : index
  %W = scratch.constant dense<-7> : tensor<10x40xi8> -> memref<10x40x!fixed.q<8, 3>, #scratch.flash>
  scf.for %i = %zero to %ten step %one {
    %at = arith.muli %i, %forty : index
    %row = scratch.slice %W[%at] : memref<10x40x!fixed.q<8, 3>, #scratch.flash> to memref<40x!fixed.q<8, 3>, #scratch.flash>
    %start = num.zero : !fixed.acc<16, 10>
    %sum = num.call #num.dot(%start, %row, %x) : (!fixed.acc<16, 10>, memref<40x!fixed.q<8, 3>, #scratch.flash>, memref<40x!fixed.q<8, 7>>) -> !fixed.acc<16, 10>
    %r = num.finish %sum : !fixed.acc<16, 10> -> !fixed.q<8, 3>
    memref.store %r, %y[%i] : memref<10x!fixed.q<8, 3>>
  }
  func.return
}
// CHECK-LABEL: func.func @pays(%x: memref<40x!fixed.q<8, 7>>, %y: memref<10x!fixed.q<8, 3>>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %ten = arith.constant 10 : index
// CHECK-NEXT: %forty = arith.constant 40 : index
// CHECK-NEXT: %W = scratch.constant dense<-7> : tensor<10x40xi8> -> memref<10x40x!fixed.q<8, 3>, #scratch.packed<4>>
// CHECK-NEXT: scf.for %i = %zero to %ten step %one {
// CHECK-NEXT: %at = arith.muli %i, %forty : index
// CHECK-NEXT: %row = scratch.slice %W[%at] : memref<10x40x!fixed.q<8, 3>, #scratch.packed<4>> to memref<40x!fixed.q<8, 3>, #scratch.packed<4>>
// CHECK-NEXT: %start = num.zero : !fixed.acc<16, 10>
// CHECK-NEXT: %sum = num.call #num.dot(%start, %row, %x) : (!fixed.acc<16, 10>, memref<40x!fixed.q<8, 3>, #scratch.packed<4>>, memref<40x!fixed.q<8, 7>>) -> !fixed.acc<16, 10>
// CHECK-NEXT: %r = num.finish %sum : !fixed.acc<16, 10> -> !fixed.q<8, 3>
// CHECK-NEXT: memref.store %r, %y[%i] : memref<10x!fixed.q<8, 3>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// AUTO-LABEL: func.func @pays
// AUTO: scratch.constant {{.*}} -> memref<10x40x!fixed.q<8, 3>, #scratch.packed<4>>
// AUTO: arith.muli %i, %forty

// -----

// Single elements are read by a function; for a few of them that is too much.
func.func @elements(%x: memref<9x!fixed.q<16, 12>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %nine = arith.constant 9 : index
  %bias = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, -500]> : tensor<9xi16> -> memref<9x!fixed.q<16, 12>, #scratch.flash>
  scf.for %i = %zero to %nine step %one {
    %a = memref.load %x[%i] : memref<9x!fixed.q<16, 12>>
    %b = memref.load %bias[%i] : memref<9x!fixed.q<16, 12>, #scratch.flash>
    %c = num.add %a, %b : !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.q<16, 12>
    memref.store %c, %x[%i] : memref<9x!fixed.q<16, 12>>
  }
  func.return
}
// CHECK-LABEL: func.func @elements(%x: memref<9x!fixed.q<16, 12>>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %nine = arith.constant 9 : index
// CHECK-NEXT: %bias = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, -500]> : tensor<9xi16> -> memref<9x!fixed.q<16, 12>, #scratch.packed<10>>
// CHECK-NEXT: scf.for %i = %zero to %nine step %one {
// CHECK-NEXT: %a = memref.load %x[%i] : memref<9x!fixed.q<16, 12>>
// CHECK-NEXT: %b = memref.load %bias[%i] : memref<9x!fixed.q<16, 12>, #scratch.packed<10>>
// CHECK-NEXT: %c = num.add %a, %b : !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.q<16, 12>
// CHECK-NEXT: memref.store %c, %x[%i] : memref<9x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// AUTO-LABEL: func.func @elements
// AUTO-NOT: #scratch.packed
// AUTO-LABEL: func.func @whole(

// -----

// 8 bits, and floats, are what they are.
func.func @whole() {
  %a = scratch.constant dense<[1, -127]> : tensor<2xi8> -> memref<2x!fixed.q<8, 3>, #scratch.flash>
  %b = scratch.constant dense<[1.0, 2.0]> : tensor<2xf32> -> memref<2xf32, #scratch.flash>
  func.return
}
// CHECK-LABEL: func.func @whole() {
// CHECK-NEXT: %a = scratch.constant dense<[1, -127]> : tensor<2xi8> -> memref<2x!fixed.q<8, 3>, #scratch.flash>
// CHECK-NEXT: %b = scratch.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> -> memref<2xf32, #scratch.flash>
// CHECK-NEXT: func.return

// -----

// Values of a sparse row count with their gaps: three of them are no reason to have another kernel.
func.func @sparse(%x: memref<8x!fixed.q<8, 7>>, %row: index, %at: index) -> !fixed.acc<16, 10> {
  %v = scratch.constant dense<[1, 2, -1]> : tensor<3xi8> -> memref<3x!fixed.q<4, 3>, #scratch.flash>
  %gaps = scratch.constant dense<[3, 4, 0]> : tensor<3xi8> -> memref<3xi8, #scratch.flash>
  %lengths = scratch.constant dense<[2, 1]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %zero = num.zero : !fixed.acc<16, 10>
  %sum = num.call #num.sparse_dot(%zero, %v, %gaps, %lengths, %x, %row, %at) : (!fixed.acc<16, 10>, memref<3x!fixed.q<4, 3>, #scratch.flash>, memref<3xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<8x!fixed.q<8, 7>>, index, index) -> !fixed.acc<16, 10>
  func.return %sum : !fixed.acc<16, 10>
}
// CHECK-LABEL: func.func @sparse(%x: memref<8x!fixed.q<8, 7>>, %row: index, %at: index) -> !fixed.acc<16, 10> {
// CHECK-NEXT: %v = scratch.constant dense<[1, 2, -1]> : tensor<3xi8> -> memref<3x!fixed.q<4, 3>, #scratch.packed<4>>
// CHECK-NEXT: %gaps = scratch.constant dense<[3, 4, 0]> : tensor<3xi8> -> memref<3xi8, #scratch.flash>
// CHECK-NEXT: %lengths = scratch.constant dense<[2, 1]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
// CHECK-NEXT: %zero = num.zero : !fixed.acc<16, 10>
// CHECK-NEXT: %sum = num.call #num.sparse_dot(%zero, %v, %gaps, %lengths, %x, %row, %at) : (!fixed.acc<16, 10>, memref<3x!fixed.q<4, 3>, #scratch.packed<4>>, memref<3xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<8x!fixed.q<8, 7>>, index, index) -> !fixed.acc<16, 10>
// CHECK-NEXT: func.return %sum : !fixed.acc<16, 10>
// AUTO-LABEL: func.func @sparse
// AUTO-NOT: #scratch.packed

// -----

// A quarter of the bytes is worth a few cycles of each product, an eighth is not.
func.func @quarter(%x: memref<64x!fixed.q<16, 14>>, %Y: memref<32x!fixed.q<16, 10>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 32 : index
  %columns = arith.constant 64 : index
  %W = scratch.constant dense<2000> : tensor<32x64xi16> -> memref<32x64x!fixed.q<16, 13>, #scratch.flash>
  scf.for %i = %zero to %rows step %one {
    %at = arith.muli %i, %columns : index
    %row = scratch.slice %W[%at] : memref<32x64x!fixed.q<16, 13>, #scratch.flash> to memref<64x!fixed.q<16, 13>, #scratch.flash>
    %start = num.zero : !fixed.acc<32, 27>
    %sum = num.call #num.dot(%start, %row, %x) : (!fixed.acc<32, 27>, memref<64x!fixed.q<16, 13>, #scratch.flash>, memref<64x!fixed.q<16, 14>>) -> !fixed.acc<32, 27>
    %y = num.finish %sum {bound = array<i64: -9000000, 9000000>} : !fixed.acc<32, 27> -> !fixed.q<16, 10>
    memref.store %y, %Y[%i] : memref<32x!fixed.q<16, 10>>
  }
  func.return
}
// CHECK-LABEL: func.func @quarter(%x: memref<64x!fixed.q<16, 14>>, %Y: memref<32x!fixed.q<16, 10>>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %rows = arith.constant 32 : index
// CHECK-NEXT: %columns = arith.constant 64 : index
// CHECK-NEXT: %W = scratch.constant dense<2000> : tensor<32x64xi16> -> memref<32x64x!fixed.q<16, 13>, #scratch.packed<12>>
// CHECK-NEXT: scf.for %i = %zero to %rows step %one {
// CHECK-NEXT: %at = arith.muli %i, %columns : index
// CHECK-NEXT: %row = scratch.slice %W[%at] : memref<32x64x!fixed.q<16, 13>, #scratch.packed<12>> to memref<64x!fixed.q<16, 13>, #scratch.packed<12>>
// CHECK-NEXT: %start = num.zero : !fixed.acc<32, 27>
// CHECK-NEXT: %sum = num.call #num.dot(%start, %row, %x) : (!fixed.acc<32, 27>, memref<64x!fixed.q<16, 13>, #scratch.packed<12>>, memref<64x!fixed.q<16, 14>>) -> !fixed.acc<32, 27>
// CHECK-NEXT: %y = num.finish %sum {bound = array<i64: -9000000, 9000000>} : !fixed.acc<32, 27> -> !fixed.q<16, 10>
// CHECK-NEXT: memref.store %y, %Y[%i] : memref<32x!fixed.q<16, 10>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// AUTO-LABEL: func.func @quarter
// AUTO: memref<32x64x!fixed.q<16, 13>, #scratch.packed<12>>

// -----

func.func @eighth(%x: memref<64x!fixed.q<16, 14>>, %Y: memref<32x!fixed.q<16, 10>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant 32 : index
  %columns = arith.constant 64 : index
  %W = scratch.constant dense<8000> : tensor<32x64xi16> -> memref<32x64x!fixed.q<16, 13>, #scratch.flash>
  scf.for %i = %zero to %rows step %one {
    %at = arith.muli %i, %columns : index
    %row = scratch.slice %W[%at] : memref<32x64x!fixed.q<16, 13>, #scratch.flash> to memref<64x!fixed.q<16, 13>, #scratch.flash>
    %start = num.zero : !fixed.acc<32, 27>
    %sum = num.call #num.dot(%start, %row, %x) : (!fixed.acc<32, 27>, memref<64x!fixed.q<16, 13>, #scratch.flash>, memref<64x!fixed.q<16, 14>>) -> !fixed.acc<32, 27>
    %y = num.finish %sum {bound = array<i64: -9000000, 9000000>} : !fixed.acc<32, 27> -> !fixed.q<16, 10>
    memref.store %y, %Y[%i] : memref<32x!fixed.q<16, 10>>
  }
  func.return
}
// CHECK-LABEL: func.func @eighth(%x: memref<64x!fixed.q<16, 14>>, %Y: memref<32x!fixed.q<16, 10>>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %rows = arith.constant 32 : index
// CHECK-NEXT: %columns = arith.constant 64 : index
// CHECK-NEXT: %W = scratch.constant dense<8000> : tensor<32x64xi16> -> memref<32x64x!fixed.q<16, 13>, #scratch.packed<14>>
// CHECK-NEXT: scf.for %i = %zero to %rows step %one {
// CHECK-NEXT: %at = arith.muli %i, %columns : index
// CHECK-NEXT: %row = scratch.slice %W[%at] : memref<32x64x!fixed.q<16, 13>, #scratch.packed<14>> to memref<64x!fixed.q<16, 13>, #scratch.packed<14>>
// CHECK-NEXT: %start = num.zero : !fixed.acc<32, 27>
// CHECK-NEXT: %sum = num.call #num.dot(%start, %row, %x) : (!fixed.acc<32, 27>, memref<64x!fixed.q<16, 13>, #scratch.packed<14>>, memref<64x!fixed.q<16, 14>>) -> !fixed.acc<32, 27>
// CHECK-NEXT: %y = num.finish %sum {bound = array<i64: -9000000, 9000000>} : !fixed.acc<32, 27> -> !fixed.q<16, 10>
// CHECK-NEXT: memref.store %y, %Y[%i] : memref<32x!fixed.q<16, 10>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// AUTO-LABEL: func.func @eighth
// AUTO-NOT: #scratch.packed

// -----

// Odd integers are stored as signs, eight to a byte, and ternary ones five to a byte.
func.func @digits(%Y: memref<9x!fixed.q<8, 3>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %nine = arith.constant 9 : index
  %W = scratch.constant dense<[1, -3, 3, -1, 1, 1, 1, 3, 3]> : tensor<9xi8> -> memref<9x!midrise.q<2, 0>, #scratch.flash>
  %T = scratch.constant dense<[1, 0, 0, -1, 1, 1, 1, 0, 0]> : tensor<9xi8> -> memref<9x!fixed.q<2, 0>, #scratch.flash>
  scf.for %i = %zero to %nine step %one {
    %w = memref.load %W[%i] : memref<9x!midrise.q<2, 0>, #scratch.flash>
    %t = memref.load %T[%i] : memref<9x!fixed.q<2, 0>, #scratch.flash>
    %y = num.add %w, %t : !midrise.q<2, 0>, !fixed.q<2, 0> -> !fixed.q<8, 3>
    memref.store %y, %Y[%i] : memref<9x!fixed.q<8, 3>>
  }
  func.return
}
// CHECK-LABEL: func.func @digits(%Y: memref<9x!fixed.q<8, 3>>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %nine = arith.constant 9 : index
// CHECK-NEXT: %W = scratch.constant dense<[1, -3, 3, -1, 1, 1, 1, 3, 3]> : tensor<9xi8> -> memref<9x!midrise.q<2, 0>, #scratch.packed<2, odd>>
// CHECK-NEXT: %T = scratch.constant dense<[1, 0, 0, -1, 1, 1, 1, 0, 0]> : tensor<9xi8> -> memref<9x!fixed.q<2, 0>, #scratch.packed<2, trits>>
// CHECK-NEXT: scf.for %i = %zero to %nine step %one {
// CHECK-NEXT: %w = memref.load %W[%i] : memref<9x!midrise.q<2, 0>, #scratch.packed<2, odd>>
// CHECK-NEXT: %t = memref.load %T[%i] : memref<9x!fixed.q<2, 0>, #scratch.packed<2, trits>>
// CHECK-NEXT: %y = num.add %w, %t : !midrise.q<2, 0>, !fixed.q<2, 0> -> !fixed.q<8, 3>
// CHECK-NEXT: memref.store %y, %Y[%i] : memref<9x!fixed.q<8, 3>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// AUTO-LABEL: func.func @digits
// AUTO-LABEL: func.func @scaled_rows(

// -----

// Rows with scales of their own are filled up with zeros of these.
func.func @scaled_rows(%X: memref<3x1x!zeroskew.q<8, 0.5, 3>>, %Y: memref<2x1x!zeroskew.q<8, 1.0, 0>>) {
  %zero = arith.constant 0 : index
  %W = scratch.constant dense<[[1, -2, 3], [4, 5, -6]]> : tensor<2x3xi8> -> memref<2x3x!zeroskew.q<4, [0.25, 0.5], 0>, #scratch.flash>
  %x = scratch.slice %X[%zero] : memref<3x1x!zeroskew.q<8, 0.5, 3>> to memref<3x!zeroskew.q<8, 0.5, 0>>
  num.contract %row to 2 {
    %start = num.zero : !zeroskew.acc<32, [0.125, 0.25]>
    %sum = num.products %start, %W, %x : !zeroskew.acc<32, [0.125, 0.25]>, memref<2x3x!zeroskew.q<4, [0.25, 0.5], 0>, #scratch.flash>, memref<3x!zeroskew.q<8, 0.5, 0>> -> !zeroskew.acc<32, [0.125, 0.25]>
    %level = num.level %sum row %row : !zeroskew.acc<32, [0.125, 0.25]> -> !zeroskew.acc<32, 1.0>
    %y = num.finish %level : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 1.0, 0>
    memref.store %y, %Y[%row, %zero] : memref<2x1x!zeroskew.q<8, 1.0, 0>>
  }
  func.return
}
// CHECK-LABEL: func.func @scaled_rows(%X: memref<3x1x!zeroskew.q<8, 0.5, 3>>, %Y: memref<2x1x!zeroskew.q<8, 1.0, 0>>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %W = scratch.constant dense<{{\[\[}}1, -2, 3, 0], [4, 5, -6, 0]]> : tensor<2x4xi8> -> memref<2x4x!zeroskew.q<4, [0.25, 0.5], 0>, #scratch.packed<4>>
// CHECK-NEXT: %x = scratch.slice %X[%zero] : memref<3x1x!zeroskew.q<8, 0.5, 3>> to memref<3x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: num.contract %row to 2 {
// CHECK-NEXT: %start = num.zero : !zeroskew.acc<32, [0.125, 0.25]>
// CHECK-NEXT: %sum = num.products %start, %W, %x : !zeroskew.acc<32, [0.125, 0.25]>, memref<2x4x!zeroskew.q<4, [0.25, 0.5], 0>, #scratch.packed<4>>, memref<3x!zeroskew.q<8, 0.5, 0>> -> !zeroskew.acc<32, [0.125, 0.25]>
// CHECK-NEXT: %level = num.level %sum row %row : !zeroskew.acc<32, [0.125, 0.25]> -> !zeroskew.acc<32, 1.0>
// CHECK-NEXT: %y = num.finish %level : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 1.0, 0>
// CHECK-NEXT: memref.store %y, %Y[%row, %zero] : memref<2x1x!zeroskew.q<8, 1.0, 0>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// -----

// The widths of weights that are data are not known.
func.func @data(%i: index) -> !fixed.q<8, 4> attributes {tinyml.weights_as_data} {
  %w = scratch.constant dense<[1, 2, -1, 0, 1, 2, -1, 0]> : tensor<8xi8> -> memref<8x!fixed.q<8, 4>, #scratch.flash>
  %y = memref.load %w[%i] : memref<8x!fixed.q<8, 4>, #scratch.flash>
  func.return %y : !fixed.q<8, 4>
}
// CHECK-LABEL: func.func @data
// CHECK: -> memref<8x!fixed.q<8, 4>, #scratch.flash>

// -----

// Four bytes less for each of 31 rows do not repay the 126 bytes of the kernel; those of 32 rows do.
func.func @few_rows(%x: memref<64x!fixed.q<8, 7>>, %row: index, %at: index) -> !fixed.acc<16, 10> {
  %v = scratch.constant dense<3> : tensor<248xi8> -> memref<248x!fixed.q<4, 3>, #scratch.flash>
  %gaps = scratch.constant dense<1> : tensor<248xi8> -> memref<248xi8, #scratch.flash>
  %lengths = scratch.constant dense<8> : tensor<31xi8> -> memref<31xi8, #scratch.flash>
  %zero = num.zero : !fixed.acc<16, 10>
  %sum = num.call #num.sparse_dot(%zero, %v, %gaps, %lengths, %x, %row, %at) : (!fixed.acc<16, 10>, memref<248x!fixed.q<4, 3>, #scratch.flash>, memref<248xi8, #scratch.flash>, memref<31xi8, #scratch.flash>, memref<64x!fixed.q<8, 7>>, index, index) -> !fixed.acc<16, 10>
  func.return %sum : !fixed.acc<16, 10>
}
// CHECK-LABEL: func.func @few_rows(
// CHECK: #scratch.packed<4>
// AUTO-LABEL: func.func @few_rows(
// AUTO-NOT: #scratch.packed
// AUTO-LABEL: func.func @many_rows(

// -----

func.func @many_rows(%x: memref<64x!fixed.q<8, 7>>, %row: index, %at: index) -> !fixed.acc<16, 10> {
  %v = scratch.constant dense<3> : tensor<256xi8> -> memref<256x!fixed.q<4, 3>, #scratch.flash>
  %gaps = scratch.constant dense<1> : tensor<256xi8> -> memref<256xi8, #scratch.flash>
  %lengths = scratch.constant dense<8> : tensor<32xi8> -> memref<32xi8, #scratch.flash>
  %zero = num.zero : !fixed.acc<16, 10>
  %sum = num.call #num.sparse_dot(%zero, %v, %gaps, %lengths, %x, %row, %at) : (!fixed.acc<16, 10>, memref<256x!fixed.q<4, 3>, #scratch.flash>, memref<256xi8, #scratch.flash>, memref<32xi8, #scratch.flash>, memref<64x!fixed.q<8, 7>>, index, index) -> !fixed.acc<16, 10>
  func.return %sum : !fixed.acc<16, 10>
}
// CHECK-LABEL: func.func @many_rows(
// CHECK: #scratch.packed<4>
// AUTO: #scratch.packed<4>

// -----

// Rows of two elements are filled up, too.
func.func @pairs(%X: memref<2x1x!fixed.q<16, 14>>, %Y: memref<3x1x!fixed.q<16, 10>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %wide = arith.constant 2 : index
  %W = scratch.constant dense<[[1, -2], [3, -31], [5, 6]]> : tensor<3x2xi8> -> memref<3x2x!fixed.q<6, 3>, #scratch.flash>
  %x = scratch.slice %X[%zero] : memref<2x1x!fixed.q<16, 14>> to memref<2x!fixed.q<16, 14>>
  scf.for %i = %zero to %three step %one {
    %at = arith.muli %i, %wide : index
    %row = scratch.slice %W[%at] : memref<3x2x!fixed.q<6, 3>, #scratch.flash> to memref<2x!fixed.q<6, 3>, #scratch.flash>
    %start = num.zero : !fixed.acc<32, 17>
    %sum = num.call #num.dot(%start, %row, %x) : (!fixed.acc<32, 17>, memref<2x!fixed.q<6, 3>, #scratch.flash>, memref<2x!fixed.q<16, 14>>) -> !fixed.acc<32, 17>
    %y = num.finish %sum {bound = array<i64: -9000000, 9000000>} : !fixed.acc<32, 17> -> !fixed.q<16, 10>
    memref.store %y, %Y[%i, %zero] : memref<3x1x!fixed.q<16, 10>>
  }
  func.return
}
// CHECK-LABEL: func.func @pairs(%X: memref<2x1x!fixed.q<16, 14>>, %Y: memref<3x1x!fixed.q<16, 10>>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %three = arith.constant 3 : index
// CHECK-NEXT: %wide = arith.constant 2 : index
// CHECK-NEXT: %W = scratch.constant dense<{{\[\[}}1, -2, 0, 0], [3, -31, 0, 0], [5, 6, 0, 0]]> : tensor<3x4xi8> -> memref<3x4x!fixed.q<6, 3>, #scratch.packed<6>>
// CHECK-NEXT: %x = scratch.slice %X[%zero] : memref<2x1x!fixed.q<16, 14>> to memref<2x!fixed.q<16, 14>>
// CHECK-NEXT: scf.for %i = %zero to %three step %one {
// CHECK-NEXT: %at = arith.muli %i, %wide : index
// CHECK-NEXT: [[v0:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v1:%.*]] = arith.muli %i, [[v0]] : index
// CHECK-NEXT: %row = scratch.slice %W{{\[}}[[v1]]] : memref<3x4x!fixed.q<6, 3>, #scratch.packed<6>> to memref<2x!fixed.q<6, 3>, #scratch.packed<6>>
// CHECK-NEXT: %start = num.zero : !fixed.acc<32, 17>
// CHECK-NEXT: %sum = num.call #num.dot(%start, %row, %x) : (!fixed.acc<32, 17>, memref<2x!fixed.q<6, 3>, #scratch.packed<6>>, memref<2x!fixed.q<16, 14>>) -> !fixed.acc<32, 17>
// CHECK-NEXT: %y = num.finish %sum {bound = array<i64: -9000000, 9000000>} : !fixed.acc<32, 17> -> !fixed.q<16, 10>
// CHECK-NEXT: memref.store %y, %Y[%i, %zero] : memref<3x1x!fixed.q<16, 10>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
