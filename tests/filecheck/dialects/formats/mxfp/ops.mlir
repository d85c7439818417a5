// Types of floats in groups read what they print; elements are integers by a table.

// RUN: %roundtrip
// RUN: %generic
// RUN: tinyml-opt %s -p 'formats-to-buffers,buffers-to-loops,lower-num-to-exact,lower-exact-to-arith' | filecheck %s --check-prefix=BITS

func.func @blocks(%x: tensor<6x1x!fixed.q<8, 7>>) -> tensor<1x1x!fixed.q<8, 3>> {
  %w = tdsl.const dense<[[1, -2, 126, 7, 0, -126]]> : tensor<1x6xi8> -> tensor<1x6x!mxfp.b<4, 3, -2, 4 of 6, [0, 2]>>
  %y = tdsl.matmul %w, %x : tensor<1x6x!mxfp.b<4, 3, -2, 4 of 6, [0, 2]>>, tensor<6x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 3>>
  func.return %y : tensor<1x1x!fixed.q<8, 3>>
}
// CHECK: tensor<1x6x!mxfp.b<4, 3, -2, 4 of 6, [0, 2]>>
// GENERIC: tensor<1x6x!mxfp.b<4, 3, -2, 4 of 6, [0, 2]>>

// The numbers of e4m3 are integers of 18 bits and a sign.
// BITS: memref<{{.*}}i32, #scratch.flash>
// BITS: arith.shli
