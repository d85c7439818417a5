// RUN: tinyml-opt %s -p 'block-sums{block=10}' | filecheck %s
// RUN: tinyml-opt %s -p block-sums | filecheck %s --check-prefix=USUAL

// 8 iterations as 2 blocks of 4: the factors of a block first, then one dot product for each sum.
func.func @weighted(%x: tensor<8x1x1x!fixed.q<16, 15>>) -> tensor<2x1x!fixed.acc<32, 28>> {
  %w = tdsl.const dense<[[[0], [10]], [[1], [11]], [[2], [12]], [[3], [13]], [[4], [14]], [[5], [15]], [[6], [16]], [[7], [17]]]> : tensor<8x2x1xi16> -> tensor<8x2x1x!fixed.q<16, 13>>
  %zero = tdsl.zero -> tensor<2x1x!fixed.acc<32, 28>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%carried = %zero) -> (tensor<2x1x!fixed.acc<32, 28>>) {
    %xi = tdsl.index %x[%i] : tensor<8x1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
    %f = tdsl.neg %xi : tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
    %wi = tdsl.index %w[%i] : tensor<8x2x1x!fixed.q<16, 13>> -> tensor<2x1x!fixed.q<16, 13>>
    %next = tdsl.mac %carried, %wi, %f : tensor<2x1x!fixed.acc<32, 28>>, tensor<2x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<2x1x!fixed.acc<32, 28>>
    scf.yield %next : tensor<2x1x!fixed.acc<32, 28>>
  }
  func.return %sum : tensor<2x1x!fixed.acc<32, 28>>
}
// CHECK-LABEL: func.func @weighted(%x: tensor<8x1x1x!fixed.q<16, 15>>) -> tensor<2x1x!fixed.acc<32, 28>> {
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}[0, 1, 2, 3], [10, 11, 12, 13]], {{\[\[}}4, 5, 6, 7], [14, 15, 16, 17]]]> : tensor<2x2x4xi16> -> tensor<2x2x4x!fixed.q<16, 13>>
// CHECK-NEXT: %zero = tdsl.zero -> tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %sum = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args(%carried = %zero) -> (tensor<2x1x!fixed.acc<32, 28>>) {
// CHECK-NEXT: %factors = tensor.empty() : tensor<4x1x!fixed.q<16, 15>>
// CHECK-NEXT: [[v4:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v6:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v7:%.*]] = arith.muli [[v3]], [[v6]] : index
// CHECK-NEXT: %f = scf.for %i = [[v4]] to [[v6]] step [[v5]] iter_args([[v8:%.*]] = %factors) -> (tensor<4x1x!fixed.q<16, 15>>) {
// CHECK-NEXT: [[v9:%.*]] = arith.addi [[v7]], %i : index
// CHECK-NEXT: %xi = tdsl.index %x{{\[}}[[v9]]] : tensor<8x1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
// CHECK-NEXT: [[vf_1:%.*]] = tdsl.neg %xi : tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
// CHECK-NEXT: [[v10:%.*]] = tdsl.insert_slice [[vf_1]], [[v8]][%i, [[v4]]] : tensor<1x1x!fixed.q<16, 15>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<4x1x!fixed.q<16, 15>>
// CHECK-NEXT: scf.yield [[v10]] : tensor<4x1x!fixed.q<16, 15>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v11:%.*]] = tdsl.index %w{{\[}}[[v3]]] : tensor<2x2x4x!fixed.q<16, 13>> -> tensor<2x4x!fixed.q<16, 13>>
// CHECK-NEXT: %next = tdsl.accumulate %carried, [[v11]], %f : tensor<2x1x!fixed.acc<32, 28>>, tensor<2x4x!fixed.q<16, 13>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: scf.yield %next : tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : tensor<2x1x!fixed.acc<32, 28>>

// 7 iterations have no divisor from 4 to 5, and a sum that others read keeps its steps.
func.func @prime(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<1x1x!fixed.acc<32, 28>> {
  %w = tdsl.const dense<1> : tensor<7x1x1xi16> -> tensor<7x1x1x!fixed.q<16, 13>>
  %zero = tdsl.zero -> tensor<1x1x!fixed.acc<32, 28>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %sum = scf.for %i = %c0 to %c7 step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.acc<32, 28>>) {
    %f = tdsl.neg %x : tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
    %wi = tdsl.index %w[%i] : tensor<7x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
    %next = tdsl.mac %carried, %wi, %f : tensor<1x1x!fixed.acc<32, 28>>, tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.acc<32, 28>>
    scf.yield %next : tensor<1x1x!fixed.acc<32, 28>>
  }
  func.return %sum : tensor<1x1x!fixed.acc<32, 28>>
}
// CHECK-LABEL: func.func @prime(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<1x1x!fixed.acc<32, 28>> {
// CHECK-NEXT: %w = tdsl.const dense<1> : tensor<7x1x1xi16> -> tensor<7x1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %zero = tdsl.zero -> tensor<1x1x!fixed.acc<32, 28>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c7 = arith.constant 7 : index
// CHECK-NEXT: %sum = scf.for %i = %c0 to %c7 step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.acc<32, 28>>) {
// CHECK-NEXT: %f = tdsl.neg %x : tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
// CHECK-NEXT: %wi = tdsl.index %w[%i] : tensor<7x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %next = tdsl.mac %carried, %wi, %f : tensor<1x1x!fixed.acc<32, 28>>, tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.acc<32, 28>>
// CHECK-NEXT: scf.yield %next : tensor<1x1x!fixed.acc<32, 28>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : tensor<1x1x!fixed.acc<32, 28>>

// Somebody reads the sums of each iteration.
func.func @watched(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<1x1x!fixed.acc<32, 28>> {
  %w = tdsl.const dense<1> : tensor<8x1x1xi16> -> tensor<8x1x1x!fixed.q<16, 13>>
  %zero = tdsl.zero -> tensor<1x1x!fixed.acc<32, 28>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.acc<32, 28>>) {
    %f = tdsl.neg %x : tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
    %wi = tdsl.index %w[%i] : tensor<8x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
    %next = tdsl.mac %carried, %wi, %f : tensor<1x1x!fixed.acc<32, 28>>, tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.acc<32, 28>>
    %am = tdsl.argmax %next : tensor<1x1x!fixed.acc<32, 28>>
    scf.yield %next : tensor<1x1x!fixed.acc<32, 28>>
  }
  func.return %sum : tensor<1x1x!fixed.acc<32, 28>>
}
// CHECK-LABEL: func.func @watched(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<1x1x!fixed.acc<32, 28>> {
// CHECK-NEXT: %w = tdsl.const dense<1> : tensor<8x1x1xi16> -> tensor<8x1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %zero = tdsl.zero -> tensor<1x1x!fixed.acc<32, 28>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.acc<32, 28>>) {
// CHECK-NEXT: %f = tdsl.neg %x : tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
// CHECK-NEXT: %wi = tdsl.index %w[%i] : tensor<8x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %next = tdsl.mac %carried, %wi, %f : tensor<1x1x!fixed.acc<32, 28>>, tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.acc<32, 28>>
// CHECK-NEXT: %am = tdsl.argmax %next : tensor<1x1x!fixed.acc<32, 28>>
// CHECK-NEXT: scf.yield %next : tensor<1x1x!fixed.acc<32, 28>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : tensor<1x1x!fixed.acc<32, 28>>

// By default a block holds 16 bytes, which are 8 of these 24 iterations.
func.func @usual(%x: tensor<24x1x1x!fixed.q<16, 15>>) -> tensor<2x1x!fixed.acc<32, 28>> {
  %w = tdsl.const dense<1> : tensor<24x2x1xi16> -> tensor<24x2x1x!fixed.q<16, 13>>
  %zero = tdsl.zero -> tensor<2x1x!fixed.acc<32, 28>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  %sum = scf.for %i = %c0 to %c24 step %c1 iter_args(%carried = %zero) -> (tensor<2x1x!fixed.acc<32, 28>>) {
    %xi = tdsl.index %x[%i] : tensor<24x1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
    %f = tdsl.neg %xi : tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
    %wi = tdsl.index %w[%i] : tensor<24x2x1x!fixed.q<16, 13>> -> tensor<2x1x!fixed.q<16, 13>>
    %next = tdsl.mac %carried, %wi, %f : tensor<2x1x!fixed.acc<32, 28>>, tensor<2x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<2x1x!fixed.acc<32, 28>>
    scf.yield %next : tensor<2x1x!fixed.acc<32, 28>>
  }
  func.return %sum : tensor<2x1x!fixed.acc<32, 28>>
}
// CHECK-LABEL: func.func @usual(%x: tensor<24x1x1x!fixed.q<16, 15>>) -> tensor<2x1x!fixed.acc<32, 28>> {
// CHECK-NEXT: %w = tdsl.const dense<1> : tensor<6x2x4xi16> -> tensor<6x2x4x!fixed.q<16, 13>>
// CHECK-NEXT: %zero = tdsl.zero -> tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c24 = arith.constant 24 : index
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %sum = scf.for [[v3:%.*]] = [[v0]] to [[v1]] step [[v2]] iter_args(%carried = %zero) -> (tensor<2x1x!fixed.acc<32, 28>>) {
// CHECK-NEXT: %factors = tensor.empty() : tensor<4x1x!fixed.q<16, 15>>
// CHECK-NEXT: [[v4:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v6:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v7:%.*]] = arith.muli [[v3]], [[v6]] : index
// CHECK-NEXT: %f = scf.for %i = [[v4]] to [[v6]] step [[v5]] iter_args([[v8:%.*]] = %factors) -> (tensor<4x1x!fixed.q<16, 15>>) {
// CHECK-NEXT: [[v9:%.*]] = arith.addi [[v7]], %i : index
// CHECK-NEXT: %xi = tdsl.index %x{{\[}}[[v9]]] : tensor<24x1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
// CHECK-NEXT: [[vf_1:%.*]] = tdsl.neg %xi : tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
// CHECK-NEXT: [[v10:%.*]] = tdsl.insert_slice [[vf_1]], [[v8]][%i, [[v4]]] : tensor<1x1x!fixed.q<16, 15>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<4x1x!fixed.q<16, 15>>
// CHECK-NEXT: scf.yield [[v10]] : tensor<4x1x!fixed.q<16, 15>>
// CHECK-NEXT: }
// CHECK-NEXT: [[v11:%.*]] = tdsl.index %w{{\[}}[[v3]]] : tensor<6x2x4x!fixed.q<16, 13>> -> tensor<2x4x!fixed.q<16, 13>>
// CHECK-NEXT: %next = tdsl.accumulate %carried, [[v11]], %f : tensor<2x1x!fixed.acc<32, 28>>, tensor<2x4x!fixed.q<16, 13>>, tensor<4x1x!fixed.q<16, 15>> -> tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: scf.yield %next : tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : tensor<2x1x!fixed.acc<32, 28>>
// USUAL-LABEL: func.func @usual
// USUAL: tensor.empty() : tensor<8x1x!fixed.q<16, 15>>

// Of numbers of 8 bits it holds 16, and no 17.
func.func @bytes(%x: tensor<32x1x1x!fixed.q<8, 7>>) -> tensor<2x1x!fixed.acc<32, 12>> {
  %w = tdsl.const dense<1> : tensor<32x2x1xi8> -> tensor<32x2x1x!fixed.q<8, 5>>
  %zero = tdsl.zero -> tensor<2x1x!fixed.acc<32, 12>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 32 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%carried = %zero) -> (tensor<2x1x!fixed.acc<32, 12>>) {
    %xi = tdsl.index %x[%i] : tensor<32x1x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 7>>
    %f = tdsl.neg %xi : tensor<1x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 7>>
    %wi = tdsl.index %w[%i] : tensor<32x2x1x!fixed.q<8, 5>> -> tensor<2x1x!fixed.q<8, 5>>
    %next = tdsl.mac %carried, %wi, %f : tensor<2x1x!fixed.acc<32, 12>>, tensor<2x1x!fixed.q<8, 5>>, tensor<1x1x!fixed.q<8, 7>> -> tensor<2x1x!fixed.acc<32, 12>>
    scf.yield %next : tensor<2x1x!fixed.acc<32, 12>>
  }
  func.return %sum : tensor<2x1x!fixed.acc<32, 12>>
}
// USUAL-LABEL: func.func @bytes
// USUAL: tensor.empty() : tensor<16x1x!fixed.q<8, 7>>

func.func @seventeen(%x: tensor<34x1x1x!fixed.q<8, 7>>) -> tensor<2x1x!fixed.acc<32, 12>> {
  %w = tdsl.const dense<1> : tensor<34x2x1xi8> -> tensor<34x2x1x!fixed.q<8, 5>>
  %zero = tdsl.zero -> tensor<2x1x!fixed.acc<32, 12>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 34 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%carried = %zero) -> (tensor<2x1x!fixed.acc<32, 12>>) {
    %xi = tdsl.index %x[%i] : tensor<34x1x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 7>>
    %f = tdsl.neg %xi : tensor<1x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 7>>
    %wi = tdsl.index %w[%i] : tensor<34x2x1x!fixed.q<8, 5>> -> tensor<2x1x!fixed.q<8, 5>>
    %next = tdsl.mac %carried, %wi, %f : tensor<2x1x!fixed.acc<32, 12>>, tensor<2x1x!fixed.q<8, 5>>, tensor<1x1x!fixed.q<8, 7>> -> tensor<2x1x!fixed.acc<32, 12>>
    scf.yield %next : tensor<2x1x!fixed.acc<32, 12>>
  }
  func.return %sum : tensor<2x1x!fixed.acc<32, 12>>
}
// USUAL-LABEL: func.func @seventeen
// USUAL-NOT: tensor.empty()

// Another op reads the weights, so that their order must not change.
func.func @shared(%x: tensor<8x1x1x!fixed.q<16, 15>>) -> (tensor<1x1x!fixed.acc<32, 28>>, tensor<1x1x!fixed.q<16, 13>>) {
  %w = tdsl.const dense<1> : tensor<8x1x1xi16> -> tensor<8x1x1x!fixed.q<16, 13>>
  %zero = tdsl.zero -> tensor<1x1x!fixed.acc<32, 28>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.acc<32, 28>>) {
    %xi = tdsl.index %x[%i] : tensor<8x1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
    %f = tdsl.neg %xi : tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
    %wi = tdsl.index %w[%i] : tensor<8x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
    %next = tdsl.mac %carried, %wi, %f : tensor<1x1x!fixed.acc<32, 28>>, tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.acc<32, 28>>
    scf.yield %next : tensor<1x1x!fixed.acc<32, 28>>
  }
  %first = tdsl.index %w[%c0] : tensor<8x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
  func.return %sum, %first : tensor<1x1x!fixed.acc<32, 28>>, tensor<1x1x!fixed.q<16, 13>>
}
// CHECK-LABEL: func.func @shared(%x: tensor<8x1x1x!fixed.q<16, 15>>) -> (tensor<1x1x!fixed.acc<32, 28>>, tensor<1x1x!fixed.q<16, 13>>) {
// CHECK-NEXT: %w = tdsl.const dense<1> : tensor<8x1x1xi16> -> tensor<8x1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %zero = tdsl.zero -> tensor<1x1x!fixed.acc<32, 28>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c8 = arith.constant 8 : index
// CHECK-NEXT: %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.acc<32, 28>>) {
// CHECK-NEXT: %xi = tdsl.index %x[%i] : tensor<8x1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
// CHECK-NEXT: %f = tdsl.neg %xi : tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
// CHECK-NEXT: %wi = tdsl.index %w[%i] : tensor<8x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %next = tdsl.mac %carried, %wi, %f : tensor<1x1x!fixed.acc<32, 28>>, tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.acc<32, 28>>
// CHECK-NEXT: scf.yield %next : tensor<1x1x!fixed.acc<32, 28>>
// CHECK-NEXT: }
// CHECK-NEXT: %first = tdsl.index %w[%c0] : tensor<8x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: func.return %sum, %first : tensor<1x1x!fixed.acc<32, 28>>, tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: }

// A loop without loop-carried values stays as it is.
func.func @carries_nothing(%x: tensor<2x1x!fixed.q<16, 15>>) -> tensor<2x1x!fixed.q<16, 15>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
  }
  func.return %x : tensor<2x1x!fixed.q<16, 15>>
}
// CHECK-LABEL: func.func @carries_nothing(%x: tensor<2x1x!fixed.q<16, 15>>) -> tensor<2x1x!fixed.q<16, 15>> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: scf.for %i = %c0 to %c1 step %c1 {
// CHECK-NEXT: }
// CHECK-NEXT: func.return %x : tensor<2x1x!fixed.q<16, 15>>
// CHECK-NEXT: }
