// A forest becomes loops over the tables of its trees; features that are floats are compared as integers in their order.

// RUN: tinyml-opt %s -p lower-scratch-to-memref | filecheck %s

func.func @forest(%x: memref<2xf32>) -> memref<2xi16> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<4xi8>
  %sums = scratch.view %arena[0 : i64] : memref<4xi8> to memref<2xi16>
  func.call @trees(%x, %sums) : (memref<2xf32>, memref<2xi16>) -> ()
  func.return %sums : memref<2xi16>
}
// CHECK-LABEL: func.func @forest_predict(%x: memref<2xf32>) {
// CHECK-NEXT: %arena = memref.get_global @arena : memref<4xi8>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: %sums = memref.view %arena{{\[}}[[v0]]][] : memref<4xi8> to memref<2xi16>
// CHECK-NEXT: %features = memref.get_global @features : memref<2xi32>
// CHECK-NEXT: %thresholds = memref.get_global @thresholds : memref<2xi32>
// CHECK-NEXT: %children = memref.get_global @children : memref<4xi32>
// CHECK-NEXT: %roots = memref.get_global @roots : memref<2xi32>
// CHECK-NEXT: %votes = memref.get_global @votes : memref<4xi16>
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 0 : i16
// CHECK-NEXT: [[v3:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 1 : index
// CHECK-NEXT: scf.for [[v5:%.*]] = [[v3]] to [[v1]] step [[v4]] {
// CHECK-NEXT: memref.store [[v2]], %sums{{\[}}[[v5]]] : memref<2xi16>
// CHECK-NEXT: }
// CHECK-NEXT: [[v6:%.*]] = arith.constant 0 : i32
// CHECK-NEXT: [[v7:%.*]] = arith.constant 31 : i32
// CHECK-NEXT: [[v8:%.*]] = arith.constant 2147483647 : i32
// CHECK-NEXT: [[v9:%.*]] = arith.constant -1 : i32
// CHECK-NEXT: scf.for [[v10:%.*]] = [[v3]] to [[v1]] step [[v4]] {
// CHECK-NEXT: [[v11:%.*]] = memref.load %roots{{\[}}[[v10]]] : memref<2xi32>
// CHECK-NEXT: [[v12:%.*]] = scf.while ([[v13:%.*]] = [[v11]]) : (i32) -> i32 {
// CHECK-NEXT: [[v14:%.*]] = arith.cmpi sge, [[v13]], [[v6]] : i32
// CHECK-NEXT: scf.condition([[v14]]) [[v13]] : i32
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0([[v15:%.*]]: i32):
// CHECK-NEXT: [[v16:%.*]] = arith.index_cast [[v15]] : i32 to index
// CHECK-NEXT: [[v17:%.*]] = memref.load %features{{\[}}[[v16]]] : memref<2xi32>
// CHECK-NEXT: [[v18:%.*]] = arith.index_cast [[v17]] : i32 to index
// CHECK-NEXT: [[v19:%.*]] = memref.load %x{{\[}}[[v18]]] : memref<2xf32>
// CHECK-NEXT: [[v20:%.*]] = arith.bitcast [[v19]] : f32 to i32
// CHECK-NEXT: [[v21:%.*]] = arith.shrsi [[v20]], [[v7]] : i32
// CHECK-NEXT: [[v22:%.*]] = arith.andi [[v21]], [[v8]] : i32
// CHECK-NEXT: [[v23:%.*]] = arith.xori [[v20]], [[v22]] : i32
// CHECK-NEXT: [[v24:%.*]] = memref.load %thresholds{{\[}}[[v16]]] : memref<2xi32>
// CHECK-NEXT: [[v25:%.*]] = arith.cmpi sgt, [[v23]], [[v24]] : i32
// CHECK-NEXT: [[v26:%.*]] = arith.extui [[v25]] : i1 to i32
// CHECK-NEXT: [[v27:%.*]] = arith.index_cast [[v26]] : i32 to index
// CHECK-NEXT: [[v28:%.*]] = arith.muli [[v16]], [[v1]] : index
// CHECK-NEXT: [[v29:%.*]] = arith.addi [[v28]], [[v27]] : index
// CHECK-NEXT: [[v30:%.*]] = memref.load %children{{\[}}[[v29]]] : memref<4xi32>
// CHECK-NEXT: scf.yield [[v30]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: [[v31:%.*]] = arith.subi [[v9]], [[v12]] : i32
// CHECK-NEXT: [[v32:%.*]] = arith.index_cast [[v31]] : i32 to index
// CHECK-NEXT: [[v33:%.*]] = arith.muli [[v32]], [[v1]] : index
// CHECK-NEXT: scf.for [[v34:%.*]] = [[v3]] to [[v1]] step [[v4]] {
// CHECK-NEXT: [[v35:%.*]] = arith.addi [[v33]], [[v34]] : index
// CHECK-NEXT: [[v36:%.*]] = memref.load %votes{{\[}}[[v35]]] : memref<4xi16>
// CHECK-NEXT: [[v37:%.*]] = memref.load %sums{{\[}}[[v34]]] : memref<2xi16>
// CHECK-NEXT: [[v38:%.*]] = arith.addi [[v37]], [[v36]] : i16
// CHECK-NEXT: memref.store [[v38]], %sums{{\[}}[[v34]]] : memref<2xi16>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK-LABEL: func.func @forest_scores() -> index {
// CHECK-NEXT: [[v0:%.*]] = memref.get_global @arena : memref<4xi8>
// CHECK-NEXT: [[v1:%.*]] = "memref.extract_aligned_pointer_as_index"([[v0]]) : (memref<4xi8>) -> index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v3:%.*]] = arith.addi [[v1]], [[v2]] : index
// CHECK-NEXT: func.return [[v3]] : index
func.func private @trees(memref<2xf32>, memref<2xi16>) attributes {tinyml.forest = {features = dense<[1, 0]> : tensor<2xi32>, thresholds = dense<[0.5, -0.5]> : tensor<2xf32>, children = dense<[[1, -1], [-2, -1]]> : tensor<2x2xi32>, roots = dense<[0, -2]> : tensor<2xi32>, votes = dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>}}

