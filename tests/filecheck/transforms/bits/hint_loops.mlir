// RUN: tinyml-opt %s -p 'hint-loops{cells=2}' | filecheck %s
// RUN: sed 's/@sums(%x: memref<8xi8>)/@sums(%x: memref<8xi8>, %z: memref<8xi8>)/' %s | tinyml-opt -p 'hint-loops{cells=2}' | filecheck %s --check-prefix=TWO
// RUN: tinyml-opt %s -p hint-loops | filecheck %s --check-prefix=NONE
// RUN: tinyml-opt %s -p 'bits-to-c{cells=2}' -t c | filecheck %s --check-prefix=C

// All eight elements fit at once into two percent of the LUTs; the counted loop is a pipeline, the one around it is not.
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
      %sum = num.reduce %start {first = 0 : i64, extent = 8 : i64, kinds = ["sum"]} : i8 -> i8 {
      ^bb0(%k: index, %s: i8):
        %a = memref.load %row[%k] : memref<8xi8, #scratch.flash>
        %b = memref.load %x[%k] : memref<8xi8>
        %p = arith.muli %a, %b : i8
        %t = arith.addi %s, %p : i8
        num.next %t : i8
      }
      memref.store %sum, %y[%i] : memref<4xi8>
    }
    func.return %y : memref<4xi8>
  }
}
// CHECK-LABEL: func.func @sums(%x: memref<8xi8> {hls.partition = 8 : i64}) -> memref<4xi8> {
// CHECK-NEXT: %w = scratch.constant dense<1> : tensor<32xi8> {hls.partition = 8 : i64} -> memref<32xi8, #scratch.flash>
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
// CHECK-NEXT: %sum = num.reduce %start {hls.pipeline, hls.unroll = 8 : i64, first = 0 : i64, extent = 8 : i64, kinds = ["sum"]} : i8 -> i8 {
// CHECK-NEXT: ^bb0(%k: index, %s: i8):
// CHECK-NEXT: %a = memref.load %row[%k] : memref<8xi8, #scratch.flash>
// CHECK-NEXT: %b = memref.load %x[%k] : memref<8xi8>
// CHECK-NEXT: %p = arith.muli %a, %b : i8
// CHECK-NEXT: %t = arith.addi %s, %p : i8
// CHECK-NEXT: num.next %t : i8
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %sum, %y[%i] : memref<4xi8>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : memref<4xi8>

// An attribute is for the only argument of a function.
// TWO: func.func @sums(%x: memref<8xi8>, %z: memref<8xi8>) -> memref<4xi8> {
// TWO-NEXT: %w = scratch.constant dense<1> : tensor<32xi8> {hls.partition = 8 : i64}

// Without a budget loops are not unrolled.
// NONE-NOT: hls.unroll
// NONE: num.reduce %start {hls.pipeline, first

// C: #pragma HLS ARRAY_PARTITION cyclic factor=[[n:[0-9]+]] variable=x
// C: #pragma HLS ARRAY_PARTITION cyclic factor=[[n]] variable=sums_w
// C: for (
// C-NOT: #pragma
// C: for (
// C-NEXT: #pragma HLS PIPELINE
// C-NEXT: #pragma HLS UNROLL factor=[[n]]
// C-NEXT: row[k] * x[k]
