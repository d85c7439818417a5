// A pool and a softmax on buffers (L2).
func.func @life(%image: memref<1x4x6x2x!fixed.q<8, 4>>, %pooled: memref<1x2x3x2x!fixed.q<8, 4>>, %scores: memref<1x4x!fixed.q<8, 4>>, %shares: memref<1x4x!fixed.q<8, 7>>) {
  tdsl.max_pool %image {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : memref<1x4x6x2x!fixed.q<8, 4>> into %pooled : memref<1x2x3x2x!fixed.q<8, 4>>
  tdsl.softmax %scores : memref<1x4x!fixed.q<8, 4>> into %shares : memref<1x4x!fixed.q<8, 7>>
  func.return
}
