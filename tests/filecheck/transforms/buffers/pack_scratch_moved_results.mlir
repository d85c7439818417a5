// A result in the bytes of its operand that moves right behind the op that writes it: its first view is alive at that op.
// RUN: tinyml-opt %s -p "formats-to-buffers{plan=rows target=cortex-m55}" | filecheck %s

func.func @network(%x: tensor<1x1x4x5x!zeroskew.f<8, 0.031679034, -58>>) -> (tensor<1x4x1x4x!zeroskew.f<8, 0.013662067, -52>>, tensor<1x1x4x5x!zeroskew.f<8, 0.025970586, -58>>) {
  %c8 = tdsl.const dense<[[[[78]], [[58]], [[-37]]], [[[94]], [[-37]], [[-21]]], [[[42]], [[9]], [[-33]]], [[[-85]], [[47]], [[-7]]]]> : tensor<4x3x1x1xi8> -> tensor<4x3x1x1x!zeroskew.q<8, 0.005, 0>>
  %t3 = tdsl.map %x : tensor<1x1x4x5x!zeroskew.f<8, 0.031679034, -58>> -> tensor<1x1x4x5x!zeroskew.f<8, 0.025970586, -58>> {
  ^bb0(%x_1: !zeroskew.f<8, 0.031679034, -58>):
    %t2 = num.clamp %x_1 {low = 0.000000e+00 : f64, high = 1.000000e+00 : f64} : !zeroskew.f<8, 0.031679034, -58> -> !zeroskew.f<8, 0.031679034, -58>
    %t3_1 = num.convert %t2 : !zeroskew.f<8, 0.031679034, -58> -> !zeroskew.f<8, 0.025970586, -58>
    tdsl.yield %t3_1 : !zeroskew.f<8, 0.025970586, -58>
  }
  %t5 = tdsl.sigmoid %t3 : tensor<1x1x4x5x!zeroskew.f<8, 0.025970586, -58>> -> tensor<1x1x4x5x!zeroskew.f<8, 0.032791924, 40>>
  %0 = tdsl.reshape %t5 : tensor<1x1x4x5x!zeroskew.f<8, 0.032791924, 40>> -> tensor<1x4x5x1x!zeroskew.f<8, 0.032791924, 40>>
  %t9 = tdsl.conv2d %c8, %0 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 2>, groups = 1 : i64, acc = !zeroskew.facc<32, 0.00016395961574744433>} : tensor<4x3x1x1x!zeroskew.q<8, 0.005, 0>>, tensor<1x4x5x1x!zeroskew.f<8, 0.032791924, 40>> -> tensor<1x2x5x4x!zeroskew.f<8, 0.011533102, 54>>
  %t12 = tdsl.average_pool %t9 {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : tensor<1x2x5x4x!zeroskew.f<8, 0.011533102, 54>> -> tensor<1x1x4x4x!zeroskew.f<8, 0.013662067, -52>>
  %1 = tdsl.transpose %t12 {permutation = array<i64: 0, 3, 1, 2>} : tensor<1x1x4x4x!zeroskew.f<8, 0.013662067, -52>> -> tensor<1x4x1x4x!zeroskew.f<8, 0.013662067, -52>>
  func.return %1, %t3 : tensor<1x4x1x4x!zeroskew.f<8, 0.013662067, -52>>, tensor<1x1x4x5x!zeroskew.f<8, 0.025970586, -58>>
}
// CHECK: %t9 = scratch.view %arena[20 : i64] {live = [3 : i64, 9 : i64], place = 2 : i64}
// CHECK-NEXT: %t12 = scratch.view %arena[20 : i64] {live = [9 : i64, 9 : i64], place = 2 : i64}
// CHECK-NEXT: %t12_1 = scratch.view %arena[29 : i64] {live = [10 : i64, 10 : i64], place = 2 : i64}
// CHECK: scratch.move %t12 to %t12_1
