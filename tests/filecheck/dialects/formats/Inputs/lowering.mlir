// What every format goes through, from tensors to bits; TYPE and STORAGE are replaced by those of a format, by the test
// `tests/numeric/dialects/formats/test_format_lowering.py`, which runs both pipelines.

func.func @model(%X: tensor<2x3xTYPE>, %Y: tensor<2x3xTYPE>) -> tensor<2x3xTYPE> {
  %a = tdsl.add %X, %Y : tensor<2x3xTYPE>, tensor<2x3xTYPE> -> tensor<2x3xTYPE>
  %b = tdsl.tanh %a : tensor<2x3xTYPE> -> tensor<2x3xTYPE>
  %c = tdsl.relu %b : tensor<2x3xTYPE> -> tensor<2x3xTYPE>
  %d = tdsl.mul %c, %X : tensor<2x3xTYPE>, tensor<2x3xTYPE> -> tensor<2x3xTYPE>
  func.return %d : tensor<2x3xTYPE>
}

// The tensor ops do not know the format, which stands in the types alone.
// LOOPS-LABEL: func.func @model(%X: memref<2x3xTYPE>, %Y: memref<2x3xTYPE>)
// LOOPS: scratch.view {{.*}} to memref<2x3xTYPE>
// LOOPS: scf.for
// LOOPS: memref.load {{.*}} : memref<2x3xTYPE>
// LOOPS: num.add {{.*}} : TYPE, TYPE -> TYPE
// LOOPS: num.tanh {{.*}} : TYPE -> TYPE
// LOOPS: num.clamp {{.*}} : TYPE -> TYPE
// LOOPS: num.mul {{.*}} : TYPE, TYPE -> TYPE
// LOOPS: memref.store {{.*}} : memref<2x3xTYPE>

// Then nothing is left of it but what lies in memory, and a note for people.
// BITS-LABEL: func.func @model(%X: memref<2x3xSTORAGE> {tinyml.format = "TYPE"}, %Y: memref<2x3xSTORAGE> {tinyml.format = "TYPE"}
// BITS-NOT: num.
// BITS: memref.store {{.*}} : memref<2x3xSTORAGE>
// BITS-NOT: num.
// BITS: func.return
