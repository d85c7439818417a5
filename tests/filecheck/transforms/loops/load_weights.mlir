// RUN: tinyml-opt %s -p load-weights --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'load-weights,pack-constants{target=uno},select-kernels{target=uno}' --split-input-file | filecheck %s --check-prefix=PACKED

// The filter has twice the scale of its own numbers, so that sums start from a finer bias: in RAM each number would take
// a bit more. The bias is added at the end, and takes a byte.
func.func @filter(%x: memref<4x!fixed.u<4, 2>>, %Y: memref<2x!fixed.q<16, 7>>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %W = scratch.constant dense<[[2, -16, 14, 0], [6, 8, -2, 4]]> : tensor<2x4xi8> -> memref<2x4x!fixed.q<6, 5>, #scratch.flash>
  %b = scratch.constant dense<[-128, 127]> : tensor<2xi16> -> memref<2x!fixed.q<9, 7>, #scratch.flash>
  scf.for %i = %zero to %two step %one {
    %at = arith.muli %i, %four : index
    %row = scratch.slice %W[%at] : memref<2x4x!fixed.q<6, 5>, #scratch.flash> to memref<4x!fixed.q<6, 5>, #scratch.flash>
    %first = memref.load %b[%i] : memref<2x!fixed.q<9, 7>, #scratch.flash>
    %start = num.start %first : !fixed.q<9, 7> -> !fixed.acc<16, 7>
    %sum = num.call #num.dot(%start, %row, %x) : (!fixed.acc<16, 7>, memref<4x!fixed.q<6, 5>, #scratch.flash>, memref<4x!fixed.u<4, 2>>) -> !fixed.acc<16, 7>
    %y = num.finish %sum {bound = array<i64: -2000, 2000>} : !fixed.acc<16, 7> -> !fixed.q<16, 7>
    memref.store %y, %Y[%i] : memref<2x!fixed.q<16, 7>>
  }
  func.return
}
// CHECK-LABEL: func.func @filter(%x: memref<4x!fixed.u<4, 2>>, %Y: memref<2x!fixed.q<16, 7>>) {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %two = arith.constant 2 : index
// CHECK-NEXT: %four = arith.constant 4 : index
// CHECK-NEXT: %W = scratch.constant dense<{{\[\[}}1, -8, 7, 0], [3, 4, -1, 2]]> : tensor<2x4xi8> -> memref<2x4x!fixed.q<5, 4>>
// CHECK-NEXT: %b = scratch.constant dense<[-128, 127]> : tensor<2xi8> -> memref<2x!fixed.s<8, 7>>
// CHECK-NEXT: scf.for %i = %zero to %two step %one {
// CHECK-NEXT: %at = arith.muli %i, %four : index
// CHECK-NEXT: %row = scratch.slice %W[%at] : memref<2x4x!fixed.q<5, 4>> to memref<4x!fixed.q<5, 4>>
// CHECK-NEXT: %first = memref.load %b[%i] : memref<2x!fixed.s<8, 7>>
// CHECK-NEXT: %start = num.start %first : !fixed.s<8, 7> -> !fixed.acc<16, 7>
// CHECK-NEXT: [[v0:%.*]] = num.zero : !fixed.acc<16, 6>
// CHECK-NEXT: %sum = num.call #num.dot([[v0]], %row, %x) : (!fixed.acc<16, 6>, memref<4x!fixed.q<5, 4>>, memref<4x!fixed.u<4, 2>>) -> !fixed.acc<16, 6>
// CHECK-NEXT: [[v1:%.*]] = num.align %sum : !fixed.acc<16, 6> -> !fixed.acc<16, 7>
// CHECK-NEXT: [[v2:%.*]] = num.constant {value = 1.000000e+00 : f64} -> !fixed.q<2, 0>
// CHECK-NEXT: [[v3:%.*]] = num.mac [[v1]], %first, [[v2]] : !fixed.acc<16, 7>, !fixed.s<8, 7>, !fixed.q<2, 0> -> !fixed.acc<16, 7>
// CHECK-NEXT: %y = num.finish [[v3]] {bound = array<i64: -2000, 2000>} : !fixed.acc<16, 7> -> !fixed.q<16, 7>
// CHECK-NEXT: memref.store %y, %Y[%i] : memref<2x!fixed.q<16, 7>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// PACKED: memref<2x4x!fixed.q<5, 4>, #scratch.packed_ram<4>>
// PACKED: num.call #num.dot({{.*}}) by #num.composed_kernel<num.dot, integer 4, integer 8, sum = 16, ram = 1>

// -----

// The accumulator has no room for the products without their start.
func.func @room(%x: memref<2x!fixed.u<4, 2>>, %at: index) -> !fixed.q<16, 7> {
  %W = scratch.constant dense<[2, 4]> : tensor<2xi8> -> memref<2x!fixed.q<6, 5>, #scratch.flash>
  %b = scratch.constant dense<[-30000, 1]> : tensor<2xi16> -> memref<2x!fixed.q<16, 7>, #scratch.flash>
  %first = memref.load %b[%at] : memref<2x!fixed.q<16, 7>, #scratch.flash>
  %start = num.start %first : !fixed.q<16, 7> -> !fixed.acc<16, 7>
  %sum = num.call #num.dot(%start, %W, %x) : (!fixed.acc<16, 7>, memref<2x!fixed.q<6, 5>, #scratch.flash>, memref<2x!fixed.u<4, 2>>) -> !fixed.acc<16, 7>
  %y = num.finish %sum {bound = array<i64: -30000, 20000>} : !fixed.acc<16, 7> -> !fixed.q<16, 7>
  func.return %y : !fixed.q<16, 7>
}
// CHECK-LABEL: func.func @room(%x: memref<2x!fixed.u<4, 2>>, %at: index) -> !fixed.q<16, 7> {
// CHECK-NEXT: %W = scratch.constant dense<[2, 4]> : tensor<2xi8> -> memref<2x!fixed.q<6, 5>>
// CHECK-NEXT: %b = scratch.constant dense<[-30000, 1]> : tensor<2xi16> -> memref<2x!fixed.q<16, 7>>
// CHECK-NEXT: %first = memref.load %b[%at] : memref<2x!fixed.q<16, 7>>
// CHECK-NEXT: %start = num.start %first : !fixed.q<16, 7> -> !fixed.acc<16, 7>
// CHECK-NEXT: %sum = num.call #num.dot(%start, %W, %x) : (!fixed.acc<16, 7>, memref<2x!fixed.q<6, 5>>, memref<2x!fixed.u<4, 2>>) -> !fixed.acc<16, 7>
// CHECK-NEXT: %y = num.finish %sum {bound = array<i64: -30000, 20000>} : !fixed.acc<16, 7> -> !fixed.q<16, 7>
// CHECK-NEXT: func.return %y : !fixed.q<16, 7>

// -----

// Tables of the compiler, sparse structure and single numbers stay.
func.func @others(%i: index) -> (i16, !fixed.q<8, 4>) {
  %table = scratch.constant dense<[1, 2]> : tensor<2xi16> -> memref<2xi16, #scratch.flash>
  %single = scratch.constant dense<3> : tensor<1xi8> -> memref<1x!fixed.q<8, 4>, #scratch.flash>
  %a = memref.load %table[%i] : memref<2xi16, #scratch.flash>
  %b = memref.load %single[%i] : memref<1x!fixed.q<8, 4>, #scratch.flash>
  func.return %a, %b : i16, !fixed.q<8, 4>
}
// CHECK-LABEL: func.func @others(%i: index) -> (i16, !fixed.q<8, 4>) {
// CHECK-NEXT: %table = scratch.constant dense<[1, 2]> : tensor<2xi16> -> memref<2xi16, #scratch.flash>
// CHECK-NEXT: %single = scratch.constant dense<3> : tensor<1xi8> -> memref<1x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %a = memref.load %table[%i] : memref<2xi16, #scratch.flash>
// CHECK-NEXT: %b = memref.load %single[%i] : memref<1x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: func.return %a, %b : i16, !fixed.q<8, 4>

// -----

// Room for the products alone, down to the last number: the start that is added last leaves -32768 to 32767.
func.func @limit(%x: memref<2x!fixed.u<4, 2>>, %at: index) -> !fixed.q<16, 7> {
  %W = scratch.constant dense<[2, 4]> : tensor<2xi8> -> memref<2x!fixed.q<6, 5>, #scratch.flash>
  %b = scratch.constant dense<[-30767, 30768]> : tensor<2xi16> -> memref<2x!fixed.q<16, 7>, #scratch.flash>
  %first = memref.load %b[%at] : memref<2x!fixed.q<16, 7>, #scratch.flash>
  %start = num.start %first : !fixed.q<16, 7> -> !fixed.acc<16, 7>
  %sum = num.call #num.dot(%start, %W, %x) : (!fixed.acc<16, 7>, memref<2x!fixed.q<6, 5>, #scratch.flash>, memref<2x!fixed.u<4, 2>>) -> !fixed.acc<16, 7>
  %y = num.finish %sum {bound = array<i64: -2000, 2000>} : !fixed.acc<16, 7> -> !fixed.q<16, 7>
  func.return %y : !fixed.q<16, 7>
}
// CHECK-LABEL: func.func @limit
// CHECK: [[v0:%.*]] = num.zero : !fixed.acc<16, {{[0-6]}}>
// CHECK: num.align
// CHECK-NEXT: num.constant
// CHECK-NEXT: num.mac

// -----

// One number more is one too many.
func.func @past(%x: memref<2x!fixed.u<4, 2>>, %at: index) -> !fixed.q<16, 7> {
  %W = scratch.constant dense<[2, 4]> : tensor<2xi8> -> memref<2x!fixed.q<6, 5>, #scratch.flash>
  %b = scratch.constant dense<[-30768, 30768]> : tensor<2xi16> -> memref<2x!fixed.q<16, 7>, #scratch.flash>
  %first = memref.load %b[%at] : memref<2x!fixed.q<16, 7>, #scratch.flash>
  %start = num.start %first : !fixed.q<16, 7> -> !fixed.acc<16, 7>
  %sum = num.call #num.dot(%start, %W, %x) : (!fixed.acc<16, 7>, memref<2x!fixed.q<6, 5>, #scratch.flash>, memref<2x!fixed.u<4, 2>>) -> !fixed.acc<16, 7>
  %y = num.finish %sum {bound = array<i64: -2000, 2000>} : !fixed.acc<16, 7> -> !fixed.q<16, 7>
  func.return %y : !fixed.q<16, 7>
}
// CHECK-LABEL: func.func @past
// CHECK-NOT: num.align
// CHECK: func.return

// -----

// A single odd number keeps the scale of the others, and its sums their start.
func.func @odd(%x: memref<2x!fixed.u<4, 2>>, %at: index) -> !fixed.q<16, 7> {
  %W = scratch.constant dense<[2, 5]> : tensor<2xi8> -> memref<2x!fixed.q<6, 5>, #scratch.flash>
  %b = scratch.constant dense<[-128, 127]> : tensor<2xi16> -> memref<2x!fixed.q<9, 7>, #scratch.flash>
  %first = memref.load %b[%at] : memref<2x!fixed.q<9, 7>, #scratch.flash>
  %start = num.start %first : !fixed.q<9, 7> -> !fixed.acc<16, 7>
  %sum = num.call #num.dot(%start, %W, %x) : (!fixed.acc<16, 7>, memref<2x!fixed.q<6, 5>, #scratch.flash>, memref<2x!fixed.u<4, 2>>) -> !fixed.acc<16, 7>
  %y = num.finish %sum {bound = array<i64: -2000, 2000>} : !fixed.acc<16, 7> -> !fixed.q<16, 7>
  func.return %y : !fixed.q<16, 7>
}
// CHECK-LABEL: func.func @odd
// CHECK: %W = scratch.constant dense<[2, 5]> : tensor<2xi8> -> memref<2x!fixed.{{.}}<{{.}}, 5>>
// CHECK: %sum = num.call #num.dot(%start, %W, %x)

// -----

// A bias four times as coarse as its sum is multiplied by 4 when it is added.
func.func @coarse(%x: memref<2x!fixed.u<4, 2>>, %at: index) -> !fixed.q<16, 7> {
  %W = scratch.constant dense<[2, 4]> : tensor<2xi8> -> memref<2x!fixed.q<6, 5>, #scratch.flash>
  %b = scratch.constant dense<[-128, 127]> : tensor<2xi16> -> memref<2x!fixed.q<9, 5>, #scratch.flash>
  %first = memref.load %b[%at] : memref<2x!fixed.q<9, 5>, #scratch.flash>
  %start = num.start %first : !fixed.q<9, 5> -> !fixed.acc<16, 7>
  %sum = num.call #num.dot(%start, %W, %x) : (!fixed.acc<16, 7>, memref<2x!fixed.q<6, 5>, #scratch.flash>, memref<2x!fixed.u<4, 2>>) -> !fixed.acc<16, 7>
  %y = num.finish %sum {bound = array<i64: -2000, 2000>} : !fixed.acc<16, 7> -> !fixed.q<16, 7>
  func.return %y : !fixed.q<16, 7>
}
// CHECK-LABEL: func.func @coarse(%x: memref<2x!fixed.u<4, 2>>, %at: index) -> !fixed.q<16, 7> {
// CHECK-NEXT: %W = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2x!fixed.q<5, 4>>
// CHECK-NEXT: %b = scratch.constant dense<[-128, 127]> : tensor<2xi8> -> memref<2x!fixed.s<8, 5>>
// CHECK-NEXT: %first = memref.load %b[%at] : memref<2x!fixed.s<8, 5>>
// CHECK-NEXT: %start = num.start %first : !fixed.s<8, 5> -> !fixed.acc<16, 7>
// CHECK-NEXT: [[v0:%.*]] = num.zero : !fixed.acc<16, 6>
// CHECK-NEXT: %sum = num.call #num.dot([[v0]], %W, %x) : (!fixed.acc<16, 6>, memref<2x!fixed.q<5, 4>>, memref<2x!fixed.u<4, 2>>) -> !fixed.acc<16, 6>
// CHECK-NEXT: [[v1:%.*]] = num.align %sum : !fixed.acc<16, 6> -> !fixed.acc<16, 7>
// CHECK-NEXT: [[v2:%.*]] = num.constant {value = 1.000000e+00 : f64} -> !fixed.q<4, 2>
// CHECK-NEXT: [[v3:%.*]] = num.mac [[v1]], %first, [[v2]] : !fixed.acc<16, 7>, !fixed.s<8, 5>, !fixed.q<4, 2> -> !fixed.acc<16, 7>
// CHECK-NEXT: %y = num.finish [[v3]] {bound = array<i64: -2000, 2000>} : !fixed.acc<16, 7> -> !fixed.q<16, 7>
// CHECK-NEXT: func.return %y : !fixed.q<16, 7>
// CHECK-NEXT: }
