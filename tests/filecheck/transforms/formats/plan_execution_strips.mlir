// RUN: tinyml-opt %s -p 'choose-accumulators,plan-execution{mode=strips extra=9}' | filecheck %s --check-prefix=STRIPS
// RUN: tinyml-opt %s -p 'choose-accumulators,plan-execution{mode=strips extra=8}' | filecheck %s --check-prefix=LESS
// RUN: tinyml-opt %s -p 'choose-accumulators,receive-input{input=callback},plan-execution{mode=strips extra=100}' --remarks-filter-missed=plan 2>&1 | filecheck %s --check-prefix=ARRIVES

// Five strips compute 1536 of 18304 products again, 8.4 %. Rows that arrive once cannot be read by every strip: the
// image is received whole.
func.func @shrinking(%X: tensor<1x12x12x1x!fixed.q<8, 7>>) -> tensor<1x10x10x1x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<16x1x1x1xi8> -> tensor<16x1x1x1x!fixed.q<8, 7>>
  %G = tdsl.const dense<2> : tensor<16x3x3x1xi8> -> tensor<16x3x3x1x!fixed.q<8, 7>>
  %H = tdsl.const dense<3> : tensor<1x1x1x16xi8> -> tensor<1x1x1x16x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<16x1x1x1x!fixed.q<8, 7>>, tensor<1x12x12x1x!fixed.q<8, 7>> -> tensor<1x12x12x16x!fixed.q<8, 5>>
  %z = tdsl.conv2d %G, %y {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 16 : i64} : tensor<16x3x3x1x!fixed.q<8, 7>>, tensor<1x12x12x16x!fixed.q<8, 5>> -> tensor<1x10x10x16x!fixed.q<8, 5>>
  %s = tdsl.conv2d %H, %z {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x1x1x16x!fixed.q<8, 7>>, tensor<1x10x10x16x!fixed.q<8, 5>> -> tensor<1x10x10x1x!fixed.q<8, 5>>
  func.return %s : tensor<1x10x10x1x!fixed.q<8, 5>>
}
// STRIPS: tinyml.plan = [{first = "y.0", last = "s.2", by = "5 strips, single channels", more_macs = 1536 : i64}]
// LESS: tinyml.plan = [{first = "y.0", last = "s.2", by = "4 strips, single channels", more_macs = 1152 : i64}]
// ARRIVES: remark: [missed] plan-execution: tdsl.receive 'X': is executed whole, with 144 bytes alive: the rows of X.0 arrive once, but every strip reads them
// ARRIVES: tinyml.plan = [{first = "y.1", last = "s.3", by = "10 strips of rows, single channels", more_macs = 3456 : i64}]
