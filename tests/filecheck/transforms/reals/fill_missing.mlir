// RUN: tinyml-opt %s -p "fill-missing" --split-input-file | filecheck %s

// Behind a scaler and in another order: the caller's features get what the imputer's features would have.
func.func @scaled(%X: tensor<1x3xf32>) -> tensor<1x3xf32> attributes {tdsl.interface = #tdsl.interface<input = <missing>>} {
  %two = tdsl.const dense<2.0> : tensor<1x3xf32> -> tensor<1x3xf32>
  %one = tdsl.const dense<1.0> : tensor<1x3xf32> -> tensor<1x3xf32>
  %less = tdsl.sub %X, %one : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  %more = tdsl.mul %less, %two : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
  %back = tdsl.reverse %more {axis = 1 : i64} : tensor<1x3xf32> -> tensor<1x3xf32>
  %known = tdsl.impute %back {values = array<f64: 1.0, 0.0, -4.0>} : tensor<1x3xf32> -> tensor<1x3xf32>
  %y = tdsl.tanh %known : tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %y : tensor<1x3xf32>
}
// CHECK-LABEL: func.func @scaled(%X: tensor<1x3xf32>) -> tensor<1x3xf32> attributes {tdsl.interface = #tdsl.interface<input = <missing, fills = [-1.0, 1.0, 1.5]>>} {
// CHECK-NEXT: %two = tdsl.const dense<2.000000e+00> : tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %one = tdsl.const dense<1.000000e+00> : tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %less = tdsl.sub %X, %one : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %more = tdsl.mul %less, %two : tensor<1x3xf32>, tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %back = tdsl.reverse %more {axis = 1 : i64} : tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: %y = tdsl.tanh %back : tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: func.return %y : tensor<1x3xf32>

// -----

// A sensor's integers are never missing.
func.func @integers(%X: tensor<1x3xf32>) -> tensor<1x3xf32> attributes {tdsl.interface = #tdsl.interface<input = <unit = "int8", missing>>} {
  %known = tdsl.impute %X {values = array<f64: 1.0, 0.0, -4.0>} : tensor<1x3xf32> -> tensor<1x3xf32>
  %y = tdsl.tanh %known : tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %y : tensor<1x3xf32>
}
// CHECK-LABEL: func.func @integers(%X: tensor<1x3xf32>) -> tensor<1x3xf32> attributes {tdsl.interface = #tdsl.interface<input = <unit = "int8">>} {
// CHECK-NEXT: %y = tdsl.tanh %X : tensor<1x3xf32> -> tensor<1x3xf32>
// CHECK-NEXT: func.return %y : tensor<1x3xf32>

// -----

// An imputer of no feature itself replaces nothing that a caller gives.
func.func @behind(%X: tensor<1x3xf32>) -> tensor<1x3xf32> attributes {tdsl.interface = #tdsl.interface<input = <missing>>} {
  %h = tdsl.tanh %X : tensor<1x3xf32> -> tensor<1x3xf32>
  %known = tdsl.impute %h {values = array<f64: 1.0, 0.0, -4.0>} : tensor<1x3xf32> -> tensor<1x3xf32>
  %y = tdsl.exp %known : tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %y : tensor<1x3xf32>
}
// CHECK-LABEL: func.func @behind(%X: tensor<1x3xf32>) -> tensor<1x3xf32> {
// CHECK-NEXT: %h = tdsl.tanh %X
// CHECK-NEXT: %y = tdsl.exp %h

// -----

// Without an imputer, features may be missing as before.
func.func @none(%X: tensor<1x3xf32>) -> tensor<1x3xf32> attributes {tdsl.interface = #tdsl.interface<input = <missing>>} {
  %y = tdsl.exp %X : tensor<1x3xf32> -> tensor<1x3xf32>
  func.return %y : tensor<1x3xf32>
}
// CHECK-LABEL: func.func @none(%X: tensor<1x3xf32>) -> tensor<1x3xf32> attributes {tdsl.interface = #tdsl.interface<input = <missing>>} {
