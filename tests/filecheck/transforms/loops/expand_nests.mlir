// RUN: tinyml-opt %s -p expand-nests | filecheck %s

// Entries of a row become a loop that follows the gaps, which keeps the hints of the sum.
func.func @sparse(%x: memref<7xi8>) -> memref<3xi16> {
  %values = scratch.constant dense<[4, -5, 6, 7]> : tensor<4xi8> -> memref<4xi8, #scratch.flash>
  %gaps = scratch.constant dense<[1, 3, 2, 2]> : tensor<4xi8> -> memref<4xi8, #scratch.flash>
  %lengths = scratch.constant dense<[3, 0, 1]> : tensor<3xi8> -> memref<3xi8, #scratch.flash>
  %arena = scratch.arena {alignment = 2 : i64} : memref<6xi8>
  %y = scratch.view %arena[0 : i64] : memref<6xi8> to memref<3xi16>
  %start = arith.constant 0 : i16
  num.contract %row to 3 {
    %sum = num.entries %start, %gaps, %lengths {hls.pipeline}
      : i16, memref<4xi8, #scratch.flash>, memref<3xi8, #scratch.flash> -> i16 {
    ^bb0(%s: i16, %entry: index, %column: index):
      %v = memref.load %values[%entry] : memref<4xi8, #scratch.flash>
      %xe = memref.load %x[%column] : memref<7xi8>
      %vw = arith.extsi %v : i8 to i16
      %xw = arith.extsi %xe : i8 to i16
      %product = arith.muli %vw, %xw : i16
      %t = arith.addi %s, %product : i16
      num.next %t : i16
    }
    memref.store %sum, %y[%row] : memref<3xi16>
  }
  func.return %y : memref<3xi16>
}
// CHECK-LABEL: func.func @sparse(%x: memref<7xi8>) -> memref<3xi16> {
// CHECK-NEXT: %values = scratch.constant dense<[4, -5, 6, 7]> : tensor<4xi8> -> memref<4xi8, #scratch.flash>
// CHECK-NEXT: %gaps = scratch.constant dense<[1, 3, 2, 2]> : tensor<4xi8> -> memref<4xi8, #scratch.flash>
// CHECK-NEXT: %lengths = scratch.constant dense<[3, 0, 1]> : tensor<3xi8> -> memref<3xi8, #scratch.flash>
// CHECK-NEXT: %arena = scratch.arena {alignment = 2 : i64} : memref<6xi8>
// CHECK-NEXT: %y = scratch.view %arena[0 : i64] : memref<6xi8> to memref<3xi16>
// CHECK-NEXT: %start = arith.constant 0 : i16
// CHECK-NEXT: [[v0:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = scf.for %row = [[v1]] to [[v0]] step [[v2]] iter_args([[v4:%.*]] = [[v1]]) -> (index) {
// CHECK-NEXT: [[v5:%.*]] = memref.load %lengths[%row] : memref<3xi8, #scratch.flash>
// CHECK-NEXT: [[v6:%.*]] = arith.extui [[v5]] : i8 to i16
// CHECK-NEXT: [[v7:%.*]] = arith.index_cast [[v6]] : i16 to index
// CHECK-NEXT: %sum, [[v8:%.*]], [[v9:%.*]] = scf.for [[v10:%.*]] = [[v1]] to [[v7]] step [[v2]] iter_args(%s = %start, [[v11:%.*]] = [[v1]], %entry = [[v4]]) -> (i16, index, index) {
// CHECK-NEXT: [[v12:%.*]] = memref.load %gaps[%entry] : memref<4xi8, #scratch.flash>
// CHECK-NEXT: [[v13:%.*]] = arith.extui [[v12]] : i8 to i16
// CHECK-NEXT: [[v14:%.*]] = arith.index_cast [[v13]] : i16 to index
// CHECK-NEXT: %column = arith.addi [[v11]], [[v14]] : index
// CHECK-NEXT: %v = memref.load %values[%entry] : memref<4xi8, #scratch.flash>
// CHECK-NEXT: %xe = memref.load %x[%column] : memref<7xi8>
// CHECK-NEXT: %vw = arith.extsi %v : i8 to i16
// CHECK-NEXT: %xw = arith.extsi %xe : i8 to i16
// CHECK-NEXT: %product = arith.muli %vw, %xw : i16
// CHECK-NEXT: %t = arith.addi %s, %product : i16
// CHECK-NEXT: [[v15:%.*]] = arith.addi %entry, [[v2]] : index
// CHECK-NEXT: scf.yield %t, %column, [[v15]] : i16, index, index
// CHECK-NEXT: } {hls.pipeline}
// CHECK-NEXT: memref.store %sum, %y[%row] : memref<3xi16>
// CHECK-NEXT: [[v16:%.*]] = memref.load %lengths[%row] : memref<3xi8, #scratch.flash>
// CHECK-NEXT: [[v17:%.*]] = arith.extui [[v16]] : i8 to i16
// CHECK-NEXT: [[v18:%.*]] = arith.index_cast [[v17]] : i16 to index
// CHECK-NEXT: [[v19:%.*]] = arith.addi [[v4]], [[v18]] : index
// CHECK-NEXT: scf.yield [[v19]] : index
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : memref<3xi16>

// Windows do not slide in C.
func.func @window(%w: memref<4xi8>, %F: memref<2x4xi8, #scratch.flash>) {
  scratch.slide %w against %F : memref<4xi8>, memref<2x4xi8, #scratch.flash>
  func.return
}
// CHECK-LABEL: func.func @window
// CHECK-NEXT: func.return

// In number formats they do, and rows stay compressed; a sum alone is a number format's, too.
func.func @formats(%w: memref<4x!fixed.q<8, 4>>, %F: memref<2x4x!fixed.q<8, 4>, #scratch.flash>, %start: !fixed.acc<32, 18>, %y: memref<3x!fixed.acc<32, 18>>) {
  %gaps = scratch.constant dense<[1, 3, 2, 2]> : tensor<4xi8> -> memref<4xi8, #scratch.flash>
  %lengths = scratch.constant dense<[3, 0, 1]> : tensor<3xi8> -> memref<3xi8, #scratch.flash>
  scratch.slide %w against %F : memref<4x!fixed.q<8, 4>>, memref<2x4x!fixed.q<8, 4>, #scratch.flash>
  num.contract %row to 3 {
    %sum = num.entries %start, %gaps, %lengths
      : !fixed.acc<32, 18>, memref<4xi8, #scratch.flash>, memref<3xi8, #scratch.flash> -> !fixed.acc<32, 18> {
    ^bb0(%s: !fixed.acc<32, 18>, %entry: index, %column: index):
      num.next %s : !fixed.acc<32, 18>
    }
    memref.store %sum, %y[%row] : memref<3x!fixed.acc<32, 18>>
  }
  func.return
}
// CHECK-LABEL: func.func @formats
// CHECK: scratch.slide %w against %F
// CHECK-NEXT: num.contract %row to 3 {
// CHECK-NEXT: num.entries

// A loop for each axis, the outermost first. Quotients of C round towards zero, those of maps down: a dividend below 0
// is raised by a multiple of the divisor, one that is at least 0 is not. What is invariant in an inner loop leaves it.
func.func @elements(%X: memref<2x6xi8>, %Y: memref<3x4xi8>) {
  num.nest %i, %j to 3, 4 {
    %row = affine.apply affine_map<(d0, d1) -> (((d0 * 4) + d1) floordiv 6)> (%i, %j)
    %column = affine.apply affine_map<(d0, d1) -> ((d0 - d1) mod 6)> (%i, %j)
    %x = memref.load %X[%row, %column] : memref<2x6xi8>
    memref.store %x, %Y[%i, %j] : memref<3x4xi8>
  }
  func.return
}
// CHECK-LABEL: func.func @elements(%X: memref<2x6xi8>, %Y: memref<3x4xi8>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 6 : index
// CHECK-NEXT: scf.for %i = [[v1]] to [[v0]] step [[v2]] {
// CHECK-NEXT: [[v5:%.*]] = arith.muli %i, [[v3]] : index
// CHECK-NEXT: scf.for %j = [[v1]] to [[v3]] step [[v2]] {
// CHECK-NEXT: [[v6:%.*]] = arith.addi [[v5]], %j : index
// CHECK-NEXT: %row = arith.divsi [[v6]], [[v4]] : index
// CHECK-NEXT: [[v7:%.*]] = arith.subi %i, %j : index
// CHECK-NEXT: [[v8:%.*]] = arith.addi [[v7]], [[v4]] : index
// CHECK-NEXT: %column = arith.remsi [[v8]], [[v4]] : index
// CHECK-NEXT: %x = memref.load %X[%row, %column] : memref<2x6xi8>
// CHECK-NEXT: memref.store %x, %Y[%i, %j] : memref<3x4xi8>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// Products are what a kernel may compute: their contraction stays until they are lowered.
func.func @products(%W: memref<3x4x!fixed.q<16, 9>>, %x: memref<4x!fixed.q<16, 9>>, %y: memref<3x!fixed.q<16, 9>>) {
  num.contract %row to 3 {
    %zero = num.zero : !fixed.acc<32, 18>
    %sum = num.products %zero, %W, %x : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
    %value = num.finish %sum : !fixed.acc<32, 18> -> !fixed.q<16, 9>
    memref.store %value, %y[%row] : memref<3x!fixed.q<16, 9>>
  }
  func.return
}
// CHECK-LABEL: func.func @products(%W: memref<3x4x!fixed.q<16, 9>>, %x: memref<4x!fixed.q<16, 9>>, %y: memref<3x!fixed.q<16, 9>>) {
// CHECK-NEXT: num.contract %row to 3 {
// CHECK-NEXT: %zero = num.zero : !fixed.acc<32, 18>
// CHECK-NEXT: %sum = num.products %zero, %W, %x : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
// CHECK-NEXT: %value = num.finish %sum : !fixed.acc<32, 18> -> !fixed.q<16, 9>
// CHECK-NEXT: memref.store %value, %y[%row] : memref<3x!fixed.q<16, 9>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return

// A reduction is a loop that carries its values, within the loops of a nest and without.
func.func @pool(%X: memref<6x4xf32>, %Y: memref<3x4xf32>) -> index {
  %zero = arith.constant 0 : index
  num.nest %i, %j to 3, 4 {
    %start = affine.apply affine_map<(d0) -> (d0 * 2)> (%i)
    %total = arith.constant 0.0 : f32
    %sum = num.reduce %total {first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : f32 -> f32 {
    ^bb0(%k: index, %before: f32):
      %at = affine.apply affine_map<(d0, d1) -> (d0 + d1)> (%start, %k)
      %x = memref.load %X[%at, %j] : memref<6x4xf32>
      %next = num.tally %before, %x : f32, f32 -> f32
      num.next %next : f32
    }
    memref.store %sum, %Y[%i, %j] : memref<3x4xf32>
  }
  %before = memref.load %X[%zero, %zero] : memref<6x4xf32>
  %value, %place = num.reduce %before, %zero {first = 1 : i64, extent = 6 : i64, kinds = ["greatest", "place"]} : f32, index -> f32, index {
  ^bb0(%n: index, %best: f32, %label: index):
    %x = memref.load %X[%n, %zero] : memref<6x4xf32>
    %greater = num.greater %x, %best : f32, f32
    %next = arith.select %greater, %x, %best : f32
    %later = arith.select %greater, %n, %label : index
    num.next %next, %later : f32, index
  }
  func.return %place : index
}
// CHECK-LABEL: func.func @pool(%X: memref<6x4xf32>, %Y: memref<3x4xf32>) -> index {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: [[v0:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 2 : index
// CHECK-NEXT: scf.for %i = [[v1]] to [[v0]] step [[v2]] {
// CHECK-NEXT: scf.for %j = [[v1]] to [[v3]] step [[v2]] {
// CHECK-NEXT: %start = arith.muli %i, [[v4]] : index
// CHECK-NEXT: %total = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %sum = scf.for %k = [[v1]] to [[v4]] step [[v2]] iter_args(%before = %total) -> (f32) {
// CHECK-NEXT: %at = arith.addi %start, %k : index
// CHECK-NEXT: %x = memref.load %X[%at, %j] : memref<6x4xf32>
// CHECK-NEXT: %next = num.tally %before, %x : f32, f32 -> f32
// CHECK-NEXT: scf.yield %next : f32
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %sum, %Y[%i, %j] : memref<3x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: %before_1 = memref.load %X[%zero, %zero] : memref<6x4xf32>
// CHECK-NEXT: [[v5:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v6:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %value, %place = scf.for %n = [[v6]] to [[v5]] step [[v6]] iter_args(%best = %before_1, %label = %zero) -> (f32, index) {
// CHECK-NEXT: %x_1 = memref.load %X[%n, %zero] : memref<6x4xf32>
// CHECK-NEXT: %greater = num.greater %x_1, %best : f32, f32
// CHECK-NEXT: %next_1 = arith.select %greater, %x_1, %best : f32
// CHECK-NEXT: %later = arith.select %greater, %n, %label : index
// CHECK-NEXT: scf.yield %next_1, %later : f32, index
// CHECK-NEXT: }
// CHECK-NEXT: func.return %place : index
