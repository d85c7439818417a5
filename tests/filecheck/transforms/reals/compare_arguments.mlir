// RUN: tinyml-opt %s -p compare-arguments --split-input-file | filecheck %s

// Functions that rise, one after the other and through changes of shape, are gone.
func.func @rising(%x: tensor<4x1xf32>) -> index {
  %a = tdsl.tanh %x : tensor<4x1xf32> -> tensor<4x1xf32>
  %b = tdsl.reshape %a : tensor<4x1xf32> -> tensor<1x4xf32>
  %c = tdsl.sigmoid %b : tensor<1x4xf32> -> tensor<1x4xf32>
  %d = tdsl.exp %c : tensor<1x4xf32> -> tensor<1x4xf32>
  %label = tdsl.argmax %d : tensor<1x4xf32>
  func.return %label : index
}
// CHECK-LABEL: func.func @rising(%x: tensor<4x1xf32>) -> index {
// CHECK-NEXT: %label = tdsl.argmax %x : tensor<4x1xf32>
// CHECK-NEXT: func.return %label : index

// -----

// What is a result of the program stays, and so does what has been compared.
func.func @scores(%x: tensor<4x1xf32>) -> (index, tensor<4x1xf32>) {
  %scores = tdsl.tanh %x : tensor<4x1xf32> -> tensor<4x1xf32>
  %label = tdsl.argmax %scores : tensor<4x1xf32>
  func.return %label, %scores : index, tensor<4x1xf32>
}
// CHECK-LABEL: func.func @scores(%x: tensor<4x1xf32>) -> (index, tensor<4x1xf32>) {
// CHECK-NEXT: %scores = tdsl.tanh %x : tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %label = tdsl.argmax %scores : tensor<4x1xf32>
// CHECK-NEXT: func.return %label, %scores : index, tensor<4x1xf32>

// -----

// Limits make unequal numbers equal, and a negation turns them round.
func.func @not_rising(%x: tensor<4x1xf32>) -> (index, index) {
  %a = tdsl.relu %x : tensor<4x1xf32> -> tensor<4x1xf32>
  %relu = tdsl.argmax %a : tensor<4x1xf32>
  %b = tdsl.neg %x : tensor<4x1xf32> -> tensor<4x1xf32>
  %neg = tdsl.argmax %b : tensor<4x1xf32>
  func.return %relu, %neg : index, index
}
// CHECK-LABEL: func.func @not_rising(%x: tensor<4x1xf32>) -> (index, index) {
// CHECK-NEXT: %a = tdsl.relu %x : tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %relu = tdsl.argmax %a : tensor<4x1xf32>
// CHECK-NEXT: %b = tdsl.neg %x : tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %neg = tdsl.argmax %b : tensor<4x1xf32>
// CHECK-NEXT: func.return %relu, %neg : index, index

// -----

// With formats chosen a function gives ties, and these have a meaning.
func.func @formats(%x: tensor<4x1x!fixed.q<8, 4>>) -> index {
  %a = tdsl.tanh %x : tensor<4x1x!fixed.q<8, 4>> -> tensor<4x1x!fixed.q<8, 7>>
  %label = tdsl.argmax %a : tensor<4x1x!fixed.q<8, 7>>
  func.return %label : index
}
// CHECK-LABEL: func.func @formats(%x: tensor<4x1x!fixed.q<8, 4>>) -> index {
// CHECK-NEXT: %a = tdsl.tanh %x : tensor<4x1x!fixed.q<8, 4>> -> tensor<4x1x!fixed.q<8, 7>>
// CHECK-NEXT: %label = tdsl.argmax %a : tensor<4x1x!fixed.q<8, 7>>
// CHECK-NEXT: func.return %label : index
