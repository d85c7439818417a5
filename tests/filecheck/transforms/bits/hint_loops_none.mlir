// RUN: tinyml-opt %s -p 'hint-loops{cells=2}' --split-input-file | filecheck %s

// Programs for no hardware get no hints.
func.func @software(%x: memref<8xi8>) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %start = arith.constant 0 : i8
  %sum = scf.for %k = %zero to %eight step %one iter_args(%s = %start) -> (i8) {
    %a = memref.load %x[%k] : memref<8xi8>
    %t = arith.addi %s, %a : i8
    scf.yield %t : i8
  }
  func.return %sum : i8
}
// CHECK-LABEL: func.func @software
// CHECK-NOT: hls.
// CHECK-LABEL: func.func @copy

// -----

// A loop that takes one element at once is a pipeline and nothing else, and its arrays have one part.
builtin.module attributes {tinyml.target = "ecp5-25k"} {
  func.func @copy(%x: memref<8xi8>) -> memref<8xi8> {
    %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
    %y = scratch.view %arena[0 : i64] : memref<8xi8> to memref<8xi8>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eight = arith.constant 8 : index
    scf.for %k = %zero to %eight step %one {
      %a = memref.load %x[%k] : memref<8xi8>
      memref.store %a, %y[%k] : memref<8xi8>
    }
    func.return %y : memref<8xi8>
  }
}
// CHECK-SAME: (%x: memref<8xi8>) -> memref<8xi8> {
// CHECK: } {hls.pipeline}
