// RUN: tinyml-opt %s -p leave-entry-room | filecheck %s
// RUN: tinyml-opt %s -p 'leave-entry-room{weights_margin=1.5}' | filecheck %s --check-prefix=MARGIN
// RUN: tinyml-opt %s -p 'leave-entry-room{weights_margin=1.51}' | filecheck %s --check-prefix=DENSE
// RUN: sed 's/tdsl.spmv %few, %x/tdsl.spmv %few, %x {room = 2 : i64}/' %s | tinyml-opt -p leave-entry-room | filecheck %s
// RUN: sed 's/tdsl.spmv %few, %x/tdsl.spmv %few, %x {room = 1 : i64}/' %s | tinyml-opt -p 'leave-entry-room{weights_margin=1.01}' | filecheck %s
// RUN: sed 's/tdsl.spmv %few, %x/tdsl.spmv %few, %x {room = 1 : i64}/' %s | not tinyml-opt -p leave-entry-room 2>&1 | filecheck %s --check-prefix=MORE
// RUN: sed 's/tdsl.spmv %few, %x/tdsl.spmv %few, %x {room = 4 : i64}/' %s | tinyml-opt -p leave-entry-room | filecheck %s --check-prefix=DENSE

// A third of nine elements are three entries.
func.func @few(%x: tensor<3x1xf32>) -> tensor<3x1xf32> {
  %few = tdsl.const dense<[[0.0, 0.5, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, -1.5]]> : tensor<3x3xf32> -> tensor<3x3xf32, #tdsl.csr>
  %y = tdsl.spmv %few, %x : tensor<3x3xf32, #tdsl.csr>, tensor<3x1xf32> -> tensor<3x1xf32>
  func.return %y : tensor<3x1xf32>
}
// CHECK: tdsl.spmv %few, %x {room = 2 : i64}
// MARGIN: tdsl.spmv %few, %x {room = 3 : i64}
// DENSE-NOT: room
// DENSE: %few = tdsl.const {{.*}} -> tensor<3x3xf32>
// DENSE-NEXT: tdsl.matmul %few, %x
// MORE: --weights-for: the sparse matrix has 2 entries, but the program has room for 1: compile the model anew, or the first one with a greater --weights-margin
