// RUN: tinyml-opt %s -p lower-tdsl-to-loops --print-debuginfo | filecheck %s --check-prefix=NESTS
// RUN: tinyml-opt %s -p lower-tdsl-to-loops,fuse-loops --print-debuginfo | filecheck %s --check-prefix=FUSED
// RUN: tinyml-opt %s -p 'buffers-to-loops{target=cortex-m4}' --print-debuginfo | filecheck %s --check-prefix=KERNEL
// RUN: tinyml-opt %s -p 'buffers-to-loops{target=cortex-m4},loops-to-bits' --print-debuginfo | filecheck %s --check-prefix=BITS

// A product and the activation behind it: nests, their bodies, the loop that both become, the kernel and its calls
// have the layers of both.
func.func @layers(%X: memref<16x1x!fixed.q<8, 4>>) -> memref<8x1x!fixed.q<8, 4>> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<16xi8>
  %H = scratch.view %arena[0 : i64] : memref<16xi8> to memref<8x1x!fixed.q<8, 4>>
  %Y = scratch.view %arena[8 : i64] : memref<16xi8> to memref<8x1x!fixed.q<8, 4>>
  %W = scratch.constant dense<100> : tensor<8x16xi8> -> memref<8x16x!fixed.q<8, 4>, #scratch.flash> loc("dense"("net.onnx":0:0))
  tdsl.matmul %W, %X {acc = !fixed.acc<32, 8>, bound = array<i64: -2048, 2048>} : memref<8x16x!fixed.q<8, 4>, #scratch.flash>, memref<16x1x!fixed.q<8, 4>> into %H : memref<8x1x!fixed.q<8, 4>> loc("dense"("net.onnx":0:0))
  tdsl.relu %H : memref<8x1x!fixed.q<8, 4>> into %Y : memref<8x1x!fixed.q<8, 4>> loc("relu"("net.onnx":0:0))
  func.return %Y : memref<8x1x!fixed.q<8, 4>>
}
// NESTS: num.products {{.*}} loc(fused<"H = matmul(W, X)">["dense"("net.onnx":0:0)])
// NESTS: } loc(fused<"H = matmul(W, X)">["dense"("net.onnx":0:0)])
// NESTS: num.clamp {{.*}} loc(fused<"Y = relu(H)">["relu"("net.onnx":0:0)])
// NESTS: } loc(fused<"Y = relu(H)">["relu"("net.onnx":0:0)])

// FUSED: num.products {{.*}} loc(fused<"H = matmul(W, X)">["dense"("net.onnx":0:0)])
// FUSED: num.clamp {{.*}} loc(fused<"Y = relu(H)">["relu"("net.onnx":0:0)])
// FUSED: } loc(fused<"H = matmul(W, X)">[fused["dense"("net.onnx":0:0), "relu"("net.onnx":0:0)]])

// KERNEL: num.call {{.*}}tm_cm_dot4{{.*}} loc(fused<"H = matmul(W, X)">[fused["dense"("net.onnx":0:0), "relu"("net.onnx":0:0)]])
// KERNEL: num.finish {{.*}} loc(fused<"H = matmul(W, X)">["dense"("net.onnx":0:0)])

// BITS: func.call @tm_cm_dot4{{.*}} loc(fused<"H = matmul(W, X)">[fused["dense"("net.onnx":0:0), "relu"("net.onnx":0:0)]])
// BITS: func.call @tm_limit{{.*}} loc(fused<"H = matmul(W, X)">["dense"("net.onnx":0:0)])
// BITS: arith.maxsi {{.*}} loc(fused<"Y = relu(H)">["relu"("net.onnx":0:0)])
