// -p and --pass-pipeline both take MLIR's spelling and xDSL's; spaces are free; `-` is the standard stream.

// RUN: tinyml-opt %s -p canonicalize,cse | filecheck %s
// RUN: tinyml-opt %s -p "builtin.module( canonicalize , cse )" | filecheck %s
// RUN: tinyml-opt %s --pass-pipeline="builtin.module(canonicalize,cse)" | filecheck %s
// RUN: %bin/tinyml-opt - --pass-pipeline="canonicalize, cse" -o - < %s | filecheck %s
// RUN: tinyml-opt %s --pass-pipeline="builtin.module()" | filecheck %s --check-prefix=SAME

func.func @f(%a : i32) -> (i32, i32) {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %dead = arith.muli %a, %a : i32
  func.return %0, %1 : i32, i32
}

// CHECK-LABEL:      func.func @f(%a: i32) -> (i32, i32) {
// CHECK-NEXT:   [[SUM:%.*]] = arith.addi %a, %a : i32
// CHECK-NEXT:   func.return [[SUM]], [[SUM]] : i32, i32

// SAME: arith.addi
// SAME: arith.addi
// SAME: arith.muli
