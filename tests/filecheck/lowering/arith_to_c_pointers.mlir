// RUN: tinyml-opt %s --split-input-file -p lower-arith-to-c | filecheck %s

// Pointers follow 32 loads of a loop; no chip has more registers.

func.func @most(%X: memref<4xi16>) -> (index, memref<4xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %W = scratch.constant dense<7> : tensor<4xi16> -> memref<4xi16, #scratch.flash>
  %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
  %y = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4xi16>
  scf.for %i = %c0 to %c4 step %c1 {
    %s0 = memref.load %X[%i] : memref<4xi16>
    %w1 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s1 = arith.andi %s0, %w1 : i16
    %w2 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s2 = arith.andi %s1, %w2 : i16
    %w3 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s3 = arith.andi %s2, %w3 : i16
    %w4 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s4 = arith.andi %s3, %w4 : i16
    %w5 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s5 = arith.andi %s4, %w5 : i16
    %w6 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s6 = arith.andi %s5, %w6 : i16
    %w7 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s7 = arith.andi %s6, %w7 : i16
    %w8 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s8 = arith.andi %s7, %w8 : i16
    %w9 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s9 = arith.andi %s8, %w9 : i16
    %w10 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s10 = arith.andi %s9, %w10 : i16
    %w11 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s11 = arith.andi %s10, %w11 : i16
    %w12 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s12 = arith.andi %s11, %w12 : i16
    %w13 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s13 = arith.andi %s12, %w13 : i16
    %w14 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s14 = arith.andi %s13, %w14 : i16
    %w15 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s15 = arith.andi %s14, %w15 : i16
    %w16 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s16 = arith.andi %s15, %w16 : i16
    %w17 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s17 = arith.andi %s16, %w17 : i16
    %w18 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s18 = arith.andi %s17, %w18 : i16
    %w19 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s19 = arith.andi %s18, %w19 : i16
    %w20 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s20 = arith.andi %s19, %w20 : i16
    %w21 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s21 = arith.andi %s20, %w21 : i16
    %w22 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s22 = arith.andi %s21, %w22 : i16
    %w23 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s23 = arith.andi %s22, %w23 : i16
    %w24 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s24 = arith.andi %s23, %w24 : i16
    %w25 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s25 = arith.andi %s24, %w25 : i16
    %w26 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s26 = arith.andi %s25, %w26 : i16
    %w27 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s27 = arith.andi %s26, %w27 : i16
    %w28 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s28 = arith.andi %s27, %w28 : i16
    %w29 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s29 = arith.andi %s28, %w29 : i16
    %w30 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s30 = arith.andi %s29, %w30 : i16
    %w31 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s31 = arith.andi %s30, %w31 : i16
    %w32 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s32 = arith.andi %s31, %w32 : i16
    memref.store %s32, %y[%i] : memref<4xi16>
  }
  func.return %c1, %y : index, memref<4xi16>
}

// CHECK-LABEL: c.func @most_predict
// CHECK-COUNT-32: c.variable = %W
// CHECK:          c.for %i
// CHECK-COUNT-32: c.next
// CHECK-NOT:      c.load %W
// CHECK:          c.store

// -----

// One more load, and all of them take an index: pointers on the stack would cost more.

func.func @more(%X: memref<4xi16>) -> (index, memref<4xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %W = scratch.constant dense<7> : tensor<4xi16> -> memref<4xi16, #scratch.flash>
  %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
  %y = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4xi16>
  scf.for %i = %c0 to %c4 step %c1 {
    %s0 = memref.load %X[%i] : memref<4xi16>
    %w1 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s1 = arith.andi %s0, %w1 : i16
    %w2 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s2 = arith.andi %s1, %w2 : i16
    %w3 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s3 = arith.andi %s2, %w3 : i16
    %w4 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s4 = arith.andi %s3, %w4 : i16
    %w5 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s5 = arith.andi %s4, %w5 : i16
    %w6 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s6 = arith.andi %s5, %w6 : i16
    %w7 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s7 = arith.andi %s6, %w7 : i16
    %w8 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s8 = arith.andi %s7, %w8 : i16
    %w9 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s9 = arith.andi %s8, %w9 : i16
    %w10 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s10 = arith.andi %s9, %w10 : i16
    %w11 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s11 = arith.andi %s10, %w11 : i16
    %w12 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s12 = arith.andi %s11, %w12 : i16
    %w13 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s13 = arith.andi %s12, %w13 : i16
    %w14 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s14 = arith.andi %s13, %w14 : i16
    %w15 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s15 = arith.andi %s14, %w15 : i16
    %w16 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s16 = arith.andi %s15, %w16 : i16
    %w17 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s17 = arith.andi %s16, %w17 : i16
    %w18 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s18 = arith.andi %s17, %w18 : i16
    %w19 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s19 = arith.andi %s18, %w19 : i16
    %w20 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s20 = arith.andi %s19, %w20 : i16
    %w21 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s21 = arith.andi %s20, %w21 : i16
    %w22 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s22 = arith.andi %s21, %w22 : i16
    %w23 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s23 = arith.andi %s22, %w23 : i16
    %w24 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s24 = arith.andi %s23, %w24 : i16
    %w25 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s25 = arith.andi %s24, %w25 : i16
    %w26 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s26 = arith.andi %s25, %w26 : i16
    %w27 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s27 = arith.andi %s26, %w27 : i16
    %w28 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s28 = arith.andi %s27, %w28 : i16
    %w29 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s29 = arith.andi %s28, %w29 : i16
    %w30 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s30 = arith.andi %s29, %w30 : i16
    %w31 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s31 = arith.andi %s30, %w31 : i16
    %w32 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s32 = arith.andi %s31, %w32 : i16
    %w33 = memref.load %W[%i] : memref<4xi16, #scratch.flash>
    %s33 = arith.andi %s32, %w33 : i16
    memref.store %s33, %y[%i] : memref<4xi16>
  }
  func.return %c1, %y : index, memref<4xi16>
}

// CHECK-LABEL: c.func @more_predict
// CHECK-NOT:      c.variable
// CHECK:          c.for %i
// CHECK-COUNT-33: c.load %W[%i]
// CHECK:          c.store

// -----

// A copy of a constant number of elements is a call; one of another number computes its addresses only if it copies.
builtin.module {
  func.func @copies(%X: memref<8xi16>) -> memref<8xi16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
    %y = scratch.view %arena[0 : i64] : memref<16xi8> to memref<8xi16>
    scf.for %i = %c0 to %c4 step %c1 {
      scratch.copy_run %X[%i] to %y[%c0] count %c4 {most = 4 : i64} : memref<8xi16> to memref<8xi16>
      scratch.copy_run %X[%i] to %y[%c4] count %i {most = 4 : i64} : memref<8xi16> to memref<8xi16>
    }
    func.return %y : memref<8xi16>
  }
}
// CHECK-LABEL: c.func @copies_predict
// CHECK:      c.for %i = %c0 to %c4 {
// CHECK-NEXT:   [[eight:%.*]] = c.literal 8 : index
// CHECK-NEXT:   [[from:%.*]] = c.address %X[%i] : !c.ptr<i16, const>
// CHECK-NEXT:   c.invoke @tm_copy(%y, [[from]], [[eight]]) : !c.ptr<i16>, !c.ptr<i16, const>, index
// CHECK:        [[some:%.*]] = c.compare %i ">" [[none:%.*]] : index
// CHECK-NEXT:   c.if [[some]] {
// CHECK-NEXT:     [[at:%.*]] = c.address %y[%c4] : !c.ptr<i16>
// CHECK-NEXT:     [[first:%.*]] = c.address %X[%i] : !c.ptr<i16, const>
// CHECK-NEXT:     c.invoke @tm_copy([[at]], [[first]], {{%.*}}) : !c.ptr<i16>, !c.ptr<i16, const>, index
// CHECK-NEXT:   }
// CHECK-NEXT: }

// -----

// An array for the sums of blocks of rows is declared in each loop over blocks that passes it to a function.

func.func private @tm_copy(memref<?xi32>)
func.func @scoped(%X: memref<4xi32>) -> (index, memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %arena = scratch.arena {alignment = 4 : i64} : memref<16xi8>
  %y = scratch.view %arena[0 : i64] : memref<16xi8> to memref<4xi32>
  %sums = memref.alloca() {tinyml.block_sums} : memref<4xi32>
  scf.for %i = %c0 to %c4 step %c1 {
    %cast = "memref.cast"(%sums) : (memref<4xi32>) -> memref<?xi32>
    %x = memref.load %X[%i] : memref<4xi32>
    memref.store %x, %sums[%c0] : memref<4xi32>
    func.call @tm_copy(%cast) : (memref<?xi32>) -> ()
    scf.for %j = %c0 to %c4 step %c1 {
      %s = memref.load %sums[%j] : memref<4xi32>
      memref.store %s, %y[%j] : memref<4xi32>
    }
  }
  scf.for %k = %c0 to %c4 step %c1 {
    %cast = "memref.cast"(%sums) : (memref<4xi32>) -> memref<?xi32>
    func.call @tm_copy(%cast) : (memref<?xi32>) -> ()
    %s = memref.load %sums[%k] : memref<4xi32>
    memref.store %s, %y[%k] : memref<4xi32>
  }
  func.return %c0, %y : index, memref<4xi32>
}

// CHECK:      c.program @scoped
// CHECK-NOT:  c.array
// CHECK:      c.for %i
// CHECK-NEXT:   %sums = c.array 4 : !c.ptr<i32>
// CHECK:      c.for %k
// CHECK-NEXT:   {{.*}} = c.array 4 : !c.ptr<i32>
// CHECK-NOT:  c.array
