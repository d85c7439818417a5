// RUN: tinyml-opt %s -p read-forests | filecheck %s
// RUN: tinyml-opt %s -p read-forests,lower-arith-to-c -t c | filecheck %s --check-prefix=C
// RUN: sed 's/3, 4, 3, 8/3, 4, 32767, 16/' %s | tinyml-opt -p read-forests | filecheck %s --check-prefix=SHORT
// RUN: sed 's/3, 4, 3, 8/3, 4, 32768, 17/; s/xi16/xi32/g; s/4xi8>/8xi8>/g' %s | tinyml-opt -p read-forests | filecheck %s --check-prefix=LONG
// RUN: sed 's/2xi8>/256xi8>/g; s/dense<\[5, -7\]> : tensor<256xi8>/dense<[5, -7]> : tensor<2xi8>/' %s | tinyml-opt -p read-forests | filecheck %s --check-prefix=BYTE
// RUN: sed 's/2xi8>/257xi8>/g; s/dense<\[5, -7\]> : tensor<257xi8>/dense<[5, -7]> : tensor<2xi8>/' %s | tinyml-opt -p read-forests | filecheck %s --check-prefix=WIDE
// RUN: sed 's/attributes {tinyml.forest_room[^}]*}//' %s | tinyml-opt -p read-forests | filecheck %s --check-prefix=NONE
// RUN: sed 's/attributes {tinyml.forest_room/attributes {tinyml.far_forest, tinyml.forest_room/' %s | tinyml-opt -p read-forests | filecheck %s --check-prefix=FAR

// There is room for three trees, four inner nodes and three leaves. Votes of the sums' 16 bits take 8.
func.func @forest(%x: memref<2xi8>) -> memref<2xi16> attributes {tinyml.forest_room = array<i64: 3, 4, 3, 8>} {
  %arena = scratch.arena {alignment = 2 : i64} : memref<4xi8>
  %sums = scratch.view %arena[0 : i64] : memref<4xi8> to memref<2xi16>
  %run = "memref.cast"(%x) : (memref<2xi8>) -> memref<?xi8>
  func.call @trees(%run, %sums) : (memref<?xi8>, memref<2xi16>) -> ()
  func.return %sums : memref<2xi16>
}
func.func private @trees(memref<?xi8>, memref<2xi16>) attributes {tinyml.forest = {features = dense<[1, 0]> : tensor<2xi32>, thresholds = dense<[5, -7]> : tensor<2xi8>, children = dense<[[1, -1], [-2, -1]]> : tensor<2x2xi32>, roots = dense<[0, -2]> : tensor<2xi32>, votes = dense<[[1, 2], [3, 4]]> : tensor<2x2xi16>}}
// CHECK: %features = scratch.constant dense<[1, 0, 0, 0]> : tensor<4xi8> {tinyml.data, tinyml.limits = array<i64: 0, 1>} -> memref<4xi8, #scratch.flash>
// CHECK-NEXT: %thresholds = scratch.constant dense<[5, -7, 0, 0]> : tensor<4xi8> {tinyml.data}
// CHECK-NEXT: %children = scratch.constant dense<[1, -1, -2, -1, -1, -1, -1, -1]> : tensor<8xi16> {tinyml.data, tinyml.limits = array<i64: -3, 3>, tinyml.after_parents}
// CHECK-NEXT: %roots = scratch.constant dense<[0, -2, 0]> : tensor<3xi16> {tinyml.data, tinyml.limits = array<i64: -3, 3>}
// CHECK-NEXT: %votes = scratch.constant dense<[1, 2, 3, 4, 0, 0]> : tensor<6xi8> {tinyml.data, tinyml.limits = array<i64: -127, 127>}
// CHECK-NEXT: %trees = scratch.constant dense<2> : tensor<1xi16> {tinyml.data, tinyml.limits = array<i64: 0, 3>}
// CHECK: scf.while
// CHECK-NOT: @trees
// C: const int t = (int)(int32_t)(uint16_t)forest_trees[0];
// C-NEXT: for (int i = 0; i < t; i++) {
// C-NEXT: int16_t node = forest_roots[i];
// C-NEXT: while (node >= 0) {
// C-NEXT: const int t_1 = node;
// C-NEXT: node = forest_children[2 * t_1 + (x[(uint8_t)forest_features[t_1]] > forest_thresholds[t_1])];
// C-NEXT: }
// SHORT: %children = scratch.constant {{.*}} : tensor<8xi16>
// SHORT: %votes = scratch.constant {{.*}} : tensor<65534xi16>
// LONG: %children = scratch.constant {{.*}} : tensor<8xi32>
// LONG: %votes = scratch.constant {{.*}} : tensor<65536xi32>
// BYTE: %features = scratch.constant dense<[1, 0, 0, 0]> : tensor<4xi8>
// WIDE: %features = scratch.constant dense<[1, 0, 0, 0]> : tensor<4xi16>
// NONE: func.call @trees
// FAR-COUNT-6: scratch.constant {{.*}} far {{{.*}}tinyml.data
