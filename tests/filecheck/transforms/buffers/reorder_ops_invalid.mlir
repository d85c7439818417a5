// RUN: not tinyml-opt %s -p pack-scratch,reorder-ops 2>&1 | filecheck %s
// RUN: not tinyml-opt %s -p "reorder-ops{budget=0}" 2>&1 | filecheck %s --check-prefix=BUDGET

func.func @packed(%X: memref<8xf32>) -> memref<8xf32> {
  %a = scratch.alloc : memref<8xf32>
  tdsl.exp %X : memref<8xf32> into %a : memref<8xf32>
  func.return %a : memref<8xf32>
}
// CHECK: the buffers of @packed have their places already
// BUDGET: budget must be positive, got 0
