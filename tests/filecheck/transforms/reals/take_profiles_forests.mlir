// RUN: tinyml-opt %s -p 'take-profiles{weights_for="%S/Inputs/earlier-forest"}' | filecheck %s
// RUN: sed 's/1x2xf32/1x3xf32/g' %s | not tinyml-opt -p 'take-profiles{weights_for="%S/Inputs/earlier-forest"}' 2>&1 | filecheck %s --check-prefix=INPUT

// The trees and the leaves may differ, and what the forest reads. The earlier program has room for its own forest.
func.func @predict(%x: tensor<1x2xf32> {tdsl.profile = #tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 1.0]>}) -> tensor<1x1xf32> attributes {tdsl.interface = #tdsl.interface<stored = [1, "inner nodes in 1 trees", "fewer trees"]>} {
  %votes = tdsl.const dense<[[1.0], [0.25]]> : tensor<2x1xf32> {tdsl.profile = [#tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 1.0]>]} -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.75> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>, tdsl.profile = [#tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 1.0]>]} : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @earlier
// CHECK-SAME: tinyml.forest_room = array<i64: 2, 2, 3>
// CHECK: tdsl.const dense<{{\[\[}}1.000000e+00], [2.500000e-01]]>
// CHECK: thresholds = dense<7.500000e-01>
// INPUT: --weights-for: the model has other operations or shapes than the program of this folder
