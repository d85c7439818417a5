// RUN: tinyml-opt %s -p leave-forest-room | filecheck %s
// RUN: tinyml-opt %s -p 'leave-forest-room{weights_margin=1.5}' | filecheck %s --check-prefix=MARGIN
// RUN: sed 's/attributes {/attributes {tinyml.forest_room = array<i64: 3, 1, 2>, /' %s | tinyml-opt -p leave-forest-room | filecheck %s
// RUN: sed 's/attributes {/attributes {tinyml.forest_room = array<i64: 2, 1, 2>, /' %s | not tinyml-opt -p leave-forest-room 2>&1 | filecheck %s --check-prefix=TREES
// RUN: sed 's/attributes {/attributes {tinyml.forest_room = array<i64: 2, 1, 2>, /' %s | tinyml-opt -p 'leave-forest-room{weights_margin=1.01}' | filecheck %s --check-prefix=ROUNDED
// RUN: sed 's/attributes {/attributes {tinyml.forest_room = array<i64: 3, 1, 2>, /; s/tensor<1xi32>/tensor<2xi32>/; s/tensor<1xf64>/tensor<2xf64>/; s/dense<\[\[-1, -2\]\]> : tensor<1x2/dense<[[1, -2], [-1, -2]]> : tensor<2x2/' %s | not tinyml-opt -p leave-forest-room 2>&1 | filecheck %s --check-prefix=NODES
// RUN: sed 's/attributes {/attributes {tinyml.forest_room = array<i64: 3, 1, 1>, /' %s | not tinyml-opt -p leave-forest-room 2>&1 | filecheck %s --check-prefix=LEAVES
// RUN: sed '/tdsl.const/s/{tdsl.profile[^}]*}//' %s | not tinyml-opt -p leave-forest-room 2>&1 | filecheck %s --check-prefix=NONE
// RUN: sed 's/^  func.return/  %other = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>\n  func.return/' %s | not tinyml-opt -p leave-forest-room 2>&1 | filecheck %s --check-prefix=SEVERAL
// RUN: sed 's/^  %votes = /  %m = tdsl.neg %x : tensor<1x2xf32> -> tensor<1x2xf32>\n  %votes = /; s/tdsl.forest %x, %votes.*$/tdsl.add %m, %m : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>/' %s | tinyml-opt -p leave-forest-room | filecheck %s --check-prefix=WITHOUT

// Three trees, whose votes are below 1/4: their sums are at most 3/4. What the forest reads may change.
func.func @forest(%x: tensor<1x2xf32>) -> tensor<1x2xf32> attributes {tdsl.interface = #tdsl.interface<input = <read = [1]>>} {
  %votes = tdsl.const dense<[[0.1, 0.2], [0.15, 0.15]]> : tensor<2x2xf32> {tdsl.profile = [#tdsl.profile<0.1, 0.2, [0.1, 0.1, 0.15, 0.2, 0.2]>]} -> tensor<2x2xf32>
  %sums = tdsl.forest %x, %votes {features = dense<1> : tensor<1xi32>, thresholds = dense<0.5> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<[0, -1, -2]> : tensor<3xi32>} : tensor<1x2xf32>, tensor<2x2xf32> -> tensor<1x2xf32>
  func.return %sums : tensor<1x2xf32>
}
// CHECK-LABEL: func.func @forest
// CHECK-NOT: read
// CHECK-SAME: tinyml.forest_room = array<i64: 3, 1, 2>
// CHECK: tdsl.forest {{.*}}limit = 7.500000e-01 : f64
// ROUNDED: tinyml.forest_room = array<i64: 3, 2, 3>
// MARGIN: tinyml.forest_room = array<i64: 5, 2, 3>
// MARGIN: limit = 1.250000e+00 : f64
// TREES: --weights-for: the forest has 3 trees, but the program has room for 2: compile the model anew, or the first one with a greater --weights-margin
// NODES: --weights-for: the forest has 2 inner nodes, but the program has room for 1
// LEAVES: --weights-for: the forest has 2 leaves with different votes, but the program has room for 1
// NONE: the votes have no profile: run the profile pass first
// SEVERAL: --weights-at: a blob holds one forest, the model has 2
// WITHOUT-NOT: forest_room
