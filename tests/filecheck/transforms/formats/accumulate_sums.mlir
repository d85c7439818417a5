// RUN: tinyml-opt %s -p accumulate-sums | filecheck %s

// SeeDot's sum of w[i] * x[i]: carried in accumulators, rounded once after the loop. Over all iterations |w| adds up to
// 24576 and 12288 raws, so the bound is 24576 * 32767.
func.func @weighted(%x: tensor<2x1x1x!fixed.q<16, 15>>) -> tensor<2x1x!fixed.q<16, 12>> {
  %w = tdsl.const dense<[[[8192], [-4096]], [[-16384], [8192]]]> : tensor<2x2x1xi16> -> tensor<2x2x1x!fixed.q<16, 13>>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<2x1x!fixed.q<16, 12>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%carried = %zero) -> (tensor<2x1x!fixed.q<16, 12>>) {
    %wi = tdsl.index %w[%i] : tensor<2x2x1x!fixed.q<16, 13>> -> tensor<2x1x!fixed.q<16, 13>>
    %xi = tdsl.index %x[%i] : tensor<2x1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
    %p = tdsl.mul %wi, %xi : tensor<2x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<2x1x!fixed.q<16, 12>>
    %next = tdsl.add %carried, %p : tensor<2x1x!fixed.q<16, 12>>, tensor<2x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 12>>
    scf.yield %next : tensor<2x1x!fixed.q<16, 12>>
  }
  func.return %sum : tensor<2x1x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @weighted(%x: tensor<2x1x1x!fixed.q<16, 15>>) -> tensor<2x1x!fixed.q<16, 12>> {
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}[8192], [-4096]], {{\[\[}}-16384], [8192]]]> : tensor<2x2x1xi16> -> tensor<2x2x1x!fixed.q<16, 13>>
// CHECK-NEXT: %zero = tdsl.zero -> tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%carried = %zero) -> (tensor<2x1x!fixed.acc<32, 28>>) {
// CHECK-NEXT: %xi = tdsl.index %x[%i] : tensor<2x1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 15>>
// CHECK-NEXT: [[v0:%.*]] = tdsl.index %w[%i] : tensor<2x2x1x!fixed.q<16, 13>> -> tensor<2x1x!fixed.q<16, 13>>
// CHECK-NEXT: %next = tdsl.mac %carried, [[v0]], %xi : tensor<2x1x!fixed.acc<32, 28>>, tensor<2x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: scf.yield %next : tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: }
// CHECK-NEXT: [[vsum_1:%.*]] = tdsl.finish %sum {bound = array<i64: -805281792, 805281792>} : tensor<2x1x!fixed.acc<32, 28>> -> tensor<2x1x!fixed.q<16, 12>>
// CHECK-NEXT: func.return [[vsum_1]] : tensor<2x1x!fixed.q<16, 12>>

// A sum that does not begin at zero keeps its steps.
func.func @begun(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<1x1x!fixed.q<16, 12>> {
  %w = tdsl.const dense<[[[8192]], [[-16384]]]> : tensor<2x1x1xi16> -> tensor<2x1x1x!fixed.q<16, 13>>
  %one = tdsl.fill {value = 1.0 : f64} -> tensor<1x1x!fixed.q<16, 12>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%carried = %one) -> (tensor<1x1x!fixed.q<16, 12>>) {
    %wi = tdsl.index %w[%i] : tensor<2x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
    %p = tdsl.mul %wi, %x : tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 12>>
    %next = tdsl.add %carried, %p : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 12>>
    scf.yield %next : tensor<1x1x!fixed.q<16, 12>>
  }
  func.return %sum : tensor<1x1x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @begun(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<1x1x!fixed.q<16, 12>> {
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}[8192]], {{\[\[}}-16384]]]> : tensor<2x1x1xi16> -> tensor<2x1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %one = tdsl.fill {value = 1.000000e+00 : f64} -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%carried = %one) -> (tensor<1x1x!fixed.q<16, 12>>) {
// CHECK-NEXT: %wi = tdsl.index %w[%i] : tensor<2x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %p = tdsl.mul %wi, %x : tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: %next = tdsl.add %carried, %p : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: scf.yield %next : tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : tensor<1x1x!fixed.q<16, 12>>

// The greatest sum is sought among the exact ones.
func.func @label(%x: tensor<1x1x!fixed.q<16, 15>>) -> (index, tensor<2x1x!fixed.q<16, 12>>) {
  %w = tdsl.const dense<[[[8192], [-4096]], [[-16384], [8192]]]> : tensor<2x2x1xi16> -> tensor<2x2x1x!fixed.q<16, 13>>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<2x1x!fixed.q<16, 12>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%carried = %zero) -> (tensor<2x1x!fixed.q<16, 12>>) {
    %wi = tdsl.index %w[%i] : tensor<2x2x1x!fixed.q<16, 13>> -> tensor<2x1x!fixed.q<16, 13>>
    %p = tdsl.mul %wi, %x : tensor<2x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<2x1x!fixed.q<16, 12>>
    %next = tdsl.add %carried, %p : tensor<2x1x!fixed.q<16, 12>>, tensor<2x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 12>>
    scf.yield %next : tensor<2x1x!fixed.q<16, 12>>
  }
  %l = tdsl.argmax %sum : tensor<2x1x!fixed.q<16, 12>>
  func.return %l, %sum : index, tensor<2x1x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @label(%x: tensor<1x1x!fixed.q<16, 15>>) -> (index, tensor<2x1x!fixed.q<16, 12>>) {
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}[8192], [-4096]], {{\[\[}}-16384], [8192]]]> : tensor<2x2x1xi16> -> tensor<2x2x1x!fixed.q<16, 13>>
// CHECK-NEXT: %zero = tdsl.zero -> tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%carried = %zero) -> (tensor<2x1x!fixed.acc<32, 28>>) {
// CHECK-NEXT: [[v0:%.*]] = tdsl.index %w[%i] : tensor<2x2x1x!fixed.q<16, 13>> -> tensor<2x1x!fixed.q<16, 13>>
// CHECK-NEXT: %next = tdsl.mac %carried, [[v0]], %x : tensor<2x1x!fixed.acc<32, 28>>, tensor<2x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: scf.yield %next : tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: }
// CHECK-NEXT: [[vsum_1:%.*]] = tdsl.finish %sum {bound = array<i64: -805281792, 805281792>} : tensor<2x1x!fixed.acc<32, 28>> -> tensor<2x1x!fixed.q<16, 12>>
// CHECK-NEXT: %l = tdsl.argmax %sum : tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: func.return %l, [[vsum_1]] : index, tensor<2x1x!fixed.q<16, 12>>

// A loop that never runs has sums of zero; one that does not count upwards, or leaves the constant, keeps its steps.
func.func @empty(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<2x1x!fixed.q<16, 12>> {
  %w = tdsl.const dense<[[[8192], [-4096]], [[-16384], [8192]]]> : tensor<2x2x1xi16> -> tensor<2x2x1x!fixed.q<16, 13>>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<2x1x!fixed.q<16, 12>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 0 : index
  %c2 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %c1 step %c2 iter_args(%carried = %zero) -> (tensor<2x1x!fixed.q<16, 12>>) {
    %wi = tdsl.index %w[%i] : tensor<2x2x1x!fixed.q<16, 13>> -> tensor<2x1x!fixed.q<16, 13>>
    %p = tdsl.mul %wi, %x : tensor<2x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<2x1x!fixed.q<16, 12>>
    %next = tdsl.add %carried, %p : tensor<2x1x!fixed.q<16, 12>>, tensor<2x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 12>>
    scf.yield %next : tensor<2x1x!fixed.q<16, 12>>
  }
  func.return %sum : tensor<2x1x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @empty(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<2x1x!fixed.q<16, 12>> {
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}[8192], [-4096]], {{\[\[}}-16384], [8192]]]> : tensor<2x2x1xi16> -> tensor<2x2x1x!fixed.q<16, 13>>
// CHECK-NEXT: %zero = tdsl.zero -> tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 0 : index
// CHECK-NEXT: %c2 = arith.constant 1 : index
// CHECK-NEXT: %sum = scf.for %i = %c0 to %c1 step %c2 iter_args(%carried = %zero) -> (tensor<2x1x!fixed.acc<32, 28>>) {
// CHECK-NEXT: [[v0:%.*]] = tdsl.index %w[%i] : tensor<2x2x1x!fixed.q<16, 13>> -> tensor<2x1x!fixed.q<16, 13>>
// CHECK-NEXT: %next = tdsl.mac %carried, [[v0]], %x : tensor<2x1x!fixed.acc<32, 28>>, tensor<2x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: scf.yield %next : tensor<2x1x!fixed.acc<32, 28>>
// CHECK-NEXT: }
// CHECK-NEXT: [[vsum_1:%.*]] = tdsl.finish %sum {bound = array<i64: 0, 0>} : tensor<2x1x!fixed.acc<32, 28>> -> tensor<2x1x!fixed.q<16, 12>>
// CHECK-NEXT: func.return [[vsum_1]] : tensor<2x1x!fixed.q<16, 12>>

func.func @stuck(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<2x1x!fixed.q<16, 12>> {
  %w = tdsl.const dense<[[[8192], [-4096]], [[-16384], [8192]]]> : tensor<2x2x1xi16> -> tensor<2x2x1x!fixed.q<16, 13>>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<2x1x!fixed.q<16, 12>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 2 : index
  %c2 = arith.constant 0 : index
  %sum = scf.for %i = %c0 to %c1 step %c2 iter_args(%carried = %zero) -> (tensor<2x1x!fixed.q<16, 12>>) {
    %wi = tdsl.index %w[%i] : tensor<2x2x1x!fixed.q<16, 13>> -> tensor<2x1x!fixed.q<16, 13>>
    %p = tdsl.mul %wi, %x : tensor<2x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<2x1x!fixed.q<16, 12>>
    %next = tdsl.add %carried, %p : tensor<2x1x!fixed.q<16, 12>>, tensor<2x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 12>>
    scf.yield %next : tensor<2x1x!fixed.q<16, 12>>
  }
  func.return %sum : tensor<2x1x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @stuck(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<2x1x!fixed.q<16, 12>> {
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}[8192], [-4096]], {{\[\[}}-16384], [8192]]]> : tensor<2x2x1xi16> -> tensor<2x2x1x!fixed.q<16, 13>>
// CHECK-NEXT: %zero = tdsl.fill {value = 0.000000e+00 : f64} -> tensor<2x1x!fixed.q<16, 12>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 2 : index
// CHECK-NEXT: %c2 = arith.constant 0 : index
// CHECK-NEXT: %sum = scf.for %i = %c0 to %c1 step %c2 iter_args(%carried = %zero) -> (tensor<2x1x!fixed.q<16, 12>>) {
// CHECK-NEXT: %wi = tdsl.index %w[%i] : tensor<2x2x1x!fixed.q<16, 13>> -> tensor<2x1x!fixed.q<16, 13>>
// CHECK-NEXT: %p = tdsl.mul %wi, %x : tensor<2x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<2x1x!fixed.q<16, 12>>
// CHECK-NEXT: %next = tdsl.add %carried, %p : tensor<2x1x!fixed.q<16, 12>>, tensor<2x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 12>>
// CHECK-NEXT: scf.yield %next : tensor<2x1x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : tensor<2x1x!fixed.q<16, 12>>

// A constant gives up as many as four bits, so that 64 products of 2^14 and 2^15 fit 32 bits; five would be too many.
func.func @four_bits(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<1x1x!fixed.q<16, 12>> {
  %w = tdsl.const dense<16384> : tensor<64x1x1xi16> -> tensor<64x1x1x!fixed.q<16, 13>>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<1x1x!fixed.q<16, 12>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 64 : index
  %sum = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.q<16, 12>>) {
    %wi = tdsl.index %w[%i] : tensor<64x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
    %p = tdsl.mul %wi, %x : tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 12>>
    %next = tdsl.add %carried, %p : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 12>>
    scf.yield %next : tensor<1x1x!fixed.q<16, 12>>
  }
  func.return %sum : tensor<1x1x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @four_bits(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<1x1x!fixed.q<16, 12>> {
// CHECK-NEXT: %w = tdsl.const dense<1024> : tensor<64x1x1xi16> -> tensor<64x1x1x!fixed.q<12, 9>>
// CHECK-NEXT: %zero = tdsl.zero -> tensor<1x1x!fixed.acc<32, 24>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %end = arith.constant 64 : index
// CHECK-NEXT: %sum = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.acc<32, 24>>) {
// CHECK-NEXT: [[v0:%.*]] = tdsl.index %w[%i] : tensor<64x1x1x!fixed.q<12, 9>> -> tensor<1x1x!fixed.q<12, 9>>
// CHECK-NEXT: %next = tdsl.mac %carried, [[v0]], %x : tensor<1x1x!fixed.acc<32, 24>>, tensor<1x1x!fixed.q<12, 9>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.acc<32, 24>>
// CHECK-NEXT: scf.yield %next : tensor<1x1x!fixed.acc<32, 24>>
// CHECK-NEXT: }
// CHECK-NEXT: [[vsum_1:%.*]] = tdsl.finish %sum {bound = array<i64: -2147418112, 2147418112>} : tensor<1x1x!fixed.acc<32, 24>> -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: func.return [[vsum_1]] : tensor<1x1x!fixed.q<16, 12>>

func.func @five_bits(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<1x1x!fixed.q<16, 12>> {
  %w = tdsl.const dense<16384> : tensor<65x1x1xi16> -> tensor<65x1x1x!fixed.q<16, 13>>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<1x1x!fixed.q<16, 12>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 65 : index
  %sum = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.q<16, 12>>) {
    %wi = tdsl.index %w[%i] : tensor<65x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
    %p = tdsl.mul %wi, %x : tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 12>>
    %next = tdsl.add %carried, %p : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 12>>
    scf.yield %next : tensor<1x1x!fixed.q<16, 12>>
  }
  func.return %sum : tensor<1x1x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @five_bits(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<1x1x!fixed.q<16, 12>> {
// CHECK-NEXT: %w = tdsl.const dense<16384> : tensor<65x1x1xi16> -> tensor<65x1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %zero = tdsl.fill {value = 0.000000e+00 : f64} -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %end = arith.constant 65 : index
// CHECK-NEXT: %sum = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.q<16, 12>>) {
// CHECK-NEXT: %wi = tdsl.index %w[%i] : tensor<65x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %p = tdsl.mul %wi, %x : tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: %next = tdsl.add %carried, %p : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: scf.yield %next : tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : tensor<1x1x!fixed.q<16, 12>>

// One that something else reads gives up none: four products of it fit, five do not.
func.func @whole(%x: tensor<1x1x!fixed.q<16, 15>>) -> (tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>) {
  %w = tdsl.const dense<16384> : tensor<4x1x1xi16> -> tensor<4x1x1x!fixed.q<16, 13>>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<1x1x!fixed.q<16, 12>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 4 : index
  %sum = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.q<16, 12>>) {
    %wi = tdsl.index %w[%i] : tensor<4x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
    %p = tdsl.mul %wi, %x : tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 12>>
    %next = tdsl.add %carried, %p : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 12>>
    scf.yield %next : tensor<1x1x!fixed.q<16, 12>>
  }
  %first = tdsl.index %w[%c0] : tensor<4x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
  func.return %sum, %first : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>
}
// CHECK-LABEL: func.func @whole(%x: tensor<1x1x!fixed.q<16, 15>>) -> (tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>) {
// CHECK-NEXT: %w = tdsl.const dense<16384> : tensor<4x1x1xi16> -> tensor<4x1x1x!fixed.q<16, 13>>
// CHECK-NEXT: [[vw_1:%.*]] = tdsl.const dense<16384> : tensor<4x1x1xi16> -> tensor<4x1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %zero = tdsl.zero -> tensor<1x1x!fixed.acc<32, 28>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %end = arith.constant 4 : index
// CHECK-NEXT: %sum = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.acc<32, 28>>) {
// CHECK-NEXT: [[v0:%.*]] = tdsl.index %w[%i] : tensor<4x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %next = tdsl.mac %carried, [[v0]], %x : tensor<1x1x!fixed.acc<32, 28>>, tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.acc<32, 28>>
// CHECK-NEXT: scf.yield %next : tensor<1x1x!fixed.acc<32, 28>>
// CHECK-NEXT: }
// CHECK-NEXT: [[vsum_1:%.*]] = tdsl.finish %sum {bound = array<i64: -2147418112, 2147418112>} : tensor<1x1x!fixed.acc<32, 28>> -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: %first = tdsl.index [[vw_1]][%c0] : tensor<4x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: func.return [[vsum_1]], %first : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>

func.func @one_bit(%x: tensor<1x1x!fixed.q<16, 15>>) -> (tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>) {
  %w = tdsl.const dense<16384> : tensor<5x1x1xi16> -> tensor<5x1x1x!fixed.q<16, 13>>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<1x1x!fixed.q<16, 12>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 5 : index
  %sum = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.q<16, 12>>) {
    %wi = tdsl.index %w[%i] : tensor<5x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
    %p = tdsl.mul %wi, %x : tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 12>>
    %next = tdsl.add %carried, %p : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 12>>
    scf.yield %next : tensor<1x1x!fixed.q<16, 12>>
  }
  %first = tdsl.index %w[%c0] : tensor<5x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
  func.return %sum, %first : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>
}
// CHECK-LABEL: func.func @one_bit(%x: tensor<1x1x!fixed.q<16, 15>>) -> (tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>) {
// CHECK-NEXT: %w = tdsl.const dense<16384> : tensor<5x1x1xi16> -> tensor<5x1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %zero = tdsl.fill {value = 0.000000e+00 : f64} -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %end = arith.constant 5 : index
// CHECK-NEXT: %sum = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.q<16, 12>>) {
// CHECK-NEXT: %wi = tdsl.index %w[%i] : tensor<5x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %p = tdsl.mul %wi, %x : tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: %next = tdsl.add %carried, %p : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: scf.yield %next : tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: }
// CHECK-NEXT: %first = tdsl.index %w[%c0] : tensor<5x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: func.return %sum, %first : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>

// Nor does one of which something else reads the part.
func.func @part(%x: tensor<1x1x!fixed.q<16, 15>>) -> (tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>) {
  %w = tdsl.const dense<16384> : tensor<5x1x1xi16> -> tensor<5x1x1x!fixed.q<16, 13>>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<1x1x!fixed.q<16, 12>>
  %least = tdsl.fill {value = -1.0 : f64} -> tensor<1x1x!fixed.q<16, 13>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 5 : index
  %sum, %most = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %zero, %greatest = %least) -> (tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>) {
    %wi = tdsl.index %w[%i] : tensor<5x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
    %p = tdsl.mul %wi, %x : tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 12>>
    %next = tdsl.add %carried, %p : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 12>>
    %greater = tdsl.maximum %greatest, %wi : tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
    scf.yield %next, %greater : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>
  }
  func.return %sum, %most : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>
}
// CHECK-LABEL: func.func @part(%x: tensor<1x1x!fixed.q<16, 15>>) -> (tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>) {
// CHECK-NEXT: %w = tdsl.const dense<16384> : tensor<5x1x1xi16> -> tensor<5x1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %zero = tdsl.fill {value = 0.000000e+00 : f64} -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: %least = tdsl.fill {value = -1.000000e+00 : f64} -> tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %end = arith.constant 5 : index
// CHECK-NEXT: %sum, %most = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %zero, %greatest = %least) -> (tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>) {
// CHECK-NEXT: %wi = tdsl.index %w[%i] : tensor<5x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: %p = tdsl.mul %wi, %x : tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: %next = tdsl.add %carried, %p : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: %greater = tdsl.maximum %greatest, %wi : tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: scf.yield %next, %greater : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum, %most : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 13>>

// What the literature adds up step by step stays so.
func.func @published(%x: tensor<2x1x1x!seedot.q<16, 15>>) -> tensor<2x1x!seedot.q<16, 12>> {
  %w = tdsl.const dense<[[[8192], [-4096]], [[-16384], [8192]]]> : tensor<2x2x1xi16> -> tensor<2x2x1x!seedot.q<16, 13>>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<2x1x!seedot.q<16, 12>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%carried = %zero) -> (tensor<2x1x!seedot.q<16, 12>>) {
    %wi = tdsl.index %w[%i] : tensor<2x2x1x!seedot.q<16, 13>> -> tensor<2x1x!seedot.q<16, 13>>
    %xi = tdsl.index %x[%i] : tensor<2x1x1x!seedot.q<16, 15>> -> tensor<1x1x!seedot.q<16, 15>>
    %p = tdsl.mul %wi, %xi : tensor<2x1x!seedot.q<16, 13>>, tensor<1x1x!seedot.q<16, 15>> -> tensor<2x1x!seedot.q<16, 12>>
    %next = tdsl.add %carried, %p : tensor<2x1x!seedot.q<16, 12>>, tensor<2x1x!seedot.q<16, 12>> -> tensor<2x1x!seedot.q<16, 12>>
    scf.yield %next : tensor<2x1x!seedot.q<16, 12>>
  }
  func.return %sum : tensor<2x1x!seedot.q<16, 12>>
}
// CHECK-LABEL: func.func @published
// CHECK: %p = tdsl.mul %wi, %xi
// CHECK-NEXT: %next = tdsl.add %carried, %p

// A quire is an array, even if 32 bits hold it.
func.func @quire(%x: tensor<2x1x1x!posit.p<4, 0>>) -> tensor<2x1x!posit.p<4, 0>> {
  %w = tdsl.const dense<[[[2], [-1]], [[3], [1]]]> : tensor<2x2x1xi8> -> tensor<2x2x1x!posit.p<4, 0>>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<2x1x!posit.p<4, 0>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%carried = %zero) -> (tensor<2x1x!posit.p<4, 0>>) {
    %wi = tdsl.index %w[%i] : tensor<2x2x1x!posit.p<4, 0>> -> tensor<2x1x!posit.p<4, 0>>
    %xi = tdsl.index %x[%i] : tensor<2x1x1x!posit.p<4, 0>> -> tensor<1x1x!posit.p<4, 0>>
    %p = tdsl.mul %wi, %xi : tensor<2x1x!posit.p<4, 0>>, tensor<1x1x!posit.p<4, 0>> -> tensor<2x1x!posit.p<4, 0>>
    %next = tdsl.add %carried, %p : tensor<2x1x!posit.p<4, 0>>, tensor<2x1x!posit.p<4, 0>> -> tensor<2x1x!posit.p<4, 0>>
    scf.yield %next : tensor<2x1x!posit.p<4, 0>>
  }
  func.return %sum : tensor<2x1x!posit.p<4, 0>>
}
// CHECK-LABEL: func.func @quire
// CHECK: tdsl.mul
// CHECK-NEXT: tdsl.add

// An option gave the type of the constant, which therefore gives up no bit, and the sum keeps its steps. Other given types
// change nothing.
func.func @given(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<1x1x!fixed.q<16, 12>> attributes {tdsl.given = [!fixed.q<16, 13>]} {
  %w = tdsl.const dense<16384> : tensor<64x1x1xi16> -> tensor<64x1x1x!fixed.q<16, 13>>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<1x1x!fixed.q<16, 12>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 64 : index
  %sum = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.q<16, 12>>) {
    %wi = tdsl.index %w[%i] : tensor<64x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
    %p = tdsl.mul %wi, %x : tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 12>>
    %next = tdsl.add %carried, %p : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 12>>
    scf.yield %next : tensor<1x1x!fixed.q<16, 12>>
  }
  func.return %sum : tensor<1x1x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @given
// CHECK: tdsl.add %carried, %p : tensor<1x1x!fixed.q<16, 12>>
func.func @other_given(%x: tensor<1x1x!fixed.q<16, 15>>) -> tensor<1x1x!fixed.q<16, 12>> attributes {tdsl.given = [!fixed.q<16, 15>]} {
  %w = tdsl.const dense<16384> : tensor<64x1x1xi16> -> tensor<64x1x1x!fixed.q<16, 13>>
  %zero = tdsl.fill {value = 0.0 : f64} -> tensor<1x1x!fixed.q<16, 12>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 64 : index
  %sum = scf.for %i = %c0 to %end step %c1 iter_args(%carried = %zero) -> (tensor<1x1x!fixed.q<16, 12>>) {
    %wi = tdsl.index %w[%i] : tensor<64x1x1x!fixed.q<16, 13>> -> tensor<1x1x!fixed.q<16, 13>>
    %p = tdsl.mul %wi, %x : tensor<1x1x!fixed.q<16, 13>>, tensor<1x1x!fixed.q<16, 15>> -> tensor<1x1x!fixed.q<16, 12>>
    %next = tdsl.add %carried, %p : tensor<1x1x!fixed.q<16, 12>>, tensor<1x1x!fixed.q<16, 12>> -> tensor<1x1x!fixed.q<16, 12>>
    scf.yield %next : tensor<1x1x!fixed.q<16, 12>>
  }
  func.return %sum : tensor<1x1x!fixed.q<16, 12>>
}
// CHECK-LABEL: func.func @other_given
// CHECK: tdsl.mac %carried, {{.*}} : tensor<1x1x!fixed.acc<32, 24>>, tensor<1x1x!fixed.q<12, 9>>
