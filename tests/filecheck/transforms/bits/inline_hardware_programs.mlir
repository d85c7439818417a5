// RUN: tinyml-opt %s -p inline-hardware-programs | filecheck %s
// RUN: tinyml-opt %s -p inline-runtime | filecheck %s --check-prefix=CALLED

// All products of a reciprocal are computed by one multiplication of halves, which 7 * 4 iterations share. On a
// processor, the function is called.
func.func @quotient(%x: i32) -> i32 {
  %y = func.call @tm_reciprocal_s32(%x) : (i32) -> i32
  func.return %y : i32
}
func.func private @tm_reciprocal_s32(i32) -> i32
// CHECK-LABEL: func.func @quotient
// CHECK-NOT: arith.muli
// CHECK: arith.constant 7 : index
// CHECK: scf.for
// CHECK-NOT: arith.muli
// CHECK: arith.constant 4 : index
// CHECK: scf.for
// CHECK: arith.muli {{.*}} : i40
// CHECK-NOT: arith.muli
// CHECK: func.return
// CHECK-NOT: func.func private

// CALLED-LABEL: func.func @quotient
// CALLED-NEXT: func.call @tm_reciprocal_s32(%x)
// CALLED-NEXT: func.return
