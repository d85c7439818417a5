// RUN: tinyml-opt %s -p unroll-loops --split-input-file | filecheck %s

// The iCE40UP5K has 8 multipliers, enough for 8 products.
builtin.module attributes {tinyml.target = "ice40-up5k"} {
  func.func @as_many(%x: i8, %y: i6) -> i24 {
    %0 = arith.extsi %x : i8 to i24
    %small = arith.extsi %y : i6 to i24
    %a0 = rtl.receive : i8
    %w0 = arith.extsi %a0 : i8 to i24
    %p0 = arith.muli %w0, %0 : i24
    %a1 = rtl.receive : i8
    %w1 = arith.extsi %a1 : i8 to i24
    %p1 = arith.muli %w1, %0 : i24
    %t1 = arith.addi %p0, %p1 : i24
    %a2 = rtl.receive : i8
    %w2 = arith.extsi %a2 : i8 to i24
    %p2 = arith.muli %w2, %0 : i24
    %t2 = arith.addi %t1, %p2 : i24
    %a3 = rtl.receive : i8
    %w3 = arith.extsi %a3 : i8 to i24
    %p3 = arith.muli %w3, %small : i24
    %t3 = arith.addi %t2, %p3 : i24
    %a4 = rtl.receive : i8
    %w4 = arith.extsi %a4 : i8 to i24
    %p4 = arith.muli %w4, %0 : i24
    %t4 = arith.addi %t3, %p4 : i24
    %a5 = rtl.receive : i8
    %w5 = arith.extsi %a5 : i8 to i24
    %p5 = arith.muli %w5, %0 : i24
    %t5 = arith.addi %t4, %p5 : i24
    %a6 = rtl.receive : i8
    %w6 = arith.extsi %a6 : i8 to i24
    %p6 = arith.muli %w6, %0 : i24
    %t6 = arith.addi %t5, %p6 : i24
    %a7 = rtl.receive : i8
    %w7 = arith.extsi %a7 : i8 to i24
    %p7 = arith.muli %w7, %0 : i24
    %t7 = arith.addi %t6, %p7 : i24
    func.return %t7 : i24
  }
}
// CHECK-LABEL: func.func @as_many
// CHECK-NOT: rtl.logic
// CHECK: func.return

// -----

// Of 9 products, the one with the shortest factors is computed in LUTs.
builtin.module attributes {tinyml.target = "ice40-up5k"} {
  func.func @one_more(%x: i8, %y: i6) -> i24 {
    %0 = arith.extsi %x : i8 to i24
    %small = arith.extsi %y : i6 to i24
    %a0 = rtl.receive : i8
    %w0 = arith.extsi %a0 : i8 to i24
    %p0 = arith.muli %w0, %0 : i24
    %a1 = rtl.receive : i8
    %w1 = arith.extsi %a1 : i8 to i24
    %p1 = arith.muli %w1, %0 : i24
    %t1 = arith.addi %p0, %p1 : i24
    %a2 = rtl.receive : i8
    %w2 = arith.extsi %a2 : i8 to i24
    %p2 = arith.muli %w2, %0 : i24
    %t2 = arith.addi %t1, %p2 : i24
    %a3 = rtl.receive : i8
    %w3 = arith.extsi %a3 : i8 to i24
    %p3 = arith.muli %w3, %small : i24
    %t3 = arith.addi %t2, %p3 : i24
    %a4 = rtl.receive : i8
    %w4 = arith.extsi %a4 : i8 to i24
    %p4 = arith.muli %w4, %0 : i24
    %t4 = arith.addi %t3, %p4 : i24
    %a5 = rtl.receive : i8
    %w5 = arith.extsi %a5 : i8 to i24
    %p5 = arith.muli %w5, %0 : i24
    %t5 = arith.addi %t4, %p5 : i24
    %a6 = rtl.receive : i8
    %w6 = arith.extsi %a6 : i8 to i24
    %p6 = arith.muli %w6, %0 : i24
    %t6 = arith.addi %t5, %p6 : i24
    %a7 = rtl.receive : i8
    %w7 = arith.extsi %a7 : i8 to i24
    %p7 = arith.muli %w7, %0 : i24
    %t7 = arith.addi %t6, %p7 : i24
    %a8 = rtl.receive : i8
    %w8 = arith.extsi %a8 : i8 to i24
    %p8 = arith.muli %w8, %0 : i24
    %t8 = arith.addi %t7, %p8 : i24
    func.return %t8 : i24
  }
}
// CHECK-LABEL: func.func @one_more
// CHECK: %p2 = arith.muli %w2, %0 : i24
// CHECK: %p3 = arith.muli %w3, %small {rtl.logic} : i24
// CHECK-NOT: rtl.logic
// CHECK: func.return
