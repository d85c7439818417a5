// RUN: not tinyml-opt %s -p expand-nests 2>&1 | filecheck %s

// Memories of hardware have no elements that `memref.load` reads.
// CHECK: expand_nests_invalid.mlir:{{[0-9]+}}:{{[0-9]+}}: pass 'expand-nests': rows in memories of type !rtl.memory<1, 8>: run spread-entries before this pass
func.func @compressed_rows() {
  %gaps = rtl.memory dense<1> : tensor<4xi8> : !rtl.memory<4, 8>
  %lengths = rtl.memory dense<4> : tensor<1xi8> : !rtl.memory<1, 8>
  %x = rtl.memory : !rtl.memory<5, 32>
  %y = rtl.memory : !rtl.memory<1, 32>
  %start = arith.constant 0 : i32
  num.contract %row to 1 {
    %sum = num.entries %start, %gaps, %lengths : i32, !rtl.memory<4, 8>, !rtl.memory<1, 8> -> i32 {
    ^bb0(%s: i32, %entry: index, %column: index):
      %v = rtl.load %x[%column] : !rtl.memory<5, 32> -> i32
      %t = arith.addi %s, %v : i32
      num.next %t : i32
    }
    rtl.store %sum, %y[%row] : i32, !rtl.memory<1, 32>
  }
  func.return
}
