// RUN: not tinyml-opt %s -p pack-scratch,reorder-ops 2>&1 | filecheck %s
// RUN: sed "s/memref<8xf32> {/memref<8xf32> attributes {scratch.order_gap = -1 : i64} {/" %s | not tinyml-opt 2>&1 | filecheck %s --check-prefix=GAP
// RUN: not tinyml-opt %s -p "reorder-ops{budget=0}" 2>&1 | filecheck %s --check-prefix=BUDGET

func.func @packed(%X: memref<8xf32>) -> memref<8xf32> {
  %a = scratch.alloc : memref<8xf32>
  tdsl.exp %X : memref<8xf32> into %a : memref<8xf32>
  func.return %a : memref<8xf32>
}
// CHECK: the buffers of @packed have their places already
// BUDGET: budget must be positive, got 0
// GAP: scratch.order_gap
