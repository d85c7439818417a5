// RUN: tinyml-opt %s -p 'round-sums{block=6}' | filecheck %s
// RUN: tinyml-opt %s -p round-sums | filecheck %s --check-prefix=USUAL

// Eight products in two blocks of four, each added to what is carried and rounded once.
func.func @blocks(%X: tensor<1x1xf32>) -> tensor<2x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %w = tdsl.const dense<[[[0.0], [10.0]], [[1.0], [11.0]], [[2.0], [12.0]], [[3.0], [13.0]], [[4.0], [14.0]], [[5.0], [15.0]], [[6.0], [16.0]], [[7.0], [17.0]]]> : tensor<8x2x1xf32> -> tensor<8x2x1xf32>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<2x1xf32>
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (tensor<2x1xf32>) {
    %wi = tdsl.index %w[%i] : tensor<8x2x1xf32> -> tensor<2x1xf32>
    %e = tdsl.exp %X : tensor<1x1xf32> -> tensor<1x1xf32>
    %p = tdsl.mul %wi, %e : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
    %t = tdsl.add %s, %p : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    scf.yield %t : tensor<2x1xf32>
  }
  func.return %sum : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @blocks(%X: tensor<1x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}[0.000000e+00, 1.000000e+00, 2.000000e+00, 3.000000e+00], [1.000000e+01, 1.100000e+01, 1.200000e+01, 1.300000e+01]], {{\[\[}}4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00], [1.400000e+01, 1.500000e+01, 1.600000e+01, 1.700000e+01]]]> : tensor<2x2x4xf32> -> tensor<2x2x4xf32>
// CHECK-NEXT: %zero = tdsl.fill {value = 0.000000e+00 : f64} -> tensor<2x1xf32>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %sum = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args(%s = %zero) -> (tensor<2x1xf32>) {
// CHECK-NEXT: %factors = tensor.empty() : tensor<4x1xf32>
// CHECK-NEXT: [[v4:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v6:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v7:%.*]] = arith.muli [[v3]], [[v6]] : index
// CHECK-NEXT: %e = scf.for %i = [[v4]] to [[v6]] step [[v5]] iter_args([[v8:%.*]] = %factors) -> (tensor<4x1xf32>) {
// CHECK-NEXT: [[v9:%.*]] = arith.addi [[v7]], %i : index
// CHECK-NEXT: [[ve_1:%.*]] = tdsl.exp %X : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: [[v10:%.*]] = tdsl.insert_slice [[ve_1]], [[v8]][%i, [[v4]]] : tensor<1x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: scf.yield [[v10]] : tensor<4x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[v11:%.*]] = tdsl.index %w{{\[}}[[v3]]] : tensor<2x2x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %t = tdsl.matmul_sum [[v11]], %e from %s : tensor<2x1xf32> : tensor<2x4xf32>, tensor<4x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: scf.yield %t : tensor<2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : tensor<2x1xf32>

// Seven have no divisor from 4 on: one product each, still rounded only in the sum.
func.func @prime(%X: tensor<1x1xf32>) -> tensor<2x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %w = tdsl.const dense<1.0> : tensor<7x2x1xf32> -> tensor<7x2x1xf32>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<2x1xf32>
  %sum = scf.for %i = %c0 to %c7 step %c1 iter_args(%s = %zero) -> (tensor<2x1xf32>) {
    %wi = tdsl.index %w[%i] : tensor<7x2x1xf32> -> tensor<2x1xf32>
    %p = tdsl.mul %X, %wi : tensor<1x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %t = tdsl.add %p, %s : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    scf.yield %t : tensor<2x1xf32>
  }
  func.return %sum : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @prime(%X: tensor<1x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c7 = arith.constant 7 : index
// CHECK-NEXT: %w = tdsl.const dense<1.000000e+00> : tensor<7x2x1xf32> -> tensor<7x2x1xf32>
// CHECK-NEXT: %zero = tdsl.fill {value = 0.000000e+00 : f64} -> tensor<2x1xf32>
// CHECK-NEXT: %sum = scf.for %i = %c0 to %c7 step %c1 iter_args(%s = %zero) -> (tensor<2x1xf32>) {
// CHECK-NEXT: %wi = tdsl.index %w[%i] : tensor<7x2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %t = tdsl.matmul_sum %wi, %X from %s : tensor<2x1xf32> : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: scf.yield %t : tensor<2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : tensor<2x1xf32>

// By default at most 16 products are added together: 48 in blocks of 16, but not 34 in blocks of 17.
func.func @sixteen(%X: tensor<1x1xf32>) -> tensor<2x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 48 : index
  %w = tdsl.const dense<1.0> : tensor<48x2x1xf32> -> tensor<48x2x1xf32>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<2x1xf32>
  %sum = scf.for %i = %c0 to %end step %c1 iter_args(%s = %zero) -> (tensor<2x1xf32>) {
    %wi = tdsl.index %w[%i] : tensor<48x2x1xf32> -> tensor<2x1xf32>
    %e = tdsl.exp %X : tensor<1x1xf32> -> tensor<1x1xf32>
    %p = tdsl.mul %wi, %e : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
    %t = tdsl.add %s, %p : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    scf.yield %t : tensor<2x1xf32>
  }
  func.return %sum : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @sixteen(%X: tensor<1x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %end = arith.constant 48 : index
// CHECK-NEXT: %w = tdsl.const dense<1.000000e+00> : tensor<8x2x6xf32> -> tensor<8x2x6xf32>
// CHECK-NEXT: %zero = tdsl.fill {value = 0.000000e+00 : f64} -> tensor<2x1xf32>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 8 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %sum = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args(%s = %zero) -> (tensor<2x1xf32>) {
// CHECK-NEXT: %factors = tensor.empty() : tensor<6x1xf32>
// CHECK-NEXT: [[v4:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v6:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v7:%.*]] = arith.muli [[v3]], [[v6]] : index
// CHECK-NEXT: %e = scf.for %i = [[v4]] to [[v6]] step [[v5]] iter_args([[v8:%.*]] = %factors) -> (tensor<6x1xf32>) {
// CHECK-NEXT: [[v9:%.*]] = arith.addi [[v7]], %i : index
// CHECK-NEXT: [[ve_1:%.*]] = tdsl.exp %X : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: [[v10:%.*]] = tdsl.insert_slice [[ve_1]], [[v8]][%i, [[v4]]] : tensor<1x1xf32>, tensor<6x1xf32> -> tensor<6x1xf32>
// CHECK-NEXT: scf.yield [[v10]] : tensor<6x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[v11:%.*]] = tdsl.index %w{{\[}}[[v3]]] : tensor<8x2x6xf32> -> tensor<2x6xf32>
// CHECK-NEXT: %t = tdsl.matmul_sum [[v11]], %e from %s : tensor<2x1xf32> : tensor<2x6xf32>, tensor<6x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: scf.yield %t : tensor<2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : tensor<2x1xf32>
// USUAL-LABEL: func.func @sixteen
// USUAL: tensor.empty() : tensor<16x1xf32>

func.func @seventeen(%X: tensor<1x1xf32>) -> tensor<2x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 34 : index
  %w = tdsl.const dense<1.0> : tensor<34x2x1xf32> -> tensor<34x2x1xf32>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<2x1xf32>
  %sum = scf.for %i = %c0 to %end step %c1 iter_args(%s = %zero) -> (tensor<2x1xf32>) {
    %wi = tdsl.index %w[%i] : tensor<34x2x1xf32> -> tensor<2x1xf32>
    %e = tdsl.exp %X : tensor<1x1xf32> -> tensor<1x1xf32>
    %p = tdsl.mul %wi, %e : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
    %t = tdsl.add %s, %p : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    scf.yield %t : tensor<2x1xf32>
  }
  func.return %sum : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @seventeen(%X: tensor<1x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %end = arith.constant 34 : index
// CHECK-NEXT: %w = tdsl.const dense<1.000000e+00> : tensor<34x2x1xf32> -> tensor<34x2x1xf32>
// CHECK-NEXT: %zero = tdsl.fill {value = 0.000000e+00 : f64} -> tensor<2x1xf32>
// CHECK-NEXT: %sum = scf.for %i = %c0 to %end step %c1 iter_args(%s = %zero) -> (tensor<2x1xf32>) {
// CHECK-NEXT: %wi = tdsl.index %w[%i] : tensor<34x2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %e = tdsl.exp %X : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %t = tdsl.matmul_sum %wi, %e from %s : tensor<2x1xf32> : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: scf.yield %t : tensor<2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : tensor<2x1xf32>
// USUAL-LABEL: func.func @seventeen
// USUAL-NOT: tensor.empty
// USUAL: tdsl.matmul_sum
