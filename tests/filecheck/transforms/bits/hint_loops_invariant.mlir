// RUN: tinyml-opt %s -p 'hint-loops{cells=2}' | filecheck %s

// The hardware computes the square once, before the loop over %k. The hint is the number of the elements of this loop that
// it processes at once.
builtin.module attributes {tinyml.target = "ecp5-25k"} {
  func.func @sums(%x: memref<8xi8>) -> memref<4xi8> {
    %w = scratch.constant dense<1> : tensor<32xi8> -> memref<32xi8, #scratch.flash>
    %arena = scratch.arena {alignment = 1 : i64} : memref<4xi8>
    %y = scratch.view %arena[0 : i64] : memref<4xi8> to memref<4xi8>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %eight = arith.constant 8 : index
    %start = arith.constant 0 : i8
    scf.for %i = %zero to %four step %one {
      %first = arith.muli %i, %eight : index
      %row = scratch.slice %w[%first] : memref<32xi8, #scratch.flash> to memref<8xi8, #scratch.flash>
      %first_x = memref.load %x[%i] : memref<8xi8>
      %sum, %same = num.reduce %start, %start {first = 0 : i64, extent = 8 : i64, kinds = ["sum", "sum"]} : i8, i8 -> i8, i8 {
      ^bb0(%k: index, %s: i8, %r: i8):
        %square = arith.muli %first_x, %first_x : i8
        %u = arith.addi %r, %square : i8
        %a = memref.load %row[%k] : memref<8xi8, #scratch.flash>
        %b = memref.load %x[%k] : memref<8xi8>
        %p = arith.muli %a, %b : i8
        %t = arith.addi %s, %p : i8
        num.next %t, %u : i8, i8
      }
      %both = arith.addi %sum, %same : i8
      memref.store %both, %y[%i] : memref<4xi8>
    }
    func.return %y : memref<4xi8>
  }
}
// CHECK-LABEL: func.func @sums(%x: memref<8xi8> {hls.partition = 4 : i64}) -> memref<4xi8> {
// CHECK-NEXT: %w = scratch.constant dense<1> : tensor<32xi8> {hls.partition = 4 : i64} -> memref<32xi8, #scratch.flash>
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<4xi8>
// CHECK-NEXT: %y = scratch.view %arena[0 : i64] : memref<4xi8> to memref<4xi8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: %eight = arith.constant 8 : index
// CHECK-NEXT: %start = arith.constant 0 : i8
// CHECK-NEXT: scf.for %i = %zero to %four step %one {
// CHECK-NEXT: %first = arith.muli %i, %eight : index
// CHECK-NEXT: %row = scratch.slice %w[%first] : memref<32xi8, #scratch.flash> to memref<8xi8, #scratch.flash>
// CHECK-NEXT: %first_x = memref.load %x[%i] : memref<8xi8>
// CHECK-NEXT: %sum, %same = num.reduce %start, %start {hls.pipeline, hls.unroll = 4 : i64, first = 0 : i64, extent = 8 : i64, kinds = ["sum", "sum"]} : i8, i8 -> i8, i8 {
// CHECK-NEXT: ^bb0(%k: index, %s: i8, %r: i8):
// CHECK-NEXT: %square = arith.muli %first_x, %first_x : i8
// CHECK-NEXT: %u = arith.addi %r, %square : i8
// CHECK-NEXT: %a = memref.load %row[%k] : memref<8xi8, #scratch.flash>
// CHECK-NEXT: %b = memref.load %x[%k] : memref<8xi8>
// CHECK-NEXT: %p = arith.muli %a, %b : i8
// CHECK-NEXT: %t = arith.addi %s, %p : i8
// CHECK-NEXT: num.next %t, %u : i8, i8
// CHECK-NEXT: }
// CHECK-NEXT: %both = arith.addi %sum, %same : i8
// CHECK-NEXT: memref.store %both, %y[%i] : memref<4xi8>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : memref<4xi8>
