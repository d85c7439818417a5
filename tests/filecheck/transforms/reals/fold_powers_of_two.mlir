// RUN: tinyml-opt %s -p fold-powers-of-two,dce --split-input-file | filecheck %s

// Into the matrix before it, also through a change of shape, and then into a constant after it.
func.func @folded(%x: tensor<2x1xf32>, %s: tensor<2xf32>) -> (tensor<2xf32>, tensor<1x1xf32>) {
  %w = tdsl.const dense<[[1.0, -3.0], [0.0, 0.5]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %four = tdsl.const dense<4.0> : tensor<f32> -> tensor<f32>
  %wx = tdsl.matmul %w, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %a = tdsl.reshape %wx : tensor<2x1xf32> -> tensor<2xf32>
  %y = tdsl.mul %four, %a : tensor<f32>, tensor<2xf32> -> tensor<2xf32>
  %half = tdsl.const dense<-0.5> : tensor<2x1xf32> -> tensor<2x1xf32>
  %v = tdsl.const dense<[[3.0, 6.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %h = tdsl.mul %x, %half : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %z = tdsl.matmul %v, %h : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %y, %z : tensor<2xf32>, tensor<1x1xf32>
}
// CHECK-LABEL: func.func @folded(%x: tensor<2x1xf32>, %s: tensor<2xf32>) -> (tensor<2xf32>, tensor<1x1xf32>) {
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}4.000000e+00, -1.200000e+01], [0.000000e+00, 2.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %wx = tdsl.matmul %w, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %a = tdsl.reshape %wx : tensor<2x1xf32> -> tensor<2xf32>
// CHECK-NEXT: %v = tdsl.const dense<{{\[\[}}-1.500000e+00, -3.000000e+00]]> : tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %z = tdsl.matmul %v, %x : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: func.return %a, %z : tensor<2xf32>, tensor<1x1xf32>

// -----

// Not a power of two; a constant with another reader; what would become subnormal; no constant there.
func.func @left(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %three = tdsl.const dense<3.0> : tensor<f32> -> tensor<f32>
  %two = tdsl.const dense<2.0> : tensor<f32> -> tensor<f32>
  %tiny = tdsl.const dense<1.17549435e-38> : tensor<f32> -> tensor<f32>
  %u = tdsl.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %v = tdsl.const dense<[[1.0, 0.5], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %a = tdsl.matmul %u, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %b = tdsl.mul %three, %a : tensor<f32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %c = tdsl.matmul %u, %b : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.mul %two, %c : tensor<f32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %e = tdsl.matmul %v, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %f = tdsl.mul %tiny, %e : tensor<f32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %g = tdsl.mul %two, %x : tensor<f32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h = tdsl.exp %g : tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %b, %d, %f, %h : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @left(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
// CHECK-NEXT: %three = tdsl.const dense<3.000000e+00> : tensor<f32> -> tensor<f32>
// CHECK-NEXT: %two = tdsl.const dense<2.000000e+00> : tensor<f32> -> tensor<f32>
// CHECK-NEXT: %tiny = tdsl.const dense<1.17549435e-38> : tensor<f32> -> tensor<f32>
// CHECK-NEXT: %u = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %v = tdsl.const dense<{{\[\[}}1.000000e+00, 5.000000e-01], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %a = tdsl.matmul %u, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %b = tdsl.mul %three, %a : tensor<f32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %c = tdsl.matmul %u, %b : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %d = tdsl.mul %two, %c : tensor<f32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %e = tdsl.matmul %v, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %f = tdsl.mul %tiny, %e : tensor<f32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %g = tdsl.mul %two, %x : tensor<f32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %h = tdsl.exp %g : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %b, %d, %f, %h : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>

// -----

// In a format a product is rounded before it is doubled.
func.func @formats(%x: tensor<2x1x!fixed.q<8, 4>>) -> tensor<2x1x!fixed.q<8, 3>> {
  %w = tdsl.const dense<3> : tensor<2x2xi8> -> tensor<2x2x!fixed.q<8, 4>>
  %two = tdsl.const dense<32> : tensor<i8> -> tensor<!fixed.q<8, 4>>
  %a = tdsl.matmul %w, %x : tensor<2x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
  %y = tdsl.mul %two, %a : tensor<!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 3>>
  func.return %y : tensor<2x1x!fixed.q<8, 3>>
}
// CHECK-LABEL: func.func @formats(%x: tensor<2x1x!fixed.q<8, 4>>) -> tensor<2x1x!fixed.q<8, 3>> {
// CHECK-NEXT: %w = tdsl.const dense<3> : tensor<2x2xi8> -> tensor<2x2x!fixed.q<8, 4>>
// CHECK-NEXT: %two = tdsl.const dense<32> : tensor<i8> -> tensor<!fixed.q<8, 4>>
// CHECK-NEXT: %a = tdsl.matmul %w, %x : tensor<2x2x!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 4>>
// CHECK-NEXT: %y = tdsl.mul %two, %a : tensor<!fixed.q<8, 4>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.q<8, 3>>
// CHECK-NEXT: func.return %y : tensor<2x1x!fixed.q<8, 3>>

// -----

// Unlike numbers are no factor, though each is a power of two, nor is 0. A product with another reader stays, as does a
// constant whose numbers would exceed those of floats, or be less than the least normal one; at these limits they fold.
func.func @limits(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %each = tdsl.const dense<[[2.0], [4.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %none = tdsl.const dense<0.0> : tensor<f32> -> tensor<f32>
  %two = tdsl.const dense<2.0> : tensor<f32> -> tensor<f32>
  %half = tdsl.const dense<0.5> : tensor<f32> -> tensor<f32>
  %A = tdsl.const dense<1.0> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B = tdsl.const dense<3.0> : tensor<2x2xf32> -> tensor<2x2xf32>
  %C = tdsl.const dense<5.0> : tensor<2x2xf32> -> tensor<2x2xf32>
  %D = tdsl.const dense<2.0e+38> : tensor<2x2xf32> -> tensor<2x2xf32>
  %E = tdsl.const dense<2.3509887e-38> : tensor<2x2xf32> -> tensor<2x2xf32>
  %F = tdsl.const dense<1.1754944e-38> : tensor<2x2xf32> -> tensor<2x2xf32>
  %G = tdsl.const dense<1.5e+38> : tensor<2x2xf32> -> tensor<2x2xf32>
  %a = tdsl.matmul %A, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %a2 = tdsl.mul %a, %each : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %b = tdsl.matmul %B, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %b2 = tdsl.mul %b, %none : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
  %c = tdsl.matmul %C, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %c2 = tdsl.mul %c, %two : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
  %c3 = tdsl.add %c, %c2 : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.matmul %D, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d2 = tdsl.mul %d, %two : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
  %e = tdsl.matmul %E, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %e2 = tdsl.mul %e, %half : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
  %f = tdsl.matmul %F, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %f2 = tdsl.mul %f, %half : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
  %g = tdsl.matmul %G, %e2 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %g2 = tdsl.mul %g, %two : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
  func.return %a2, %b2, %c3, %d2, %f2, %g2 : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @limits(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
// CHECK-NEXT: %each = tdsl.const dense<{{\[\[}}2.000000e+00], [4.000000e+00]]> : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %none = tdsl.const dense<0.000000e+00> : tensor<f32> -> tensor<f32>
// CHECK-NEXT: %two = tdsl.const dense<2.000000e+00> : tensor<f32> -> tensor<f32>
// CHECK-NEXT: %half = tdsl.const dense<5.000000e-01> : tensor<f32> -> tensor<f32>
// CHECK-NEXT: %A = tdsl.const dense<1.000000e+00> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %B = tdsl.const dense<3.000000e+00> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %C = tdsl.const dense<5.000000e+00> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %D = tdsl.const dense<2.000000e+38> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %E = tdsl.const dense<1.17549435e-38> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %F = tdsl.const dense<1.17549435e-38> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %G = tdsl.const dense<3.000000e+38> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %a = tdsl.matmul %A, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %a2 = tdsl.mul %a, %each : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %b = tdsl.matmul %B, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %b2 = tdsl.mul %b, %none : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
// CHECK-NEXT: %c = tdsl.matmul %C, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %c2 = tdsl.mul %c, %two : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
// CHECK-NEXT: %c3 = tdsl.add %c, %c2 : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %d = tdsl.matmul %D, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %d2 = tdsl.mul %d, %two : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
// CHECK-NEXT: %e = tdsl.matmul %E, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %f = tdsl.matmul %F, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %f2 = tdsl.mul %f, %half : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
// CHECK-NEXT: %g = tdsl.matmul %G, %e : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %a2, %b2, %c3, %d2, %f2, %g : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>

// -----

// Negative numbers that would become subnormal, zero or infinite stay, too.
func.func @negative(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
  %half = tdsl.const dense<0.5> : tensor<f32> -> tensor<f32>
  %small = tdsl.const dense<7.0064923e-46> : tensor<f32> -> tensor<f32>
  %two = tdsl.const dense<2.0> : tensor<f32> -> tensor<f32>
  %u = tdsl.const dense<[[-1.17549435e-38, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %v = tdsl.const dense<[[-2.0e-38, 2.0], [3.0, -4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %w = tdsl.const dense<[[-3.0e+38, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %a = tdsl.matmul %u, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %b = tdsl.mul %half, %a : tensor<f32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %c = tdsl.matmul %v, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.mul %small, %c : tensor<f32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %e = tdsl.matmul %w, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %f = tdsl.mul %two, %e : tensor<f32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %b, %d, %f : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @negative
// CHECK: %b = tdsl.mul %half, %a
// CHECK: %d = tdsl.mul %small, %c
// CHECK: %f = tdsl.mul %two, %e

// -----

// Three is no power of two, and a factor of more elements than the product makes a matrix of it.
func.func @factors(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>) {
  %three = tdsl.const dense<3.0> : tensor<f32> -> tensor<f32>
  %twos = tdsl.const dense<2.0> : tensor<1x2xf32> -> tensor<1x2xf32>
  %u = tdsl.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %v = tdsl.const dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %a = tdsl.matmul %u, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %b = tdsl.mul %three, %a : tensor<f32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %c = tdsl.matmul %v, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %d = tdsl.mul %c, %twos : tensor<2x1xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
  func.return %b, %d : tensor<2x1xf32>, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @factors
// CHECK: %b = tdsl.mul %three, %a
// CHECK: %d = tdsl.mul %c, %twos
