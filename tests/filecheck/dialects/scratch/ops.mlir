// Memory: constants in flash, buffers, and views into the arena.

// RUN: %roundtrip
// RUN: %generic

func.func @memory(%i: index) {
  %weights = scratch.constant dense<[1, -2, 3, 4]> : tensor<4xi16> -> memref<4x!fixed.q<16, 12>, #scratch.flash>
// CHECK: %weights = scratch.constant dense<[1, -2, 3, 4]> : tensor<4xi16> -> memref<4x!fixed.q<16, 12>, #scratch.flash>
  %reals = scratch.constant dense<5.000000e-01> : tensor<2x2xf32> -> memref<2x2xf32, #scratch.flash>
// CHECK: %reals = scratch.constant dense<5.000000e-01> : tensor<2x2xf32> -> memref<2x2xf32, #scratch.flash>
  %sparse = scratch.constant dense<[0, 3]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>, #scratch.csr>
// CHECK: %sparse = scratch.constant dense<[0, 3]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>, #scratch.csr>
  %packed = scratch.constant dense<[7, -8]> : tensor<2xi16> -> memref<2x!fixed.q<12, 4>, #scratch.packed<4>>
// CHECK: %packed = scratch.constant dense<[7, -8]> : tensor<2xi16> -> memref<2x!fixed.q<12, 4>, #scratch.packed<4>>
  %signs = scratch.constant dense<[3, -1]> : tensor<2xi8> -> memref<2x!midrise.q<2, 4>, #scratch.packed<2, odd>>
// CHECK: %signs = scratch.constant dense<[3, -1]> : tensor<2xi8> -> memref<2x!midrise.q<2, 4>, #scratch.packed<2, odd>>
  %trits = scratch.constant dense<[0, -1]> : tensor<2xi8> -> memref<2x!fixed.q<2, 4>, #scratch.packed<2, trits>>
// CHECK: %trits = scratch.constant dense<[0, -1]> : tensor<2xi8> -> memref<2x!fixed.q<2, 4>, #scratch.packed<2, trits>>
  %pairs = scratch.constant dense<[1, -2]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>, #scratch.packed<2, pairs>>
// CHECK: %pairs = scratch.constant dense<[1, -2]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>, #scratch.packed<2, pairs>>
  %table = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
// CHECK: %table = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %buffer = scratch.alloc : memref<2x3x!fixed.q<12, 8>>
// CHECK: %buffer = scratch.alloc : memref<2x3x!fixed.q<12, 8>>
  %floats = scratch.alloc : memref<6xf32>
// CHECK: %floats = scratch.alloc : memref<6xf32>
  %again = scratch.reuse %floats : memref<6xf32> as memref<2x4x!fixed.q<16, 4>>
// CHECK: %again = scratch.reuse %floats : memref<6xf32> as memref<2x4x!fixed.q<16, 4>>
  %arena = scratch.arena {alignment = 4 : i64} : memref<24xi8>
// CHECK: %arena = scratch.arena {alignment = 4 : i64} : memref<24xi8>
  %view = scratch.view %arena[8 : i64] : memref<24xi8> to memref<4x1x!fixed.q<32, 20>>
// CHECK: %view = scratch.view %arena[8 : i64] : memref<24xi8> to memref<4x1x!fixed.q<32, 20>>
  %live = scratch.view %arena[0 : i64] {live = [0 : i64, 3 : i64]} : memref<24xi8> to memref<f32>
// CHECK: %live = scratch.view %arena[0 : i64] {live = [0 : i64, 3 : i64]} : memref<24xi8> to memref<f32>
  %there = scratch.view %arena[4 : i64] : memref<24xi8> to memref<f32>
// CHECK: %there = scratch.view %arena[4 : i64] : memref<24xi8> to memref<f32>
  %row = scratch.slice %buffer[%i] : memref<2x3x!fixed.q<12, 8>> to memref<3x!fixed.q<12, 8>>
// CHECK: %row = scratch.slice %buffer[%i] : memref<2x3x!fixed.q<12, 8>> to memref<3x!fixed.q<12, 8>>
  %part = scratch.slice %weights[%i] : memref<4x!fixed.q<16, 12>, #scratch.flash> to memref<2x!fixed.q<16, 12>, #scratch.flash>
// CHECK: %part = scratch.slice %weights[%i] : memref<4x!fixed.q<16, 12>, #scratch.flash> to memref<2x!fixed.q<16, 12>, #scratch.flash>
  scratch.move %live to %there : memref<f32> to memref<f32>
// CHECK: scratch.move %live to %there : memref<f32> to memref<f32>
  %rows = scratch.alloc : memref<2x2x!fixed.q<16, 4>>
  scratch.receive %again[%i] to %rows : memref<2x4x!fixed.q<16, 4>> to memref<2x2x!fixed.q<16, 4>>
// CHECK: scratch.receive %again[%i] to %rows : memref<2x4x!fixed.q<16, 4>> to memref<2x2x!fixed.q<16, 4>>
  %run = scratch.alloc : memref<6x!fixed.q<12, 8>>
  %short = scratch.alloc : memref<4x!fixed.q<12, 8>>
  scratch.copy_run %run[%i] to %short[%i] count %i {most = 4 : i64} : memref<6x!fixed.q<12, 8>> to memref<4x!fixed.q<12, 8>>
// CHECK: scratch.copy_run %run[%i] to %short[%i] count %i {most = 4 : i64} : memref<6x!fixed.q<12, 8>> to memref<4x!fixed.q<12, 8>>
  scratch.copy_run %run[%i] to %short[%i] count %i {most = 2 : i64, step = 1 : i64} : memref<6x!fixed.q<12, 8>> to memref<4x!fixed.q<12, 8>>
// CHECK: scratch.copy_run %run[%i] to %short[%i] count %i {most = 2 : i64, step = 1 : i64} : memref<6x!fixed.q<12, 8>> to memref<4x!fixed.q<12, 8>>
  scratch.copy_run %run[%i] to %run[%i] count %i {most = 4 : i64, down} : memref<6x!fixed.q<12, 8>> to memref<6x!fixed.q<12, 8>>
// CHECK: scratch.copy_run %run[%i] to %run[%i] count %i {most = 4 : i64, down} : memref<6x!fixed.q<12, 8>> to memref<6x!fixed.q<12, 8>>
  scratch.slide %short against %weights : memref<4x!fixed.q<12, 8>>, memref<4x!fixed.q<16, 12>, #scratch.flash>
// CHECK: scratch.slide %short against %weights : memref<4x!fixed.q<12, 8>>, memref<4x!fixed.q<16, 12>, #scratch.flash>
  scratch.turn %run[%i] : %i x %i {pixel = 2 : i64, bits = 8 : i64} : memref<6x!fixed.q<12, 8>>
// CHECK: scratch.turn %run[%i] : %i x %i {pixel = 2 : i64, bits = 8 : i64} : memref<6x!fixed.q<12, 8>>
  func.return
}
// GENERIC: "scratch.view"(%arena) <{offset = 0 : i64, live = [0 : i64, 3 : i64]}> : (memref<24xi8>) -> memref<f32>
// GENERIC: "scratch.slice"(%buffer, %i) : (memref<2x3x!fixed.q<12, 8>>, index) -> memref<3x!fixed.q<12, 8>>
