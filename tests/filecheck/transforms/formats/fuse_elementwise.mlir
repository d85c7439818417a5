// RUN: tinyml-opt %s -p fuse-elementwise | filecheck %s

// A diamond: both users of %c end in one chain, so %c needs no tensor. The scalar %one broadcasts.
func.func @gates(%a: tensor<1x4x!fixed.q<16, 10>>, %b: tensor<1x4x!fixed.q<16, 11>>, %one: tensor<!fixed.q<16, 14>>) -> tensor<1x4x!fixed.q<16, 13>> {
  %c = tdsl.add %a, %b : tensor<1x4x!fixed.q<16, 10>>, tensor<1x4x!fixed.q<16, 11>> -> tensor<1x4x!fixed.q<16, 9>>
  %g = tdsl.sigmoid %c : tensor<1x4x!fixed.q<16, 9>> -> tensor<1x4x!fixed.q<16, 15>>
  %h = tdsl.tanh %c : tensor<1x4x!fixed.q<16, 9>> -> tensor<1x4x!fixed.q<16, 14>>
  %n = tdsl.sub %one, %g : tensor<!fixed.q<16, 14>>, tensor<1x4x!fixed.q<16, 15>> -> tensor<1x4x!fixed.q<16, 14>>
  %y = tdsl.mul %n, %h : tensor<1x4x!fixed.q<16, 14>>, tensor<1x4x!fixed.q<16, 14>> -> tensor<1x4x!fixed.q<16, 13>>
  func.return %y : tensor<1x4x!fixed.q<16, 13>>
}
// CHECK-LABEL: func.func @gates(%a: tensor<1x4x!fixed.q<16, 10>>, %b: tensor<1x4x!fixed.q<16, 11>>, %one: tensor<!fixed.q<16, 14>>) -> tensor<1x4x!fixed.q<16, 13>> {
// CHECK-NEXT: %y = tdsl.map %a, %b, %one : tensor<1x4x!fixed.q<16, 10>>, tensor<1x4x!fixed.q<16, 11>>, tensor<!fixed.q<16, 14>> -> tensor<1x4x!fixed.q<16, 13>> {
// CHECK-NEXT: ^bb0([[va_1:%.*]]: !fixed.q<16, 10>, [[vb_1:%.*]]: !fixed.q<16, 11>, [[vone_1:%.*]]: !fixed.q<16, 14>):
// CHECK-NEXT: %c = num.add [[va_1]], [[vb_1]] : !fixed.q<16, 10>, !fixed.q<16, 11> -> !fixed.q<16, 9>
// CHECK-NEXT: %g = num.sigmoid %c : !fixed.q<16, 9> -> !fixed.q<16, 15>
// CHECK-NEXT: %h = num.tanh %c : !fixed.q<16, 9> -> !fixed.q<16, 14>
// CHECK-NEXT: %n = num.sub [[vone_1]], %g : !fixed.q<16, 14>, !fixed.q<16, 15> -> !fixed.q<16, 14>
// CHECK-NEXT: [[vy_1:%.*]] = num.mul %n, %h : !fixed.q<16, 14>, !fixed.q<16, 14> -> !fixed.q<16, 13>
// CHECK-NEXT: tdsl.yield [[vy_1]] : !fixed.q<16, 13>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<1x4x!fixed.q<16, 13>>

// What somebody else reads stays a tensor; what has another shape stays out of the loop.
func.func @apart(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tdsl.exp %s : tensor<f32> -> tensor<f32>
  %r = tdsl.relu %x : tensor<4xf32> -> tensor<4xf32>
  %y = tdsl.mul %r, %e : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  func.return %r, %y : tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: func.func @apart(%x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK-NEXT: %e = tdsl.exp %s : tensor<f32> -> tensor<f32>
// CHECK-NEXT: %r = tdsl.relu %x : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: %y = tdsl.mul %r, %e : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: func.return %r, %y : tensor<4xf32>, tensor<4xf32>

// A product comes between: the sum is computed before it, or both of its operands would be alive during the product.
func.func @held(%W: tensor<4x4xf32>, %a: tensor<4x1xf32>, %b: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %c = tdsl.add %a, %b : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  %m = tdsl.matmul %W, %a : tensor<4x4xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  %y = tdsl.mul %c, %m : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  func.return %y : tensor<4x1xf32>
}
// CHECK-LABEL: func.func @held(%W: tensor<4x4xf32>, %a: tensor<4x1xf32>, %b: tensor<4x1xf32>) -> tensor<4x1xf32> {
// CHECK-NEXT: %c = tdsl.add %a, %b : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %m = tdsl.matmul %W, %a : tensor<4x4xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %y = tdsl.mul %c, %m : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: func.return %y : tensor<4x1xf32>

// A scalar and a constant hold no memory, and one operand as much as the result.
func.func @scalar(%W: tensor<4x4xf32>, %a: tensor<4x1xf32>, %s: tensor<f32>) -> tensor<4x1xf32> {
  %c = tdsl.add %a, %s : tensor<4x1xf32>, tensor<f32> -> tensor<4x1xf32>
  %m = tdsl.matmul %W, %a : tensor<4x4xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  %y = tdsl.mul %c, %m : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  func.return %y : tensor<4x1xf32>
}
// CHECK-LABEL: func.func @scalar(%W: tensor<4x4xf32>, %a: tensor<4x1xf32>, %s: tensor<f32>) -> tensor<4x1xf32> {
// CHECK-NEXT: %m = tdsl.matmul %W, %a : tensor<4x4xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %y = tdsl.map %a, %s, %m : tensor<4x1xf32>, tensor<f32>, tensor<4x1xf32> -> tensor<4x1xf32> {
// CHECK-NEXT: ^bb0([[va_1:%.*]]: f32, [[vs_1:%.*]]: f32, [[vm_1:%.*]]: f32):
// CHECK-NEXT: %c = num.add [[va_1]], [[vs_1]] : f32, f32 -> f32
// CHECK-NEXT: [[vy_1:%.*]] = num.mul %c, [[vm_1]] : f32, f32 -> f32
// CHECK-NEXT: tdsl.yield [[vy_1]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<4x1xf32>

func.func @constant(%W: tensor<4x4xf32>, %a: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %k = tdsl.const dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32> -> tensor<4x1xf32>
  %c = tdsl.add %a, %k : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  %m = tdsl.matmul %W, %a : tensor<4x4xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  %y = tdsl.mul %c, %m : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
  func.return %y : tensor<4x1xf32>
}
// CHECK-LABEL: func.func @constant(%W: tensor<4x4xf32>, %a: tensor<4x1xf32>) -> tensor<4x1xf32> {
// CHECK-NEXT: %k = tdsl.const dense<{{\[\[}}1.000000e+00], [2.000000e+00], [3.000000e+00], [4.000000e+00]]> : tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %m = tdsl.matmul %W, %a : tensor<4x4xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %y = tdsl.map %a, %k, %m : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32> {
// CHECK-NEXT: ^bb0([[va_1:%.*]]: f32, [[vk_1:%.*]]: f32, [[vm_1:%.*]]: f32):
// CHECK-NEXT: %c = num.add [[va_1]], [[vk_1]] : f32, f32 -> f32
// CHECK-NEXT: [[vy_1:%.*]] = num.mul %c, [[vm_1]] : f32, f32 -> f32
// CHECK-NEXT: tdsl.yield [[vy_1]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<4x1xf32>

// A loop of ops that is there already is none of another's.
func.func @mapped(%x: tensor<4x!fixed.q<8, 7>>) -> tensor<4x!fixed.q<8, 7>> {
  %m = tdsl.map %x : tensor<4x!fixed.q<8, 7>> -> tensor<4x!fixed.q<8, 7>> {
  ^bb0(%e: !fixed.q<8, 7>):
    %n = num.neg %e : !fixed.q<8, 7> -> !fixed.q<8, 7>
    tdsl.yield %n : !fixed.q<8, 7>
  }
  %y = tdsl.relu %m : tensor<4x!fixed.q<8, 7>> -> tensor<4x!fixed.q<8, 7>>
  func.return %y : tensor<4x!fixed.q<8, 7>>
}
// CHECK-LABEL: func.func @mapped
// CHECK: %m = tdsl.map %x
// CHECK: %y = tdsl.relu %m

// An op before a loop stays there, although only one op of the loop reads it.
func.func @loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = tdsl.relu %x : tensor<4xf32> -> tensor<4xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%h = %x) -> (tensor<4xf32>) {
    %y = tdsl.mul %h, %e : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}
// CHECK-LABEL: func.func @loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %e = tdsl.relu %x : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: %r = scf.for %i = %zero to %n step %one iter_args(%h = %x) -> (tensor<4xf32>) {
// CHECK-NEXT: %y = tdsl.mul %h, %e : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: scf.yield %y : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %r : tensor<4xf32>
// CHECK-NEXT: }
