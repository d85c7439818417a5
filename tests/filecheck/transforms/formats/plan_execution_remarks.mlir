// Why a schedule leaves an op whole: what its tiling lacks, or that nothing is saved.

// RUN: tinyml-opt %s -p 'plan-execution{mode=partial-8}' --remarks-filter-missed=plan 2>&1 | filecheck %s --check-prefix=PARTIAL
// RUN: tinyml-opt %s -p 'plan-execution{mode=rows}' --remarks-filter-missed=plan 2>&1 | filecheck %s --check-prefix=ROWS

func.func @single(%X: tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32> {
  %F = tdsl.const dense<1.0> : tensor<4x1x1x4xf32> -> tensor<4x1x1x4xf32>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x1x1x4xf32>, tensor<1x8x8x4xf32> -> tensor<1x8x8x4xf32>
  func.return %y : tensor<1x8x8x4xf32>
}
// PARTIAL: plan_execution_remarks.mlir:8:3: remark: [missed] plan-execution: tdsl.conv2d 'y': is executed whole, with {{[0-9]+}} bytes alive: a single op needs all channels, of its operand or of its result
// ROWS: plan_execution_remarks.mlir:8:3: remark: [missed] plan-execution: tdsl.conv2d 'y': is executed whole, with {{[0-9]+}} bytes alive: no segment around it needs fewer bytes
