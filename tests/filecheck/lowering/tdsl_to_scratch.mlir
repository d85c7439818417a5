// RUN: tinyml-opt %s -p lower-tdsl-to-scratch --split-input-file | filecheck %s

// Every op gets a buffer, constants go to flash, a computed result is returned where it lies.
func.func @buffers(%X: tensor<2x1x!fixed.q<16, 12>>) -> (index, tensor<2x1x!fixed.q<16, 8>>) {
  %W = tdsl.const dense<[[1, 2], [3, 4]]> : tensor<2x2xi16> -> tensor<2x2x!fixed.q<16, 12>>
  %p = tdsl.matmul %W, %X {acc = !fixed.acc<32, 24>, bound = array<i64: -229369, 229369>} : tensor<2x2x!fixed.q<16, 12>>, tensor<2x1x!fixed.q<16, 12>> -> tensor<2x1x!fixed.q<16, 8>>
  %l = tdsl.argmax %p : tensor<2x1x!fixed.q<16, 8>>
  func.return %l, %p : index, tensor<2x1x!fixed.q<16, 8>>
}
// CHECK-LABEL: func.func @buffers(%X: memref<2x1x!fixed.q<16, 12>>) -> (index, memref<2x1x!fixed.q<16, 8>>) {
// CHECK-NEXT: %W = scratch.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi16> -> memref<2x2x!fixed.q<16, 12>, #scratch.flash>
// CHECK-NEXT: %p = scratch.alloc : memref<2x1x!fixed.q<16, 8>>
// CHECK-NEXT: tdsl.matmul %W, %X {acc = !fixed.acc<32, 24>, bound = array<i64: -229369, 229369>} : memref<2x2x!fixed.q<16, 12>, #scratch.flash>, memref<2x1x!fixed.q<16, 12>> into %p : memref<2x1x!fixed.q<16, 8>>
// CHECK-NEXT: %l = tdsl.argmax %p : memref<2x1x!fixed.q<16, 8>>
// CHECK-NEXT: func.return %l, %p : index, memref<2x1x!fixed.q<16, 8>>

// -----

// What lies in consecutive bytes is a view; the rest is copied.
func.func @views(%X: tensor<4x6xf32>, %i: index) -> (index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %r = tdsl.reshape %X : tensor<4x6xf32> -> tensor<24x1xf32>
  %t = tdsl.transpose %r {permutation = array<i64: 1, 0>} : tensor<24x1xf32> -> tensor<1x24xf32>
  %x = tdsl.index %X[%i] : tensor<4x6xf32> -> tensor<6xf32>
  %rows = tdsl.slice %X[%i, %c0] : tensor<4x6xf32> -> tensor<2x6xf32>
  %columns = tdsl.slice %X[%c0, %i] : tensor<4x6xf32> -> tensor<4x2xf32>
  %turned = tdsl.transpose %X {permutation = array<i64: 1, 0>} : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = tdsl.argmax %t : tensor<1x24xf32>
  %2 = tdsl.argmax %x : tensor<6xf32>
  %3 = tdsl.argmax %rows : tensor<2x6xf32>
  %4 = tdsl.argmax %columns : tensor<4x2xf32>
  %5 = tdsl.argmax %turned : tensor<6x4xf32>
  func.return %1, %2, %3, %4, %5, %i : index, index, index, index, index, index
}
// CHECK-LABEL: func.func @views(%X: memref<4x6xf32>, %i: index) -> (index, index, index, index, index, index) {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: %r = scratch.slice %X{{\[}}[[v0]]] : memref<4x6xf32> to memref<24x1xf32>
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: %t = scratch.slice %r{{\[}}[[v1]]] : memref<24x1xf32> to memref<1x24xf32>
// CHECK-NEXT: [[v2:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v3:%.*]] = arith.muli %i, [[v2]] : index
// CHECK-NEXT: %x = scratch.slice %X{{\[}}[[v3]]] : memref<4x6xf32> to memref<6xf32>
// CHECK-NEXT: [[v4:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v5:%.*]] = arith.muli %i, [[v4]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.addi [[v5]], %c0 : index
// CHECK-NEXT: %rows = scratch.slice %X{{\[}}[[v6]]] : memref<4x6xf32> to memref<2x6xf32>
// CHECK-NEXT: %columns = scratch.alloc : memref<4x2xf32>
// CHECK-NEXT: tdsl.slice %X[%c0, %i] : memref<4x6xf32> into %columns : memref<4x2xf32>
// CHECK-NEXT: %turned = scratch.alloc : memref<6x4xf32>
// CHECK-NEXT: tdsl.transpose %X {permutation = array<i64: 1, 0>} : memref<4x6xf32> into %turned : memref<6x4xf32>
// CHECK-NEXT: [[v7:%.*]] = tdsl.argmax %t : memref<1x24xf32>
// CHECK-NEXT: [[v8:%.*]] = tdsl.argmax %x : memref<6xf32>
// CHECK-NEXT: [[v9:%.*]] = tdsl.argmax %rows : memref<2x6xf32>
// CHECK-NEXT: [[v10:%.*]] = tdsl.argmax %columns : memref<4x2xf32>
// CHECK-NEXT: [[v11:%.*]] = tdsl.argmax %turned : memref<6x4xf32>
// CHECK-NEXT: func.return [[v7]], [[v8]], [[v9]], [[v10]], [[v11]], %i : index, index, index, index, index, index

// -----

// The carried tensor starts in its own buffer and is updated in place; the index stays a loop variable.
func.func @in_place(%X: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = tdsl.exp %X : tensor<4xf32> -> tensor<4xf32>
  %n, %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%k = %c0, %a = %y) -> (index, tensor<4xf32>) {
    %q = tdsl.slice %X[%i] : tensor<4xf32> -> tensor<2xf32>
    %b = tdsl.insert_slice %q, %a[%k] : tensor<2xf32>, tensor<4xf32> -> tensor<4xf32>
    scf.yield %i, %b : index, tensor<4xf32>
  }
  func.return %s : tensor<4xf32>
}
// CHECK-LABEL: func.func @in_place(%X: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %y = scratch.alloc : memref<4xf32>
// CHECK-NEXT: tdsl.exp %X : memref<4xf32> into %y : memref<4xf32>
// CHECK-NEXT: [[v0:%.*]] = scf.for %i = %c0 to %c3 step %c1 iter_args([[v1:%.*]] = %c0) -> (index) {
// CHECK-NEXT: %q = scratch.slice %X[%i] : memref<4xf32> to memref<2xf32>
// CHECK-NEXT: tdsl.insert_slice %q, %y{{\[}}[[v1]]] : memref<2xf32>, memref<4xf32> into %y : memref<4xf32>
// CHECK-NEXT: scf.yield %i : index
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : memref<4xf32>

// -----

// An update of an update: the rows move up and the new one is inserted in the buffer that the loop carries.
func.func @moves_up(%X: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %R = tdsl.fill {value = 0.0 : f64} -> tensor<3x4xf32>
  %out = scf.for %i = %zero to %two step %one iter_args(%rows = %R) -> (tensor<3x4xf32>) {
    %x = tdsl.slice %X[%i, %zero] : tensor<2x4xf32> -> tensor<1x4xf32>
    %up = tdsl.move_up %rows {axis = 0 : i64, count = 1 : i64} : tensor<3x4xf32> -> tensor<3x4xf32>
    %new = tdsl.insert_slice %x, %up[%two, %zero] : tensor<1x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
    scf.yield %new : tensor<3x4xf32>
  }
  func.return %out : tensor<3x4xf32>
}
// CHECK-LABEL: func.func @moves_up(%X: memref<2x4xf32>) -> memref<3x4xf32> {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %R = scratch.alloc : memref<3x4xf32>
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %R : memref<3x4xf32>
// CHECK-NEXT: scf.for %i = %zero to %two step %one {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v1:%.*]] = arith.muli %i, [[v0]] : index
// CHECK-NEXT: [[v2:%.*]] = arith.addi [[v1]], %zero : index
// CHECK-NEXT: %x = scratch.slice %X{{\[}}[[v2]]] : memref<2x4xf32> to memref<1x4xf32>
// CHECK-NEXT: tdsl.move_up %R {axis = 0 : i64, count = 1 : i64} : memref<3x4xf32> into %R : memref<3x4xf32>
// CHECK-NEXT: tdsl.insert_slice %x, %R[%two, %zero] : memref<1x4xf32>, memref<3x4xf32> into %R : memref<3x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %R : memref<3x4xf32>

// Not in place: the input is the caller's, and the old value is read after the new one is there.
func.func @copied(%X: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %X) -> (tensor<4xf32>) {
    %b = tdsl.neg %a : tensor<4xf32> -> tensor<4xf32>
    %l = tdsl.argmax %a : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  func.return %s : tensor<4xf32>
}
// CHECK-LABEL: func.func @copied(%X: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %a = scratch.alloc : memref<4xf32>
// CHECK-NEXT: "memref.copy"(%X, %a) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: scf.for %i = %c0 to %c3 step %c1 {
// CHECK-NEXT: %b = scratch.alloc : memref<4xf32>
// CHECK-NEXT: tdsl.neg %a : memref<4xf32> into %b : memref<4xf32>
// CHECK-NEXT: %l = tdsl.argmax %a : memref<4xf32>
// CHECK-NEXT: "memref.copy"(%b, %a) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return %a : memref<4xf32>

// -----

// Two values change places through a third buffer; a constant needs none.
func.func @swapped(%X: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %W = tdsl.const dense<1.0> : tensor<4xf32> -> tensor<4xf32>
  %p, %q, %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %X, %b = %X, %c = %X) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a, %W : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.return %q : tensor<4xf32>
}
// CHECK-LABEL: func.func @swapped(%X: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %W = scratch.constant dense<1.000000e+00> : tensor<4xf32> -> memref<4xf32, #scratch.flash>
// CHECK-NEXT: %a = scratch.alloc : memref<4xf32>
// CHECK-NEXT: "memref.copy"(%X, %a) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: %b = scratch.alloc : memref<4xf32>
// CHECK-NEXT: "memref.copy"(%X, %b) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: %c = scratch.alloc : memref<4xf32>
// CHECK-NEXT: "memref.copy"(%X, %c) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: scf.for %i = %c0 to %c3 step %c1 {
// CHECK-NEXT: [[va_1:%.*]] = scratch.alloc : memref<4xf32>
// CHECK-NEXT: "memref.copy"(%a, [[va_1]]) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: "memref.copy"(%b, %a) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: "memref.copy"([[va_1]], %b) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: "memref.copy"(%W, %c) : (memref<4xf32, #scratch.flash>, memref<4xf32>) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return %b : memref<4xf32>

// -----

// The inner loop carries on in the buffer of %old, so that the new value, which is there before %last is copied, needs one
// of its own; an op without such a successor writes where it reads.
func.func @carried_on(%X: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %one = arith.constant 1 : index
  %r:3 = scf.for %k = %zero to %three step %one iter_args(%old = %X, %second = %X, %third = %X) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %last, %free = scf.for %j = %zero to %three step %one iter_args(%a = %old, %b = %third) -> (tensor<4xf32>, tensor<4xf32>) {
      scf.yield %a, %b : tensor<4xf32>, tensor<4xf32>
    }
    %new = tdsl.neg %last : tensor<4xf32> -> tensor<4xf32>
    %alone = tdsl.exp %free : tensor<4xf32> -> tensor<4xf32>
    scf.yield %new, %last, %alone : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: func.func @carried_on(%X: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>, memref<4xf32>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %three = arith.constant 3 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %old = scratch.alloc : memref<4xf32>
// CHECK-NEXT: "memref.copy"(%X, %old) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: %second = scratch.alloc : memref<4xf32>
// CHECK-NEXT: "memref.copy"(%X, %second) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: %third = scratch.alloc : memref<4xf32>
// CHECK-NEXT: "memref.copy"(%X, %third) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: scf.for %k = %zero to %three step %one {
// CHECK-NEXT: scf.for %j = %zero to %three step %one {
// CHECK-NEXT: }
// CHECK-NEXT: %new = scratch.alloc : memref<4xf32>
// CHECK-NEXT: tdsl.neg %old : memref<4xf32> into %new : memref<4xf32>
// CHECK-NEXT: tdsl.exp %third : memref<4xf32> into %third : memref<4xf32>
// CHECK-NEXT: %last = scratch.alloc : memref<4xf32>
// CHECK-NEXT: "memref.copy"(%old, %last) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: "memref.copy"(%new, %old) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: "memref.copy"(%last, %second) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return %old, %second, %third : memref<4xf32>, memref<4xf32>, memref<4xf32>

// -----

// A result lies in working memory of its own, also where it is an input or a constant.
func.func @results(%X: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<2xf32>) {
  %r = tdsl.reshape %X : tensor<4xf32> -> tensor<2x2xf32>
  %W = tdsl.const dense<1.0> : tensor<2xf32> -> tensor<2xf32>
  func.return %r, %W : tensor<2x2xf32>, tensor<2xf32>
}
// CHECK-LABEL: func.func @results(%X: memref<4xf32>) -> (memref<2x2xf32>, memref<2xf32>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: %r = scratch.slice %X{{\[}}[[v0]]] : memref<4xf32> to memref<2x2xf32>
// CHECK-NEXT: %W = scratch.constant dense<1.000000e+00> : tensor<2xf32> -> memref<2xf32, #scratch.flash>
// CHECK-NEXT: [[vr_1:%.*]] = scratch.alloc : memref<2x2xf32>
// CHECK-NEXT: "memref.copy"(%r, [[vr_1]]) : (memref<2x2xf32>, memref<2x2xf32>) -> ()
// CHECK-NEXT: [[vW_1:%.*]] = scratch.alloc : memref<2xf32>
// CHECK-NEXT: "memref.copy"(%W, [[vW_1]]) : (memref<2xf32, #scratch.flash>, memref<2xf32>) -> ()
// CHECK-NEXT: func.return [[vr_1]], [[vW_1]] : memref<2x2xf32>, memref<2xf32>

// What nobody reads before all of it is written needs a buffer, but no values.
func.func @empty(%x: tensor<1x1xf32>) -> tensor<4x1xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x1xf32>
  %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%part = %e) -> (tensor<4x1xf32>) {
    %next = tdsl.insert_slice %x, %part[%i, %c0] : tensor<1x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
    scf.yield %next : tensor<4x1xf32>
  }
  func.return %y : tensor<4x1xf32>
}
// CHECK-LABEL: func.func @empty(%x: memref<1x1xf32>) -> memref<4x1xf32> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c4 = arith.constant 4 : index
// CHECK-NEXT: %e = scratch.alloc : memref<4x1xf32>
// CHECK-NEXT: scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT: tdsl.insert_slice %x, %e[%i, %c0] : memref<1x1xf32>, memref<4x1xf32> into %e : memref<4x1xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %e : memref<4x1xf32>

// -----

// Each tensor that begins with zeros is filled right before it; none is kept to copy them from.
func.func @fills(%X: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %part = tdsl.slice %X[%c0] : tensor<4xf32> -> tensor<2xf32>
  %zeros = tdsl.fill {value = 0.0 : f64} -> tensor<4xf32>
  %p = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %zeros) -> (tensor<4xf32>) {
    %b = tdsl.insert_slice %part, %a[%i] : tensor<2xf32>, tensor<4xf32> -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  %q = tdsl.insert_slice %part, %zeros[%c1] : tensor<2xf32>, tensor<4xf32> -> tensor<4xf32>
  func.return %p, %q : tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: func.func @fills(%X: memref<4xf32>) -> (memref<4xf32>, memref<4xf32>) {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %c3 = arith.constant 3 : index
// CHECK-NEXT: %part = scratch.slice %X[%c0] : memref<4xf32> to memref<2xf32>
// CHECK-NEXT: %zeros = scratch.alloc : memref<4xf32>
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %zeros : memref<4xf32>
// CHECK-NEXT: scf.for %i = %c0 to %c3 step %c1 {
// CHECK-NEXT: tdsl.insert_slice %part, %zeros[%i] : memref<2xf32>, memref<4xf32> into %zeros : memref<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: [[vzeros_1:%.*]] = scratch.alloc : memref<4xf32>
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into [[vzeros_1]] : memref<4xf32>
// CHECK-NEXT: %q = scratch.alloc : memref<4xf32>
// CHECK-NEXT: tdsl.insert_slice %part, [[vzeros_1]][%c1] : memref<2xf32>, memref<4xf32> into %q : memref<4xf32>
// CHECK-NEXT: func.return %zeros, %q : memref<4xf32>, memref<4xf32>

// -----

// What is read again behind its update is not made where the update goes.
func.func @updated(%X: tensor<4x1xf32>, %one: tensor<1x1xf32>) -> (tensor<4x1xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y, %l = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %X, %k = %c0) -> (tensor<4x1xf32>, index) {
    %p = tdsl.neg %a : tensor<4x1xf32> -> tensor<4x1xf32>
    %q = tdsl.insert_slice %one, %p[%i, %c0] : tensor<1x1xf32>, tensor<4x1xf32> -> tensor<4x1xf32>
    %m = tdsl.argmax %p : tensor<4x1xf32>
    scf.yield %q, %m : tensor<4x1xf32>, index
  }
  func.return %y, %l : tensor<4x1xf32>, index
}
// CHECK-LABEL: func.func @updated
// CHECK: scf.for
// CHECK-NEXT: %p = scratch.alloc : memref<4x1xf32>
// CHECK-NEXT: tdsl.neg %a : memref<4x1xf32> into %p
// CHECK-NEXT: tdsl.insert_slice %one, %p[%i, %c0] : memref<1x1xf32>, memref<4x1xf32> into %a
// CHECK-NEXT: %m = tdsl.argmax %p

// -----

// The raws of an input lie where they are, whatever their format.
func.func @reinterpreted(%X: tensor<4x!fixed.q<8, 4>>) -> (index, tensor<4x!fixed.q<8, 7>>) {
  %r = tdsl.reinterpret %X : tensor<4x!fixed.q<8, 4>> -> tensor<4x!fixed.q<8, 7>>
  %l = tdsl.argmax %r : tensor<4x!fixed.q<8, 7>>
  func.return %l, %r : index, tensor<4x!fixed.q<8, 7>>
}
// CHECK-LABEL: func.func @reinterpreted(%X: memref<4x!fixed.q<8, 4>>) -> (index, memref<4x!fixed.q<8, 7>>) {
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: %r = scratch.slice %X{{\[}}[[v0]]] : memref<4x!fixed.q<8, 4>> to memref<4x!fixed.q<8, 7>>
// CHECK-NEXT: %l = tdsl.argmax %r : memref<4x!fixed.q<8, 7>>
// CHECK-NEXT: [[v1:%.*]] = scratch.alloc : memref<4x!fixed.q<8, 7>>
// CHECK-NEXT: "memref.copy"(%r, [[v1]]) : (memref<4x!fixed.q<8, 7>>, memref<4x!fixed.q<8, 7>>) -> ()
// CHECK-NEXT: func.return %l, [[v1]] : index, memref<4x!fixed.q<8, 7>>

// -----

// Of the arguments the caller packs the input alone.
func.func @packed(%X: tensor<8x1x!fixed.q<9, 4>>, %t: index, %h: tensor<8x1x!fixed.q<9, 4>>) -> (tensor<8x1x!fixed.q<9, 4>>) attributes {tdsl.interface = #tdsl.interface<input = <packed = 9>>} {
  %y = tdsl.add %X, %h : tensor<8x1x!fixed.q<9, 4>>, tensor<8x1x!fixed.q<9, 4>> -> tensor<8x1x!fixed.q<9, 4>>
  func.return %y : tensor<8x1x!fixed.q<9, 4>>
}
// CHECK-LABEL: func.func @packed(%X: memref<8x1x!fixed.q<9, 4>, #scratch.packed_ram<9>>, %t: index, %h: memref<8x1x!fixed.q<9, 4>>)

// -----

// What a convolution in place destroys has moved, in every shape.
func.func @moved(%X: tensor<1x6x6x1xf32>) -> tensor<1x4x4x1xf32> {
  %F = tdsl.const dense<1.0> : tensor<1x3x3x1xf32> -> tensor<1x3x3x1xf32>
  %e = tdsl.exp %X : tensor<1x6x6x1xf32> -> tensor<1x6x6x1xf32>
  %f = tdsl.reshape %e : tensor<1x6x6x1xf32> -> tensor<36xf32>
  %g = tdsl.reshape %f : tensor<36xf32> -> tensor<1x6x6x1xf32>
  %y = tdsl.conv2d %F, %g {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, turns = array<i64: 4>} : tensor<1x3x3x1xf32>, tensor<1x6x6x1xf32> -> tensor<1x4x4x1xf32>
  func.return %y : tensor<1x4x4x1xf32>
}
// CHECK-LABEL: func.func @moved
// CHECK: scratch.move %e to [[moved:%.*]] : memref<1x6x6x1xf32> to memref<1x6x6x1xf32>
// CHECK-NEXT: [[zero:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[image:%.*]] = scratch.slice [[moved]]{{\[}}[[zero]]] : memref<1x6x6x1xf32> to memref<1x6x6x1xf32>
// CHECK-NEXT: tdsl.conv2d %F, [[image]]

// -----

// What is read behind the loop stays as it is: the loop begins with a copy.
func.func @kept(%X: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = tdsl.exp %X : tensor<4xf32> -> tensor<4xf32>
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %y) -> (tensor<4xf32>) {
    %b = tdsl.neg %a : tensor<4xf32> -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  func.return %s, %y : tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: func.func @kept
// CHECK: %a = scratch.alloc : memref<4xf32>
// CHECK-NEXT: "memref.copy"(%y, %a)
// CHECK: tdsl.neg %a : memref<4xf32> into %a : memref<4xf32>
// CHECK: func.return %a, %y

// -----

// The old value in another format is no operand that an op may overwrite.
func.func @same_bytes(%X: tensor<4x!fixed.q<8, 4>>) -> tensor<4x!fixed.q<8, 4>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = tdsl.neg %X : tensor<4x!fixed.q<8, 4>> -> tensor<4x!fixed.q<8, 4>>
  %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %y) -> (tensor<4x!fixed.q<8, 4>>) {
    %r = tdsl.reinterpret %a : tensor<4x!fixed.q<8, 4>> -> tensor<4x!fixed.q<8, 5>>
    %b = tdsl.cast %r : tensor<4x!fixed.q<8, 5>> -> tensor<4x!fixed.q<8, 4>>
    scf.yield %b : tensor<4x!fixed.q<8, 4>>
  }
  func.return %s : tensor<4x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @same_bytes
// CHECK: %b = scratch.alloc : memref<4x!fixed.q<8, 4>>
// CHECK-NEXT: tdsl.cast %r : memref<4x!fixed.q<8, 5>> into %b
// CHECK-NEXT: "memref.copy"(%b, %y)

// -----

// Ops that only read a fill share it.
func.func @one_fill(%X: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %c0 = arith.constant 0 : index
  %f = tdsl.fill {value = 1.0 : f64} -> tensor<2x1xf32>
  %p = tdsl.add %f, %X : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %q = tdsl.sub %f, %X : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  func.return %p, %q : tensor<2x1xf32>, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @one_fill(%X: memref<2x1xf32>) -> (memref<2x1xf32>, memref<2x1xf32>) {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %f = scratch.alloc : memref<2x1xf32>
// CHECK-NEXT: tdsl.fill {value = 1.000000e+00 : f64} into %f : memref<2x1xf32>
// CHECK-NEXT: %p = scratch.alloc : memref<2x1xf32>
// CHECK-NEXT: tdsl.add %f, %X : memref<2x1xf32>, memref<2x1xf32> into %p : memref<2x1xf32>
// CHECK-NEXT: %q = scratch.alloc : memref<2x1xf32>
// CHECK-NEXT: tdsl.sub %f, %X : memref<2x1xf32>, memref<2x1xf32> into %q : memref<2x1xf32>
// CHECK-NEXT: func.return %p, %q : memref<2x1xf32>, memref<2x1xf32>
// CHECK-NEXT: }

// -----

// An inserted fill begins no tensor, either.
func.func @inserted_fill(%X: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %f = tdsl.fill {value = 1.0 : f64} -> tensor<2xf32>
  %y = tdsl.exp %X : tensor<4xf32> -> tensor<4xf32>
  %p = tdsl.insert_slice %f, %y[%c0] : tensor<2xf32>, tensor<4xf32> -> tensor<4xf32>
  %q = tdsl.insert_slice %f, %p[%c0] : tensor<2xf32>, tensor<4xf32> -> tensor<4xf32>
  func.return %q : tensor<4xf32>
}
// CHECK-LABEL: func.func @inserted_fill(%X: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %f = scratch.alloc : memref<2xf32>
// CHECK-NEXT: tdsl.fill {value = 1.000000e+00 : f64} into %f : memref<2xf32>
// CHECK-NEXT: %y = scratch.alloc : memref<4xf32>
// CHECK-NEXT: tdsl.exp %X : memref<4xf32> into %y : memref<4xf32>
// CHECK-NEXT: %p = scratch.alloc : memref<4xf32>
// CHECK-NEXT: tdsl.insert_slice %f, %y[%c0] : memref<2xf32>, memref<4xf32> into %p : memref<4xf32>
// CHECK-NEXT: %q = scratch.alloc : memref<4xf32>
// CHECK-NEXT: tdsl.insert_slice %f, %p[%c0] : memref<2xf32>, memref<4xf32> into %q : memref<4xf32>
// CHECK-NEXT: func.return %q : memref<4xf32>
// CHECK-NEXT: }

// -----

// Nor does a fill that is moved up outside a loop: each result has a buffer of its own.
func.func @moved_fill() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %z = tdsl.fill {value = 0.0 : f64} -> tensor<4xf32>
  %a = tdsl.move_up %z {axis = 0 : i64, count = 1 : i64} : tensor<4xf32> -> tensor<4xf32>
  %b = tdsl.move_up %z {axis = 0 : i64, count = 2 : i64} : tensor<4xf32> -> tensor<4xf32>
  %c = tdsl.exp %z : tensor<4xf32> -> tensor<4xf32>
  func.return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: func.func @moved_fill() -> (memref<4xf32>, memref<4xf32>, memref<4xf32>) {
// CHECK-NEXT: %z = scratch.alloc : memref<4xf32>
// CHECK-NEXT: tdsl.fill {value = 0.000000e+00 : f64} into %z : memref<4xf32>
// CHECK-NEXT: %a = scratch.alloc : memref<4xf32>
// CHECK-NEXT: tdsl.move_up %z {axis = 0 : i64, count = 1 : i64} : memref<4xf32> into %a : memref<4xf32>
// CHECK-NEXT: %b = scratch.alloc : memref<4xf32>
// CHECK-NEXT: tdsl.move_up %z {axis = 0 : i64, count = 2 : i64} : memref<4xf32> into %b : memref<4xf32>
// CHECK-NEXT: %c = scratch.alloc : memref<4xf32>
// CHECK-NEXT: tdsl.exp %z : memref<4xf32> into %c : memref<4xf32>
// CHECK-NEXT: func.return %a, %b, %c : memref<4xf32>, memref<4xf32>, memref<4xf32>
