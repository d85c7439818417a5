// What each pass of a pipeline did, in order: changes, passes without an effect and the reason that a remark or the pass
// states, and steps whose option is not given or whose property the format lacks.

// RUN: tinyml-opt %s -p 'buffers-to-nests' --pass-effects 2>&1 >%t.mlir | filecheck %s --check-prefix=NESTS
// RUN: tinyml-opt %s -p 'fuse-loops' --pass-effects 2>&1 >%t.mlir | filecheck %s --check-prefix=REMARK
// RUN: tinyml-opt %s -p 'split-constants{target=uno},vectorise-loops{target=uno},vectorise-loops{target=uno}' --pass-effects 2>&1 >%t.mlir | filecheck %s --check-prefix=BOARD
// RUN: tinyml-opt %s -p 'fuse-loops' 2>&1 >%t.mlir | filecheck %s --allow-empty --check-prefix=UNASKED

func.func @two(%A: memref<4x!fixed.q<8, 4>>, %B: memref<4x!fixed.q<8, 4>>) {
  num.nest %i to 4 {
    %a = memref.load %A[%i] : memref<4x!fixed.q<8, 4>>
    memref.store %a, %B[%i] : memref<4x!fixed.q<8, 4>>
  }
  num.nest %i to 3 {
    %b = memref.load %B[%i] : memref<4x!fixed.q<8, 4>>
    memref.store %b, %B[%i] : memref<4x!fixed.q<8, 4>>
  }
  func.return
}
// NESTS: no change  lower-tdsl-to-loops
// The class of ops on which a pass acts.
// NESTS: no change  code-forests: no num.forest
// NESTS-NEXT: left out   load-weights: only if load_weights
// REMARK: no change  fuse-loops: is not fused with the nest before it: it has 3 iterations, the other 4
// BOARD: no change  split-constants: no constant has more than 32,767 bytes
// The first pass with a target records it in the module.
// BOARD-NEXT: changed    vectorise-loops
// BOARD-NEXT: no change  vectorise-loops: uno has no vectors
// UNASKED-NOT: fuse-loops
