// RUN: tinyml-opt %s -p 'place-constants{target=mega near=10}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'place-constants{target=mega}' --split-input-file | filecheck %s --check-prefix=NEAR
// RUN: tinyml-opt %s -p 'place-constants{target=uno near=0}' --split-input-file | filecheck %s --check-prefix=NEAR
// RUN: tinyml-opt %s -p 'place-constants{target=mega near=20}' --split-input-file | filecheck %s --check-prefix=ALL
// RUN: tinyml-opt %s -p 'place-constants{target=mega near=19}' --split-input-file | filecheck %s --check-prefix=LESS
// RUN: tinyml-opt %s -p 'place-constants{target=mega near=4}' --split-input-file | filecheck %s --check-prefix=START
// RUN: tinyml-opt %s -p 'place-constants{target=mega near=3}' --split-input-file | filecheck %s --check-prefix=BOTH
// NEAR-LABEL: func.func @rows(
// NEAR-NOT: far

// The matrix takes less time for each byte moved than the starts, whose elements are loaded one by one.
func.func @rows(%x: memref<8x!fixed.q<8, 4>>, %y: memref<2x!fixed.q<8, 4>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : index
  %W = scratch.constant dense<[[1, 2, 3, 4, 5, 6, 7, 8], [-1, -2, -3, -4, -5, -6, -7, -8]]> : tensor<2x8xi8> -> memref<2x8x!fixed.q<8, 3>, #scratch.flash>
  %start = scratch.constant dense<[3, -4]> : tensor<2xi16> -> memref<2x!fixed.q<16, 7>, #scratch.flash>
  scf.for %i = %zero to %two step %one {
    %first = memref.load %start[%i] : memref<2x!fixed.q<16, 7>, #scratch.flash>
    %begin = num.start %first : !fixed.q<16, 7> -> !fixed.acc<24, 7>
    %at = arith.muli %i, %eight : index
    %row = scratch.slice %W[%at] : memref<2x8x!fixed.q<8, 3>, #scratch.flash> to memref<8x!fixed.q<8, 3>, #scratch.flash>
    %sum = num.call #num.dot(%begin, %row, %x) by #num.kernel<"tm_dot_s8_s8_s24"> : (!fixed.acc<24, 7>, memref<8x!fixed.q<8, 3>, #scratch.flash>, memref<8x!fixed.q<8, 4>>) -> !fixed.acc<24, 7>
    %z = num.finish %sum {bound = array<i64: -9000, 9000>} : !fixed.acc<24, 7> -> !fixed.q<8, 4>
    memref.store %z, %y[%i] : memref<2x!fixed.q<8, 4>>
  }
  func.return
}
// CHECK-LABEL: func.func @rows(%x: memref<8x!fixed.q<8, 4>>, %y: memref<2x!fixed.q<8, 4>>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %eight = arith.constant 8 : index
// CHECK-NEXT: %W = scratch.constant dense<{{\[\[}}1, 2, 3, 4, 5, 6, 7, 8], [-1, -2, -3, -4, -5, -6, -7, -8]]> : tensor<2x8xi8> far -> memref<2x8x!fixed.q<8, 3>, #scratch.flash>
// CHECK-NEXT: %start = scratch.constant dense<[3, -4]> : tensor<2xi16> -> memref<2x!fixed.q<16, 7>, #scratch.flash>
// CHECK-NEXT: scf.for %i = %zero to %two step %one {
// CHECK-NEXT: %first = memref.load %start[%i] : memref<2x!fixed.q<16, 7>, #scratch.flash>
// CHECK-NEXT: %begin = num.start %first : !fixed.q<16, 7> -> !fixed.acc<24, 7>
// CHECK-NEXT: %at = arith.muli %i, %eight : index
// CHECK-NEXT: %row = scratch.slice %W[%at] : memref<2x8x!fixed.q<8, 3>, #scratch.flash> to memref<8x!fixed.q<8, 3>, #scratch.flash>
// CHECK-NEXT: %sum = num.call #num.dot(%begin, %row, %x) by #num.far_kernel<#num.kernel<"tm_dot_s8_s8_s24">> : (!fixed.acc<24, 7>, memref<8x!fixed.q<8, 3>, #scratch.flash>, memref<8x!fixed.q<8, 4>>) -> !fixed.acc<24, 7>
// CHECK-NEXT: %z = num.finish %sum {bound = array<i64: -9000, 9000>} : !fixed.acc<24, 7> -> !fixed.q<8, 4>
// CHECK-NEXT: memref.store %z, %y[%i] : memref<2x!fixed.q<8, 4>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// The matrix has 16 bytes and the starts have 4: both are near where there is room for 20 bytes. With
// room for one byte less the matrix moves, which is enough down to 4 bytes, and with room for 3 both.
// ALL-LABEL: func.func @rows
// ALL-NOT: far
// ALL: func.return
// ALL-LABEL: func.func @columns(
// LESS-LABEL: func.func @rows
// LESS: %W = scratch.constant {{.*}} far ->
// LESS: %start = scratch.constant dense<[3, -4]> : tensor<2xi16> -> memref
// LESS-LABEL: func.func @columns(
// START-LABEL: func.func @rows
// START: %W = scratch.constant {{.*}} far ->
// START: %start = scratch.constant dense<[3, -4]> : tensor<2xi16> -> memref
// START-LABEL: func.func @columns(
// BOTH-LABEL: func.func @rows
// BOTH: %W = scratch.constant {{.*}} far ->
// BOTH: %start = scratch.constant {{.*}} far ->
// BOTH-LABEL: func.func @columns(

// -----

// A kernel that adds a row to sums has no form for far weights: its matrix stays near, and all else moves.
func.func @columns(%x: memref<1x!fixed.q<8, 4>>, %sums: memref<8x!fixed.acc<32, 7>>) -> !fixed.q<8, 4> {
  %zero = arith.constant 0 : index
  %f = memref.load %x[%zero] : memref<1x!fixed.q<8, 4>>
  %W = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8> -> memref<8x!fixed.q<8, 3>, #scratch.flash>
  num.call #num.axpy(%sums, %W, %f) by #num.kernel<"tm_axpy_s8_s8_s32"> : (memref<8x!fixed.acc<32, 7>>, memref<8x!fixed.q<8, 3>, #scratch.flash>, !fixed.q<8, 4>) -> ()
  %b = scratch.constant dense<[3, -4, 5]> : tensor<3xi8> -> memref<3x!fixed.q<8, 4>, #scratch.flash>
  %same = scratch.constant dense<[3, -4, 5]> : tensor<3xi8> -> memref<3x!fixed.q<8, 4>, #scratch.flash>
  %v = memref.load %b[%zero] : memref<3x!fixed.q<8, 4>, #scratch.flash>
  %w = memref.load %same[%zero] : memref<3x!fixed.q<8, 4>, #scratch.flash>
  %r = num.add %v, %w : !fixed.q<8, 4>, !fixed.q<8, 4> -> !fixed.q<8, 4>
  func.return %r : !fixed.q<8, 4>
}
// CHECK-LABEL: func.func @columns(%x: memref<1x!fixed.q<8, 4>>, %sums: memref<8x!fixed.acc<32, 7>>) -> !fixed.q<8, 4> {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %f = memref.load %x[%zero] : memref<1x!fixed.q<8, 4>>
// CHECK-NEXT: %W = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8> -> memref<8x!fixed.q<8, 3>, #scratch.flash>
// CHECK-NEXT: num.call #num.axpy(%sums, %W, %f) by #num.kernel<"tm_axpy_s8_s8_s32"> : (memref<8x!fixed.acc<32, 7>>, memref<8x!fixed.q<8, 3>, #scratch.flash>, !fixed.q<8, 4>) -> ()
// CHECK-NEXT: %b = scratch.constant dense<[3, -4, 5]> : tensor<3xi8> far -> memref<3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %same = scratch.constant dense<[3, -4, 5]> : tensor<3xi8> far -> memref<3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %v = memref.load %b[%zero] : memref<3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %w = memref.load %same[%zero] : memref<3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %r = num.add %v, %w : !fixed.q<8, 4>, !fixed.q<8, 4> -> !fixed.q<8, 4>
// CHECK-NEXT: func.return %r : !fixed.q<8, 4>

// -----

// What a loop reads again and again stays near: a read of %rare costs less time, though %often is moved first by order.
func.func @loop(%x: memref<3x!fixed.q<8, 4>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %nine = arith.constant 9 : index
  %often = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<9xi8> -> memref<9x!fixed.q<8, 4>, #scratch.flash>
  %rare = scratch.constant dense<[9, 8, 7, 6, 5, 4, 3, 2, 1]> : tensor<9xi8> -> memref<9x!fixed.q<8, 4>, #scratch.flash>
  scf.for %i = %zero to %nine step %one {
    %a = memref.load %often[%i] : memref<9x!fixed.q<8, 4>, #scratch.flash>
    memref.store %a, %x[%zero] : memref<3x!fixed.q<8, 4>>
  }
  %b = memref.load %rare[%zero] : memref<9x!fixed.q<8, 4>, #scratch.flash>
  %c = memref.load %rare[%one] : memref<9x!fixed.q<8, 4>, #scratch.flash>
  memref.store %b, %x[%one] : memref<3x!fixed.q<8, 4>>
  memref.store %c, %x[%one] : memref<3x!fixed.q<8, 4>>
  func.return
}
// CHECK-LABEL: func.func @loop
// CHECK: %often = scratch.constant {{.*}} : tensor<9xi8> -> memref
// CHECK: %rare = scratch.constant {{.*}} : tensor<9xi8> far -> memref
// BOTH-LABEL: func.func @enough

// -----

// The 12 bytes that are too much with room for 3 are those of %often: %rare, which moves first by its time for a byte,
// stays then.
func.func @enough(%x: memref<3x!fixed.q<8, 4>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %nine = arith.constant 9 : index
  %often = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]> : tensor<12xi8> -> memref<12x!fixed.q<8, 4>, #scratch.flash>
  %rare = scratch.constant dense<[9, 8, 7]> : tensor<3xi8> -> memref<3x!fixed.q<8, 4>, #scratch.flash>
  scf.for %i = %zero to %nine step %one {
    %a = memref.load %often[%i] : memref<12x!fixed.q<8, 4>, #scratch.flash>
    memref.store %a, %x[%zero] : memref<3x!fixed.q<8, 4>>
  }
  %b = memref.load %rare[%zero] : memref<3x!fixed.q<8, 4>, #scratch.flash>
  memref.store %b, %x[%one] : memref<3x!fixed.q<8, 4>>
  func.return
}
// BOTH: %often = scratch.constant {{.*}} : tensor<12xi8> far -> memref
// BOTH: %rare = scratch.constant {{.*}} : tensor<3xi8> -> memref

// -----

// No kernel reads both operands far: an array that is both operands stays near.
func.func @square(%y: memref<1x!fixed.q<8, 4>>) {
  %zero = arith.constant 0 : index
  %w = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]> : tensor<11xi8> -> memref<11x!fixed.q<8, 3>, #scratch.flash>
  %first = num.constant {value = 0.0 : f64} -> !fixed.q<16, 6>
  %begin = num.start %first : !fixed.q<16, 6> -> !fixed.acc<24, 6>
  %sum = num.call #num.dot(%begin, %w, %w) by #num.kernel<"tm_dot_s8_s8_s24"> : (!fixed.acc<24, 6>, memref<11x!fixed.q<8, 3>, #scratch.flash>, memref<11x!fixed.q<8, 3>, #scratch.flash>) -> !fixed.acc<24, 6>
  %z = num.finish %sum {bound = array<i64: -9000, 9000>} : !fixed.acc<24, 6> -> !fixed.q<8, 4>
  memref.store %z, %y[%zero] : memref<1x!fixed.q<8, 4>>
  func.return
}
// CHECK-LABEL: func.func @square
// CHECK: %w = scratch.constant {{.*}} : tensor<11xi8> -> memref
// CHECK: by #num.kernel<"tm_dot_s8_s8_s24">
