// What cannot be lowered is said in one line.

// RUN: tinyml-opt %s -p lower-num-to-exact,lower-exact-to-arith --split-input-file --verify-diagnostics | filecheck %s

builtin.module attributes {tinyml.target = "uno"} {
  func.func @packed(%X: memref<4x!fixed.q<16, 12>>, %i: index, %sum: !fixed.acc<32, 15>) -> !fixed.acc<32, 15> {
    %W = scratch.constant dense<1> : tensor<2x4xi8> -> memref<2x4x!fixed.q<6, 3>, #scratch.packed<6>>
    %zero = arith.constant 0 : index
    %block = scratch.slice %W[%zero] : memref<2x4x!fixed.q<6, 3>, #scratch.packed<6>> to memref<6x!fixed.q<6, 3>, #scratch.packed<6>>
    %row = scratch.slice %block[%i] : memref<6x!fixed.q<6, 3>, #scratch.packed<6>> to memref<4x!fixed.q<6, 3>, #scratch.packed<6>>
    %next = num.call #num.dot(%sum, %row, %X) by #num.composed_kernel<num.dot, integer 6, integer 16, sum = 32> : (!fixed.acc<32, 15>, memref<4x!fixed.q<6, 3>, #scratch.packed<6>>, memref<4x!fixed.q<16, 12>>) -> !fixed.acc<32, 15>
    func.return %next : !fixed.acc<32, 15>
  }
}
// CHECK: num_to_exact_invalid.mlir:{{.*}}: a run of elements of 6 bits must begin at a multiple of 4

// -----

// An op of a model whose file has no lines is named by its layer, and the layers of what was fused are all named.
builtin.module attributes {tinyml.target = "uno"} {
  func.func @layer(%W: memref<4x!fixed.q<8, 4>>, %X: memref<4x!fixed.q<8, 4>>, %sum: !fixed.acc<32, 8>) -> !fixed.acc<32, 8> {
    %next = num.call #num.dot(%sum, %W, %X) : (!fixed.acc<32, 8>, memref<4x!fixed.q<8, 4>>, memref<4x!fixed.q<8, 4>>) -> !fixed.acc<32, 8> loc(fused<"y = matmul(W, X)">[fused["Linear 'body.1'"("net.onnx":0:0), "ReLU 'body.2'"("net.onnx":0:0)]])
    func.return %next : !fixed.acc<32, 8>
  }
}
// CHECK: net.onnx: Linear 'body.1', ReLU 'body.2': num.call: num.dot has no kernel: run select-kernels first
