// RUN: tinyml-opt %s -p 'tile-segment{first=y.0 last=z.1 by=blocks},canonicalize,cse' | filecheck %s

// The four pixels under a window of the pool are computed together; no ring of the convolution's result is kept.
func.func @pooled(%X: tensor<1x8x8x2x!fixed.q<8, 7>>) -> tensor<1x3x3x4x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<4x3x3x2xi8> -> tensor<4x3x3x2x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x3x3x2x!fixed.q<8, 7>>, tensor<1x8x8x2x!fixed.q<8, 7>> -> tensor<1x6x6x4x!fixed.q<8, 5>>
  %z = tdsl.max_pool %y {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : tensor<1x6x6x4x!fixed.q<8, 5>> -> tensor<1x3x3x4x!fixed.q<8, 5>>
  func.return %z : tensor<1x3x3x4x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @pooled(%X: tensor<1x8x8x2x!fixed.q<8, 7>>) -> tensor<1x3x3x4x!fixed.q<8, 5>> {
// CHECK-NEXT: %F = tdsl.const dense<1> : tensor<4x18xi8> -> tensor<4x18x!fixed.q<8, 7>>
// CHECK-NEXT: %z = tensor.empty() : tensor<1x3x3x4x!fixed.q<8, 5>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[vz_1:%.*]] = scf.for [[v4:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vz_2:%.*]] = %z) -> (tensor<1x3x3x4x!fixed.q<8, 5>>) {
// CHECK-NEXT: [[vz_3:%.*]] = scf.for [[v5:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[vz_4:%.*]] = [[vz_2]]) -> (tensor<1x3x3x4x!fixed.q<8, 5>>) {
// CHECK-NEXT: [[v6:%.*]] = arith.muli [[v4]], [[v3]] : index
// CHECK-NEXT: [[v7:%.*]] = arith.muli [[v5]], [[v3]] : index
// CHECK-NEXT: %y = tensor.empty() : tensor<1x2x2x4x!fixed.q<8, 5>>
// CHECK-NEXT: [[vy_1:%.*]] = scf.for [[v8:%.*]] = [[v0]] to [[v3]] step [[v2]] iter_args([[vy_2:%.*]] = %y) -> (tensor<1x2x2x4x!fixed.q<8, 5>>) {
// CHECK-NEXT: [[vy_3:%.*]] = scf.for [[v9:%.*]] = [[v0]] to [[v3]] step [[v2]] iter_args([[vy_4:%.*]] = [[vy_2]]) -> (tensor<1x2x2x4x!fixed.q<8, 5>>) {
// CHECK-NEXT: [[v10:%.*]] = arith.addi [[v6]], [[v8]] : index
// CHECK-NEXT: [[v11:%.*]] = arith.addi [[v7]], [[v9]] : index
// CHECK-NEXT: %window = tdsl.window %X{{\[}}[[v10]], [[v11]]] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>} : tensor<1x8x8x2x!fixed.q<8, 7>> -> tensor<1x3x3x2x!fixed.q<8, 7>>
// CHECK-NEXT: [[vwindow_1:%.*]] = tdsl.reshape %window : tensor<1x3x3x2x!fixed.q<8, 7>> -> tensor<18x1x!fixed.q<8, 7>>
// CHECK-NEXT: [[vy_5:%.*]] = tdsl.matmul %F, [[vwindow_1]] : tensor<4x18x!fixed.q<8, 7>>, tensor<18x1x!fixed.q<8, 7>> -> tensor<4x1x!fixed.q<8, 5>>
// CHECK-NEXT: [[vy_6:%.*]] = tdsl.reshape [[vy_5]] : tensor<4x1x!fixed.q<8, 5>> -> tensor<1x1x1x4x!fixed.q<8, 5>>
// CHECK-NEXT: [[v12:%.*]] = tdsl.insert_slice [[vy_6]], [[vy_4]]{{\[}}[[v0]], [[v8]], [[v9]], [[v0]]] : tensor<1x1x1x4x!fixed.q<8, 5>>, tensor<1x2x2x4x!fixed.q<8, 5>> -> tensor<1x2x2x4x!fixed.q<8, 5>>
// CHECK-NEXT: scf.yield [[v12]] : tensor<1x2x2x4x!fixed.q<8, 5>>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield [[vy_3]] : tensor<1x2x2x4x!fixed.q<8, 5>>
// CHECK-NEXT: }
// CHECK-NEXT: [[vz_5:%.*]] = tdsl.max_pool [[vy_1]] {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : tensor<1x2x2x4x!fixed.q<8, 5>> -> tensor<1x1x1x4x!fixed.q<8, 5>>
// CHECK-NEXT: [[v13:%.*]] = tdsl.insert_slice [[vz_5]], [[vz_4]]{{\[}}[[v0]], [[v4]], [[v5]], [[v0]]] : tensor<1x1x1x4x!fixed.q<8, 5>>, tensor<1x3x3x4x!fixed.q<8, 5>> -> tensor<1x3x3x4x!fixed.q<8, 5>>
// CHECK-NEXT: scf.yield [[v13]] : tensor<1x3x3x4x!fixed.q<8, 5>>
// CHECK-NEXT: } {tdsl.rings = [unit]}
// CHECK-NEXT: scf.yield [[vz_3]] : tensor<1x3x3x4x!fixed.q<8, 5>>
// CHECK-NEXT: } {tdsl.rings = [unit]}
// CHECK-NEXT: func.return [[vz_1]] : tensor<1x3x3x4x!fixed.q<8, 5>>
