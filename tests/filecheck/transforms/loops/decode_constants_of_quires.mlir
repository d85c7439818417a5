// Weights of sums in a quire are taken apart while constants take at most half of the flash: 9,030 of 18,060 bytes.
// RUN: tinyml-opt %s -p decode-constants | filecheck %s
// RUN: tinyml-opt %s -p 'decode-constants{flash=18060}' | filecheck %s
// RUN: tinyml-opt %s -p 'decode-constants{target=uno}' | filecheck %s --check-prefixes=CHECK,UNO
// RUN: tinyml-opt %s -p 'decode-constants{flash=18047}' | filecheck %s --check-prefix=FULL
// RUN: tinyml-opt %s -p 'decode-constants{packed=always}' | filecheck %s --check-prefix=FULL
// RUN: not tinyml-opt %s -p 'decode-constants{flash=0}' 2>&1 | filecheck %s --check-prefix=NONE
// NONE: the limit on flash is at least 1 byte, got 0

// 1.5 * 2^-5, the posit 30, is 12 * 2^-8: 12 in the upper byte, and no step of 4 above 2^-8.
func.func @weights(%x: memref<3x!posit.p<8, 2>>, %y: memref<2x!posit.p<8, 2>>) {
  %w = scratch.constant dense<[[30, 69, 29], [-50, 62, 0]]> : tensor<2x3xi8> -> memref<2x3x!posit.p<8, 2>, #scratch.flash>
  num.contract %i to 2 {
    %sum = num.zero : !posit.quire<63, 35, 32, 4>
    %next = num.products %sum, %w, %x : !posit.quire<63, 35, 32, 4>, memref<2x3x!posit.p<8, 2>, #scratch.flash>, memref<3x!posit.p<8, 2>> -> !posit.quire<63, 35, 32, 4>
    %rounded = num.finish %next : !posit.quire<63, 35, 32, 4> -> !posit.p<8, 2>
    memref.store %rounded, %y[%i] : memref<2x!posit.p<8, 2>>
  }
  func.return
}
// CHECK-LABEL: func.func @weights
// CHECK: %w = scratch.constant dense<{{\[\[}}3072, 6657, 2560], [-20480, 3585, 0]]> : tensor<2x3xi16> -> memref<2x3x!posit.unpacked<8, 2, -8, 4>, #scratch.flash>
// CHECK: num.products %sum, %w, %x : !posit.quire<63, 35, 32, 4>, memref<2x3x!posit.unpacked<8, 2, -8, 4>, #scratch.flash>, memref<3x!posit.p<8, 2>> -> !posit.quire<63, 35, 32, 4>
// FULL-LABEL: func.func @weights
// FULL: memref<2x3x!posit.p<8, 2>, #scratch.flash>

// NaR has no parts.
func.func @undefined(%x: memref<3x!posit.p<8, 2>>, %y: memref<1x!posit.p<8, 2>>) {
  %w = scratch.constant dense<[[30, -128, 29]]> : tensor<1x3xi8> -> memref<1x3x!posit.p<8, 2>, #scratch.flash>
  num.contract %i to 1 {
    %sum = num.zero : !posit.quire<63, 35, 32, 4>
    %next = num.products %sum, %w, %x : !posit.quire<63, 35, 32, 4>, memref<1x3x!posit.p<8, 2>, #scratch.flash>, memref<3x!posit.p<8, 2>> -> !posit.quire<63, 35, 32, 4>
    %rounded = num.finish %next : !posit.quire<63, 35, 32, 4> -> !posit.p<8, 2>
    memref.store %rounded, %y[%i] : memref<1x!posit.p<8, 2>>
  }
  func.return
}
// CHECK-LABEL: func.func @undefined
// CHECK: %w = scratch.constant dense<{{\[\[}}30, -128, 29]]> : tensor<1x3xi8> -> memref<1x3x!posit.p<8, 2>, #scratch.flash>

// An Uno has 32,256 bytes.
func.func @many(%x: memref<4500x!posit.p<8, 2>>, %y: memref<2x!posit.p<8, 2>>) {
  %w = scratch.constant dense<30> : tensor<2x4500xi8> -> memref<2x4500x!posit.p<8, 2>, #scratch.flash>
  num.contract %i to 2 {
    %sum = num.zero : !posit.quire<74, 35, 32, 4>
    %next = num.products %sum, %w, %x : !posit.quire<74, 35, 32, 4>, memref<2x4500x!posit.p<8, 2>, #scratch.flash>, memref<4500x!posit.p<8, 2>> -> !posit.quire<74, 35, 32, 4>
    %rounded = num.finish %next : !posit.quire<74, 35, 32, 4> -> !posit.p<8, 2>
    memref.store %rounded, %y[%i] : memref<2x!posit.p<8, 2>>
  }
  func.return
}
// UNO-LABEL: func.func @many
// UNO: memref<2x4500x!posit.p<8, 2>, #scratch.flash>

// A single row is a call.
func.func @row(%x: memref<3x!posit.p<8, 2>>) -> !posit.quire<63, 35, 32, 4> {
  %w = scratch.constant dense<[30, 69, 29]> : tensor<3xi8> -> memref<3x!posit.p<8, 2>, #scratch.flash>
  %zero = num.zero : !posit.quire<63, 35, 32, 4>
  %sum = num.call #num.dot(%zero, %w, %x) : (!posit.quire<63, 35, 32, 4>, memref<3x!posit.p<8, 2>, #scratch.flash>, memref<3x!posit.p<8, 2>>) -> !posit.quire<63, 35, 32, 4>
  func.return %sum : !posit.quire<63, 35, 32, 4>
}
// CHECK-LABEL: func.func @row
// CHECK: num.call #num.dot(%zero, %w, %x) : (!posit.quire<63, 35, 32, 4>, memref<3x!posit.unpacked<8, 2, -8, 4>, #scratch.flash>, memref<3x!posit.p<8, 2>>) -> !posit.quire<63, 35, 32, 4>

// The second factor has what the first lacks of the unit: its least exponent.
func.func @second(%x: memref<3x!posit.p<8, 2>>) -> !posit.quire<63, 35, 32, 4> {
  %w = scratch.constant dense<[30, 69, 29]> : tensor<3xi8> -> memref<3x!posit.p<8, 2>, #scratch.flash>
  %zero = num.zero : !posit.quire<63, 35, 32, 4>
  %sum = num.call #num.dot(%zero, %x, %w) : (!posit.quire<63, 35, 32, 4>, memref<3x!posit.p<8, 2>>, memref<3x!posit.p<8, 2>, #scratch.flash>) -> !posit.quire<63, 35, 32, 4>
  func.return %sum : !posit.quire<63, 35, 32, 4>
}
// CHECK-LABEL: func.func @second
// CHECK: %w = scratch.constant dense<[24580, 3334, 20484]> : tensor<3xi16> -> memref<3x!posit.unpacked<8, 2, -27, 4>, #scratch.flash>

// The caller writes what is in RAM.
func.func @loaded(%x: memref<3x!posit.p<8, 2>>) -> !posit.quire<63, 35, 32, 4> {
  %w = scratch.constant dense<[30, 69, 29]> : tensor<3xi8> -> memref<3x!posit.p<8, 2>>
  %zero = num.zero : !posit.quire<63, 35, 32, 4>
  %sum = num.call #num.dot(%zero, %w, %x) : (!posit.quire<63, 35, 32, 4>, memref<3x!posit.p<8, 2>>, memref<3x!posit.p<8, 2>>) -> !posit.quire<63, 35, 32, 4>
  func.return %sum : !posit.quire<63, 35, 32, 4>
}
// CHECK-LABEL: func.func @loaded
// CHECK-NEXT: %w = scratch.constant dense<[30, 69, 29]> : tensor<3xi8> -> memref<3x!posit.p<8, 2>>
