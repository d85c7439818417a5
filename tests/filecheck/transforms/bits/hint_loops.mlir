// RUN: tinyml-opt %s -p 'hint-loops{cells=2}' | filecheck %s
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
      %sum = scf.for %k = %zero to %eight step %one iter_args(%s = %start) -> (i8) {
        %a = memref.load %row[%k] : memref<8xi8, #scratch.flash>
        %b = memref.load %x[%k] : memref<8xi8>
        %p = arith.muli %a, %b : i8
        %t = arith.addi %s, %p : i8
        scf.yield %t : i8
      }
      memref.store %sum, %y[%i] : memref<4xi8>
    }
    func.return %y : memref<4xi8>
  }
}
// CHECK: func.func @sums(%x: memref<8xi8> {hls.partition = [[n:[0-9]+]] : i64})
// CHECK: scratch.constant {{.*}} {hls.partition = [[n]] : i64}
// CHECK: scratch.arena {alignment = 1 : i64}
// CHECK: scf.for %k
// CHECK: } {hls.pipeline, hls.unroll = [[n]] : i64}
// CHECK-NEXT: memref.store
// CHECK-NEXT: {{^ *}}}{{$}}

// C: #pragma HLS ARRAY_PARTITION cyclic factor=[[n:[0-9]+]] variable=x
// C: #pragma HLS ARRAY_PARTITION cyclic factor=[[n]] variable=sums_w
// C: for (
// C-NOT: #pragma
// C: for (
// C-NEXT: #pragma HLS PIPELINE
// C-NEXT: #pragma HLS UNROLL factor=[[n]]
// C-NEXT: row[k] * x[k]
