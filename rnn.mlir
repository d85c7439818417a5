func.func @steps(%X: tensor<20x1x!fixed.q<8, 4>>) -> (index, tensor<1x3x!fixed.q<8, 4>>) {
  %XX = tdsl.reshape %X : tensor<20x1x!fixed.q<8, 4>> -> tensor<5x1x4x!fixed.q<8, 4>>
  %W = tdsl.const dense<[[3, -5, 7], [-2, 4, 6], [9, 1, -8], [5, -7, 2]]> : tensor<4x3xi8> -> tensor<4x3x!fixed.q<8, 3>>
  %H = tdsl.fill {value = 0.5 : f64} -> tensor<1x3x!fixed.q<8, 4>>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %r = scf.for %i = %zero to %five step %one iter_args(%h = %H) -> (tensor<1x3x!fixed.q<8, 4>>) {
    %x = tdsl.index %XX[%i] : tensor<5x1x4x!fixed.q<8, 4>> -> tensor<1x4x!fixed.q<8, 4>>
    %p = tdsl.matmul %x, %W : tensor<1x4x!fixed.q<8, 4>>, tensor<4x3x!fixed.q<8, 3>> -> tensor<1x3x!fixed.q<8, 4>>
    %s = tdsl.add %p, %h : tensor<1x3x!fixed.q<8, 4>>, tensor<1x3x!fixed.q<8, 4>> -> tensor<1x3x!fixed.q<8, 4>>
    scf.yield %s : tensor<1x3x!fixed.q<8, 4>>
  }
  %y = tdsl.relu %r : tensor<1x3x!fixed.q<8, 4>> -> tensor<1x3x!fixed.q<8, 4>>
  %c = tdsl.argmax %y : tensor<1x3x!fixed.q<8, 4>>
  func.return %c, %y : index, tensor<1x3x!fixed.q<8, 4>>
}
