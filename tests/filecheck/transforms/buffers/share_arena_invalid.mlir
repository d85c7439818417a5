// RUN: tinyml-opt %s -p share-arena --split-input-file --verify-diagnostics | filecheck %s
func.func @alone(%X: memref<1xf32>) -> index {
  %l = tdsl.argmax %X : memref<1xf32>
  func.return %l : index
}
// CHECK: an arena is shared by two functions or more, the module has 1

// -----

func.func @one(%X: memref<1xf32>) -> index {
  %y = scratch.alloc : memref<1xf32>
  tdsl.neg %X : memref<1xf32> into %y : memref<1xf32>
  %l = tdsl.argmax %y : memref<1xf32>
  func.return %l : index
}
func.func @two(%X: memref<1xf32>) -> index {
  %l = tdsl.argmax %X : memref<1xf32>
  func.return %l : index
}
// CHECK: the buffers of @one have no offsets: run pack-scratch first

// -----

func.func @one(%X: memref<1xf32>) -> index {
  %l = tdsl.argmax %X : memref<1xf32>
  func.return %l : index
}
func.func @two(%X: memref<1xf32>) -> index {
  %arena = scratch.arena {alignment = 4 : i64} : memref<8xi8>
  %a = scratch.view %arena[0 : i64] {live = [0 : i64, 0 : i64]} : memref<8xi8> to memref<1xf32>
  %b = scratch.view %arena[4 : i64] {live = [1 : i64, 1 : i64]} : memref<8xi8> to memref<1xf32>
  tdsl.neg %X : memref<1xf32> into %a : memref<1xf32>
  scratch.move %a to %b : memref<1xf32> to memref<1xf32>
  %l = tdsl.argmax %b : memref<1xf32>
  func.return %l : index
}
// CHECK: @two moves buffers, which functions that share an arena do not
