// RUN: not tinyml-opt %s -p bits-to-upstream 2>&1 | filecheck %s

// A view of a slice has no flat array.
func.func @f(%x: memref<4xi8>) -> i8 {
  %zero = arith.constant 0 : index
  %arena = scratch.arena {alignment = 1 : i64} : memref<4xi8>
  %part = scratch.slice %arena[%zero] : memref<4xi8> to memref<4xi8>
  %view = scratch.view %part[0 : i64] : memref<4xi8> to memref<4xi8>
  %r = memref.load %view[%zero] : memref<4xi8>
  func.return %r : i8
}
// CHECK: expected a view of the arena, got one of another memref
