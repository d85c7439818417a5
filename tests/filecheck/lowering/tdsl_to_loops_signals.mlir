// RUN: tinyml-opt %s -p lower-tdsl-to-loops --split-input-file | filecheck %s

// A stage in place, of 16 bits: a function of the runtime, whose last number is the shift between the scales.
func.func @in_place() {
  %arena = scratch.arena {alignment = 4 : i64} : memref<32xi8>
  %x = scratch.view %arena[0] : memref<32xi8> to memref<1x16x!fixed.q<16, 14>>
  %y = scratch.view %arena[0] : memref<32xi8> to memref<1x16x!fixed.q<16, 12>>
  tdsl.butterflies %x {radix = 4 : i64, span = 2 : i64} : memref<1x16x!fixed.q<16, 14>> into %y : memref<1x16x!fixed.q<16, 12>>
  func.return
}
// CHECK-LABEL: func.func @in_place
// CHECK: %rotations = scratch.constant dense<{{.*}}> : tensor<12xi16> -> memref<12x!fixed.s<16, 15>, #scratch.flash>
// CHECK-NOT: scf.for
// CHECK: num.call #num.transform<"tm_butterflies4_i16", [1, 2, 2], steps = 2>({{.*}}, %rotations)

// -----

// Elsewhere, and in another format: a copy, and loops over scalars.
func.func @elsewhere(%x: memref<1x8xf32>, %y: memref<1x8xf32>) {
  tdsl.butterflies %x {radix = 2 : i64, span = 1 : i64} : memref<1x8xf32> into %y : memref<1x8xf32>
  func.return
}
// CHECK-LABEL: func.func @elsewhere
// CHECK: scf.for
// CHECK: memref.load %x
// CHECK-NEXT: memref.store
// CHECK: scf.for
// CHECK: num.combine {{.*}} {terms = array<i64: 1, 1>} : f32, f32 -> f32
// CHECK: num.combine {{.*}} {terms = array<i64: 1, -1>} : f32, f32 -> f32
// CHECK-NOT: memref.load %x

// -----

// Samples are added or subtracted by the phase of each wave, which a register holds.
func.func @waves(%x: memref<1x64x!fixed.q<16, 15>>, %first: index, %y: memref<2x3x!fixed.q<16, 15>>) {
  tdsl.square_waves %x from %first {steps = array<i64: 100, 2000, 8191>} : memref<1x64x!fixed.q<16, 15>> into %y : memref<2x3x!fixed.q<16, 15>>
  func.return
}
// CHECK-LABEL: func.func @waves
// CHECK: arith.index_cast %first : index to i32
// CHECK: arith.select
// CHECK-NEXT: num.tally
// CHECK: num.average {{.*}} {count = 64 : i64

// -----

// The last inputs and results of a filter are carried.
func.func @filter(%x: memref<1x64xf32>, %y: memref<1x64xf32>) {
  tdsl.biquad %x {coefficients = [0.25 : f64, 0.5 : f64, 0.25 : f64, -0.5 : f64, 0.125 : f64]} : memref<1x64xf32> into %y : memref<1x64xf32>
  func.return
}
// CHECK-LABEL: func.func @filter
// CHECK: scf.for {{.*}} iter_args([[x1:%.*]] = {{.*}}, [[x2:%.*]] = {{.*}}, [[y1:%.*]] = {{.*}}, [[y2:%.*]] =
// CHECK: [[y:%.*]] = num.combine {{.*}} {terms = array<i64: 2, 2, 2, -2, -2>}
// CHECK: scf.yield {{.*}}, [[x1]], [[y]], [[y1]]

// -----

// The greatest magnitude is carried, and compared with a threshold for each factor that the format has: 127 is none.
func.func @factor(%x: memref<1x64x!fixed.q<16, 15>>, %y: memref<1x1x!fixed.q<8, 0>>) {
  tdsl.block_factor %x {limit = 1.0 : f64, most = 7 : i64} : memref<1x64x!fixed.q<16, 15>> into %y : memref<1x1x!fixed.q<8, 0>>
  func.return
}
// CHECK-LABEL: func.func @factor
// CHECK: [[peak:%.*]] = scf.for
// CHECK: num.combine {{.*}} {terms = array<i64: -1>}
// CHECK-COUNT-2: num.greater
// CHECK-NOT: 128.0
// CHECK: num.at_least [[peak]] {threshold = 1.562500e-02 : f64}
// CHECK: num.at_least [[peak]] {threshold = 5.000000e-01 : f64}
// CHECK-NOT: num.at_least
// CHECK: memref.store

// -----

// Products with the factor have no more bits than what they are made of.
func.func @scale(%x: memref<1x64x!fixed.q<16, 15>>, %k: memref<1x1x!fixed.q<8, 0>>, %y: memref<1x64x!fixed.q<16, 15>>) {
  tdsl.scale_block %x, %k : memref<1x64x!fixed.q<16, 15>>, memref<1x1x!fixed.q<8, 0>> into %y : memref<1x64x!fixed.q<16, 15>>
  func.return
}
// CHECK-LABEL: func.func @scale
// CHECK: num.scale {{.*}} : !fixed.q<16, 15>, !fixed.q<8, 0> -> !fixed.q<16, 15>

// -----

// A binary search among three edges in two comparisons. The counts, at most 4, become raws by a product.
func.func @histogram(%x: memref<4x2x!fixed.q<16, 2>>, %y: memref<2x4x!fixed.q<8, 3>>) {
  tdsl.histogram %x {edges = dense<[[-1.0, 0.0, 1.0], [2.0, 3.0, 4.1]]> : tensor<2x3xf64>} : memref<4x2x!fixed.q<16, 2>> into %y : memref<2x4x!fixed.q<8, 3>>
  func.return
}
// CHECK-LABEL: func.func @histogram
// CHECK: scratch.constant dense<[[-5, -1, 3], [7, 11, 16]]> : tensor<2x3xi16>
// CHECK-COUNT-2: num.greater
// CHECK-NOT: num.greater
// CHECK: arith.muli {{.*}} : index
// CHECK-NEXT: arith.index_cast {{.*}} : index to i8

// -----

// All numbers of the format reach the first edge, none the last. The numbers to 4 in the format of the result are a table.
func.func @coarse(%x: memref<4x1x!fixed.q<8, 4>>, %y: memref<1x4x!fixed.q<8, -1>>) {
  tdsl.histogram %x {edges = dense<[[-20.0, 0.5, 8.0]]> : tensor<1x3xf64>} : memref<4x1x!fixed.q<8, 4>> into %y : memref<1x4x!fixed.q<8, -1>>
  func.return
}
// CHECK-LABEL: func.func @coarse
// CHECK: %edges = scratch.constant dense<[[7, 127, 127]]> : tensor<1x3xi8>
// CHECK-NEXT: %first = scratch.constant dense<1> : tensor<1xi16>
// CHECK: %numbers = scratch.constant dense<[0, 1, 1, 2, 2]> : tensor<5xi8>

// -----

// The end and the length of the longest run so far, and the length of the present one.
func.func @run(%x: memref<2x8x!fixed.q<8, 4>>, %y: memref<1x2x!fixed.q<8, 2>>) {
  tdsl.longest_run %x {threshold = 0.5 : f64, least = 3 : i64} : memref<2x8x!fixed.q<8, 4>> into %y : memref<1x2x!fixed.q<8, 2>>
  func.return
}
// CHECK-LABEL: func.func @run
// CHECK: scf.for {{.*}} iter_args({{.*}}, {{.*}}, {{.*}}) -> (index, index, index)
// CHECK: num.at_least {{.*}} {threshold = 5.000000e-01 : f64}
// CHECK: arith.cmpi sgt
// CHECK: arith.cmpi sge

// -----

// Rows move up in place, each element once.
func.func @up() {
  %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
  %x = scratch.view %arena[0] : memref<8xi8> to memref<4x2x!fixed.q<8, 4>>
  tdsl.move_up %x {axis = 0 : i64, count = 1 : i64} : memref<4x2x!fixed.q<8, 4>> into %x : memref<4x2x!fixed.q<8, 4>>
  func.return
}
// CHECK-LABEL: func.func @up
// CHECK: [[FROM:%[0-9]+]] = scratch.slice %x[%{{[0-9]+}}] : {{.*}} to memref<6x!fixed.q<8, 4>
// CHECK: [[TO:%[0-9]+]] = scratch.slice %x[%{{[0-9]+}}] : {{.*}} to memref<6x!fixed.q<8, 4>
// CHECK: memref.load [[FROM]][%{{.*}}]
// CHECK-NEXT: memref.store %{{.*}}, [[TO]][%{{.*}}]
// CHECK-NOT: memref.load

// -----

// A move of 62 bytes is a loop, a move of 64 bytes is one copy to lower addresses.
func.func @short_rows() {
  %arena = scratch.arena {alignment = 1 : i64} : memref<93xi8>
  %x = scratch.view %arena[0] : memref<93xi8> to memref<3x31x!fixed.q<8, 4>>
  tdsl.move_up %x {axis = 0 : i64, count = 1 : i64} : memref<3x31x!fixed.q<8, 4>> into %x : memref<3x31x!fixed.q<8, 4>>
  func.return
}
// CHECK-LABEL: func.func @short_rows
// CHECK-COUNT-2: to memref<62x!fixed.q<8, 4>
// CHECK-COUNT-1: memref.load
// CHECK-NOT: memref.load

// -----

func.func @long_rows() {
  %arena = scratch.arena {alignment = 1 : i64} : memref<96xi8>
  %x = scratch.view %arena[0] : memref<96xi8> to memref<3x32x!fixed.q<8, 4>>
  tdsl.move_up %x {axis = 0 : i64, count = 1 : i64} : memref<3x32x!fixed.q<8, 4>> into %x : memref<3x32x!fixed.q<8, 4>>
  func.return
}
// CHECK-LABEL: func.func @long_rows
// CHECK: [[MEMORY:%[0-9]+]] = scratch.slice %x[%{{[0-9]+}}] : {{.*}} to memref<96x!fixed.q<8, 4>>
// CHECK: scratch.copy_run [[MEMORY]][%{{[0-9]+}}] to [[MEMORY]][%{{[0-9]+}}] count %{{[0-9]+}} {most = 64 : i64, down} : {{.*}}
// CHECK-NOT: memref.load
// CHECK: return

// -----

// The shift of several runs, and one to another buffer, go element by element.
func.func @up_in_rows(%x: memref<4x2x!fixed.q<8, 4>>) {
  tdsl.move_up %x {axis = 1 : i64, count = 1 : i64} : memref<4x2x!fixed.q<8, 4>> into %x : memref<4x2x!fixed.q<8, 4>>
  func.return
}
// CHECK-LABEL: func.func @up_in_rows
// CHECK-NOT: scratch.slice
// CHECK-COUNT-1: memref.load
// CHECK-NOT: memref.load

// -----

func.func @up_elsewhere(%x: memref<4x2x!fixed.q<8, 4>>, %y: memref<4x2x!fixed.q<8, 4>>) {
  tdsl.move_up %x {axis = 0 : i64, count = 1 : i64} : memref<4x2x!fixed.q<8, 4>> into %y : memref<4x2x!fixed.q<8, 4>>
  func.return
}
// CHECK-LABEL: func.func @up_elsewhere
// CHECK-NOT: scratch.slice
// CHECK-COUNT-2: memref.load
// CHECK-NOT: memref.load

// -----

// Channels of sound: functions of the runtime, whose last operand is a table.
func.func @channels(%x: memref<1x480x!fixed.q<16, 15>>, %t: memref<1x512x!fixed.q<16, 15>>, %c: memref<1x40x!fixed.q<32, 0>>, %n: memref<1x40x!fixed.q<32, 0>>, %y: memref<1x40x!zeroskew.q<16, 0.0390625, 0>>, %q: memref<1x40x!zeroskew.q<8, 0.101960786, -128>>) {
  tdsl.taper %x : memref<1x480x!fixed.q<16, 15>> into %t : memref<1x512x!fixed.q<16, 15>>
  tdsl.scaled_spectrum %t : memref<1x512x!fixed.q<16, 15>> into %t : memref<1x512x!fixed.q<16, 15>>
  tdsl.channels %t {count = 40 : i64, rate = 16000.0 : f64, low = 125.0 : f64, high = 7500.0 : f64} : memref<1x512x!fixed.q<16, 15>> into %c : memref<1x40x!fixed.q<32, 0>>
  tdsl.noise %c, %n {even = 0.025 : f64, odd = 0.06 : f64} : memref<1x40x!fixed.q<32, 0>>, memref<1x40x!fixed.q<32, 0>> into %n : memref<1x40x!fixed.q<32, 0>>
  tdsl.channel_features %c, %n {least = 0.05 : f64, strength = 0.95 : f64, offset = 80.0 : f64, unit = 0.0390625 : f64, bits = 3 : i64} : memref<1x40x!fixed.q<32, 0>>, memref<1x40x!fixed.q<32, 0>> into %y : memref<1x40x!zeroskew.q<16, 0.0390625, 0>>
  tdsl.channel_features %c, %n {least = 0.05 : f64, strength = 0.95 : f64, offset = 80.0 : f64, unit = 0.0390625 : f64, bits = 3 : i64} : memref<1x40x!fixed.q<32, 0>>, memref<1x40x!fixed.q<32, 0>> into %q : memref<1x40x!zeroskew.q<8, 0.101960786, -128>>
  func.return
}
// CHECK-LABEL: func.func @channels
// CHECK: %window = scratch.constant {{.*}} -> memref<480xi16, #scratch.flash>
// CHECK: num.call #num.transform<"tm_taper_i16", [480, 512], steps = 512>({{.*}}, {{.*}}, %window)
// CHECK: %rotations = scratch.constant {{.*}} -> memref<640xi16, #scratch.flash>
// CHECK: num.call #num.transform<"tm_scaled_spectrum_i16", [256], steps = 256>({{.*}}, %rotations)
// CHECK: %bank = scratch.constant {{.*}} -> memref<277xi16, #scratch.flash>
// CHECK: num.call #num.transform<"tm_channels_i32", [40, 5], steps = 1196>({{.*}}, {{.*}}, %bank)
// CHECK: num.call #num.transform<"tm_noise_i32", [40, 409, 983], steps = 40>
// CHECK: %gains = scratch.constant {{.*}} -> memref<224xi16, #scratch.flash>
// CHECK: num.call #num.transform<"tm_channel_features_i16", [40, 819, 3], steps = 40>({{.*}}, {{.*}}, {{.*}}, %gains)
// CHECK: %gains_1 = scratch.constant {{.*}} -> memref<227xi16, #scratch.flash>
// CHECK: num.call #num.transform<"tm_channel_features_i8", [40, 819, 3], steps = 40>
