// RUN: tinyml-opt %s -p 'receive-input{input=push},stream-over-time' | filecheck %s
// RUN: tinyml-opt %s -p 'receive-input{input=push},stream-over-time,lower-tdsl-to-scratch' | filecheck %s --check-prefix=BUFFERS

// A row passes from loop to loop through a subtraction, whose constant stands behind the first loop.
func.func @passing(%X: tensor<1x8x!fixed.q<8, 4>>) -> tensor<1x2x!fixed.q<8, 4>> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %M = tdsl.fill {value = 0.0 : f64} -> tensor<4x2x!fixed.q<8, 4>>
  %rows = scf.for %i = %zero to %four step %one iter_args(%m = %M) -> (tensor<4x2x!fixed.q<8, 4>>) {
    %at = arith.muli %i, %two : index
    %x = tdsl.slice %X[%zero, %at] : tensor<1x8x!fixed.q<8, 4>> -> tensor<1x2x!fixed.q<8, 4>>
    %y = tdsl.relu %x : tensor<1x2x!fixed.q<8, 4>> -> tensor<1x2x!fixed.q<8, 4>>
    %n = tdsl.insert_slice %y, %m[%i, %zero] : tensor<1x2x!fixed.q<8, 4>>, tensor<4x2x!fixed.q<8, 4>> -> tensor<4x2x!fixed.q<8, 4>>
    scf.yield %n : tensor<4x2x!fixed.q<8, 4>>
  }
  %c = tdsl.const dense<3> : tensor<i8> -> tensor<!fixed.q<8, 4>>
  %less = tdsl.sub %rows, %c : tensor<4x2x!fixed.q<8, 4>>, tensor<!fixed.q<8, 4>> -> tensor<4x2x!fixed.q<8, 4>>
  %in = tdsl.reshape %less : tensor<4x2x!fixed.q<8, 4>> -> tensor<4x1x2x!fixed.q<8, 4>>
  %H = tdsl.fill {value = 0.0 : f64} -> tensor<1x2x!fixed.q<8, 4>>
  %r = scf.for %i = %zero to %four step %one iter_args(%h = %H) -> (tensor<1x2x!fixed.q<8, 4>>) {
    %x = tdsl.index %in[%i] : tensor<4x1x2x!fixed.q<8, 4>> -> tensor<1x2x!fixed.q<8, 4>>
    %s = tdsl.add %x, %h : tensor<1x2x!fixed.q<8, 4>>, tensor<1x2x!fixed.q<8, 4>> -> tensor<1x2x!fixed.q<8, 4>>
    scf.yield %s : tensor<1x2x!fixed.q<8, 4>>
  }
  func.return %r : tensor<1x2x!fixed.q<8, 4>>
}

// CHECK-LABEL: func.func @passing
// CHECK-NEXT: %c = tdsl.const dense<3>
// CHECK: tdsl.sub {{.*}}, %c : tensor<1x2x!fixed.q<8, 4>>

// BUFFERS-LABEL: func.func @passing
// BUFFERS: tdsl.sub {{.*}} into
