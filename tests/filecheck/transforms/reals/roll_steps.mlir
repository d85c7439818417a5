// RUN: tinyml-opt %s -p roll-steps --split-input-file | filecheck %s

// Three copies are the least that become a loop. The parts of the sequence that the copies read, and their products, move
// into it. The last state is the loop's result.
func.func @three(%x: tensor<3x1x2xf32>, %h: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %w = tdsl.const dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %u = tdsl.const dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %x0 = tdsl.slice %x[%0, %0, %0] : tensor<3x1x2xf32> -> tensor<1x1x2xf32>
  %c0 = tdsl.reshape %x0 : tensor<1x1x2xf32> -> tensor<2x1xf32>
  %x1 = tdsl.slice %x[%1, %0, %0] : tensor<3x1x2xf32> -> tensor<1x1x2xf32>
  %c1 = tdsl.reshape %x1 : tensor<1x1x2xf32> -> tensor<2x1xf32>
  %x2 = tdsl.slice %x[%2, %0, %0] : tensor<3x1x2xf32> -> tensor<1x1x2xf32>
  %c2 = tdsl.reshape %x2 : tensor<1x1x2xf32> -> tensor<2x1xf32>
  %e0 = tdsl.matmul %w, %c0 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %k0 = tdsl.matmul %u, %h : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %s0 = tdsl.add %e0, %k0 : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h0 = tdsl.tanh %s0 : tensor<2x1xf32> -> tensor<2x1xf32>
  %e1 = tdsl.matmul %w, %c1 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %k1 = tdsl.matmul %u, %h0 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %s1 = tdsl.add %e1, %k1 : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h1 = tdsl.tanh %s1 : tensor<2x1xf32> -> tensor<2x1xf32>
  %e2 = tdsl.matmul %w, %c2 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %k2 = tdsl.matmul %u, %h1 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %s2 = tdsl.add %e2, %k2 : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h2 = tdsl.tanh %s2 : tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %h2 : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @three(%x: tensor<3x1x2xf32>, %h: tensor<2x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %u = tdsl.const dense<{{\[\[}}5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %h2 = scf.for [[v4:%.*]] = [[v1]] to [[v2]] step [[v3]] iter_args([[v5:%.*]] = %h) -> (tensor<2x1xf32>) {
// CHECK-NEXT: %k1 = tdsl.matmul %u, [[v5]] : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %x0 = tdsl.slice %x{{\[}}[[v4]], [[v0]], [[v0]]] : tensor<3x1x2xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT: %c0 = tdsl.reshape %x0 : tensor<1x1x2xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %e0 = tdsl.matmul %w, %c0 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %s1 = tdsl.add %e0, %k1 : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %h1 = tdsl.tanh %s1 : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: scf.yield %h1 : tensor<2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %h2 : tensor<2x1xf32>
// CHECK-NEXT: }

// -----

// Two copies stay.
func.func @two(%h: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %u = tdsl.const dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %k0 = tdsl.matmul %u, %h : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h0 = tdsl.tanh %k0 : tensor<2x1xf32> -> tensor<2x1xf32>
  %k1 = tdsl.matmul %u, %h0 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h1 = tdsl.tanh %k1 : tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %h1 : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @two(%h: tensor<2x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %u = tdsl.const dense<{{\[\[}}5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %k0 = tdsl.matmul %u, %h : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %h0 = tdsl.tanh %k0 : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %k1 = tdsl.matmul %u, %h0 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %h1 = tdsl.tanh %k1 : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %h1 : tensor<2x1xf32>
// CHECK-NEXT: }

// -----

// The steps run backwards, every state is read, and the constants are different ops with equal elements: the states form
// a sequence, which is the concatenation. What another op reads of one state is a part of the sequence.
func.func @sequence(%x: tensor<3x2x1xf32>, %h: tensor<2x1xf32>) -> (tensor<3x2x1xf32>, tensor<2x1xf32>) {
  %u = tdsl.const dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %v = tdsl.const dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %x0 = tdsl.index %x[%2] : tensor<3x2x1xf32> -> tensor<2x1xf32>
  %k0 = tdsl.matmul %u, %h : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h0 = tdsl.add %x0, %k0 : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %x1 = tdsl.index %x[%1] : tensor<3x2x1xf32> -> tensor<2x1xf32>
  %k1 = tdsl.matmul %v, %h0 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h1 = tdsl.add %x1, %k1 : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %x2 = tdsl.index %x[%0] : tensor<3x2x1xf32> -> tensor<2x1xf32>
  %k2 = tdsl.matmul %u, %h1 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h2 = tdsl.add %x2, %k2 : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %r0 = tdsl.reshape %h0 : tensor<2x1xf32> -> tensor<1x2x1xf32>
  %r1 = tdsl.reshape %h1 : tensor<2x1xf32> -> tensor<1x2x1xf32>
  %r2 = tdsl.reshape %h2 : tensor<2x1xf32> -> tensor<1x2x1xf32>
  %y = tdsl.concat %r0, %r1, %r2 {axis = 0 : i64} : tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32> -> tensor<3x2x1xf32>
  %z = tdsl.tanh %h1 : tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %y, %z : tensor<3x2x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @sequence(%x: tensor<3x2x1xf32>, %h: tensor<2x1xf32>) -> (tensor<3x2x1xf32>, tensor<2x1xf32>) {
// CHECK-NEXT: %u = tdsl.const dense<{{\[\[}}5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = tdsl.fill {value = 0.000000e+00 : f64} -> tensor<3x2x1xf32>
// CHECK-NEXT: [[v4:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v6:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v7:%.*]], [[v8:%.*]] = scf.for [[v9:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[v10:%.*]] = %h, [[v11:%.*]] = [[v3]]) -> (tensor<2x1xf32>, tensor<3x2x1xf32>) {
// CHECK-NEXT: %k1 = tdsl.matmul %u, [[v10]] : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[v12:%.*]] = arith.subi [[v4]], [[v9]] : index
// CHECK-NEXT: %x0 = tdsl.index %x{{\[}}[[v12]]] : tensor<3x2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %h1 = tdsl.add %x0, %k1 : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[v13:%.*]] = tdsl.reshape %h1 : tensor<2x1xf32> -> tensor<1x2x1xf32>
// CHECK-NEXT: [[v14:%.*]] = tdsl.insert_slice [[v13]], [[v11]]{{\[}}[[v9]], [[v5]], [[v6]]] : tensor<1x2x1xf32>, tensor<3x2x1xf32> -> tensor<3x2x1xf32>
// CHECK-NEXT: scf.yield %h1, [[v14]] : tensor<2x1xf32>, tensor<3x2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[v15:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[vh1_1:%.*]] = tdsl.index [[v8]]{{\[}}[[v15]]] : tensor<3x2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = tdsl.reshape [[v8]] : tensor<3x2x1xf32> -> tensor<3x2x1xf32>
// CHECK-NEXT: %z = tdsl.tanh [[vh1_1]] : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %y, %z : tensor<3x2x1xf32>, tensor<2x1xf32>
// CHECK-NEXT: }

// -----

// The first copy differs: it stays before the loop of the others. Inputs without a pattern form a new tensor.
func.func @first(%a: tensor<2x1xf32>, %b: tensor<2x1xf32>, %c: tensor<2x1xf32>, %h: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %u = tdsl.const dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %k = tdsl.matmul %u, %h : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %t = tdsl.relu %k : tensor<2x1xf32> -> tensor<2x1xf32>
  %k0 = tdsl.matmul %u, %t : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h0 = tdsl.add %k0, %a : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %k1 = tdsl.matmul %u, %h0 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h1 = tdsl.add %k1, %b : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %k2 = tdsl.matmul %u, %h1 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h2 = tdsl.add %k2, %c : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %h2 : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @first(%a: tensor<2x1xf32>, %b: tensor<2x1xf32>, %c: tensor<2x1xf32>, %h: tensor<2x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %u = tdsl.const dense<{{\[\[}}5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %k = tdsl.matmul %u, %h : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %t = tdsl.relu %k : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = tdsl.reshape %a : tensor<2x1xf32> -> tensor<1x2x1xf32>
// CHECK-NEXT: [[v4:%.*]] = tdsl.reshape %b : tensor<2x1xf32> -> tensor<1x2x1xf32>
// CHECK-NEXT: [[v5:%.*]] = tdsl.reshape %c : tensor<2x1xf32> -> tensor<1x2x1xf32>
// CHECK-NEXT: [[v6:%.*]] = tdsl.concat [[v3]], [[v4]], [[v5]] {axis = 0 : i64} : tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32> -> tensor<3x2x1xf32>
// CHECK-NEXT: %h2 = scf.for [[v7:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args([[v8:%.*]] = %t) -> (tensor<2x1xf32>) {
// CHECK-NEXT: %k1 = tdsl.matmul %u, [[v8]] : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[v9:%.*]] = tdsl.index [[v6]]{{\[}}[[v7]]] : tensor<3x2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %h1 = tdsl.add %k1, [[v9]] : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: scf.yield %h1 : tensor<2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %h2 : tensor<2x1xf32>
// CHECK-NEXT: }

// -----

// Scales that differ from copy to copy: the copies stay, and the module says so.
func.func @scales(%h: tensor<2x1x!zeroskew.q<8, 0.5, 0>>) -> tensor<2x1x!zeroskew.q<8, 0.125, 0>> {
  %u = tdsl.const dense<[[5, 6], [7, 8]]> : tensor<2x2xi8> -> tensor<2x2x!zeroskew.q<8, 0.5, 0>>
  %k0 = tdsl.matmul %u, %h : tensor<2x2x!zeroskew.q<8, 0.5, 0>>, tensor<2x1x!zeroskew.q<8, 0.5, 0>> -> tensor<2x1x!zeroskew.q<8, 0.25, 0>>
  %k1 = tdsl.matmul %u, %k0 : tensor<2x2x!zeroskew.q<8, 0.5, 0>>, tensor<2x1x!zeroskew.q<8, 0.25, 0>> -> tensor<2x1x!zeroskew.q<8, 0.125, 0>>
  %k2 = tdsl.matmul %u, %k1 : tensor<2x2x!zeroskew.q<8, 0.5, 0>>, tensor<2x1x!zeroskew.q<8, 0.125, 0>> -> tensor<2x1x!zeroskew.q<8, 0.125, 0>>
  func.return %k2 : tensor<2x1x!zeroskew.q<8, 0.125, 0>>
}
// CHECK: builtin.module attributes {tinyml.unrolled = ["tdsl.matmul and its step are written 3 times: their tensors have different types"]} {
// CHECK-LABEL: func.func @scales(%h: tensor<2x1x!zeroskew.q<8, 0.5, 0>>) -> tensor<2x1x!zeroskew.q<8, 0.125, 0>> {
// CHECK-NEXT: %u = tdsl.const dense<{{\[\[}}5, 6], [7, 8]]> : tensor<2x2xi8> -> tensor<2x2x!zeroskew.q<8, 0.5, 0>>
// CHECK-NEXT: %k0 = tdsl.matmul %u, %h : tensor<2x2x!zeroskew.q<8, 0.5, 0>>, tensor<2x1x!zeroskew.q<8, 0.5, 0>> -> tensor<2x1x!zeroskew.q<8, 0.25, 0>>
// CHECK-NEXT: %k1 = tdsl.matmul %u, %k0 : tensor<2x2x!zeroskew.q<8, 0.5, 0>>, tensor<2x1x!zeroskew.q<8, 0.25, 0>> -> tensor<2x1x!zeroskew.q<8, 0.125, 0>>
// CHECK-NEXT: %k2 = tdsl.matmul %u, %k1 : tensor<2x2x!zeroskew.q<8, 0.5, 0>>, tensor<2x1x!zeroskew.q<8, 0.125, 0>> -> tensor<2x1x!zeroskew.q<8, 0.125, 0>>
// CHECK-NEXT: func.return %k2 : tensor<2x1x!zeroskew.q<8, 0.125, 0>>
// CHECK-NEXT: }

// -----

// Each copy also reads the state before the previous one, which no loop carries: the copies stay.
func.func @skip(%g: tensor<2x1xf32>, %h: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %u = tdsl.const dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %k0 = tdsl.matmul %u, %h : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h0 = tdsl.add %k0, %g : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %k1 = tdsl.matmul %u, %h0 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h1 = tdsl.add %k1, %h : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %k2 = tdsl.matmul %u, %h1 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %h2 = tdsl.add %k2, %h0 : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %h2 : tensor<2x1xf32>
}
// CHECK: builtin.module attributes {tinyml.unrolled = ["tdsl.matmul and its step are written 3 times: an input of a copy depends on an earlier copy"]} {
// CHECK-LABEL: func.func @skip(%g: tensor<2x1xf32>, %h: tensor<2x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %u = tdsl.const dense<{{\[\[}}5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %k0 = tdsl.matmul %u, %h : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %h0 = tdsl.add %k0, %g : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %k1 = tdsl.matmul %u, %h0 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %h1 = tdsl.add %k1, %h : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %k2 = tdsl.matmul %u, %h1 : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %h2 = tdsl.add %k2, %h0 : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %h2 : tensor<2x1xf32>
// CHECK-NEXT: }
