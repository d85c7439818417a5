// Formats become reals: constants, conversions, limits that a zero point hides.

// RUN: tinyml-opt %s -p lift-to-reals | filecheck %s

func.func @hidden(%x: tensor<2x1x!zeroskew.q<8, 0.5, 0>>) -> tensor<2x1x!zeroskew.q<8, 1.0, -128>> {
  %w = tdsl.const dense<[[2, 4], [1, -1]]> : tensor<2x2xi8> -> tensor<2x2x!zeroskew.q<8, [0.5, 0.25], 0>>
  %y = tdsl.matmul %w, %x {acc = !zeroskew.acc<32, [0.25, 0.125]>} : tensor<2x2x!zeroskew.q<8, [0.5, 0.25], 0>>, tensor<2x1x!zeroskew.q<8, 0.5, 0>> -> tensor<2x1x!zeroskew.q<8, 0.25, -128>>
  %z = tdsl.cast %y : tensor<2x1x!zeroskew.q<8, 0.25, -128>> -> tensor<2x1x!zeroskew.q<8, 1.0, -128>>
  func.return %z : tensor<2x1x!zeroskew.q<8, 1.0, -128>>
}
// CHECK-LABEL: func.func @hidden(%x: tensor<2x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: %w = tdsl.const dense<{{\[\[}}1.000000e+00, 2.000000e+00], [2.500000e-01, -2.500000e-01]]> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %y = tdsl.matmul %w, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[vy_1:%.*]] = tdsl.relu %y : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %z = tdsl.relu [[vy_1]] : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %z : tensor<2x1xf32>

// Functions lose the scheme of their format, and steps of a map are tensors again.
func.func @functions(%x: tensor<2x!fixed.q<16, 8>>) -> tensor<2x!fixed.q<16, 8>> {
  %y = tdsl.tanh %x {scheme = "seedot"} : tensor<2x!fixed.q<16, 8>> -> tensor<2x!fixed.q<16, 14>>
  %z = tdsl.map %y : tensor<2x!fixed.q<16, 14>> -> tensor<2x!fixed.q<16, 8>> {
  ^bb0(%a: !fixed.q<16, 14>):
    %b = num.neg %a : !fixed.q<16, 14> -> !fixed.q<16, 8>
    tdsl.yield %b : !fixed.q<16, 8>
  }
  func.return %z : tensor<2x!fixed.q<16, 8>>
}
// CHECK-LABEL: func.func @functions(%x: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NEXT: %y = tdsl.tanh %x : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT: %z = tdsl.neg %y : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT: func.return %z : tensor<2xf32>

// What is in f32 stays: it is a format as well as an accumulator.
func.func @parts(%x: tensor<2x!zeroskew.q<8, 0.5, 0>>) -> tensor<2x!zeroskew.q<8, 0.25, 0>> {
  %f = tdsl.cast %x : tensor<2x!zeroskew.q<8, 0.5, 0>> -> tensor<2xf32>
  %t = tdsl.tanh %f : tensor<2xf32> -> tensor<2xf32>
  %q = tdsl.cast %t : tensor<2xf32> -> tensor<2x!zeroskew.q<8, 0.25, 0>>
  func.return %q : tensor<2x!zeroskew.q<8, 0.25, 0>>
}
// CHECK-LABEL: func.func @parts(%x: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NEXT: %t = tdsl.tanh %x : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT: func.return %t : tensor<2xf32>

// Numbers that move, exponentials, and what is clamped anyway cannot be cut off by a format without negative numbers.
func.func @positive(%x: tensor<2x1x!fixed.u<8, 4>>) -> (tensor<1x2x!fixed.u<8, 4>>, tensor<2x1x!fixed.u<8, 4>>, tensor<2x1x!fixed.u<8, 4>>, tensor<2x1x!fixed.u<8, 4>>) {
  %r = tdsl.reshape %x : tensor<2x1x!fixed.u<8, 4>> -> tensor<1x2x!fixed.u<8, 4>>
  %e = tdsl.exp %x : tensor<2x1x!fixed.u<8, 4>> -> tensor<2x1x!fixed.u<8, 4>>
  %n = tdsl.neg %x : tensor<2x1x!fixed.u<8, 4>> -> tensor<2x1x!fixed.u<8, 4>>
  %c = tdsl.clip %n {low = 0.0 : f64, high = 6.0 : f64} : tensor<2x1x!fixed.u<8, 4>> -> tensor<2x1x!fixed.u<8, 4>>
  %m = tdsl.neg %e : tensor<2x1x!fixed.u<8, 4>> -> tensor<2x1x!fixed.u<8, 4>>
  func.return %r, %e, %c, %m : tensor<1x2x!fixed.u<8, 4>>, tensor<2x1x!fixed.u<8, 4>>, tensor<2x1x!fixed.u<8, 4>>, tensor<2x1x!fixed.u<8, 4>>
}
// CHECK-LABEL: func.func @positive(%x: tensor<2x1xf32>) -> (tensor<1x2xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) {
// CHECK-NEXT: %r = tdsl.reshape %x : tensor<2x1xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %e = tdsl.exp %x : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %n = tdsl.neg %x : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %c = tdsl.clip %n {low = 0.000000e+00 : f64, high = 6.000000e+00 : f64} : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %m = tdsl.neg %e : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[vm_1:%.*]] = tdsl.relu %m : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %r, %e, %c, [[vm_1]] : tensor<1x2xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>

// Negative numbers down to -1 are cut off, too, also for one reader of two; indices stay what they are.
func.func @cut(%x: tensor<2x1x!fixed.q<8, 4>>) -> (index, tensor<2x1x!fixed.u<8, 8>>, tensor<2x1x!fixed.u<8, 4>>, tensor<2x1x!fixed.u<8, 4>>) {
  %l = tdsl.argmax %x : tensor<2x1x!fixed.q<8, 4>>
  %t = tdsl.tanh %x : tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.u<8, 8>>
  %n = tdsl.neg %x : tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.u<8, 4>>
  %c = tdsl.clip %n {low = 0.0 : f64, high = 6.0 : f64} : tensor<2x1x!fixed.u<8, 4>> -> tensor<2x1x!fixed.u<8, 4>>
  func.return %l, %t, %n, %c : index, tensor<2x1x!fixed.u<8, 8>>, tensor<2x1x!fixed.u<8, 4>>, tensor<2x1x!fixed.u<8, 4>>
}
// CHECK-LABEL: func.func @cut
// CHECK-NEXT: %l = tdsl.argmax %x : tensor<2x1xf32>
// CHECK-NEXT: %t = tdsl.tanh %x
// CHECK-NEXT: [[t:%.*]] = tdsl.relu %t
// CHECK-NEXT: %n = tdsl.neg %x
// CHECK-NEXT: [[n:%.*]] = tdsl.relu %n
// CHECK-NEXT: %c = tdsl.clip [[n]]
// CHECK-NEXT: func.return %l, [[t]], [[n]], %c : index

// Inputs lose formats of their own, whose ends are no relu.
func.func @inputs(%x: tensor<1x2x!zeroskew.q<8, 0.5, 0>>) -> tensor<1x2x!zeroskew.q<8, 1.0, 0>> attributes {tdsl.interface = #tdsl.interface<input = <parts = [["a", 1], ["b", 1, !zeroskew.q<8, 0.25, -128>]]>>} {
  %b = tdsl.reinterpret %x : tensor<1x2x!zeroskew.q<8, 0.5, 0>> -> tensor<1x2x!zeroskew.q<8, 0.25, -128>>
  %y = tdsl.add %x, %b : tensor<1x2x!zeroskew.q<8, 0.5, 0>>, tensor<1x2x!zeroskew.q<8, 0.25, -128>> -> tensor<1x2x!zeroskew.q<8, 1.0, 0>>
  func.return %y : tensor<1x2x!zeroskew.q<8, 1.0, 0>>
}
// CHECK-LABEL: func.func @inputs(%x: tensor<1x2xf32>) -> tensor<1x2xf32> attributes {tdsl.interface = #tdsl.interface<input = <parts = {{\[\[}}"a", 1], ["b", 1]]>>} {
// CHECK-NEXT: %y = tdsl.add %x, %x : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: func.return %y : tensor<1x2xf32>

// Sums in accumulators that start from zero become tensors, to which products are added.
func.func @sums(%x: tensor<1x1x!fixed.q<8, 4>>, %f: tensor<2x1x!fixed.q<8, 4>>) -> (index, tensor<2x1x!fixed.q<8, 2>>, tensor<2x1x!fixed.q<8, 2>>) {
  %w = tdsl.const dense<[[[1], [2]], [[-1], [3]]]> : tensor<2x2x1xi8> -> tensor<2x2x1x!fixed.q<8, 0>>
  %v = tdsl.const dense<[[1, 2], [3, 4]]> : tensor<2x2xi8> -> tensor<2x2x!fixed.q<8, 0>>
  %low = arith.constant 0 : index
  %step = arith.constant 1 : index
  %high = arith.constant 2 : index
  %zero = tdsl.zero -> tensor<2x1x!fixed.acc<32, 4>>
  %sum = scf.for %i = %low to %high step %step iter_args(%s = %zero) -> (tensor<2x1x!fixed.acc<32, 4>>) {
    %row = tdsl.index %w[%i] : tensor<2x2x1x!fixed.q<8, 0>> -> tensor<2x1x!fixed.q<8, 0>>
    %t = tdsl.mac %s, %row, %x : tensor<2x1x!fixed.acc<32, 4>>, tensor<2x1x!fixed.q<8, 0>>, tensor<1x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.acc<32, 4>>
    scf.yield %t : tensor<2x1x!fixed.acc<32, 4>>
  }
  %other = tdsl.accumulate %zero, %v, %f : tensor<2x1x!fixed.acc<32, 4>>, tensor<2x2x!fixed.q<8, 0>>, tensor<2x1x!fixed.q<8, 4>> -> tensor<2x1x!fixed.acc<32, 4>>
  %class = tdsl.argmax %sum : tensor<2x1x!fixed.acc<32, 4>>
  %y = tdsl.finish %sum : tensor<2x1x!fixed.acc<32, 4>> -> tensor<2x1x!fixed.q<8, 2>>
  %z = tdsl.finish %other : tensor<2x1x!fixed.acc<32, 4>> -> tensor<2x1x!fixed.q<8, 2>>
  func.return %class, %y, %z : index, tensor<2x1x!fixed.q<8, 2>>, tensor<2x1x!fixed.q<8, 2>>
}
// CHECK-LABEL: func.func @sums(
// CHECK: %zero = tdsl.fill {value = 0.000000e+00 : f64} -> tensor<2x1xf32>
// CHECK-NEXT: %sum = scf.for %i = %low to %high step %step iter_args(%s = %zero) -> (tensor<2x1xf32>) {
// CHECK-NEXT: %row = tdsl.index %w[%i] : tensor<2x2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[product:%.*]] = tdsl.mul %row, %x : tensor<2x1xf32>, tensor<1x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[total:%.*]] = tdsl.add %s, [[product]] : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: scf.yield [[total]] : tensor<2x1xf32>
// CHECK: [[matrix:%.*]] = tdsl.matmul %v, %f : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[other:%.*]] = tdsl.add %zero, [[matrix]] : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %class = tdsl.argmax %sum : tensor<2x1xf32>
// CHECK-NEXT: func.return %class, %sum, [[other]] : index, tensor<2x1xf32>, tensor<2x1xf32>
