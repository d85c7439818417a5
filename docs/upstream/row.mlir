// A row of weights times the input, at L4.
func.func @row(%x: memref<1x2xi8>) -> memref<1xi8> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<1xi8>
  %y = scratch.view %arena[0 : i64] : memref<1xi8> to memref<1xi8>
  %w = scratch.constant dense<[3, -5]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %start = arith.constant 0 : i16
  %sum = scf.for %i = %zero to %two step %one iter_args(%s = %start) -> (i16) {
    %a = memref.load %w[%i] : memref<2xi8, #scratch.flash>
    %b = memref.load %x[%zero, %i] : memref<1x2xi8>
    %aw = arith.extsi %a : i8 to i16
    %bw = arith.extsi %b : i8 to i16
    %product = arith.muli %aw, %bw : i16
    %t = arith.addi %s, %product : i16
    scf.yield %t : i16
  }
  %right = arith.constant 4 : i8
  %bits = arith.constant 8 : i8
  %r = func.call @tm_limit_i16_i8(%sum, %right, %bits) : (i16, i8, i8) -> i8
  memref.store %r, %y[%zero] : memref<1xi8>
  func.return %y : memref<1xi8>
}
func.func private @tm_limit_i16_i8(i16, i8, i8) -> i8
