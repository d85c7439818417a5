// A softmax with a mask reads what it prints, as a value and on buffers.

// RUN: %roundtrip

func.func @masks(%x: tensor<2x3x2x!fixed.q<8, 4>>) -> tensor<2x3x2x!fixed.q<8, 7>> {
  %m = tdsl.const dense<[[127, 0], [0, 127], [127, 127]]> : tensor<3x2xi8> -> tensor<3x2x!fixed.q<8, 7>>
  %p = tdsl.masked_softmax %x, %m : tensor<2x3x2x!fixed.q<8, 4>>, tensor<3x2x!fixed.q<8, 7>> -> tensor<2x3x2x!fixed.q<8, 7>>
// CHECK: %p = tdsl.masked_softmax %x, %m : tensor<2x3x2x!fixed.q<8, 4>>, tensor<3x2x!fixed.q<8, 7>> -> tensor<2x3x2x!fixed.q<8, 7>>
  func.return %p : tensor<2x3x2x!fixed.q<8, 7>>
}

func.func @buffers(%x: memref<3x2xf32>, %m: memref<2xf32>) {
  tdsl.masked_softmax %x, %m : memref<3x2xf32>, memref<2xf32> into %x : memref<3x2xf32>
// CHECK: tdsl.masked_softmax %x, %m : memref<3x2xf32>, memref<2xf32> into %x : memref<3x2xf32>
  func.return
}
