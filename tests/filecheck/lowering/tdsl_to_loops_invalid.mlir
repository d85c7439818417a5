// RUN: not tinyml-opt %s -p lower-tdsl-to-scratch,lower-tdsl-to-loops 2>&1 | filecheck %s

func.func @weights(%w: tensor<2x4x!mxint.b<8, 3, 4 of 4, [1, 2]>>, %x: tensor<4x1x!fixed.q<8, 3>>) -> tensor<2x1x!fixed.q<8, 3>> {
  %t = tdsl.matmul %w, %x : tensor<2x4x!mxint.b<8, 3, 4 of 4, [1, 2]>>, tensor<4x1x!fixed.q<8, 3>> -> tensor<2x1x!fixed.q<8, 3>>
  func.return %t : tensor<2x1x!fixed.q<8, 3>>
}
// CHECK: tdsl_to_loops_invalid.mlir:4:3: pass 'lower-tdsl-to-loops': tdsl.matmul: weights that share scales in groups have to be constants, got memref<2x4x!mxint.b<8, 3, 4 of 4, [1, 2]>>
