// RUN: tinyml-opt %s -p hoist-invariants --split-input-file | filecheck %s

// A product and a function leave both loops, with what they need; the sum with what is carried stays.
func.func @nested(%x: tensor<2x1xf32>, %w: tensor<2x2xf32>, %h: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %y = scf.for %i = %0 to %2 step %1 iter_args(%a = %h) -> (tensor<2x1xf32>) {
    %z = scf.for %j = %0 to %2 step %1 iter_args(%b = %a) -> (tensor<2x1xf32>) {
      %wx = tdsl.matmul %w, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
      %s = tdsl.add %wx, %x : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
      %t = tdsl.tanh %s : tensor<2x1xf32> -> tensor<2x1xf32>
      %c = tdsl.add %b, %t : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
      scf.yield %c : tensor<2x1xf32>
    }
    scf.yield %z : tensor<2x1xf32>
  }
  func.return %y : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @nested(%x: tensor<2x1xf32>, %w: tensor<2x2xf32>, %h: tensor<2x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 2 : index
// CHECK-NEXT: %wx = tdsl.matmul %w, %x : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %s = tdsl.add %wx, %x : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %t = tdsl.tanh %s : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = scf.for %i = [[v0]] to [[v2]] step [[v1]] iter_args(%a = %h) -> (tensor<2x1xf32>) {
// CHECK-NEXT: %z = scf.for %j = [[v0]] to [[v2]] step [[v1]] iter_args(%b = %a) -> (tensor<2x1xf32>) {
// CHECK-NEXT: %c = tdsl.add %b, %t : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: scf.yield %c : tensor<2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %z : tensor<2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<2x1xf32>

// -----

// A whole loop leaves another one; what depends on the iteration, or on what is carried, does not.
func.func @loop(%x: tensor<3x1x1xf32>, %h: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  %y, %v = scf.for %i = %0 to %3 step %1 iter_args(%a = %h, %b = %h) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
    %z = scf.for %j = %0 to %3 step %1 iter_args(%c = %h) -> (tensor<1x1xf32>) {
      %d = tdsl.tanh %c : tensor<1x1xf32> -> tensor<1x1xf32>
      scf.yield %d : tensor<1x1xf32>
    }
    %xi = tdsl.index %x[%i] : tensor<3x1x1xf32> -> tensor<1x1xf32>
    %e = tdsl.exp %xi : tensor<1x1xf32> -> tensor<1x1xf32>
    %f = tdsl.sigmoid %a : tensor<1x1xf32> -> tensor<1x1xf32>
    %g = tdsl.add %e, %z : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
    scf.yield %f, %g : tensor<1x1xf32>, tensor<1x1xf32>
  }
  func.return %y, %v : tensor<1x1xf32>, tensor<1x1xf32>
}
// CHECK-LABEL: func.func @loop(%x: tensor<3x1x1xf32>, %h: tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 3 : index
// CHECK-NEXT: %z = scf.for %j = [[v0]] to [[v2]] step [[v1]] iter_args(%c = %h) -> (tensor<1x1xf32>) {
// CHECK-NEXT: %d = tdsl.tanh %c : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: scf.yield %d : tensor<1x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %y, %v = scf.for %i = [[v0]] to [[v2]] step [[v1]] iter_args(%a = %h, %b = %h) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
// CHECK-NEXT: %xi = tdsl.index %x[%i] : tensor<3x1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %e = tdsl.exp %xi : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %f = tdsl.sigmoid %a : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %g = tdsl.add %e, %z : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: scf.yield %f, %g : tensor<1x1xf32>, tensor<1x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y, %v : tensor<1x1xf32>, tensor<1x1xf32>

// -----

// A cheap op goes where its result can take the place of an operand: not of the input, nor of what the loop reads, too.
func.func @memory(%x: tensor<2x1xf32>, %h: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %p = tdsl.tanh %x : tensor<2x1xf32> -> tensor<2x1xf32>
  %q = tdsl.exp %x : tensor<2x1xf32> -> tensor<2x1xf32>
  %y = scf.for %i = %0 to %2 step %1 iter_args(%a = %h) -> (tensor<2x1xf32>) {
    %px = tdsl.add %p, %x : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %qx = tdsl.add %q, %x : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %n = tdsl.neg %qx : tensor<2x1xf32> -> tensor<2x1xf32>
    %b = tdsl.add %a, %q : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %c = tdsl.mul %b, %px : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %d = tdsl.mul %c, %n : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    scf.yield %d : tensor<2x1xf32>
  }
  func.return %y : tensor<2x1xf32>
}
// CHECK-LABEL: func.func @memory(%x: tensor<2x1xf32>, %h: tensor<2x1xf32>) -> tensor<2x1xf32> {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 2 : index
// CHECK-NEXT: %p = tdsl.tanh %x : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %q = tdsl.exp %x : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %px = tdsl.add %p, %x : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y = scf.for %i = [[v0]] to [[v2]] step [[v1]] iter_args(%a = %h) -> (tensor<2x1xf32>) {
// CHECK-NEXT: %qx = tdsl.add %q, %x : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %n = tdsl.neg %qx : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %b = tdsl.add %a, %q : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %c = tdsl.mul %b, %px : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %d = tdsl.mul %c, %n : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: scf.yield %d : tensor<2x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<2x1xf32>

// -----

// A cheap op that makes more than it reads stays; one that makes as much as it spares, or less, goes. A constant spares
// nothing.
func.func @sizes(%x: tensor<2x1xf32>, %m: tensor<2x2xf32>, %h: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %p = tdsl.tanh %x : tensor<2x1xf32> -> tensor<2x1xf32>
  %q = tdsl.exp %m : tensor<2x2xf32> -> tensor<2x2xf32>
  %c = tdsl.const dense<1.0> : tensor<2x2xf32> -> tensor<2x2xf32>
  %y, %z, %v = scf.for %i = %0 to %2 step %1 iter_args(%a = %h, %b = %h, %d = %h) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
    %more = tdsl.add %m, %p : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x2xf32>
    %same = tdsl.neg %q : tensor<2x2xf32> -> tensor<2x2xf32>
    %neg = tdsl.neg %c : tensor<2x2xf32> -> tensor<2x2xf32>
    %r = tdsl.mul %a, %more : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %s = tdsl.mul %b, %same : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    %t = tdsl.mul %d, %neg : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
    scf.yield %r, %s, %t : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
  }
  func.return %y, %z, %v : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @sizes(%x: tensor<2x1xf32>, %m: tensor<2x2xf32>, %h: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 2 : index
// CHECK-NEXT: %p = tdsl.tanh %x : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %q = tdsl.exp %m : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %c = tdsl.const dense<1.000000e+00> : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %same = tdsl.neg %q : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %y, %z, %v = scf.for %i = [[v0]] to [[v2]] step [[v1]] iter_args(%a = %h, %b = %h, %d = %h) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
// CHECK-NEXT: %more = tdsl.add %m, %p : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %neg = tdsl.neg %c : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %r = tdsl.mul %a, %more : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %s = tdsl.mul %b, %same : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %t = tdsl.mul %d, %neg : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: scf.yield %r, %s, %t : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y, %z, %v : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>

// -----

// What a function needs goes with it, and so does what takes its place. What a call returns may differ.
func.func @chains(%x: tensor<2x1xf32>, %h: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %y = scf.for %i = %0 to %2 step %1 iter_args(%a = %h) -> (tensor<2x1xf32>) {
    %s = tdsl.add %x, %h : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %t = tdsl.tanh %s : tensor<2x1xf32> -> tensor<2x1xf32>
    %n = tdsl.neg %t : tensor<2x1xf32> -> tensor<2x1xf32>
    %r = func.call @random() : () -> tensor<2x1xf32>
    %e = tdsl.exp %r : tensor<2x1xf32> -> tensor<2x1xf32>
    %b = tdsl.add %a, %n : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %c = tdsl.add %b, %e : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    scf.yield %c : tensor<2x1xf32>
  }
  func.return %y : tensor<2x1xf32>
}
func.func private @random() -> tensor<2x1xf32>
// CHECK-LABEL: func.func @chains
// CHECK: %s = tdsl.add %x, %h
// CHECK-NEXT: %t = tdsl.tanh %s
// CHECK-NEXT: %n = tdsl.neg %t
// CHECK-NEXT: %y = scf.for
// CHECK-NEXT: %r = func.call @random
// CHECK-NEXT: %e = tdsl.exp %r
// CHECK-NEXT: %b = tdsl.add %a, %n
// CHECK-NEXT: %c = tdsl.add %b, %e

// -----

// An operand with another use in the loop is not spared, and ops on indices stay.
func.func @other_uses(%x: tensor<2x1xf32>, %h: tensor<2x1xf32>) -> (tensor<2x1xf32>, index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %y, %k = scf.for %i = %0 to %2 step %1 iter_args(%a = %h, %n = %0) -> (tensor<2x1xf32>, index) {
    %j = arith.addi %1, %2 : index
    %l = tdsl.argmax %x : tensor<2x1xf32>
    %t = tdsl.tanh %x : tensor<2x1xf32> -> tensor<2x1xf32>
    %p = tdsl.neg %t : tensor<2x1xf32> -> tensor<2x1xf32>
    %q = tdsl.add %t, %p : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %b = tdsl.add %a, %q : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    %m = arith.addi %l, %j : index
    scf.yield %b, %m : tensor<2x1xf32>, index
  }
  func.return %y, %k : tensor<2x1xf32>, index
}
// CHECK-LABEL: func.func @other_uses(%x: tensor<2x1xf32>, %h: tensor<2x1xf32>) -> (tensor<2x1xf32>, index) {
// CHECK-NEXT: %0 = arith.constant 0 : index
// CHECK-NEXT: %1 = arith.constant 1 : index
// CHECK-NEXT: %2 = arith.constant 2 : index
// CHECK-NEXT: %t = tdsl.tanh %x : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %y, %k = scf.for %i = %0 to %2 step %1 iter_args(%a = %h, %n = %0) -> (tensor<2x1xf32>, index) {
// CHECK-NEXT: %j = arith.addi %1, %2 : index
// CHECK-NEXT: %l = tdsl.argmax %x : tensor<2x1xf32>
// CHECK-NEXT: %p = tdsl.neg %t : tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %q = tdsl.add %t, %p : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %b = tdsl.add %a, %q : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %m = arith.addi %l, %j : index
// CHECK-NEXT: scf.yield %b, %m : tensor<2x1xf32>, index
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y, %k : tensor<2x1xf32>, index
// CHECK-NEXT: }
