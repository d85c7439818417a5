// RUN: tinyml-opt %s -p decode-constants | filecheck %s
// RUN: tinyml-opt %s -p 'decode-constants{packed=always}' | filecheck %s --check-prefix=PACKED

// Posits of 12 bits are integers of 16, which take the same bytes.
func.func @same_bytes(%x: memref<2x!posit.p<12, 0, -10, 1>>, %at: index) -> !fixed.acc<32, 20> {
  %w = scratch.constant dense<[[1, 2], [-3, 1535]]> : tensor<2x2xi16> -> memref<2x2x!posit.p<12, 0, -10, 1>, #scratch.flash>
  %row = scratch.slice %w[%at] : memref<2x2x!posit.p<12, 0, -10, 1>, #scratch.flash> to memref<2x!posit.p<12, 0, -10, 1>, #scratch.flash>
  %zero = num.zero : !fixed.acc<32, 20>
  %sum = num.call #num.dot(%zero, %row, %x) : (!fixed.acc<32, 20>, memref<2x!posit.p<12, 0, -10, 1>, #scratch.flash>, memref<2x!posit.p<12, 0, -10, 1>>) -> !fixed.acc<32, 20>
  func.return %sum : !fixed.acc<32, 20>
}
// CHECK-LABEL: func.func @same_bytes(%x: memref<2x!posit.p<12, 0, -10, 1>>, %at: index) -> !fixed.acc<32, 20> {
// CHECK-NEXT: %w = scratch.constant dense<{{\[\[}}1, 2], [-3, 2046]]> : tensor<2x2xi16> -> memref<2x2x!fixed.q<12, 10>, #scratch.flash>
// CHECK-NEXT: %row = scratch.slice %w[%at] : memref<2x2x!fixed.q<12, 10>, #scratch.flash> to memref<2x!fixed.q<12, 10>, #scratch.flash>
// CHECK-NEXT: %zero = num.zero : !fixed.acc<32, 20>
// CHECK-NEXT: %sum = num.call #num.dot(%zero, %row, %x) : (!fixed.acc<32, 20>, memref<2x!fixed.q<12, 10>, #scratch.flash>, memref<2x!posit.p<12, 0, -10, 1>>) -> !fixed.acc<32, 20>
// CHECK-NEXT: func.return %sum : !fixed.acc<32, 20>
// PACKED: memref<2x2x!posit.p<12, 0, -10, 1>, #scratch.flash>

// Integers of posits of 8 bits would take twice as many bytes.
func.func @more_bytes(%x: memref<2x!posit.p<8, 0, -6, 1>>) -> !fixed.acc<32, 12> {
  %w = scratch.constant dense<[16, 100]> : tensor<2xi8> -> memref<2x!posit.p<8, 1, -6, 7>, #scratch.flash>
  %zero = num.zero : !fixed.acc<32, 12>
  %sum = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<32, 12>, memref<2x!posit.p<8, 1, -6, 7>, #scratch.flash>, memref<2x!posit.p<8, 0, -6, 1>>) -> !fixed.acc<32, 12>
  func.return %sum : !fixed.acc<32, 12>
}
// CHECK-LABEL: func.func @more_bytes(%x: memref<2x!posit.p<8, 0, -6, 1>>) -> !fixed.acc<32, 12> {
// CHECK-NEXT: %w = scratch.constant dense<[16, 100]> : tensor<2xi8> -> memref<2x!posit.p<8, 1, -6, 7>, #scratch.flash>
// CHECK-NEXT: %zero = num.zero : !fixed.acc<32, 12>
// CHECK-NEXT: %sum = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<32, 12>, memref<2x!posit.p<8, 1, -6, 7>, #scratch.flash>, memref<2x!posit.p<8, 0, -6, 1>>) -> !fixed.acc<32, 12>
// CHECK-NEXT: func.return %sum : !fixed.acc<32, 12>

// The accumulator has room for products by the weights, of at most 12, but not for those by any integers of 8 bits.
func.func @few_bits(%x: memref<2x!minifloat.f<3, 4, 1>>) -> !fixed.acc<16, 9> {
  %w = scratch.constant dense<[1, 7]> : tensor<2xi8> -> memref<2x!minifloat.f<2, 1, 1>, #scratch.flash>
  %zero = num.zero : !fixed.acc<16, 9>
  %sum = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<16, 9>, memref<2x!minifloat.f<2, 1, 1>, #scratch.flash>, memref<2x!minifloat.f<3, 4, 1>>) -> !fixed.acc<16, 9>
  func.return %sum : !fixed.acc<16, 9>
}
// CHECK-LABEL: func.func @few_bits(%x: memref<2x!minifloat.f<3, 4, 1>>) -> !fixed.acc<16, 9> {
// CHECK-NEXT: %w = scratch.constant dense<[1, 12]> : tensor<2xi8> -> memref<2x!fixed.q<5, 2>, #scratch.flash>
// CHECK-NEXT: %zero = num.zero : !fixed.acc<16, 9>
// CHECK-NEXT: %sum = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<16, 9>, memref<2x!fixed.q<5, 2>, #scratch.flash>, memref<2x!minifloat.f<3, 4, 1>>) -> !fixed.acc<16, 9>
// CHECK-NEXT: func.return %sum : !fixed.acc<16, 9>

// What other ops read stays as they know it.
func.func @read(%i: index) -> !posit.p<12, 0, -10, 1> {
  %w = scratch.constant dense<[1, 100]> : tensor<2xi16> -> memref<2x!posit.p<12, 0, -10, 1>, #scratch.flash>
  %v = memref.load %w[%i] : memref<2x!posit.p<12, 0, -10, 1>, #scratch.flash>
  func.return %v : !posit.p<12, 0, -10, 1>
}
// CHECK-LABEL: func.func @read(%i: index) -> !posit.p<12, 0, -10, 1> {
// CHECK-NEXT: %w = scratch.constant dense<[1, 100]> : tensor<2xi16> -> memref<2x!posit.p<12, 0, -10, 1>, #scratch.flash>
// CHECK-NEXT: %v = memref.load %w[%i] : memref<2x!posit.p<12, 0, -10, 1>, #scratch.flash>
// CHECK-NEXT: func.return %v : !posit.p<12, 0, -10, 1>
