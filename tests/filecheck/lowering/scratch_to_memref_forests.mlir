// A forest becomes loops over the tables of its trees; features that are floats are compared as integers in their order.

// RUN: tinyml-opt %s -p lower-scratch-to-memref | filecheck %s

func.func @forest(%x: memref<2xf32>) -> memref<2xi16> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<4xi8>
  %sums = scratch.view %arena[0 : i64] : memref<4xi8> to memref<2xi16>
  func.call @trees(%x, %sums) : (memref<2xf32>, memref<2xi16>) -> ()
  func.return %sums : memref<2xi16>
}
func.func private @trees(memref<2xf32>, memref<2xi16>) attributes {tinyml.forest = {features = dense<[1, 0]> : tensor<2xi32>, thresholds = dense<[0.5, -0.5]> : tensor<2xf32>, children = dense<[[1, -1], [-2, -1]]> : tensor<2x2xi32>, roots = dense<[0, -2]> : tensor<2xi32>, votes = dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>}}

// CHECK: "memref.global"() <{sym_name = "features", type = memref<2xi32>, initial_value = dense<[1, 0]> : tensor<2xi32>
// CHECK: "memref.global"() <{sym_name = "thresholds", type = memref<2xi32>, initial_value = dense<[1056964608, -1056964609]> : tensor<2xi32>
// CHECK: "memref.global"() <{sym_name = "children", type = memref<4xi32>, initial_value = dense<[1, -1, -2, -1]> : tensor<4xi32>
// CHECK: "memref.global"() <{sym_name = "roots", type = memref<2xi32>, initial_value = dense<[0, -2]> : tensor<2xi32>
// CHECK: "memref.global"() <{sym_name = "votes", type = memref<4xi16>, initial_value = dense<[1, 2, 3, 4]> : tensor<4xi16>
// CHECK-LABEL: func.func @forest_predict(%x: memref<2xf32>)
// CHECK: [[root:%.*]] = memref.load %roots
// CHECK: [[end:%.*]] = scf.while ([[node:%.*]] = [[root]]) : (i32) -> i32 {
// CHECK: arith.cmpi sge, [[node]]
// CHECK: [[feature:%.*]] = memref.load %x[{{%.*}}] : memref<2xf32>
// CHECK: [[bits:%.*]] = arith.bitcast [[feature]] : f32 to i32
// CHECK: [[number:%.*]] = arith.xori [[bits]]
// CHECK: [[threshold:%.*]] = memref.load %thresholds
// CHECK: [[above:%.*]] = arith.cmpi sgt, [[number]], [[threshold]] : i32
// CHECK: memref.load %children
// CHECK: arith.subi {{%.*}}, [[end]] : i32
// CHECK: memref.load %votes
// CHECK-NOT: func.func private
