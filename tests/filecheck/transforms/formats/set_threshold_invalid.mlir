// RUN: tinyml-opt %s -p 'set-threshold{data=none.npz false_alarms=0.1}' --split-input-file --verify-diagnostics | filecheck %s

// A detector gives one score and nothing else; only then are data read.
func.func @class(%X: tensor<1x1xf32>) -> (index, tensor<1x1xf32>) {
  %label = tdsl.sign %X : tensor<1x1xf32>
  func.return %label, %X : index, tensor<1x1xf32>
}
// CHECK: a detector gives one score

// -----

func.func @more(%X: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %y = tdsl.tanh %X : tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %X, %y : tensor<1x1xf32>, tensor<1x1xf32>
}
// CHECK: a detector gives one score

// -----

func.func @scores(%X: tensor<2x1xf32>) -> tensor<2x1xf32> {
  func.return %X : tensor<2x1xf32>
}
// CHECK: a detector gives one score

// -----

func.func @score(%X: tensor<1x1xf32>) -> tensor<1x1xf32> {
  func.return %X : tensor<1x1xf32>
}
// CHECK: none.npz
