// RUN: tinyml-opt %s -p 'lower-tdsl-to-scratch,pack-scratch,check-packing,lower-tdsl-to-loops,canonicalize' | filecheck %s

// A window of an image whose channels come first is gathered channel by channel: 20 elements apart, columns 1, rows 5.
// An insertion in another order goes the other way. Its input lies at the same place, so that it is not copied.
func.func @f(%X: tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> {
  %i = arith.constant 1 : index
  %z = arith.constant 0 : index
  %w = tdsl.window %X[%i, %i] {dilations = array<i64: 1, 1>, margins = array<i64: 0, 0, 0, 0>, axes = array<i64: 0, 2, 3, 1>} : tensor<1x3x4x5xf32> -> tensor<1x2x2x3xf32>
  %e = tensor.empty() : tensor<1x3x4x5xf32>
  %y = tdsl.insert_slice %w, %e[%z, %z, %i, %i] {axes = array<i64: 0, 2, 3, 1>} : tensor<1x2x2x3xf32>, tensor<1x3x4x5xf32> -> tensor<1x3x4x5xf32>
  func.return %y : tensor<1x3x4x5xf32>
}
// CHECK-LABEL: func.func @f(%X: memref<1x3x4x5xf32>) -> memref<1x3x4x5xf32> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 4 : i64, lower_bound = 288 : i64, proof = "exact-cover"} : memref<288xi8>
// CHECK-NEXT: %w = scratch.view %arena[240 : i64] {live = [0 : i64, 1 : i64]} : memref<288xi8> to memref<1x2x2x3xf32>
// CHECK-NEXT: %y = scratch.view %arena[0 : i64] {live = [1 : i64, 2 : i64]} : memref<288xi8> to memref<1x3x4x5xf32>
// CHECK-NEXT: %i = arith.constant 1 : index
// CHECK-NEXT: %z = arith.constant 0 : index
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %X{{\[}}[[v0]]] : memref<1x3x4x5xf32> to memref<60xf32>
// CHECK-NEXT: [[v2:%.*]] = scratch.slice %w{{\[}}[[v0]]] : memref<1x2x2x3xf32> to memref<12xf32>
// CHECK-NEXT: [[v3:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v6:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v7:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[v8:%.*]] = arith.constant 20 : index
// CHECK-NEXT: [[v9:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v10:%.*]] = arith.constant 2 : index
// CHECK-NEXT: scf.for [[v11:%.*]] = [[v0]] to [[v3]] step [[v4]] {
// CHECK-NEXT: [[v12:%.*]] = arith.addi [[v11]], %i : index
// CHECK-NEXT: [[v13:%.*]] = arith.muli [[v11]], [[v5]] : index
// CHECK-NEXT: [[v14:%.*]] = arith.muli [[v12]], [[v7]] : index
// CHECK-NEXT: [[v15:%.*]] = arith.addi [[v14]], [[v9]] : index
// CHECK-NEXT: scf.for [[v16:%.*]] = [[v0]] to [[v6]] step [[v4]] {
// CHECK-NEXT: [[v17:%.*]] = arith.muli [[v16]], [[v8]] : index
// CHECK-NEXT: [[v18:%.*]] = arith.addi [[v15]], [[v17]] : index
// CHECK-NEXT: [[v19:%.*]] = arith.addi [[v13]], [[v16]] : index
// CHECK-NEXT: scf.for [[v20:%.*]] = [[v0]] to [[v10]] step [[v4]] {
// CHECK-NEXT: [[v21:%.*]] = arith.addi [[v18]], [[v20]] : index
// CHECK-NEXT: [[v22:%.*]] = memref.load [[v1]]{{\[}}[[v21]]] : memref<60xf32>
// CHECK-NEXT: [[v23:%.*]] = arith.muli [[v20]], [[v6]] : index
// CHECK-NEXT: [[v24:%.*]] = arith.addi [[v19]], [[v23]] : index
// CHECK-NEXT: memref.store [[v22]], [[v2]]{{\[}}[[v24]]] : memref<12xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: [[v25:%.*]] = arith.constant 0 : index
// CHECK-NEXT: num.nest [[v30:%.*]], [[v31:%.*]], [[v32:%.*]] to 2, 2, 3 {
// CHECK-NEXT: [[v33:%.*]] = memref.load %w{{\[}}[[v25]], [[v30]], [[v31]], [[v32]]] : memref<1x2x2x3xf32>
// CHECK-NEXT: [[v34:%.*]] = affine.apply affine_map<(d0)[s0] -> ((d0 + s0))> ([[v32]])[%z]
// CHECK-NEXT: [[v35:%.*]] = affine.apply affine_map<(d0)[s0] -> ((d0 + s0))> ([[v30]])[%i]
// CHECK-NEXT: [[v36:%.*]] = affine.apply affine_map<(d0)[s0] -> ((d0 + s0))> ([[v31]])[%i]
// CHECK-NEXT: memref.store [[v33]], %y[%z, [[v34]], [[v35]], [[v36]]] : memref<1x3x4x5xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : memref<1x3x4x5xf32>
