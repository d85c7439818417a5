// RUN: not tinyml-opt %s -p 'tile-segment{first=y.0 last=s.1 by=columns}' 2>&1 | filecheck %s --check-prefix=BY
// RUN: not tinyml-opt %s -p 'tile-segment{first=y.0 last=nothing}' 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not tinyml-opt %s -p 'tile-segment{first=s.1 last=y.0}' 2>&1 | filecheck %s --check-prefix=ORDER
// RUN: not tinyml-opt %s -p 'tile-segment{first=y.0 last=s.1}' 2>&1 | filecheck %s --check-prefix=WHOLE
// RUN: not tinyml-opt %s -p 'plan-execution{mode=columns}' 2>&1 | filecheck %s --check-prefix=MODE
// RUN: tinyml-opt %s -p 'plan-execution' | filecheck %s --check-prefix=ORDINARY

func.func @dense(%X: tensor<1x4x4x2x!fixed.q<8, 7>>) -> tensor<5x1x!fixed.q<8, 5>> {
  %F = tdsl.const dense<1> : tensor<2x1x1x2xi8> -> tensor<2x1x1x2x!fixed.q<8, 7>>
  %W = tdsl.const dense<1> : tensor<5x32xi8> -> tensor<5x32x!fixed.q<8, 7>>
  %y = tdsl.conv2d %F, %X {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<2x1x1x2x!fixed.q<8, 7>>, tensor<1x4x4x2x!fixed.q<8, 7>> -> tensor<1x4x4x2x!fixed.q<8, 5>>
  %v = tdsl.reshape %y : tensor<1x4x4x2x!fixed.q<8, 5>> -> tensor<32x1x!fixed.q<8, 5>>
  %s = tdsl.matmul %W, %v : tensor<5x32x!fixed.q<8, 7>>, tensor<32x1x!fixed.q<8, 5>> -> tensor<5x1x!fixed.q<8, 5>>
  func.return %s : tensor<5x1x!fixed.q<8, 5>>
}
// BY: segments run by rows, pixels, blocks, channels, patches, channels-in-patches, strips or row-strips, got 'columns'
// NAME: the op 'nothing' is not in the plan of @dense
// ORDER: 's.1' comes after 'y.0'
// WHOLE: 'y.0' to 's.1' do not run by rows: tdsl.reshape after y.0 is not computed slice by slice
// MODE: unknown mode 'columns' (one of ordinary, rows, pixels, partial-32, partial-16, partial-8, replace, single-transpose, herringbone, optimal-turns, patches, channels-in-patches, strips, auto)
// ORDINARY-NOT: tinyml.plan
// ORDINARY: tdsl.conv2d
