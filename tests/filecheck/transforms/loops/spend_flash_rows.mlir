// RUN: tinyml-opt %s -p 'spend-flash{target=uno flash=20000}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'spend-flash{target=uno flash=100}' --split-input-file | filecheck %s --check-prefix=NONE
// RUN: tinyml-opt %s -p 'spend-flash{target=uno}' --split-input-file | filecheck %s --check-prefix=NONE
// RUN: sed 's/by #num.tile_kernel<[^>]*> //' %s | tinyml-opt -p 'spend-flash{target=cortex-m0 flash=20000}' --split-input-file | filecheck %s --check-prefix=NONE
// RUN: sed 's/by #num.tile_kernel<[^>]*> //' %s | tinyml-opt -p 'spend-flash{target=cortex-m4 flash=20000}' --split-input-file | filecheck %s --check-prefix=CORTEX

// RUN: tinyml-opt %s -p 'spend-flash{target=uno flash=20000},select-kernels{target=uno},expand-nests,canonicalize,lower-num-to-exact,lower-exact-to-arith' --split-input-file | filecheck %s --check-prefix=BITS
// RUN: not tinyml-opt %s -p 'spend-flash{target=uno flash=0}' 2>&1 | filecheck %s --check-prefix=WRONG
// RUN: not tinyml-opt %s -p 'spend-flash{target=toaster flash=1}' 2>&1 | filecheck %s --check-prefix=UNKNOWN

// NONE-NOT: num.call #num.coded_rows
// WRONG: the limit on flash is at least 1 byte, got 0
// UNKNOWN: unknown target 'toaster'

// Starts are constants, to which half of the last place is added.
func.func @dense(%x: memref<4x!fixed.q<8, 6>>) -> memref<3x!fixed.q<8, 2>> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<3xi8>
  %y = scratch.view %arena[0 : i64] : memref<3xi8> to memref<3x!fixed.q<8, 2>>
  %w = scratch.constant dense<[[1, 2, -3, 4], [0, 0, 127, 0], [5, -6, 7, -8]]> : tensor<3x4xi8> -> memref<3x4x!fixed.q<8, 4>, #scratch.flash>
  %b = scratch.constant dense<[1, -2, 3]> : tensor<3xi8> -> memref<3x!fixed.q<8, 10>, #scratch.flash>
  num.contract %i to 3 {
    %bias = memref.load %b[%i] : memref<3x!fixed.q<8, 10>, #scratch.flash>
    %start = num.start %bias : !fixed.q<8, 10> -> !fixed.acc<24, 10>
    %sum = num.products %start, %w, %x : !fixed.acc<24, 10>, memref<3x4x!fixed.q<8, 4>, #scratch.flash>, memref<4x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
    %z = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
    memref.store %z, %y[%i] : memref<3x!fixed.q<8, 2>>
  }
  func.return %y : memref<3x!fixed.q<8, 2>>
}
// CHECK-LABEL: func.func @dense(%x: memref<4x!fixed.q<8, 6>>) -> memref<3x!fixed.q<8, 2>> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<3xi8>
// CHECK-NEXT: %y = scratch.view %arena[0 : i64] : memref<3xi8> to memref<3x!fixed.q<8, 2>>
// CHECK-NEXT: %w = scratch.constant dense<{{\[\[}}1, 2, -3, 4], [0, 0, 127, 0], [5, -6, 7, -8]]> : tensor<3x4xi8> -> memref<3x4x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %b = scratch.constant dense<[1, -2, 3]> : tensor<3xi8> -> memref<3x!fixed.q<8, 10>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %y{{\[}}[[v0]]] : memref<3x!fixed.q<8, 2>> to memref<3x!fixed.q<8, 2>>
// CHECK-NEXT: num.call #num.coded_rows<{weights = [dense<{{\[\[}}1, 2, -3, 4], [0, 0, 127, 0], [5, -6, 7, -8]]> : tensor<3x4xi8>], aligns = array<i64: 0>, starts = dense<[129, 126, 131]> : tensor<3xi32>, right = 8 : i64}, time = 149, once = 200, call = 12, stack = 12>([[v1]], %x) by #num.code_kernel<"tm_avr_rows", "34f3bdcedcf6f93c"> : (memref<3x!fixed.q<8, 2>>, memref<4x!fixed.q<8, 6>>) -> ()
// CHECK-NEXT: func.return %y : memref<3x!fixed.q<8, 2>>
// CORTEX-LABEL: func.func @dense
// CORTEX: num.call #num.coded_rows<{{.*}}) by #num.code_kernel<"tm_cm_rows", "{{[0-9a-f]+}}">
// BITS-LABEL: func.func @dense
// BITS: func.call @tm_avr_rows_{{[0-9a-f]+}}({{%.*}}, {{%.*}}) : (memref<?xi8>, memref<?xi8>) -> ()
// BITS-LABEL: func.func private @tm_avr_rows_{{[0-9a-f]+}}(memref<?xi8>, memref<?xi8>) -> () attributes {tinyml.kernel = #num.code_kernel<"tm_avr_rows", "{{[0-9a-f]+}}">, tinyml.coded_rows = {weights = [dense<{{.*}}> : tensor<3x4xi8>], aligns = array<i64: 0>, starts = dense<[129, 126, 131]> : tensor<3xi32>, right = 8 : i64}}

// -----

// Sums go on at another scale; a contraction that does more than to store their bytes finds them where it stores.
func.func @chained(%x: memref<5x!fixed.q<8, 6>>) -> memref<2x!fixed.q<8, 3>> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<2xi8>
  %y = scratch.view %arena[0 : i64] : memref<2xi8> to memref<2x!fixed.q<8, 3>>
  %v = scratch.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8> -> memref<2x2x!fixed.q<8, 4>, #scratch.flash>
  %w = scratch.constant dense<[[5, 6, 7], [8, 9, 10]]> : tensor<2x3xi8> -> memref<2x3x!fixed.q<8, 6>, #scratch.flash>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %a = scratch.slice %x[%c0] : memref<5x!fixed.q<8, 6>> to memref<2x!fixed.q<8, 6>>
  %b = scratch.slice %x[%c2] : memref<5x!fixed.q<8, 6>> to memref<3x!fixed.q<8, 6>>
  num.contract %i to 2 {
    %start = num.zero : !fixed.acc<24, 10>
    %first = num.products %start, %v, %a : !fixed.acc<24, 10>, memref<2x2x!fixed.q<8, 4>, #scratch.flash>, memref<2x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
    %finer = num.align %first : !fixed.acc<24, 10> -> !fixed.acc<24, 12>
    %sum = num.products %finer, %w, %b : !fixed.acc<24, 12>, memref<2x3x!fixed.q<8, 6>, #scratch.flash>, memref<3x!fixed.q<8, 6>> -> !fixed.acc<24, 12>
    %z = num.finish %sum : !fixed.acc<24, 12> -> !fixed.q<8, 3>
    %t = num.mul %z, %z : !fixed.q<8, 3>, !fixed.q<8, 3> -> !fixed.q<8, 3>
    memref.store %t, %y[%i] : memref<2x!fixed.q<8, 3>>
  }
  func.return %y : memref<2x!fixed.q<8, 3>>
}
// CHECK-LABEL: func.func @chained(%x: memref<5x!fixed.q<8, 6>>) -> memref<2x!fixed.q<8, 3>> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<2xi8>
// CHECK-NEXT: %y = scratch.view %arena[0 : i64] : memref<2xi8> to memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: %v = scratch.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi8> -> memref<2x2x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %w = scratch.constant dense<{{\[\[}}5, 6, 7], [8, 9, 10]]> : tensor<2x3xi8> -> memref<2x3x!fixed.q<8, 6>, #scratch.flash>
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c2 = arith.constant 2 : index
// CHECK-NEXT: %a = scratch.slice %x[%c0] : memref<5x!fixed.q<8, 6>> to memref<2x!fixed.q<8, 6>>
// CHECK-NEXT: %b = scratch.slice %x[%c2] : memref<5x!fixed.q<8, 6>> to memref<3x!fixed.q<8, 6>>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %y{{\[}}[[v0]]] : memref<2x!fixed.q<8, 3>> to memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: num.call #num.coded_rows<{weights = [dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi8>, dense<{{\[\[}}5, 6, 7], [8, 9, 10]]> : tensor<2x3xi8>], aligns = array<i64: 0, 2>, starts = dense<64> : tensor<2xi32>, right = 9 : i64}, time = 167, once = 234, call = 16, stack = 10>([[v1]], %a, %b) by #num.code_kernel<"tm_avr_rows", "2879d172f8422d9b"> : (memref<2x!fixed.q<8, 3>>, memref<2x!fixed.q<8, 6>>, memref<3x!fixed.q<8, 6>>) -> ()
// CHECK-NEXT: num.contract %i to 2 {
// CHECK-NEXT: %z = memref.load %y[%i] : memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: %t = num.mul %z, %z : !fixed.q<8, 3>, !fixed.q<8, 3> -> !fixed.q<8, 3>
// CHECK-NEXT: memref.store %t, %y[%i] : memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : memref<2x!fixed.q<8, 3>>

// -----

// An array of their own keeps bytes where the contraction reads what it overwrites.
func.func @updated(%x: memref<4x!fixed.q<8, 6>>) -> memref<2x!fixed.q<8, 3>> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<2xi8>
  %y = scratch.view %arena[0 : i64] : memref<2xi8> to memref<2x!fixed.q<8, 3>>
  %v = scratch.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8> -> memref<2x4x!fixed.q<8, 4>, #scratch.flash>
  num.contract %i to 2 {
    %start = num.zero : !fixed.acc<24, 10>
    %sum = num.products %start, %v, %x : !fixed.acc<24, 10>, memref<2x4x!fixed.q<8, 4>, #scratch.flash>, memref<4x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
    %z = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 3>
    %old = memref.load %y[%i] : memref<2x!fixed.q<8, 3>>
    %t = num.mul %z, %old : !fixed.q<8, 3>, !fixed.q<8, 3> -> !fixed.q<8, 3>
    memref.store %t, %y[%i] : memref<2x!fixed.q<8, 3>>
  }
  func.return %y : memref<2x!fixed.q<8, 3>>
}
// CHECK-LABEL: func.func @updated(%x: memref<4x!fixed.q<8, 6>>) -> memref<2x!fixed.q<8, 3>> {
// CHECK-NEXT: %rows = memref.alloca() : memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<2xi8>
// CHECK-NEXT: %y = scratch.view %arena[0 : i64] : memref<2xi8> to memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: %v = scratch.constant dense<{{\[\[}}1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8> -> memref<2x4x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = scratch.slice %rows{{\[}}[[v0]]] : memref<2x!fixed.q<8, 3>> to memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: num.call #num.coded_rows<{weights = [dense<{{\[\[}}1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8>], aligns = array<i64: 0>, starts = dense<64> : tensor<2xi32>, right = 7 : i64}, time = 158, once = 238, call = 12, stack = 8>([[v1]], %x) by #num.code_kernel<"tm_avr_rows", "edda8889f9b40b0c"> : (memref<2x!fixed.q<8, 3>>, memref<4x!fixed.q<8, 6>>) -> ()
// CHECK-NEXT: num.contract %i to 2 {
// CHECK-NEXT: %z = memref.load %rows[%i] : memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: %old = memref.load %y[%i] : memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: %t = num.mul %z, %old : !fixed.q<8, 3>, !fixed.q<8, 3> -> !fixed.q<8, 3>
// CHECK-NEXT: memref.store %t, %y[%i] : memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : memref<2x!fixed.q<8, 3>>

// -----

// Generated code reads bytes: rows that multiply wider elements stay.
func.func @words(%x: memref<4x!fixed.q<16, 14>>) -> memref<2x!fixed.q<8, 3>> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<2xi8>
  %y = scratch.view %arena[0 : i64] : memref<2xi8> to memref<2x!fixed.q<8, 3>>
  %v = scratch.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8> -> memref<2x4x!fixed.q<8, 4>, #scratch.flash>
  num.contract %i to 2 {
    %start = num.zero : !fixed.acc<32, 18>
    %sum = num.products %start, %v, %x : !fixed.acc<32, 18>, memref<2x4x!fixed.q<8, 4>, #scratch.flash>, memref<4x!fixed.q<16, 14>> -> !fixed.acc<32, 18>
    %z = num.finish %sum : !fixed.acc<32, 18> -> !fixed.q<8, 3>
    memref.store %z, %y[%i] : memref<2x!fixed.q<8, 3>>
  }
  func.return %y : memref<2x!fixed.q<8, 3>>
}
// CHECK-LABEL: func.func @words(%x: memref<4x!fixed.q<16, 14>>) -> memref<2x!fixed.q<8, 3>> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<2xi8>
// CHECK-NEXT: %y = scratch.view %arena[0 : i64] : memref<2xi8> to memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: %v = scratch.constant dense<{{\[\[}}1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8> -> memref<2x4x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: num.contract %i to 2 {
// CHECK-NEXT: %start = num.zero : !fixed.acc<32, 18>
// CHECK-NEXT: %sum = num.products %start, %v, %x : !fixed.acc<32, 18>, memref<2x4x!fixed.q<8, 4>, #scratch.flash>, memref<4x!fixed.q<16, 14>> -> !fixed.acc<32, 18>
// CHECK-NEXT: %z = num.finish %sum : !fixed.acc<32, 18> -> !fixed.q<8, 3>
// CHECK-NEXT: memref.store %z, %y[%i] : memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : memref<2x!fixed.q<8, 3>>

// -----

// No row may change what the next one reads.
func.func @in_place() -> memref<3x!fixed.q<8, 2>> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<3xi8>
  %y = scratch.view %arena[0 : i64] : memref<3xi8> to memref<3x!fixed.q<8, 2>>
  %w = scratch.constant dense<[[1, 2, -3], [0, 0, 127], [5, -6, 7]]> : tensor<3x3xi8> -> memref<3x3x!fixed.q<8, 4>, #scratch.flash>
  num.contract %i to 3 {
    %start = num.zero : !fixed.acc<24, 6>
    %sum = num.products %start, %w, %y : !fixed.acc<24, 6>, memref<3x3x!fixed.q<8, 4>, #scratch.flash>, memref<3x!fixed.q<8, 2>> -> !fixed.acc<24, 6>
    %z = num.finish %sum : !fixed.acc<24, 6> -> !fixed.q<8, 2>
    memref.store %z, %y[%i] : memref<3x!fixed.q<8, 2>>
  }
  func.return %y : memref<3x!fixed.q<8, 2>>
}
// CHECK-LABEL: func.func @in_place() -> memref<3x!fixed.q<8, 2>> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<3xi8>
// CHECK-NEXT: %y = scratch.view %arena[0 : i64] : memref<3xi8> to memref<3x!fixed.q<8, 2>>
// CHECK-NEXT: %w = scratch.constant dense<{{\[\[}}1, 2, -3], [0, 0, 127], [5, -6, 7]]> : tensor<3x3xi8> -> memref<3x3x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: num.contract %i to 3 {
// CHECK-NEXT: %start = num.zero : !fixed.acc<24, 6>
// CHECK-NEXT: %sum = num.products %start, %w, %y : !fixed.acc<24, 6>, memref<3x3x!fixed.q<8, 4>, #scratch.flash>, memref<3x!fixed.q<8, 2>> -> !fixed.acc<24, 6>
// CHECK-NEXT: %z = num.finish %sum : !fixed.acc<24, 6> -> !fixed.q<8, 2>
// CHECK-NEXT: memref.store %z, %y[%i] : memref<3x!fixed.q<8, 2>>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : memref<3x!fixed.q<8, 2>>

// -----

// The filters of a tile meet each window; elements between its two runs meet zeros.
func.func @tile(%x: memref<11x!fixed.q<8, 6>>) -> memref<6x!fixed.q<8, 3>> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<6xi8>
  %y = scratch.view %arena[0 : i64] : memref<6xi8> to memref<6x!fixed.q<8, 3>>
  %b = scratch.constant dense<[1, -2]> : tensor<2xi8> -> memref<2x!fixed.q<8, 10>, #scratch.flash>
  %w = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8> -> memref<8x!fixed.q<8, 4>, #scratch.flash>
  %at8 = arith.constant 0 : index
  %y8 = scratch.slice %y[%at8] : memref<6x!fixed.q<8, 3>> to memref<3x2x!fixed.q<8, 3>>
  %w8 = scratch.slice %w[%at8] : memref<8x!fixed.q<8, 4>, #scratch.flash> to memref<2x4x!fixed.q<8, 4>, #scratch.flash>
  num.contract %window, %row to 3, 2 by #num.tile_kernel<"tm_dot_tile_s8", rows = 2, runs = 2, length = 2, pitch = 5, step = 2, count = 3, zero = 0, right = 7> {
    %n = memref.load %b[%row] : memref<2x!fixed.q<8, 10>, #scratch.flash>
    %start = num.start %n : !fixed.q<8, 10> -> !fixed.acc<24, 10>
    %sum = num.products %start, %w8, %x {spacing = array<i64: 2, 5, 2>} : !fixed.acc<24, 10>, memref<2x4x!fixed.q<8, 4>, #scratch.flash>, memref<11x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
    %result = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 3>
    memref.store %result, %y8[%window, %row] : memref<3x2x!fixed.q<8, 3>>
  }
  func.return %y : memref<6x!fixed.q<8, 3>>
}
// CHECK-LABEL: func.func @tile(%x: memref<11x!fixed.q<8, 6>>) -> memref<6x!fixed.q<8, 3>> {
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<6xi8>
// CHECK-NEXT: %y = scratch.view %arena[0 : i64] : memref<6xi8> to memref<6x!fixed.q<8, 3>>
// CHECK-NEXT: %b = scratch.constant dense<[1, -2]> : tensor<2xi8> -> memref<2x!fixed.q<8, 10>, #scratch.flash>
// CHECK-NEXT: %w = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8> -> memref<8x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: %at8 = arith.constant 0 : index
// CHECK-NEXT: %y8 = scratch.slice %y[%at8] : memref<6x!fixed.q<8, 3>> to memref<3x2x!fixed.q<8, 3>>
// CHECK-NEXT: %w8 = scratch.slice %w[%at8] : memref<8x!fixed.q<8, 4>, #scratch.flash> to memref<2x4x!fixed.q<8, 4>, #scratch.flash>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 2 : index
// CHECK-NEXT: scf.for [[v4:%.*]] = [[v1]] to [[v0]] step [[v2]] {
// CHECK-NEXT: [[v5:%.*]] = arith.muli [[v4]], [[v3]] : index
// CHECK-NEXT: [[v6:%.*]] = scratch.slice %y8{{\[}}[[v5]]] : memref<3x2x!fixed.q<8, 3>> to memref<2x!fixed.q<8, 3>>
// CHECK-NEXT: [[v7:%.*]] = arith.muli [[v4]], [[v3]] : index
// CHECK-NEXT: [[v8:%.*]] = scratch.slice %x{{\[}}[[v7]]] : memref<11x!fixed.q<8, 6>> to memref<7x!fixed.q<8, 6>>
// CHECK-NEXT: num.call #num.coded_rows<{weights = [dense<{{\[\[}}1, 2, 0, 0, 0, 3, 4], [5, 6, 0, 0, 0, 7, 8]]> : tensor<2x7xi8>], aligns = array<i64: 0>, starts = dense<[65, 62]> : tensor<2xi32>, right = 7 : i64}, time = 158, once = 238, call = 12, stack = 8>([[v6]], [[v8]]) by #num.code_kernel<"tm_avr_rows", "ed9ee6823690a1bc"> : (memref<2x!fixed.q<8, 3>>, memref<7x!fixed.q<8, 6>>) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : memref<6x!fixed.q<8, 3>>
