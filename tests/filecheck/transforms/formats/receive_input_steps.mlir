// RUN: tinyml-opt %s -p 'receive-input{input=serial}' --split-input-file --verify-diagnostics | filecheck %s

// Steps of two numbers are rows of an image, received where the loop reads them.
func.func @steps(%X: tensor<3x2x1x!fixed.q<8, 7>>) -> tensor<2x1x!fixed.q<8, 5>> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %start = tdsl.fill {value = 0.0 : f64} -> tensor<2x1x!fixed.q<8, 5>>
  %sum = scf.for %i = %zero to %three step %one iter_args(%s = %start) -> (tensor<2x1x!fixed.q<8, 5>>) {
    %x = tdsl.index %X[%i] : tensor<3x2x1x!fixed.q<8, 7>> -> tensor<2x1x!fixed.q<8, 7>>
    %next = tdsl.add %s, %x : tensor<2x1x!fixed.q<8, 5>>, tensor<2x1x!fixed.q<8, 7>> -> tensor<2x1x!fixed.q<8, 5>>
    scf.yield %next : tensor<2x1x!fixed.q<8, 5>>
  }
  func.return %sum : tensor<2x1x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @steps
// CHECK-SAME: #tdsl.interface<input = <received = 2>>
// CHECK: [[image:%.*]] = tdsl.reshape %X : tensor<3x2x1x!fixed.q<8, 7>> -> tensor<1x3x1x2x!fixed.q<8, 7>>
// CHECK: scf.for %i
// CHECK-NEXT: [[row:%.*]] = tdsl.receive [[image]][%i] : tensor<1x3x1x2x!fixed.q<8, 7>> -> tensor<1x1x1x2x!fixed.q<8, 7>>
// CHECK-NEXT: [[step:%.*]] = tdsl.reshape [[row]] : tensor<1x1x1x2x!fixed.q<8, 7>> -> tensor<2x1x!fixed.q<8, 7>>
// CHECK-NEXT: tdsl.add %s, [[step]]

// -----

// 65,535 rows, or elements of a row, are counted in 16 bits, one more is not.
func.func @rows(%X: tensor<1x65535x1x1x!fixed.q<8, 7>>) -> tensor<1x65535x1x1x!fixed.q<8, 7>> {
  %y = tdsl.relu %X : tensor<1x65535x1x1x!fixed.q<8, 7>> -> tensor<1x65535x1x1x!fixed.q<8, 7>>
  func.return %y : tensor<1x65535x1x1x!fixed.q<8, 7>>
}
// CHECK-LABEL: func.func @rows
// CHECK-SAME: received = 1>

// -----

func.func @elements(%X: tensor<1x1x21845x3x!fixed.q<8, 7>>) -> tensor<1x1x21845x3x!fixed.q<8, 7>> {
  %y = tdsl.relu %X : tensor<1x1x21845x3x!fixed.q<8, 7>> -> tensor<1x1x21845x3x!fixed.q<8, 7>>
  func.return %y : tensor<1x1x21845x3x!fixed.q<8, 7>>
}
// CHECK-LABEL: func.func @elements
// CHECK-SAME: received = 65535>

// -----

func.func @more_rows(%X: tensor<1x65536x1x1x!fixed.q<8, 7>>) -> tensor<1x65536x1x1x!fixed.q<8, 7>> {
  %y = tdsl.relu %X : tensor<1x65536x1x1x!fixed.q<8, 7>> -> tensor<1x65536x1x1x!fixed.q<8, 7>>
  func.return %y : tensor<1x65536x1x1x!fixed.q<8, 7>>
}
// CHECK: an input from serial has at most 65535 rows, and as many elements in each, got 1x65536x1x1

// -----

func.func @more_elements(%X: tensor<1x1x65536x1x!fixed.q<8, 7>>) -> tensor<1x1x65536x1x!fixed.q<8, 7>> {
  %y = tdsl.relu %X : tensor<1x1x65536x1x!fixed.q<8, 7>> -> tensor<1x1x65536x1x!fixed.q<8, 7>>
  func.return %y : tensor<1x1x65536x1x!fixed.q<8, 7>>
}
// CHECK: an input from serial has at most 65535 rows, and as many elements in each, got 1x1x65536x1

// -----

func.func @vector(%X: tensor<4x1x!fixed.q<8, 7>>) -> tensor<4x1x!fixed.q<8, 7>> {
  %y = tdsl.relu %X : tensor<4x1x!fixed.q<8, 7>> -> tensor<4x1x!fixed.q<8, 7>>
  func.return %y : tensor<4x1x!fixed.q<8, 7>>
}
// CHECK: an input from serial is an image 1xHxWxC, or a sequence that one loop reads step by step, got 4x1

// -----

// As many steps as rows.
func.func @all_steps(%X: tensor<65535x1x1x!fixed.q<8, 7>>) -> tensor<1x1x!fixed.q<8, 5>> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 65535 : index
  %h0 = tdsl.fill {value = 0.0 : f64} -> tensor<1x1x!fixed.q<8, 5>>
  %h = scf.for %t = %zero to %n step %one iter_args(%s = %h0) -> (tensor<1x1x!fixed.q<8, 5>>) {
    %x = tdsl.index %X[%t] : tensor<65535x1x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 7>>
    %new = tdsl.add %s, %x : tensor<1x1x!fixed.q<8, 5>>, tensor<1x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 5>>
    scf.yield %new : tensor<1x1x!fixed.q<8, 5>>
  }
  func.return %h : tensor<1x1x!fixed.q<8, 5>>
}
// CHECK-LABEL: func.func @all_steps
// CHECK: tdsl.receive

// -----

func.func @more_steps(%X: tensor<65536x1x1x!fixed.q<8, 7>>) -> tensor<1x1x!fixed.q<8, 5>> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 65536 : index
  %h0 = tdsl.fill {value = 0.0 : f64} -> tensor<1x1x!fixed.q<8, 5>>
  %h = scf.for %t = %zero to %n step %one iter_args(%s = %h0) -> (tensor<1x1x!fixed.q<8, 5>>) {
    %x = tdsl.index %X[%t] : tensor<65536x1x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 7>>
    %new = tdsl.add %s, %x : tensor<1x1x!fixed.q<8, 5>>, tensor<1x1x!fixed.q<8, 7>> -> tensor<1x1x!fixed.q<8, 5>>
    scf.yield %new : tensor<1x1x!fixed.q<8, 5>>
  }
  func.return %h : tensor<1x1x!fixed.q<8, 5>>
}
// CHECK: at most 65535 rows
