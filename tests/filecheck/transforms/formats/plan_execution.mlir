// RUN: tinyml-opt %s -p 'plan-execution{mode=rows},canonicalize,cse' | filecheck %s --check-prefixes=ROWS,STREAMED
// RUN: tinyml-opt %s -p 'plan-execution{mode=pixels},canonicalize,cse' | filecheck %s --check-prefixes=PIXELS,STREAMED
// RUN: tinyml-opt %s -p 'plan-execution{mode=auto ram=1000},canonicalize,cse' | filecheck %s --check-prefix=ORDINARY
// RUN: tinyml-opt %s -p 'plan-execution{mode=auto ram=500},canonicalize,cse' | filecheck %s --check-prefixes=ROWS,STREAMED
// RUN: tinyml-opt %s -p 'plan-execution{mode=auto ram=360},canonicalize,cse' | filecheck %s --check-prefixes=PIXELS,STREAMED
// RUN: tinyml-opt %s -p 'plan-execution,canonicalize,cse' | filecheck %s --check-prefix=ORDINARY
// RUN: tinyml-opt %s -p 'plan-execution{mode=rows}' --remarks-filter=plan 2>&1 | filecheck %s --check-prefix=REMARKS
// RUN: tinyml-opt %s -p 'plan-execution{mode=rows}' --mlir-pass-statistics 2>&1 | filecheck %s --check-prefix=COUNTS

// REMARKS: plan_execution.mlir:{{[0-9]+}}:3: remark: [passed] plan-execution: tdsl.conv2d 'y': is streamed by rows, to m.2, with 400 bytes alive
// REMARKS: plan_execution.mlir:{{[0-9]+}}:3: remark: [missed] plan-execution: tdsl.matmul 's': is executed whole, with 10 bytes alive: it reads all of m.2
// COUNTS: (S) 1 num-segments - Number of segments that are not ordinary

// The wide images between are rings; the mean runs with them, the product behind it afterwards.
func.func @wide(%X: tensor<1x8x8x1x!fixed.q<8, 7>>) -> tensor<2x1x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<8x3x3x1xi8> -> tensor<8x3x3x1x!fixed.q<8, 7>>
  %G = tdsl.const dense<2> : tensor<8x3x3x1xi8> -> tensor<8x3x3x1x!fixed.q<8, 7>>
  %W = tdsl.const dense<3> : tensor<2x8xi8> -> tensor<2x8x!fixed.q<8, 7>>
  %p = tdsl.pad %X {low = array<i64: 0, 1, 1, 0>, high = array<i64: 0, 1, 1, 0>} : tensor<1x8x8x1x!fixed.q<8, 7>> -> tensor<1x10x10x1x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %p {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<8x3x3x1x!fixed.q<8, 7>>, tensor<1x10x10x1x!fixed.q<8, 7>> -> tensor<1x8x8x8x!fixed.q<8, 5>>
  %z = tdsl.conv2d %G, %y {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 8 : i64} : tensor<8x3x3x1x!fixed.q<8, 7>>, tensor<1x8x8x8x!fixed.q<8, 5>> -> tensor<1x6x6x8x!fixed.q<8, 5>>
  %m = tdsl.mean %z {axes = array<i64: 1, 2>} : tensor<1x6x6x8x!fixed.q<8, 5>> -> tensor<1x1x1x8x!fixed.q<8, 5>>
  %v = tdsl.reshape %m : tensor<1x1x1x8x!fixed.q<8, 5>> -> tensor<8x1x!fixed.q<8, 5>>
  %s = tdsl.matmul %W, %v : tensor<2x8x!fixed.q<8, 7>>, tensor<8x1x!fixed.q<8, 5>> -> tensor<2x1x!fixed.q<8, 5>>
  func.return %s : tensor<2x1x!fixed.q<8, 5>>
}
// ROWS: builtin.module attributes {tinyml.plan = [{first = "y.0", last = "m.2", by = "rows"}]}
// PIXELS: builtin.module attributes {tinyml.plan = [{first = "y.0", last = "m.2", by = "pixels"}]}
// ORDINARY-NOT: tinyml.plan
// ORDINARY-NOT: scf.for
// ROWS: tensor.empty() : tensor<1x3x8x8x!fixed.q<8, 5>>
// PIXELS: tensor.empty() : tensor<1x1x19x8x!fixed.q<8, 5>>
// STREAMED: [[none:%.*]] = tdsl.no_total -> tensor<1x1x1x8xi32>
// STREAMED: scf.for
// STREAMED: tdsl.tally %{{.*}} : tensor<1x1x1x8xi32>
// STREAMED: [[m:%.*]] = tdsl.quotient %{{.*}} {count = 36 : i64, of = !fixed.q<8, 5>, over_axes} : tensor<1x1x1x8xi32>
// STREAMED: [[v:%.*]] = tdsl.reshape [[m]]
// STREAMED: tdsl.matmul %{{.*}}, [[v]]
