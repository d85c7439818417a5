// Every scalar op reads what it prints, in fixed point and in floats.

// RUN: %roundtrip
// RUN: %generic

func.func @fixed(%a: !fixed.q<16, 12>, %b: !fixed.q<8, 4>, %sum: !fixed.acc<32, 16>) {
  %constant = num.constant {value = 5.000000e-01 : f64} -> !fixed.q<16, 12>
// CHECK: %constant = num.constant {value = 5.000000e-01 : f64} -> !fixed.q<16, 12>
  %add = num.add %a, %b : !fixed.q<16, 12>, !fixed.q<8, 4> -> !fixed.q<16, 11>
// CHECK: %add = num.add %a, %b : !fixed.q<16, 12>, !fixed.q<8, 4> -> !fixed.q<16, 11>
  %sub = num.sub %a, %a : !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.q<16, 12>
// CHECK: %sub = num.sub %a, %a : !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.q<16, 12>
  %most = num.maximum %a, %b : !fixed.q<16, 12>, !fixed.q<8, 4> -> !fixed.q<16, 11>
// CHECK: %most = num.maximum %a, %b : !fixed.q<16, 12>, !fixed.q<8, 4> -> !fixed.q<16, 11>
  %least = num.minimum %a, %a : !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.q<16, 12>
// CHECK: %least = num.minimum %a, %a : !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.q<16, 12>
  %mul = num.mul %a, %b : !fixed.q<16, 12>, !fixed.q<8, 4> -> !fixed.q<32, 16>
// CHECK: %mul = num.mul %a, %b : !fixed.q<16, 12>, !fixed.q<8, 4> -> !fixed.q<32, 16>
  %scale = num.scale %a, %b : !fixed.q<16, 12>, !fixed.q<8, 4> -> !fixed.q<16, 12>
// CHECK: %scale = num.scale %a, %b : !fixed.q<16, 12>, !fixed.q<8, 4> -> !fixed.q<16, 12>
  %neg = num.neg %a : !fixed.q<16, 12> -> !fixed.q<16, 11>
// CHECK: %neg = num.neg %a : !fixed.q<16, 12> -> !fixed.q<16, 11>
  %exp = num.exp %a : !fixed.q<16, 12> -> !fixed.q<16, 3>
// CHECK: %exp = num.exp %a : !fixed.q<16, 12> -> !fixed.q<16, 3>
  %tanh = num.tanh %a : !fixed.q<16, 12> -> !fixed.q<8, 7>
// CHECK: %tanh = num.tanh %a : !fixed.q<16, 12> -> !fixed.q<8, 7>
  %erf = num.erf %a : !fixed.q<16, 12> -> !fixed.q<16, 11>
// CHECK: %erf = num.erf %a : !fixed.q<16, 12> -> !fixed.q<16, 11>
  %log = num.log %a : !fixed.q<16, 12> -> !fixed.q<16, 11>
// CHECK: %log = num.log %a : !fixed.q<16, 12> -> !fixed.q<16, 11>
  %softplus = num.softplus %a : !fixed.q<16, 12> -> !fixed.q<16, 11>
// CHECK: %softplus = num.softplus %a : !fixed.q<16, 12> -> !fixed.q<16, 11>
  %sigmoid = num.sigmoid %a : !fixed.q<16, 12> -> !fixed.q<16, 15>
// CHECK: %sigmoid = num.sigmoid %a : !fixed.q<16, 12> -> !fixed.q<16, 15>
  %few = num.convert %a : !fixed.q<16, 12> -> !fixed.q<2, 0>
  %lookup = num.lookup %few {table = array<i8: -3, 0, 5>} : !fixed.q<2, 0> -> !fixed.q<8, 4>
// CHECK: %lookup = num.lookup %few {table = array<i8: -3, 0, 5>} : !fixed.q<2, 0> -> !fixed.q<8, 4>
  %narrow = num.convert %a : !fixed.q<16, 12> -> !fixed.q<12, 8>
// CHECK: %narrow = num.convert %a : !fixed.q<16, 12> -> !fixed.q<12, 8>
  %weighted = num.weighted_sum %b, %b {weights = array<i32: 3, 8388608>, start = -5 : i64} : !fixed.q<8, 4>, !fixed.q<8, 4> -> !fixed.q<8, 3>
// CHECK: %weighted = num.weighted_sum %b, %b {weights = array<i32: 3, 8388608>, start = -5 : i64} : !fixed.q<8, 4>, !fixed.q<8, 4> -> !fixed.q<8, 3>
  %real = num.convert %a : !fixed.q<16, 12> -> f32
// CHECK: %real = num.convert %a : !fixed.q<16, 12> -> f32
  %relu = num.clamp %a {low = 0.000000e+00 : f64} : !fixed.q<16, 12> -> !fixed.q<16, 12>
// CHECK: %relu = num.clamp %a {low = 0.000000e+00 : f64} : !fixed.q<16, 12> -> !fixed.q<16, 12>
  %relu6 = num.clamp %a {low = 0.000000e+00 : f64, high = 6.000000e+00 : f64} : !fixed.q<16, 12> -> !fixed.q<16, 12>
// CHECK: %relu6 = num.clamp %a {low = 0.000000e+00 : f64, high = 6.000000e+00 : f64} : !fixed.q<16, 12> -> !fixed.q<16, 12>
  %at_least = num.at_least %a {threshold = 2.500000e-01 : f64} : !fixed.q<16, 12>
// CHECK: %at_least = num.at_least %a {threshold = 2.500000e-01 : f64} : !fixed.q<16, 12>
  %greater = num.greater %a, %a : !fixed.q<16, 12>, !fixed.q<16, 12>
// CHECK: %greater = num.greater %a, %a : !fixed.q<16, 12>, !fixed.q<16, 12>
  %zero = num.zero : !fixed.acc<32, 16>
// CHECK: %zero = num.zero : !fixed.acc<32, 16>
  %start = num.start %b : !fixed.q<8, 4> -> !fixed.acc<32, 14>
// CHECK: %start = num.start %b : !fixed.q<8, 4> -> !fixed.acc<32, 14>
  %align = num.align %start : !fixed.acc<32, 14> -> !fixed.acc<32, 16>
// CHECK: %align = num.align %start : !fixed.acc<32, 14> -> !fixed.acc<32, 16>
  %mac = num.mac %zero, %a, %b : !fixed.acc<32, 16>, !fixed.q<16, 12>, !fixed.q<8, 4> -> !fixed.acc<32, 16>
// CHECK: %mac = num.mac %zero, %a, %b : !fixed.acc<32, 16>, !fixed.q<16, 12>, !fixed.q<8, 4> -> !fixed.acc<32, 16>
  %places = arith.constant 3 : i8
  %less = num.shift %mac, %places : !fixed.acc<32, 16> -> !fixed.acc<32, 16>
// CHECK: %less = num.shift %mac, %places : !fixed.acc<32, 16> -> !fixed.acc<32, 16>
  %joined = num.add_shifted %mac, %zero, %places : !fixed.acc<32, 16>, !fixed.acc<32, 16> -> !fixed.acc<32, 16>
// CHECK: %joined = num.add_shifted %mac, %zero, %places : !fixed.acc<32, 16>, !fixed.acc<32, 16> -> !fixed.acc<32, 16>
  %short = num.zero : !fixed.acc<24, 16>
  %from_wide = num.add_shifted %short, %mac, %places : !fixed.acc<24, 16>, !fixed.acc<32, 16> -> !fixed.acc<24, 16>
// CHECK: %from_wide = num.add_shifted %short, %mac, %places : !fixed.acc<24, 16>, !fixed.acc<32, 16> -> !fixed.acc<24, 16>
  %more = num.greater %mac, %zero : !fixed.acc<32, 16>, !fixed.acc<32, 16>
// CHECK: %more = num.greater %mac, %zero : !fixed.acc<32, 16>, !fixed.acc<32, 16>
  %finish = num.finish %mac {bound = array<i64: -1000, 1000>} : !fixed.acc<32, 16> -> !fixed.q<16, 8>
// CHECK: %finish = num.finish %mac {bound = array<i64: -1000, 1000>} : !fixed.acc<32, 16> -> !fixed.q<16, 8>
  %unproven = num.finish %mac : !fixed.acc<32, 16> -> !fixed.q<16, 8>
// CHECK: %unproven = num.finish %mac : !fixed.acc<32, 16> -> !fixed.q<16, 8>
  func.return
}
// GENERIC: "num.clamp"(%a) <{low = 0.000000e+00 : f64, high = 6.000000e+00 : f64}> : (!fixed.q<16, 12>) -> !fixed.q<16, 12>
// GENERIC: "num.finish"(%mac) <{bound = array<i64: -1000, 1000>}> : (!fixed.acc<32, 16>) -> !fixed.q<16, 8>

func.func @float(%a: f32) {
  %constant = num.constant {value = 1.000000e-01 : f64} -> f32
// CHECK: %constant = num.constant {value = 1.000000e-01 : f64} -> f32
  %add = num.add %a, %constant : f32, f32 -> f32
// CHECK: %add = num.add %a, %constant : f32, f32 -> f32
  %sigmoid = num.sigmoid %a : f32 -> f32
// CHECK: %sigmoid = num.sigmoid %a : f32 -> f32
  %fixed = num.convert %a : f32 -> !fixed.q<16, 12>
// CHECK: %fixed = num.convert %a : f32 -> !fixed.q<16, 12>
  %clamp = num.clamp %a {low = 0.000000e+00 : f64} : f32 -> f32
// CHECK: %clamp = num.clamp %a {low = 0.000000e+00 : f64} : f32 -> f32
  %at_least = num.at_least %a {threshold = 2.500000e-01 : f64} : f32
// CHECK: %at_least = num.at_least %a {threshold = 2.500000e-01 : f64} : f32
  %greater = num.greater %a, %add : f32, f32
// CHECK: %greater = num.greater %a, %add : f32, f32
  %zero = num.zero : f32
// CHECK: %zero = num.zero : f32
  %mac = num.mac %zero, %a, %a : f32, f32, f32 -> f32
// CHECK: %mac = num.mac %zero, %a, %a : f32, f32, f32 -> f32
  %finish = num.finish %mac : f32 -> f32
// CHECK: %finish = num.finish %mac : f32 -> f32
  func.return
}

// Sums over runs of memory, which kernels may compute.
func.func @runs(%w: memref<8x!fixed.q<16, 12>, #scratch.flash>, %x: memref<8x!fixed.q<16, 14>>, %gaps: memref<8xi8, #scratch.flash>, %lengths: memref<2xi8, #scratch.flash>, %rows: memref<40xi8, #scratch.flash>, %column: memref<22x!fixed.q<16, 14>>, %i: index) {
  %zero = num.zero : !fixed.acc<32, 26>
  %a = num.call #num.dot(%zero, %w, %x) by #num.kernel<"tm_dot_s16_s16_s32"> : (!fixed.acc<32, 26>, memref<8x!fixed.q<16, 12>, #scratch.flash>, memref<8x!fixed.q<16, 14>>) -> !fixed.acc<32, 26>
  %b = num.call #num.sparse_dot(%a, %w, %gaps, %lengths, %x, %i, %i) : (!fixed.acc<32, 26>, memref<8x!fixed.q<16, 12>, #scratch.flash>, memref<8xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<8x!fixed.q<16, 14>>, index, index) -> !fixed.acc<32, 26>
  %c = num.call #num.packed_dot(%b, %rows, %x) by #num.kernel<"tm_dot_row_s16_s16_s32"> : (!fixed.acc<32, 26>, memref<40xi8, #scratch.flash>, memref<8x!fixed.q<16, 14>>) -> !fixed.acc<32, 26>
  %d = num.call #num.strided_dot<3>(%c, %w, %column) : (!fixed.acc<32, 26>, memref<8x!fixed.q<16, 12>, #scratch.flash>, memref<22x!fixed.q<16, 14>>) -> !fixed.acc<32, 26>
  func.return
}
// CHECK-LABEL: func.func @runs
// CHECK: num.call #num.dot(%{{.*}}, %{{.*}}, %{{.*}}) by #num.kernel<"tm_dot_s16_s16_s32"> :
// CHECK-NEXT: num.call #num.sparse_dot(%{{.*}}, %{{.*}}, %{{.*}}) :
// CHECK-NEXT: num.call #num.packed_dot
// CHECK-NEXT: num.call #num.strided_dot<3>(%{{.*}}, %{{.*}}, %{{.*}}) :

func.func @vectors(%sum: !fixed.acc<32, 18>, %x: memref<3x!fixed.q<14, 9>>, %w: memref<3x!fixed.q<12, 9>, #scratch.flash>, %sums: memref<3x!fixed.acc<32, 18>>, %f: !fixed.q<16, 9>) {
  %d = num.call #num.distance(%sum, %x, %w) by #num.kernel<"k"> : (!fixed.acc<32, 18>, memref<3x!fixed.q<14, 9>>, memref<3x!fixed.q<12, 9>, #scratch.flash>) -> !fixed.acc<32, 18>
  num.call #num.axpy(%sums, %w, %f) : (memref<3x!fixed.acc<32, 18>>, memref<3x!fixed.q<12, 9>, #scratch.flash>, !fixed.q<16, 9>) -> ()
  %m = "test.op"() : () -> memref<9x!fixed.q<16, 9>>
  num.call #num.dot_rows(%sums, %sums, %m, %w) by #num.kernel<"k"> : (memref<3x!fixed.acc<32, 18>>, memref<3x!fixed.acc<32, 18>>, memref<9x!fixed.q<16, 9>>, memref<3x!fixed.q<12, 9>, #scratch.flash>) -> ()
  num.call #num.channel_dots<3>(%sums, %sums, %m, %m) by #num.kernel<"k"> : (memref<3x!fixed.acc<32, 18>>, memref<3x!fixed.acc<32, 18>>, memref<9x!fixed.q<16, 9>>, memref<9x!fixed.q<16, 9>>) -> ()
  %y, %sums_of_y, %stream, %run = "test.op"() : () -> (memref<9x!fixed.q<16, 5>>, memref<3x!fixed.q<16, 5>>, memref<44xi8, #scratch.flash>, memref<9x!fixed.q<16, 5>>)
  %start = "test.op"() : () -> memref<1x!fixed.q<16, 9>>
  num.call #num.tiles<27>(%run, %stream, %m) by #num.tile_kernel<"k", rows = 3, runs = 1, length = 3, pitch = 0, step = 3, count = 3, zero = 0> : (memref<9x!fixed.q<16, 5>>, memref<44xi8, #scratch.flash>, memref<9x!fixed.q<16, 9>>) -> ()
  %bytes, %u, %v = "test.op"() : () -> (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>, memref<1x!fixed.q<8, 6>>)
  num.call #num.coded_rows<{weights = [dense<[[1, 2]]> : tensor<1x2xi8>, dense<3> : tensor<1x1xi8>], aligns = array<i64: 0, 1>, starts = dense<4> : tensor<1xi32>, right = 8 : i64}, time = 1, once = 2, call = 3, stack = 4>(%bytes, %u, %v) by #num.code_kernel<"k", "0"> : (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>, memref<1x!fixed.q<8, 6>>) -> ()
  num.call #num.coded_tile<{weights = dense<7> : tensor<1x1x2xi8>, starts = dense<4> : tensor<1xi32>, multipliers = dense<1073741824> : tensor<1xi32>, shifts = dense<-3> : tensor<1xi8>, places = array<i64: 0, 1, 1, -5, 1>}, time = 1, once = 2, call = 3, stack = 4>(%bytes, %u) by #num.code_kernel<"k", "0"> : (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>) -> ()
  func.return
}
// CHECK-LABEL: func.func @vectors
// CHECK-NEXT: num.call #num.distance(%sum, %x, %w) by #num.kernel<"k"> :
// CHECK-NEXT: num.call #num.axpy(%sums, %w, %f) : (memref<3x!fixed.acc<32, 18>>, memref<3x!fixed.q<12, 9>, #scratch.flash>, !fixed.q<16, 9>) -> ()
// CHECK: num.call #num.dot_rows(%sums, %sums, %m, %w) by #num.kernel<"k"> : (memref<3x!fixed.acc<32, 18>>, memref<3x!fixed.acc<32, 18>>, memref<9x!fixed.q<16, 9>>, memref<3x!fixed.q<12, 9>, #scratch.flash>) -> ()
// CHECK: num.call #num.channel_dots<3>(%sums, %sums, %m, %m) by #num.kernel<"k"> : (memref<3x!fixed.acc<32, 18>>, memref<3x!fixed.acc<32, 18>>, memref<9x!fixed.q<16, 9>>, memref<9x!fixed.q<16, 9>>) -> ()
// CHECK: num.call #num.tiles<27>(%run, %stream, %m) by #num.tile_kernel<"k", rows = 3, runs = 1, length = 3, pitch = 0, step = 3, count = 3, zero = 0> : (memref<9x!fixed.q<16, 5>>, memref<44xi8, #scratch.flash>, memref<9x!fixed.q<16, 9>>) -> ()
// CHECK: num.call #num.coded_rows<{weights = [dense<{{\[\[}}1, 2]]> : tensor<1x2xi8>, dense<3> : tensor<1x1xi8>], aligns = array<i64: 0, 1>, starts = dense<4> : tensor<1xi32>, right = 8 : i64}, time = 1, once = 2, call = 3, stack = 4>(%bytes, %u, %v) by #num.code_kernel<"k", "0"> : (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>, memref<1x!fixed.q<8, 6>>) -> ()
// CHECK-NEXT: num.call #num.coded_tile<{weights = dense<7> : tensor<1x1x2xi8>, starts = dense<4> : tensor<1xi32>, multipliers = dense<1073741824> : tensor<1xi32>, shifts = dense<-3> : tensor<1xi8>, places = array<i64: 0, 1, 1, -5, 1>}, time = 1, once = 2, call = 3, stack = 4>(%bytes, %u) by #num.code_kernel<"k", "0"> : (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>) -> ()


// -----

func.func @elements() {
  %bytes, %u = "test.op"() : () -> (memref<6x!fixed.q<8, 5>>, memref<7x!fixed.q<8, 6>>)
  num.call #num.coded_loop<{function = @lanes}, time = 1, once = 2, call = 3, stack = 4>(%bytes, %u) by #num.code_kernel<"k", "0"> : (memref<6x!fixed.q<8, 5>>, memref<7x!fixed.q<8, 6>>) -> ()
  func.return
}
// CHECK-LABEL: func.func @elements
// CHECK: num.call #num.coded_loop<{function = @lanes}, time = 1, once = 2, call = 3, stack = 4>(%bytes, %u) by #num.code_kernel<"k", "0"> : (memref<6x!fixed.q<8, 5>>, memref<7x!fixed.q<8, 6>>) -> ()

func.func private @tm_requantize_s32(i32, i32, i8) -> i32

// Two lines of three lanes, each of which joins two elements.
num.lane_function @lanes(%x: memref<7xi8>, %y: memref<6xi8>) at %line, %lane to 2, 3 {
  %zero = arith.constant 0 : i32
  %multiplier = arith.constant 1073741824 : i32
  %shift = arith.constant -3 : i8
  %sum = num.reduce %zero {first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : i32 -> i32 {
  ^bb0(%k: index, %before: i32):
    %at = affine.apply affine_map<(d0, d1, d2) -> (d0 * 3 + d1 + d2)> (%line, %lane, %k)
    %a = memref.load %x[%at] : memref<7xi8>
    %wide = arith.extsi %a : i8 to i32
    %next = arith.addi %before, %wide : i32
    num.next %next : i32
  }
  %scaled = func.call @tm_requantize_s32(%sum, %multiplier, %shift) : (i32, i32, i8) -> i32
  %narrow = arith.trunci %scaled : i32 to i8
  %to = affine.apply affine_map<(d0, d1) -> (d0 * 3 + d1)> (%line, %lane)
  memref.store %narrow, %y[%to] : memref<6xi8>
}
// CHECK: num.lane_function @lanes(%x: memref<7xi8>, %y: memref<6xi8>) at %line, %lane to 2, 3 {
// CHECK: %sum = num.reduce %zero {first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : i32 -> i32 {
// CHECK: memref.store %narrow, %y[%to] : memref<6xi8>
// CHECK-NEXT: }

// All lanes are joined to the place of the greatest.
num.lane_function @place(%x: memref<9xi16>, %y: memref<1xi32>) {
  %first = arith.constant 0 : index
  %least = arith.constant -32768 : i32
  %greatest, %place = num.reduce %least, %first {first = 0 : i64, extent = 9 : i64, kinds = ["greatest", "place"]} : i32, index -> i32, index {
  ^bb0(%lane: index, %best: i32, %label: index):
    %a = memref.load %x[%lane] : memref<9xi16>
    %wide = arith.extsi %a : i16 to i32
    %greater = arith.cmpi sgt, %wide, %best : i32
    %next = arith.maxsi %wide, %best : i32
    %later = arith.select %greater, %lane, %label : index
    num.next %next, %later : i32, index
  }
  %number = arith.index_cast %place : index to i32
  memref.store %number, %y[%first] : memref<1xi32>
}
// CHECK: num.lane_function @place(%x: memref<9xi16>, %y: memref<1xi32>) {
// CHECK: %greatest, %place = num.reduce %least, %first

// -----

func.func @tree(%sum: !seedot.acc<16, 9, [4, 4, 0], 3>, %part: !seedot.acc<16, 10, [4, 4, 0], 2>) {
  %halved = num.join %sum, %part : !seedot.acc<16, 9, [4, 4, 0], 3>, !seedot.acc<16, 10, [4, 4, 0], 2> -> !seedot.acc<16, 9, [4, 4, 0], 3>
// CHECK: %halved = num.join %sum, %part : !seedot.acc<16, 9, [4, 4, 0], 3>, !seedot.acc<16, 10, [4, 4, 0], 2> -> !seedot.acc<16, 9, [4, 4, 0], 3>
  %whole = num.join %sum, %sum : !seedot.acc<16, 9, [4, 4, 0], 3>, !seedot.acc<16, 9, [4, 4, 0], 3> -> !seedot.acc<16, 9, [4, 4, 0], 3>
// CHECK: %whole = num.join %sum, %sum : !seedot.acc<16, 9, [4, 4, 0], 3>, !seedot.acc<16, 9, [4, 4, 0], 3> -> !seedot.acc<16, 9, [4, 4, 0], 3>
  func.return
}
