// RUN: tinyml-opt %s -p lower-arith-to-rtl,canonicalize --split-input-file | filecheck %s

// The arena is cut between buffers that do not overlap. Where a byte shares a word with wider elements, it is a lane.
func.func @model(%x: memref<1x2xi8>) -> (index, memref<3xi8>) {
  %arena = scratch.arena {alignment = 4 : i64} : memref<12xi8>
  %a = scratch.view %arena[0 : i64] : memref<12xi8> to memref<3xi8>
  %b = scratch.view %arena[4 : i64] : memref<12xi8> to memref<2xi32>
  %c = scratch.view %arena[6 : i64] : memref<12xi8> to memref<1xi8>
  %w = scratch.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8> -> memref<2x2xi8, #scratch.flash>
  %i = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %row = scratch.slice %w[%i] : memref<2x2xi8, #scratch.flash> to memref<2xi8, #scratch.flash>
  %v = memref.load %row[%i] : memref<2xi8, #scratch.flash>
  %u = memref.load %x[%zero, %i] : memref<1x2xi8>
  memref.store %v, %a[%i] : memref<3xi8>
  memref.store %u, %c[%zero] : memref<1xi8>
  %s = memref.load %b[%i] : memref<2xi32>
  memref.store %s, %b[%zero] : memref<2xi32>
  func.return %i, %a : index, memref<3xi8>
}
// CHECK-LABEL: func.func @model() -> index {
// CHECK-NEXT: %arena = rtl.memory : !rtl.memory<3, 8>
// CHECK-NEXT: [[varena_1:%.*]] = rtl.memory : !rtl.memory<2, 32>
// CHECK-NEXT: %w = rtl.memory dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi8> : !rtl.memory<4, 8>
// CHECK-NEXT: %x = rtl.memory : !rtl.memory<2, 8>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: scf.for [[v3:%.*]] = [[v1]] to [[v0]] step [[v2]] {
// CHECK-NEXT: [[v4:%.*]] = rtl.receive : i8
// CHECK-NEXT: rtl.store [[v4]], %x{{\[}}[[v3]]] : i8, !rtl.memory<2, 8>
// CHECK-NEXT: }
// CHECK-NEXT: %i = arith.constant 1 : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 2 : index
// CHECK-NEXT: %v = rtl.load %w{{\[}}[[v5]]] : !rtl.memory<4, 8> -> i8
// CHECK-NEXT: [[v6:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %u = rtl.load %x{{\[}}[[v6]]] : !rtl.memory<2, 8> -> i8
// CHECK-NEXT: [[v7:%.*]] = arith.constant 1 : index
// CHECK-NEXT: rtl.store %v, %arena{{\[}}[[v7]]] : i8, !rtl.memory<3, 8>
// CHECK-NEXT: [[v8:%.*]] = arith.constant 2 : index
// CHECK-NEXT: rtl.store %u, [[varena_1]]{{\[}}[[v8]]] : i8, !rtl.memory<2, 32>
// CHECK-NEXT: [[v9:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %s = rtl.load [[varena_1]]{{\[}}[[v9]]] : !rtl.memory<2, 32> -> i32
// CHECK-NEXT: [[v10:%.*]] = arith.constant 0 : index
// CHECK-NEXT: rtl.store %s, [[varena_1]]{{\[}}[[v10]]] : i32, !rtl.memory<2, 32>
// CHECK-NEXT: [[v11:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v12:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v13:%.*]] = arith.constant 1 : index
// CHECK-NEXT: scf.for [[v14:%.*]] = [[v12]] to [[v11]] step [[v13]] {
// CHECK-NEXT: [[v15:%.*]] = rtl.load %arena{{\[}}[[v14]]] : !rtl.memory<3, 8> -> i8
// CHECK-NEXT: rtl.send [[v15]] to 0 : i64 : i8
// CHECK-NEXT: }
// CHECK-NEXT: func.return %i : index
// The input comes first.
// The output comes last.

// -----

// A local array is a memory of its own.
func.func @local(%x: memref<1xi8>) -> memref<1xi8> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<1xi8>
  %y = scratch.view %arena[0 : i64] : memref<1xi8> to memref<1xi8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %counts = memref.alloca() : memref<2xi16>
  %n = arith.constant 7 : i16
  memref.store %n, %counts[%one] : memref<2xi16>
  %m = memref.load %counts[%one] : memref<2xi16>
  %t = arith.trunci %m : i16 to i8
  memref.store %t, %y[%zero] : memref<1xi8>
  func.return %y : memref<1xi8>
}
// CHECK-LABEL: func.func @local() {
// CHECK-NEXT: %arena = rtl.memory : !rtl.memory<1, 8>
// CHECK-NEXT: %counts = rtl.memory : !rtl.memory<2, 16>
// CHECK-NEXT: %n = arith.constant 7 : i16
// CHECK-NEXT: [[v0:%.*]] = arith.constant 1 : index
// CHECK-NEXT: rtl.store %n, %counts{{\[}}[[v0]]] : i16, !rtl.memory<2, 16>
// CHECK-NEXT: [[v1:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %m = rtl.load %counts{{\[}}[[v1]]] : !rtl.memory<2, 16> -> i16
// CHECK-NEXT: %t = arith.trunci %m : i16 to i8
// CHECK-NEXT: [[v2:%.*]] = arith.constant 0 : index
// CHECK-NEXT: rtl.store %t, %arena{{\[}}[[v2]]] : i8, !rtl.memory<1, 8>
// CHECK-NEXT: [[v3:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v4:%.*]] = rtl.load %arena{{\[}}[[v3]]] : !rtl.memory<1, 8> -> i8
// CHECK-NEXT: rtl.send [[v4]] to 0 : i64 : i8
// CHECK-NEXT: func.return

// -----

// Bytes that end inside a word of what they overlap have this word whole.
func.func @ends(%x: memref<1xi8>) -> memref<5xi8> {
  %arena = scratch.arena {alignment = 4 : i64} : memref<12xi8>
  %wide = scratch.view %arena[4 : i64] : memref<12xi8> to memref<1xi32>
  %y = scratch.view %arena[4 : i64] : memref<12xi8> to memref<5xi8>
  %zero = arith.constant 0 : index
  %n = arith.constant 7 : i32
  memref.store %n, %wide[%zero] : memref<1xi32>
  func.return %y : memref<5xi8>
}
// CHECK-LABEL: func.func @ends
// CHECK-NEXT: %arena = rtl.memory : !rtl.memory<2, 32>

// -----

// Products of entries remain for processing elements; other terms become a loop over the entries.
func.func @products(%x: memref<3xi8>) -> memref<2xi16> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<4xi8>
  %y = scratch.view %arena[0 : i64] : memref<4xi8> to memref<2xi16>
  %w = scratch.constant dense<[5, 6]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %gaps = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %lengths = scratch.constant dense<[1, 1]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %start = arith.constant 0 : i16
  num.contract %row to 2 {
    %sum = num.entries %start, %gaps, %lengths {products} : i16, memref<2xi8, #scratch.flash>, memref<2xi8, #scratch.flash> -> i16 {
    ^bb0(%s: i16, %entry: index, %column: index):
      %v = memref.load %w[%entry] : memref<2xi8, #scratch.flash>
      %e = memref.load %x[%column] : memref<3xi8>
      %vw = arith.extsi %v : i8 to i16
      %ew = arith.extsi %e : i8 to i16
      %p = arith.muli %vw, %ew : i16
      %n = arith.addi %s, %p : i16
      num.next %n : i16
    }
    memref.store %sum, %y[%row] : memref<2xi16>
  }
  func.return %y : memref<2xi16>
}
// CHECK-LABEL: func.func @products
// CHECK: num.contract %row to 2 {
// CHECK: num.entries {{%.*}}, %gaps, %lengths {products} : i16, !rtl.memory<2, 8>, !rtl.memory<2, 8> -> i16 {
// CHECK: rtl.load %w[%entry]

// -----

func.func @terms(%x: memref<3xi8>) -> memref<2xi16> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<4xi8>
  %y = scratch.view %arena[0 : i64] : memref<4xi8> to memref<2xi16>
  %w = scratch.constant dense<[5, 6]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %gaps = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %lengths = scratch.constant dense<[1, 1]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %start = arith.constant 0 : i16
  num.contract %row to 2 {
    %sum = num.entries %start, %gaps, %lengths : i16, memref<2xi8, #scratch.flash>, memref<2xi8, #scratch.flash> -> i16 {
    ^bb0(%s: i16, %entry: index, %column: index):
      %v = memref.load %w[%entry] : memref<2xi8, #scratch.flash>
      %e = memref.load %x[%column] : memref<3xi8>
      %vw = arith.extsi %v : i8 to i16
      %ew = arith.extsi %e : i8 to i16
      %p = arith.muli %vw, %ew : i16
      %n = arith.addi %s, %p : i16
      num.next %n : i16
    }
    memref.store %sum, %y[%row] : memref<2xi16>
  }
  func.return %y : memref<2xi16>
}
// CHECK-LABEL: func.func @terms
// CHECK-NOT: num.contract
// CHECK: scf.for %row =

// -----

// Before a division, an index becomes its distance from its least value, -4. To this distance minus 4, the division
// adds 6, the next multiple of 3, and subtracts 6 / 3 afterwards.
func.func @negative(%x: memref<8xi8>) -> memref<4xi8> {
  %low = arith.constant -4 : index
  %one = arith.constant 1 : index
  %high = arith.constant 4 : index
  %arena = scratch.arena {alignment = 1 : i64} : memref<4xi8>
  %y = scratch.view %arena[0 : i64] : memref<4xi8> to memref<4xi8>
  %v = memref.load %x[%one] : memref<8xi8>
  scf.for %p = %low to %high step %one {
    %at = affine.apply affine_map<(d0) -> (d0 floordiv 3 + 2)> (%p)
    memref.store %v, %y[%at] : memref<4xi8>
  }
  func.return %y : memref<4xi8>
}
// CHECK-LABEL: func.func @negative
// CHECK: [[three:%.*]] = arith.constant 3 : index
// CHECK: [[six:%.*]] = arith.constant 6 : index
// CHECK: scf.for %p = %low to %high step %one {
// CHECK-NEXT: [[distance:%.*]] = arith.addi %p, {{%.*}} : index
// CHECK-NEXT: [[value:%.*]] = arith.addi [[distance]], {{%.*}} : index
// CHECK-NEXT: [[raised:%.*]] = arith.addi [[value]], [[six]] : index
// CHECK-NEXT: [[quotient:%.*]] = arith.divsi [[raised]], [[three]] : index
// CHECK-NEXT: {{%.*}} = arith.subi [[quotient]], {{%.*}} : index
