// RUN: tinyml-opt %s -p 'drop-monotone{outputs=class}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'drop-monotone{outputs=class},drop-monotone{outputs=class}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p drop-monotone --split-input-file | filecheck %s --check-prefix=SCORES
// RUN: not tinyml-opt %s -p 'drop-monotone{outputs=probability}' --split-input-file 2>&1 | filecheck %s --check-prefix=UNKNOWN

// Softmax, a positive factor and a shift by one number are gone; what is compared is returned in their place.
func.func @scores(%x: tensor<1x4xf32>) -> (index, tensor<4xf32>) {
  %two = tdsl.const dense<2.0> : tensor<1xf32> -> tensor<1xf32>
  %a = tdsl.mul %x, %two : tensor<1x4xf32>, tensor<1xf32> -> tensor<1x4xf32>
  %b = tdsl.sub %a, %two : tensor<1x4xf32>, tensor<1xf32> -> tensor<1x4xf32>
  %c = tdsl.softmax %b : tensor<1x4xf32> -> tensor<1x4xf32>
  %d = tdsl.reshape %c : tensor<1x4xf32> -> tensor<4xf32>
  %label = tdsl.argmax %d : tensor<4xf32>
  func.return %label, %d : index, tensor<4xf32>
}
// CHECK-LABEL: func.func @scores(%x: tensor<1x4xf32>) -> (index, tensor<1x4xf32>) {
// CHECK-NEXT: %label = tdsl.argmax %x : tensor<1x4xf32>
// CHECK-NEXT: func.return %label, %x : index, tensor<1x4xf32>
// SCORES-LABEL: func.func @scores
// SCORES: %c = tdsl.softmax
// SCORES: tdsl.argmax %d

// -----

// Scores without a label get one.
func.func @unlabelled(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %y = tdsl.sigmoid %x : tensor<1x4xf32> -> tensor<1x4xf32>
  func.return %y : tensor<1x4xf32>
}
// CHECK-LABEL: func.func @unlabelled(%x: tensor<1x4xf32>) -> (index, tensor<1x4xf32>) {
// CHECK-NEXT: %label = tdsl.argmax %x : tensor<1x4xf32>
// CHECK-NEXT: func.return %label, %x : index, tensor<1x4xf32>
// SCORES-LABEL: func.func @unlabelled(%x: tensor<1x4xf32>) -> tensor<1x4xf32>
// SCORES-LABEL: func.func @probability(

// -----

// A single probability is above 1/2 where its logit is positive.
func.func @probability(%x: tensor<1x1xf32>) -> tensor<1xf32> {
  %half = tdsl.const dense<0.5> : tensor<1x1xf32> -> tensor<1x1xf32>
  %a = tdsl.mul %half, %x : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  %y = tdsl.sigmoid %a : tensor<1x1xf32> -> tensor<1x1xf32>
  %z = tdsl.reshape %y : tensor<1x1xf32> -> tensor<1xf32>
  func.return %z : tensor<1xf32>
}
// CHECK-LABEL: func.func @probability(%x: tensor<1x1xf32>) -> (index, tensor<1x1xf32>) {
// CHECK-NEXT: %label = tdsl.sign %x : tensor<1x1xf32>
// CHECK-NEXT: func.return %label, %x : index, tensor<1x1xf32>

// -----

// A threshold of a sigmoid becomes its logit.
func.func @threshold(%x: tensor<1x1xf32>) -> (index, tensor<1x1xf32>) {
  %no = arith.constant 0 : index
  %yes = arith.constant 1 : index
  %y = tdsl.sigmoid %x : tensor<1x1xf32> -> tensor<1x1xf32>
  %above = tdsl.at_least %y {threshold = 0.5 : f64} : tensor<1x1xf32>
  %label = arith.select %above, %yes, %no : index
  func.return %label, %y : index, tensor<1x1xf32>
}
// CHECK-LABEL: func.func @threshold(%x: tensor<1x1xf32>) -> (index, tensor<1x1xf32>) {
// CHECK-NEXT: %no = arith.constant 0 : index
// CHECK-NEXT: %yes = arith.constant 1 : index
// CHECK-NEXT: %above = tdsl.at_least %x {threshold = 0.000000e+00 : f64} : tensor<1x1xf32>
// CHECK-NEXT: %label = arith.select %above, %yes, %no : index
// CHECK-NEXT: func.return %label, %x : index, tensor<1x1xf32>

// -----

// A negative factor and addends of each element stay, as do functions that are not strictly increasing and softmax over
// parts of the scores.
func.func @negative(%x: tensor<2x2xf32>) -> (index, tensor<2x2xf32>) {
  %less = tdsl.const dense<-1.0> : tensor<1xf32> -> tensor<1xf32>
  %a = tdsl.mul %x, %less : tensor<2x2xf32>, tensor<1xf32> -> tensor<2x2xf32>
  %label = tdsl.argmax %a : tensor<2x2xf32>
  func.return %label, %a : index, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @negative(%x: tensor<2x2xf32>) -> (index, tensor<2x2xf32>) {
// CHECK-NEXT: %less = tdsl.const dense<-1.000000e+00> : tensor<1xf32> -> tensor<1xf32>
// CHECK-NEXT: %a = tdsl.mul %x, %less : tensor<2x2xf32>, tensor<1xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %label = tdsl.argmax %a : tensor<2x2xf32>
// CHECK-NEXT: func.return %label, %a : index, tensor<2x2xf32>

// -----

func.func @each(%x: tensor<2x2xf32>) -> (index, tensor<2x2xf32>) {
  %each = tdsl.const dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
  %a = tdsl.add %x, %each : tensor<2x2xf32>, tensor<2xf32> -> tensor<2x2xf32>
  %label = tdsl.argmax %a : tensor<2x2xf32>
  func.return %label, %a : index, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @each(%x: tensor<2x2xf32>) -> (index, tensor<2x2xf32>) {
// CHECK-NEXT: %each = tdsl.const dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT: %a = tdsl.add %x, %each : tensor<2x2xf32>, tensor<2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %label = tdsl.argmax %a : tensor<2x2xf32>
// CHECK-NEXT: func.return %label, %a : index, tensor<2x2xf32>

// -----

func.func @limits(%x: tensor<2x2xf32>) -> (index, tensor<2x2xf32>) {
  %a = tdsl.relu %x : tensor<2x2xf32> -> tensor<2x2xf32>
  %label = tdsl.argmax %a : tensor<2x2xf32>
  func.return %label, %a : index, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @limits(%x: tensor<2x2xf32>) -> (index, tensor<2x2xf32>) {
// CHECK-NEXT: %a = tdsl.relu %x : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %label = tdsl.argmax %a : tensor<2x2xf32>
// CHECK-NEXT: func.return %label, %a : index, tensor<2x2xf32>

// -----

func.func @rows(%x: tensor<2x2xf32>) -> (index, tensor<2x2xf32>) {
  %a = tdsl.softmax %x : tensor<2x2xf32> -> tensor<2x2xf32>
  %label = tdsl.argmax %a : tensor<2x2xf32>
  func.return %label, %a : index, tensor<2x2xf32>
}
// CHECK-LABEL: func.func @rows(%x: tensor<2x2xf32>) -> (index, tensor<2x2xf32>) {
// CHECK-NEXT: %a = tdsl.softmax %x : tensor<2x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: %label = tdsl.argmax %a : tensor<2x2xf32>
// CHECK-NEXT: func.return %label, %a : index, tensor<2x2xf32>

// -----

// A quantised network that keeps its formats compares what softmax reads.
func.func @formats(%x: tensor<1x4x!fixed.q<8, 4>>) -> tensor<1x4x!fixed.q<8, 7>> {
  %a = tdsl.softmax %x : tensor<1x4x!fixed.q<8, 4>> -> tensor<1x4x!fixed.q<8, 7>>
  func.return %a : tensor<1x4x!fixed.q<8, 7>>
}
// CHECK-LABEL: func.func @formats(%x: tensor<1x4x!fixed.q<8, 4>>) -> (index, tensor<1x4x!fixed.q<8, 4>>) {
// CHECK-NEXT: %label = tdsl.argmax %x : tensor<1x4x!fixed.q<8, 4>>
// CHECK-NEXT: func.return %label, %x : index, tensor<1x4x!fixed.q<8, 4>>

// UNKNOWN: unknown outputs 'probability'; there are scores, class

// -----

// Results that are computed from the compared numbers alone are those numbers, returned once; others stay.
func.func @probabilities(%X: tensor<1x3xf32>) -> (index, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) {
  %label = tdsl.argmax %X : tensor<1x3xf32>
  %p = tdsl.softmax %X : tensor<1x3xf32> -> tensor<1x3xf32>
  %half = tdsl.const dense<0.5> : tensor<f32> -> tensor<f32>
  %q = tdsl.mul %p, %half : tensor<1x3xf32>, tensor<f32> -> tensor<1x3xf32>
  %other = tdsl.fill {value = 2.0 : f64} -> tensor<1x3xf32>
  func.return %label, %p, %q, %other : index, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>
}
// CHECK-LABEL: func.func @probabilities(%X: tensor<1x3xf32>) -> (index, tensor<1x3xf32>, tensor<1x3xf32>) {
// CHECK-NEXT: %label = tdsl.argmax %X : tensor<1x3xf32>
// CHECK-NEXT: %other = tdsl.fill {value = 2.000000e+00 : f64} -> tensor<1x3xf32>
// CHECK-NEXT: func.return %label, %X, %other : index, tensor<1x3xf32>, tensor<1x3xf32>

// -----

// Nor are a factor of 0, an infinite one, and one of its own for each score dropped.
func.func @zero(%x: tensor<1x2xf32>) -> (index, tensor<1x2xf32>) {
  %f = tdsl.const dense<0.0> : tensor<1xf32> -> tensor<1xf32>
  %a = tdsl.mul %x, %f : tensor<1x2xf32>, tensor<1xf32> -> tensor<1x2xf32>
  %label = tdsl.argmax %a : tensor<1x2xf32>
  func.return %label, %a : index, tensor<1x2xf32>
}
// CHECK-LABEL: func.func @zero(%x: tensor<1x2xf32>) -> (index, tensor<1x2xf32>) {
// CHECK-NEXT: %f = tdsl.const dense<0.000000e+00> : tensor<1xf32> -> tensor<1xf32>
// CHECK-NEXT: %a = tdsl.mul %x, %f : tensor<1x2xf32>, tensor<1xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %label = tdsl.argmax %a : tensor<1x2xf32>
// CHECK-NEXT: func.return %label, %a : index, tensor<1x2xf32>

// -----

func.func @infinite(%x: tensor<1x2xf32>) -> (index, tensor<1x2xf32>) {
  %f = tdsl.const dense<0x7F800000> : tensor<1xf32> -> tensor<1xf32>
  %a = tdsl.mul %x, %f : tensor<1x2xf32>, tensor<1xf32> -> tensor<1x2xf32>
  %label = tdsl.argmax %a : tensor<1x2xf32>
  func.return %label, %a : index, tensor<1x2xf32>
}
// CHECK-LABEL: func.func @infinite(%x: tensor<1x2xf32>) -> (index, tensor<1x2xf32>) {
// CHECK-NEXT: %f = tdsl.const dense<0x7f800000> : tensor<1xf32> -> tensor<1xf32>
// CHECK-NEXT: %a = tdsl.mul %x, %f : tensor<1x2xf32>, tensor<1xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %label = tdsl.argmax %a : tensor<1x2xf32>
// CHECK-NEXT: func.return %label, %a : index, tensor<1x2xf32>

// -----

func.func @unlike(%x: tensor<1x2xf32>) -> (index, tensor<1x2xf32>) {
  %f = tdsl.const dense<[1.0, 2.0]> : tensor<2xf32> -> tensor<2xf32>
  %a = tdsl.mul %x, %f : tensor<1x2xf32>, tensor<2xf32> -> tensor<1x2xf32>
  %label = tdsl.argmax %a : tensor<1x2xf32>
  func.return %label, %a : index, tensor<1x2xf32>
}
// CHECK-LABEL: func.func @unlike(%x: tensor<1x2xf32>) -> (index, tensor<1x2xf32>) {
// CHECK-NEXT: %f = tdsl.const dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> -> tensor<2xf32>
// CHECK-NEXT: %a = tdsl.mul %x, %f : tensor<1x2xf32>, tensor<2xf32> -> tensor<1x2xf32>
// CHECK-NEXT: %label = tdsl.argmax %a : tensor<1x2xf32>
// CHECK-NEXT: func.return %label, %a : index, tensor<1x2xf32>

// -----

// A threshold that no sigmoid reaches stays: 0, which all results are above, and 1.
func.func @ends(%x: tensor<1x1xf32>) -> index {
  %no = arith.constant 0 : index
  %yes = arith.constant 1 : index
  %y = tdsl.sigmoid %x : tensor<1x1xf32> -> tensor<1x1xf32>
  %above = tdsl.at_least %y {threshold = 0.0 : f64} : tensor<1x1xf32>
  %label = arith.select %above, %yes, %no : index
  func.return %label : index
}
// CHECK-LABEL: func.func @ends(%x: tensor<1x1xf32>) -> index {
// CHECK-NEXT: %no = arith.constant 0 : index
// CHECK-NEXT: %yes = arith.constant 1 : index
// CHECK-NEXT: %y = tdsl.sigmoid %x : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %above = tdsl.at_least %y {threshold = 0.000000e+00 : f64} : tensor<1x1xf32>
// CHECK-NEXT: %label = arith.select %above, %yes, %no : index
// CHECK-NEXT: func.return %label : index

// -----

func.func @one(%x: tensor<1x1xf32>) -> index {
  %no = arith.constant 0 : index
  %yes = arith.constant 1 : index
  %y = tdsl.sigmoid %x : tensor<1x1xf32> -> tensor<1x1xf32>
  %above = tdsl.at_least %y {threshold = 1.0 : f64} : tensor<1x1xf32>
  %label = arith.select %above, %yes, %no : index
  func.return %label : index
}
// CHECK-LABEL: func.func @one(%x: tensor<1x1xf32>) -> index {
// CHECK-NEXT: %no = arith.constant 0 : index
// CHECK-NEXT: %yes = arith.constant 1 : index
// CHECK-NEXT: %y = tdsl.sigmoid %x : tensor<1x1xf32> -> tensor<1x1xf32>
// CHECK-NEXT: %above = tdsl.at_least %y {threshold = 1.000000e+00 : f64} : tensor<1x1xf32>
// CHECK-NEXT: %label = arith.select %above, %yes, %no : index
// CHECK-NEXT: func.return %label : index

// -----

// The threshold of a multiple is divided by the factor, and becomes a logit: log(0.75 / 0.25) / 2.
func.func @scaled(%x: tensor<1x1xf32>) -> index {
  %no = arith.constant 0 : index
  %yes = arith.constant 1 : index
  %two = tdsl.const dense<2.0> : tensor<1x1xf32> -> tensor<1x1xf32>
  %z = tdsl.mul %two, %x : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  %y = tdsl.sigmoid %z : tensor<1x1xf32> -> tensor<1x1xf32>
  %above = tdsl.at_least %y {threshold = 0.75 : f64} : tensor<1x1xf32>
  %label = arith.select %above, %yes, %no : index
  func.return %label : index
}
// CHECK-LABEL: func.func @scaled(%x: tensor<1x1xf32>) -> index {
// CHECK-NEXT: %no = arith.constant 0 : index
// CHECK-NEXT: %yes = arith.constant 1 : index
// CHECK-NEXT: %above = tdsl.at_least %x {threshold = 0.54930614433405489 : f64} : tensor<1x1xf32>
// CHECK-NEXT: %label = arith.select %above, %yes, %no : index
// CHECK-NEXT: func.return %label : index

// -----

// A sum drops one number on either side.
func.func @shifts(%x: tensor<1x4xf32>) -> (index, tensor<1x4xf32>) {
  %two = tdsl.const dense<2.0> : tensor<1xf32> -> tensor<1xf32>
  %a = tdsl.add %x, %two : tensor<1x4xf32>, tensor<1xf32> -> tensor<1x4xf32>
  %b = tdsl.add %two, %a : tensor<1xf32>, tensor<1x4xf32> -> tensor<1x4xf32>
  %label = tdsl.argmax %b : tensor<1x4xf32>
  func.return %label, %b : index, tensor<1x4xf32>
}
// CHECK-LABEL: func.func @shifts(%x: tensor<1x4xf32>) -> (index, tensor<1x4xf32>) {
// CHECK-NEXT: %label = tdsl.argmax %x : tensor<1x4xf32>
// CHECK-NEXT: func.return %label, %x : index, tensor<1x4xf32>

// -----

// A vector is no shift: it changes which score is the greatest.
func.func @vector(%x: tensor<1x4xf32>) -> (index, tensor<1x4xf32>) {
  %four = tdsl.const dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32> -> tensor<1x4xf32>
  %a = tdsl.add %x, %four : tensor<1x4xf32>, tensor<1x4xf32> -> tensor<1x4xf32>
  %label = tdsl.argmax %a : tensor<1x4xf32>
  func.return %label, %a : index, tensor<1x4xf32>
}
// CHECK-LABEL: func.func @vector
// CHECK: %label = tdsl.argmax %a : tensor<1x4xf32>

// -----

// Sums in accumulators are rounded before they are returned.
func.func @sums(%X: tensor<3x1x!fixed.q<8, 4>>) -> (index, tensor<4x1x!fixed.q<8, 4>>) {
  %W = tdsl.const dense<1> : tensor<4x3xi8> -> tensor<4x3x!fixed.q<8, 4>>
  %s = tdsl.zero -> tensor<4x1x!fixed.acc<32, 8>>
  %p = tdsl.accumulate %s, %W, %X : tensor<4x1x!fixed.acc<32, 8>>, tensor<4x3x!fixed.q<8, 4>>, tensor<3x1x!fixed.q<8, 4>> -> tensor<4x1x!fixed.acc<32, 8>>
  %label = tdsl.argmax %p : tensor<4x1x!fixed.acc<32, 8>>
  %y = tdsl.finish %p : tensor<4x1x!fixed.acc<32, 8>> -> tensor<4x1x!fixed.q<8, 4>>
  func.return %label, %y : index, tensor<4x1x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @sums
// CHECK: func.return %label, %y : index, tensor<4x1x!fixed.q<8, 4>>

// -----

// A factor that repeats the scores gives other scores than it takes.
func.func @repeated(%x: tensor<1x1xf32>) -> (index, tensor<1x2xf32>) {
  %f = tdsl.const dense<2.0> : tensor<1x2xf32> -> tensor<1x2xf32>
  %a = tdsl.mul %x, %f : tensor<1x1xf32>, tensor<1x2xf32> -> tensor<1x2xf32>
  %label = tdsl.argmax %a : tensor<1x2xf32>
  func.return %label, %a : index, tensor<1x2xf32>
}
// CHECK-LABEL: func.func @repeated
// CHECK: %label = tdsl.argmax %a : tensor<1x2xf32>
// CHECK-NEXT: func.return %label, %a : index, tensor<1x2xf32>

// -----

// A conversion of integers to f32 is increasing: their sums are compared, and no floats are left.
func.func @converted(%x: tensor<1x3x!fixed.q<16, 2>>) -> (index, tensor<1x3xf32>) {
  %c = tdsl.const dense<-2.5> : tensor<1xf32> -> tensor<1xf32>
  %half = tdsl.const dense<0.5> : tensor<1xf32> -> tensor<1xf32>
  %reals = tdsl.cast %x : tensor<1x3x!fixed.q<16, 2>> -> tensor<1x3xf32>
  %moved = tdsl.add %reals, %c : tensor<1x3xf32>, tensor<1xf32> -> tensor<1x3xf32>
  %scaled = tdsl.mul %moved, %half : tensor<1x3xf32>, tensor<1xf32> -> tensor<1x3xf32>
  %label = tdsl.argmax %scaled : tensor<1x3xf32>
  func.return %label, %scaled : index, tensor<1x3xf32>
}
// CHECK-LABEL: func.func @converted(%x: tensor<1x3x!fixed.q<16, 2>>) -> (index, tensor<1x3x!fixed.q<16, 2>>) {
// CHECK-NEXT: %label = tdsl.argmax %x : tensor<1x3x!fixed.q<16, 2>>
// CHECK-NEXT: func.return %label, %x : index, tensor<1x3x!fixed.q<16, 2>>

// -----

// Elements with scales of their own are in another order than their reals.
func.func @grouped(%x: tensor<1x3x!zeroskew.q<8, [0.5, 0.25, 0.125], 0>>) -> (index, tensor<1x3xf32>) {
  %reals = tdsl.cast %x : tensor<1x3x!zeroskew.q<8, [0.5, 0.25, 0.125], 0>> -> tensor<1x3xf32>
  %label = tdsl.argmax %reals : tensor<1x3xf32>
  func.return %label, %reals : index, tensor<1x3xf32>
}
// CHECK-LABEL: func.func @grouped
// CHECK: %reals = tdsl.cast
// CHECK: tdsl.argmax %reals

// -----

// A conversion to fewer bits may round different numbers to one: the argmax compares its results.
func.func @narrowed(%x: tensor<1x3x!fixed.q<16, 2>>) -> (index, tensor<1x3x!fixed.q<8, 1>>) {
  %fewer = tdsl.cast %x : tensor<1x3x!fixed.q<16, 2>> -> tensor<1x3x!fixed.q<8, 1>>
  %label = tdsl.argmax %fewer : tensor<1x3x!fixed.q<8, 1>>
  func.return %label, %fewer : index, tensor<1x3x!fixed.q<8, 1>>
}
// CHECK-LABEL: func.func @narrowed
// CHECK-NEXT: %fewer = tdsl.cast %x
// CHECK-NEXT: %label = tdsl.argmax %fewer
