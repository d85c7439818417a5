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
// CHECK-LABEL: func.func @model() -> index
// CHECK: [[a:%.*]] = rtl.memory : !rtl.memory<3, 8>
// CHECK: [[b:%.*]] = rtl.memory : !rtl.memory<2, 32>
// CHECK: %w = rtl.memory dense<{{\[}}[1, 2], [3, 4]]> : tensor<2x2xi8> : !rtl.memory<4, 8>
// CHECK: %x = rtl.memory : !rtl.memory<2, 8>
// The input comes first.
// CHECK: scf.for [[k:%.*]] =
// CHECK-NEXT: [[e:%.*]] = rtl.receive : i8
// CHECK-NEXT: rtl.store [[e]], %x{{\[}}[[k]]]
// CHECK: rtl.load %w{{\[}}%{{.*}}] : !rtl.memory<4, 8> -> i8
// CHECK: rtl.store {{%.*}}, [[a]]
// CHECK: rtl.store {{%.*}}, [[b]][%{{.*}}] : i8, !rtl.memory<2, 32>
// CHECK: rtl.load [[b]][%{{.*}}] : !rtl.memory<2, 32> -> i32
// The output comes last.
// CHECK: scf.for
// CHECK: rtl.send {{%.*}} to 0 : i64 : i8
// CHECK: func.return {{%.*}} : index

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
// CHECK-LABEL: func.func @local
// CHECK: %counts = rtl.memory : !rtl.memory<2, 16>
// CHECK: rtl.store %{{.*}}, %counts[%{{.*}}] : i16, !rtl.memory<2, 16>
// CHECK-NOT: memref.alloca
