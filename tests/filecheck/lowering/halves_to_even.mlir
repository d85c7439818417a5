// Halves at both parities and of both signs: 2.5, 3.5, -2.5 and -3.5 become 2, 4, -2 and -4, each by a shift of one bit.

// RUN: tinyml-opt %s -p lower-num-to-exact,lower-exact-to-arith,canonicalize | filecheck %s

func.func @ties() -> (!fixed.s<8, 0, even>, !fixed.s<8, 0, even>, !fixed.s<8, 0, even>, !fixed.s<8, 0, even>, !fixed.s<8, 0>) {
  %a = num.constant {value = 2.5 : f64} -> !fixed.q<8, 1>
  %b = num.constant {value = 3.5 : f64} -> !fixed.q<8, 1>
  %c = num.constant {value = -2.5 : f64} -> !fixed.q<8, 1>
  %d = num.constant {value = -3.5 : f64} -> !fixed.q<8, 1>
  %e = num.convert %a : !fixed.q<8, 1> -> !fixed.s<8, 0, even>
  %f = num.convert %b : !fixed.q<8, 1> -> !fixed.s<8, 0, even>
  %g = num.convert %c : !fixed.q<8, 1> -> !fixed.s<8, 0, even>
  %h = num.convert %d : !fixed.q<8, 1> -> !fixed.s<8, 0, even>
  %i = num.convert %d : !fixed.q<8, 1> -> !fixed.s<8, 0>
  func.return %e, %f, %g, %h, %i : !fixed.s<8, 0, even>, !fixed.s<8, 0, even>, !fixed.s<8, 0, even>, !fixed.s<8, 0, even>, !fixed.s<8, 0>
}
// CHECK: arith.constant 5 : i8
// CHECK: %e = arith.shrsi
// CHECK: arith.constant 8 : i8
// CHECK: %f = arith.shrsi
// CHECK: arith.constant -4 : i8
// CHECK: %g = arith.shrsi
// CHECK: arith.constant -7 : i8
// CHECK: %h = arith.shrsi
// Halves are rounded up without the word `even`.
// CHECK: %i = arith.constant -3 : i8
