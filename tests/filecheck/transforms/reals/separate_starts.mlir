// RUN: tinyml-opt %s -p fuse-products,simplify,separate-starts --split-input-file | filecheck %s

// Two sums with equal biases, which `simplify` makes one, and a third with another: each starts from its own constant.
func.func @starts(%X: tensor<3x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %W = tdsl.const dense<1.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %U = tdsl.const dense<2.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %V = tdsl.const dense<3.0> : tensor<2x3xf32> -> tensor<2x3xf32>
  %B = tdsl.const dense<0.5> : tensor<2x1xf32> -> tensor<2x1xf32>
  %C = tdsl.const dense<0.5> : tensor<2x1xf32> -> tensor<2x1xf32>
  %D = tdsl.const dense<0.25> : tensor<2x1xf32> -> tensor<2x1xf32>
  %w = tdsl.matmul %W, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %u = tdsl.matmul %U, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %v = tdsl.matmul %V, %X : tensor<2x3xf32>, tensor<3x1xf32> -> tensor<2x1xf32>
  %x = tdsl.add %w, %B : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %y = tdsl.add %u, %C : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %z = tdsl.add %v, %D : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %x, %y, %z : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @starts
// CHECK-DAG: [[first:%.*]] = tdsl.const dense<5.000000e-01>
// CHECK-DAG: [[second:%.*]] = tdsl.const dense<5.000000e-01>
// CHECK-DAG: [[third:%.*]] = tdsl.const dense<2.500000e-01>
// CHECK: tdsl.matmul_sum %W, %X from [[first]]
// CHECK: tdsl.matmul_sum %U, %X from [[second]]
// CHECK: tdsl.matmul_sum %V, %X from [[third]]

// -----

// Sums that have formats are left alone, and so is a start that is computed.
func.func @formats(%X: tensor<1x3x3x1x!fixed.q<8, 4>>, %s: tensor<1xf32>, %Y: tensor<1x3x3x1xf32>) -> (tensor<1x3x3x1x!fixed.q<8, 4>>, tensor<1x3x3x1x!fixed.q<8, 4>>, tensor<1x3x3x1xf32>, tensor<1x3x3x1xf32>) {
  %F = tdsl.const dense<1> : tensor<1x1x1x1xi8> -> tensor<1x1x1x1x!fixed.q<8, 4>>
  %R = tdsl.const dense<1.0> : tensor<1x1x1x1xf32> -> tensor<1x1x1x1xf32>
  %B = tdsl.const dense<1> : tensor<1xi8> -> tensor<1x!fixed.q<8, 4>>
  %a = tdsl.conv2d %F, %X from %B : tensor<1x!fixed.q<8, 4>> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x1x1x1x!fixed.q<8, 4>>, tensor<1x3x3x1x!fixed.q<8, 4>> -> tensor<1x3x3x1x!fixed.q<8, 4>>
  %b = tdsl.conv2d %F, %a from %B : tensor<1x!fixed.q<8, 4>> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x1x1x1x!fixed.q<8, 4>>, tensor<1x3x3x1x!fixed.q<8, 4>> -> tensor<1x3x3x1x!fixed.q<8, 4>>
  %c = tdsl.conv2d %R, %Y from %s : tensor<1xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x1x1x1xf32>, tensor<1x3x3x1xf32> -> tensor<1x3x3x1xf32>
  %d = tdsl.conv2d %R, %c from %s : tensor<1xf32> {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x1x1x1xf32>, tensor<1x3x3x1xf32> -> tensor<1x3x3x1xf32>
  func.return %a, %b, %c, %d : tensor<1x3x3x1x!fixed.q<8, 4>>, tensor<1x3x3x1x!fixed.q<8, 4>>, tensor<1x3x3x1xf32>, tensor<1x3x3x1xf32>
}
// CHECK-LABEL: func.func @formats
// CHECK: tdsl.conv2d %F, %X from %B
// CHECK: tdsl.conv2d %F, %a from %B
// CHECK: tdsl.conv2d %R, %Y from %s
// CHECK: tdsl.conv2d %R, %c from %s

// -----

// What a sum starts from is its last operand, though it is a factor, too.
func.func @factor(%X: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %W = tdsl.const dense<1.0> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<0.5> : tensor<2x1xf32> -> tensor<2x1xf32>
  %y = tdsl.matmul_sum %W, %X from %B : tensor<2x1xf32> : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %z = tdsl.matmul_sum %W, %B from %B : tensor<2x1xf32> : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y, %z : tensor<2x1xf32>, tensor<2x1xf32>
}
// CHECK: func.func @factor
// CHECK: %B = tdsl.const
// CHECK-NEXT: [[second:%.*]] = tdsl.const dense<5.000000e-01>
// CHECK-NEXT: [[first:%.*]] = tdsl.const dense<5.000000e-01>
// CHECK: tdsl.matmul_sum %W, %X from [[first]]
// CHECK: tdsl.matmul_sum %W, %B from [[second]]

// -----

// A constant that only one sum starts from stays, and so does one in a format, whose elements are no f32, for both sums.
func.func @kept(%W: tensor<2x2xf32>, %X: tensor<2x1xf32>, %V: tensor<2x2x!fixed.q<8, 4>>, %Y: tensor<2x1x!fixed.q<8, 4>>) -> (tensor<2x1xf32>, tensor<2x1x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>>) {
  %A = tdsl.const dense<[[0.5], [0.25]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %B = tdsl.const dense<[[1], [2]]> : tensor<2x1xi8> -> tensor<2x1x!fixed.q<8, 4>>
  %x = tdsl.matmul_sum %W, %X from %A : tensor<2x1xf32> : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %y = tdsl.matmul_sum %V, %Y from %B : tensor<2x1x!fixed.q<8, 4>> : tensor<2x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
  %z = tdsl.matmul_sum %V, %y from %B : tensor<2x1x!fixed.q<8, 4>> : tensor<2x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
  func.return %x, %y, %z : tensor<2x1xf32>, tensor<2x1x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @kept
// CHECK-NEXT: %A = tdsl.const
// CHECK-NEXT: %B = tdsl.const
// CHECK-NEXT: %x = tdsl.matmul_sum %W, %X from %A
// CHECK-NEXT: %y = tdsl.matmul_sum %V, %Y from %B
// CHECK-NEXT: %z = tdsl.matmul_sum %V, %y from %B

// -----

// A start that an addition reads, too. Its format may have a scale for each row, with which no addition is defined.
func.func @addend(%W: tensor<2x2xf32>, %X: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %A = tdsl.const dense<0.5> : tensor<2x1xf32> -> tensor<2x1xf32>
  %x = tdsl.matmul_sum %W, %X from %A : tensor<2x1xf32> : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %y = tdsl.add %X, %A : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %x, %y : tensor<2x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @addend
// CHECK-NEXT: %A = tdsl.const
// CHECK-NEXT: [[own:%.*]] = tdsl.const dense<5.000000e-01>
// CHECK-NEXT: tdsl.matmul_sum %W, %X from [[own]]
// CHECK-NEXT: tdsl.add %X, %A
