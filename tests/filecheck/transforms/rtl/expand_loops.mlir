// RUN: tinyml-opt %s -p expand-loops,canonicalize | filecheck %s

// Two iterations of an inner loop follow each other, the loop of eight and one with products stay.
func.func @maximum(%x: !rtl.memory<16, 8>, %y: !rtl.memory<8, 8>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : index
  %least = arith.constant -128 : i8
  scf.for %i = %zero to %eight step %one {
    %m = scf.for %k = %zero to %two step %one iter_args(%c = %least) -> (i8) {
      %row = arith.muli %k, %eight : index
      %at = arith.addi %row, %i : index
      %a = rtl.load %x[%at] : !rtl.memory<16, 8> -> i8
      %n = arith.maxsi %a, %c : i8
      scf.yield %n : i8
    }
    %p = scf.for %k = %zero to %two step %one iter_args(%c = %m) -> (i8) {
      %n = arith.muli %m, %c : i8
      scf.yield %n : i8
    }
    rtl.store %p, %y[%i] : i8, !rtl.memory<8, 8>
  }
  func.return %zero : index
}
// CHECK: scf.for %i
// CHECK: rtl.load %x[%i]
// CHECK: arith.maxsi
// CHECK: rtl.load %x
// CHECK: [[m:%.*]] = arith.maxsi
// CHECK: scf.for {{.*}} iter_args(%c = [[m]])
