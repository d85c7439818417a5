// RUN: tinyml-opt %s -p 'plan-execution{mode=partial-32},canonicalize,cse' | filecheck %s --check-prefix=PARTIAL
// RUN: tinyml-opt %s -p 'plan-execution{mode=partial-32 ram=4000},canonicalize,cse' | filecheck %s --check-prefix=SEVERAL
// RUN: tinyml-opt %s -p 'plan-execution{mode=patches extra=40},canonicalize,cse' | filecheck %s --check-prefix=PATCHES
// RUN: tinyml-opt %s -p 'plan-execution{mode=patches extra=0},canonicalize,cse' | filecheck %s --check-prefix=NONE

// Wide images between narrow ones. Small patches compute some pixels again, which may be too much.
func.func @wide(%X: tensor<1x12x12x1x!fixed.q<8, 7>>) -> tensor<1x5x5x4x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<32x1x1x1xi8> -> tensor<32x1x1x1x!fixed.q<8, 7>>
  %G = tdsl.const dense<2> : tensor<32x3x3x1xi8> -> tensor<32x3x3x1x!fixed.q<8, 7>>
  %H = tdsl.const dense<3> : tensor<4x1x1x32xi8> -> tensor<4x1x1x32x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<32x1x1x1x!fixed.q<8, 7>>, tensor<1x12x12x1x!fixed.q<8, 7>> -> tensor<1x12x12x32x!fixed.q<8, 5>>
  %z = tdsl.conv2d %G, %y {strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, groups = 32 : i64} : tensor<32x3x3x1x!fixed.q<8, 7>>, tensor<1x12x12x32x!fixed.q<8, 5>> -> tensor<1x5x5x32x!fixed.q<8, 5>>
  %s = tdsl.conv2d %H, %z {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<4x1x1x32x!fixed.q<8, 7>>, tensor<1x5x5x32x!fixed.q<8, 5>> -> tensor<1x5x5x4x!fixed.q<8, 5>>
  func.return %s : tensor<1x5x5x4x!fixed.q<8, 5>>
}
// PARTIAL: builtin.module attributes {tinyml.plan = [{first = "y.0", last = "s.2", by = "partial-32"}]}
// SEVERAL: builtin.module attributes {tinyml.plan = [{first = "y.0", last = "s.2", by = "partial-32, 16 channels at once"}]}
// SEVERAL: tensor.empty() : tensor<1x12x12x16x!fixed.q<8, 5>>
// PATCHES: builtin.module attributes {tinyml.plan = [{first = "y.0", last = "s.2", by = "5x5 patches", more_macs = 2592 : i64}]}
// NONE: builtin.module attributes {tinyml.plan = [{first = "y.0", last = "s.2", by = "2x2 patches", more_macs = 0 : i64}]}
// PARTIAL: tdsl.zero -> tensor<1x5x5x4x!fixed.acc<32, 12>>
// PARTIAL: tensor.empty() : tensor<1x12x12x1x!fixed.q<8, 5>>
// PARTIAL: tensor.empty() : tensor<1x5x5x1x!fixed.q<8, 5>>
// PATCHES: tensor.empty() : tensor<1x3x3x32x!fixed.q<8, 5>>
