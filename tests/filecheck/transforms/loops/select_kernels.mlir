// RUN: sed 's/by #num.tile_kernel<"DOTS"[^>]*> //; s/"CHANNELS"/"tm_channel_requantised_s8"/' %s | tinyml-opt -p 'select-kernels{target=uno}' | filecheck %s
// RUN: sed 's/"DOTS"/"tm_cm_dot_tile_s8"/; s/"CHANNELS"/"tm_cm_channel_tile_s8"/' %s | tinyml-opt -p 'select-kernels{target=cortex-m4}' | filecheck %s --check-prefix=CORTEX
// RUN: sed 's/"DOTS"/"tm_cm_small_dot_tile_s8"/; s/"CHANNELS"/"tm_cm_small_channel_tile_s8"/' %s | tinyml-opt -p 'select-kernels{target=cortex-m0}' | filecheck %s --check-prefix=SMALL
// RUN: sed 's/"DOTS"/"tm_rv_dot_tile_s8"/; s/"CHANNELS"/"tm_rv_channel_tile_s8"/' %s | tinyml-opt -p 'select-kernels{target=riscv}' | filecheck %s --check-prefix=RISCV
// RUN: sed 's/by #num.tile_kernel<"DOTS"[^>]*> //; s/by #num.tile_kernel<"CHANNELS"[^>]*> //' %s | tinyml-opt -p select-kernels | filecheck %s --check-prefix=HOST

// Weights in flash, a vector in working memory, 16 bits each, a sum of 32: the chip has a kernel for it.
func.func @kernel(%w: memref<8x!fixed.q<16, 12>, #scratch.flash>, %x: memref<8x!fixed.q<16, 14>>) -> !fixed.q<16, 10> {
  %zero = num.zero : !fixed.acc<32, 26>
  %sum = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<32, 26>, memref<8x!fixed.q<16, 12>, #scratch.flash>, memref<8x!fixed.q<16, 14>>) -> !fixed.acc<32, 26>
  %y = num.finish %sum : !fixed.acc<32, 26> -> !fixed.q<16, 10>
  func.return %y : !fixed.q<16, 10>
}
// CHECK: num.call #num.dot(%zero, %w, %x) by #num.kernel<"tm_dot_s16_s16_s32">
// HOST: num.reduce {{.*}} -> !fixed.acc<32, 26>
// HOST: num.mac

// Floats round in every step: no integer kernel can stand for them.
func.func @floats(%w: memref<8xf32, #scratch.flash>, %x: memref<8xf32>) -> f32 {
  %zero = num.zero : f32
  %sum = num.call #num.dot(%zero, %w, %x) : (f32, memref<8xf32, #scratch.flash>, memref<8xf32>) -> f32
  func.return %sum : f32
}
// CHECK-LABEL: func.func @floats
// CHECK: num.mac {{.*}} : f32, f32, f32 -> f32

// A compressed row without a kernel walks over its entries.
func.func @sparse(%v: memref<5xf32, #scratch.flash>, %gaps: memref<5xi8, #scratch.flash>, %lengths: memref<2xi8, #scratch.flash>, %x: memref<8xf32>, %row: index, %at: index) -> f32 {
  %zero = num.zero : f32
  %sum = num.call #num.sparse_dot(%zero, %v, %gaps, %lengths, %x, %row, %at) : (f32, memref<5xf32, #scratch.flash>, memref<5xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<8xf32>, index, index) -> f32
  func.return %sum : f32
}
// CHECK-LABEL: func.func @sparse
// CHECK: scf.for {{.*}} -> (f32, index, index)
// CHECK: arith.extui
// CHECK: num.mac

// The chip has one pointer into flash: values and gaps become one stream, 2 bytes of count and 3 for each entry.
func.func @packed(%x: memref<8x!fixed.q<16, 14>>, %row: index, %at: index) -> !fixed.acc<32, 26> {
  %v = scratch.constant dense<[1, 2, -1]> : tensor<3xi16> -> memref<3x!fixed.q<16, 12>, #scratch.flash>
  %gaps = scratch.constant dense<[3, 4, 0]> : tensor<3xi8> -> memref<3xi8, #scratch.flash>
  %lengths = scratch.constant dense<[2, 1]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %zero = num.zero : !fixed.acc<32, 26>
  %sum = num.call #num.sparse_dot(%zero, %v, %gaps, %lengths, %x, %row, %at) : (!fixed.acc<32, 26>, memref<3x!fixed.q<16, 12>, #scratch.flash>, memref<3xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<8x!fixed.q<16, 14>>, index, index) -> !fixed.acc<32, 26>
  func.return %sum : !fixed.acc<32, 26>
}
// CHECK-LABEL: func.func @packed
// CHECK: %v_rows = scratch.constant dense<[2, 0, 6, 1, 0, 6, 2, 0, 1, 0, 0, -1, -1]> : tensor<13xi8>
// CHECK: num.call #num.packed_dot(%zero, %{{.*}}, %x) by #num.kernel<"tm_dot_row_s16_s16_s32">
// HOST-LABEL: func.func @packed
// HOST-NOT: num.call #num.packed_dot
// HOST-LABEL: func.func @near(

// Packed values and their gaps are a stream of groups of four: of their 4 bytes the second and the last have values,
// zeros among them that fill the groups.
func.func @near(%x: memref<8x!fixed.q<8, 7>>, %row: index, %at: index) -> !fixed.acc<16, 10> {
  %v = scratch.constant dense<[1, 2, -1]> : tensor<3xi8> -> memref<3x!fixed.q<4, 3>, #scratch.packed<4>>
  %gaps = scratch.constant dense<[3, 4, 0]> : tensor<3xi8> -> memref<3xi8, #scratch.flash>
  %lengths = scratch.constant dense<[2, 1]> : tensor<2xi8> -> memref<2xi8, #scratch.flash>
  %zero = num.zero : !fixed.acc<16, 10>
  %sum = num.call #num.sparse_dot(%zero, %v, %gaps, %lengths, %x, %row, %at) : (!fixed.acc<16, 10>, memref<3x!fixed.q<4, 3>, #scratch.packed<4>>, memref<3xi8, #scratch.flash>, memref<2xi8, #scratch.flash>, memref<8x!fixed.q<8, 7>>, index, index) -> !fixed.acc<16, 10>
  func.return %sum : !fixed.acc<16, 10>
}
// CHECK-LABEL: func.func @near
// CHECK: %v_rows = scratch.constant dense<[1, 0, 0, -120, 49, -87, 1, 0, 0, -121, 0, -120]> : tensor<12xi8>
// CHECK: num.call #num.packed_dot(%zero, %{{.*}}, %x) by #num.composed_kernel<num.sparse_dot, integer 4, integer 8, sum = 16, gaps = 4>

// Distances with the constant vector first, whichever it is; sums in place.
func.func @vectors(%w: memref<8x!fixed.q<14, 9>, #scratch.flash>, %x: memref<8x!fixed.q<14, 9>>, %sums: memref<8x!fixed.acc<32, 18>>, %f: !fixed.q<16, 9>) -> !fixed.acc<32, 18> {
  %zero = num.zero : !fixed.acc<32, 18>
  %d = num.call #num.distance(%zero, %x, %w) : (!fixed.acc<32, 18>, memref<8x!fixed.q<14, 9>>, memref<8x!fixed.q<14, 9>, #scratch.flash>) -> !fixed.acc<32, 18>
  num.call #num.axpy(%sums, %w, %f) : (memref<8x!fixed.acc<32, 18>>, memref<8x!fixed.q<14, 9>, #scratch.flash>, !fixed.q<16, 9>) -> ()
  func.return %d : !fixed.acc<32, 18>
}
// CHECK-LABEL: func.func @vectors
// CHECK: num.call #num.distance(%zero, %w, %x) by #num.kernel<"tm_distance_s16_s16_s32">
// CHECK-NEXT: num.call #num.axpy(%sums, %w, %f) by #num.kernel<"tm_axpy_s16_s16_s32">
// HOST-LABEL: func.func @vectors
// HOST: num.sub {{.*}} -> !fixed.q<15, 9>
// HOST-NEXT: num.mac
// HOST: num.mac {{.*}}, %f
// HOST-LABEL: func.func @narrow(

// 8 x 8 bits: a kernel for each width of the sum.
func.func @narrow(%w: memref<8x!fixed.q<8, 4>, #scratch.flash>, %x: memref<8x!fixed.q<8, 6>>) -> (!fixed.q<8, 2>, !fixed.q<8, 2>) {
  %zero = num.zero : !fixed.acc<16, 10>
  %sum = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<16, 10>, memref<8x!fixed.q<8, 4>, #scratch.flash>, memref<8x!fixed.q<8, 6>>) -> !fixed.acc<16, 10>
  %y = num.finish %sum : !fixed.acc<16, 10> -> !fixed.q<8, 2>
  %none = num.zero : !fixed.acc<24, 10>
  %more = num.call #num.dot(%none, %w, %x) : (!fixed.acc<24, 10>, memref<8x!fixed.q<8, 4>, #scratch.flash>, memref<8x!fixed.q<8, 6>>) -> !fixed.acc<24, 10>
  %z = num.finish %more : !fixed.acc<24, 10> -> !fixed.q<8, 2>
  func.return %y, %z : !fixed.q<8, 2>, !fixed.q<8, 2>
}
// CHECK-LABEL: func.func @narrow
// CHECK: num.call #num.dot({{.*}}) by #num.kernel<"tm_dot_s8_s8_s16">
// CHECK: num.call #num.dot({{.*}}) by #num.kernel<"tm_dot_s8_s8_s24">

// Where the chip has none for this width the whole sum moves to a wider accumulator.
func.func @widened(%w: memref<8x!fixed.q<8, 4>, #scratch.flash>, %x: memref<8x!fixed.q<16, 6>>) -> !fixed.q<8, 2> {
  %zero = num.zero : !fixed.acc<24, 10>
  %sum = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<24, 10>, memref<8x!fixed.q<8, 4>, #scratch.flash>, memref<8x!fixed.q<16, 6>>) -> !fixed.acc<24, 10>
  %y = num.finish %sum {bound = array<i64: -1000, 1000>} : !fixed.acc<24, 10> -> !fixed.q<8, 2>
  func.return %y : !fixed.q<8, 2>
}
// CHECK-LABEL: func.func @widened
// CHECK: [[zero:%.*]] = num.zero : !fixed.acc<32, 10>
// CHECK: %sum = num.call #num.dot([[zero]], %w, %x) by #num.kernel<"tm_dot_s8_s16_s32"> {{.*}} -> !fixed.acc<32, 10>
// CHECK: num.finish %sum {bound = array<i64: -1000, 1000>} : !fixed.acc<32, 10>
// HOST-LABEL: func.func @widened
// HOST: num.mac {{.*}} -> !fixed.acc<24, 10>
// HOST-LABEL: func.func @shifted(

// A sum that is shifted before its end moves, too.
func.func @shifted(%w: memref<8x!fixed.q<8, 4>, #scratch.flash>, %x: memref<8x!fixed.q<16, 6>>, %places: i8) -> !fixed.q<8, 2> {
  %zero = num.zero : !fixed.acc<24, 10>
  %sum = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<24, 10>, memref<8x!fixed.q<8, 4>, #scratch.flash>, memref<8x!fixed.q<16, 6>>) -> !fixed.acc<24, 10>
  %shifted = num.shift %sum, %places : !fixed.acc<24, 10> -> !fixed.acc<24, 10>
  %y = num.finish %shifted {bound = array<i64: -1000, 1000>} : !fixed.acc<24, 10> -> !fixed.q<8, 2>
  func.return %y : !fixed.q<8, 2>
}
// CHECK-LABEL: func.func @shifted
// CHECK: %sum = num.call #num.dot({{.*}}) by #num.kernel<"tm_dot_s8_s16_s32"> {{.*}} -> !fixed.acc<32, 10>
// CHECK-NEXT: %shifted = num.shift %sum, %places : !fixed.acc<32, 10> -> !fixed.acc<32, 10>

// A sum of two products goes over to the wider accumulator as a whole.
func.func @two(%v: memref<8x!fixed.q<8, 3>, #scratch.flash>, %w: memref<8x!fixed.q<8, 4>, #scratch.flash>, %x: memref<8x!fixed.q<16, 6>>, %b: !fixed.q<8, 4>) -> !fixed.q<8, 2> {
  %start = num.start %b : !fixed.q<8, 4> -> !fixed.acc<24, 9>
  %first = num.call #num.dot(%start, %v, %x) : (!fixed.acc<24, 9>, memref<8x!fixed.q<8, 3>, #scratch.flash>, memref<8x!fixed.q<16, 6>>) -> !fixed.acc<24, 9>
  %finer = num.align %first : !fixed.acc<24, 9> -> !fixed.acc<24, 10>
  %sum = num.call #num.dot(%finer, %w, %x) : (!fixed.acc<24, 10>, memref<8x!fixed.q<8, 4>, #scratch.flash>, memref<8x!fixed.q<16, 6>>) -> !fixed.acc<24, 10>
  %y = num.finish %sum {bound = array<i64: -1000, 1000>} : !fixed.acc<24, 10> -> !fixed.q<8, 2>
  func.return %y : !fixed.q<8, 2>
}
// CHECK-LABEL: func.func @two
// CHECK: [[start:%.*]] = num.start %b : !fixed.q<8, 4> -> !fixed.acc<32, 9>
// CHECK: %first = num.call #num.dot([[start]], %v, %x) by #num.kernel<"tm_dot_s8_s16_s32">
// CHECK-NEXT: %finer = num.align %first : !fixed.acc<32, 9> -> !fixed.acc<32, 10>
// CHECK-NEXT: %sum = num.call #num.dot(%finer, %w, %x) by #num.kernel<"tm_dot_s8_s16_s32">
// CHECK-NEXT: num.finish %sum {bound = array<i64: -1000, 1000>} : !fixed.acc<32, 10>

// Seven products in trees of two levels: one whole tree, and one with three products.
func.func @tree(%w: memref<7x!shiftry.q<8, 7>, #scratch.flash>, %x: memref<7x!shiftry.q<8, 7>>) -> !shiftry.acc<16, 12, [0, 0, 0], 2> {
  %zero = num.zero : !shiftry.acc<16, 12, [0, 0, 0], 2>
  %sum = num.call #num.dot(%zero, %w, %x) : (!shiftry.acc<16, 12, [0, 0, 0], 2>, memref<7x!shiftry.q<8, 7>, #scratch.flash>, memref<7x!shiftry.q<8, 7>>) -> !shiftry.acc<16, 12, [0, 0, 0], 2>
  func.return %sum : !shiftry.acc<16, 12, [0, 0, 0], 2>
}
// CHECK-LABEL: func.func @tree
// CHECK: num.reduce %zero {first = 0 : i64, extent = 1 : i64, kinds = ["sum"]}
// CHECK-NEXT: ^bb0(%{{.*}}: index, [[sum:%.*]]: !shiftry.acc<16, 12, [0, 0, 0], 2>):
// CHECK: num.reduce
// CHECK-NEXT: ^bb0(%{{.*}}: index, [[upper:%.*]]: !shiftry.acc<16, 12, [0, 0, 0], 2>):
// CHECK: num.reduce
// CHECK-NEXT: ^bb0(%{{.*}}: index, [[lower:%.*]]: !shiftry.acc<16, 13, [0, 0, 0], 1>):
// CHECK: [[product:%.*]] = num.mac {{.*}} -> !shiftry.acc<16, 14, [0, 0, 0], 0>
// CHECK-NEXT: num.join [[lower]], [[product]] : !shiftry.acc<16, 13, [0, 0, 0], 1>, !shiftry.acc<16, 14, [0, 0, 0], 0>
// CHECK: num.join [[upper]], {{.*}} : !shiftry.acc<16, 12, [0, 0, 0], 2>, !shiftry.acc<16, 13, [0, 0, 0], 1>
// CHECK: num.join [[sum]], {{.*}} : !shiftry.acc<16, 12, [0, 0, 0], 2>, !shiftry.acc<16, 12, [0, 0, 0], 2>
// CHECK: num.reduce {{.*}} -> !shiftry.acc<16, 13, [0, 0, 0], 1>
// CHECK: %sum = num.join

// Packed rows that begin with a group have kernels; others are loops.
func.func @packed_rows(%w: memref<4x8x!fixed.q<6, 3>, #scratch.packed<6>>, %v: memref<8x!fixed.q<5, 3>, #scratch.packed<5>>, %x: memref<8x!fixed.q<16, 14>>, %i: index) -> !fixed.acc<32, 17> {
  %zero = num.zero : !fixed.acc<32, 17>
  %eight = arith.constant 8 : index
  %at = arith.muli %i, %eight : index
  %row = scratch.slice %w[%at] : memref<4x8x!fixed.q<6, 3>, #scratch.packed<6>> to memref<8x!fixed.q<6, 3>, #scratch.packed<6>>
  %a = num.call #num.dot(%zero, %row, %x) : (!fixed.acc<32, 17>, memref<8x!fixed.q<6, 3>, #scratch.packed<6>>, memref<8x!fixed.q<16, 14>>) -> !fixed.acc<32, 17>
  %somewhere = scratch.slice %w[%i] : memref<4x8x!fixed.q<6, 3>, #scratch.packed<6>> to memref<8x!fixed.q<6, 3>, #scratch.packed<6>>
  %b = num.call #num.dot(%a, %somewhere, %x) : (!fixed.acc<32, 17>, memref<8x!fixed.q<6, 3>, #scratch.packed<6>>, memref<8x!fixed.q<16, 14>>) -> !fixed.acc<32, 17>
  %c = num.call #num.dot(%b, %v, %x) : (!fixed.acc<32, 17>, memref<8x!fixed.q<5, 3>, #scratch.packed<5>>, memref<8x!fixed.q<16, 14>>) -> !fixed.acc<32, 17>
  func.return %c : !fixed.acc<32, 17>
}
// CHECK-LABEL: func.func @packed_rows
// CHECK: num.call #num.dot(%zero, %row, %x) by #num.composed_kernel<num.dot, integer 6, integer 16, sum = 32>
// CHECK: num.reduce
// CHECK: memref.load %somewhere
// CHECK: num.call #num.dot({{.*}}, %v, %x) by #num.composed_kernel<num.dot, integer 5, integer 16, sum = 32>

// -----

// A column of a matrix: every third element, in an accumulator for which there is a kernel; or a loop.
func.func @column(%w: memref<8x!fixed.q<8, 4>, #scratch.flash>, %x: memref<22x!fixed.q<8, 6>>) -> !fixed.q<8, 2> {
  %zero = num.zero : !fixed.acc<24, 10>
  %s = num.call #num.strided_dot<3>(%zero, %w, %x) : (!fixed.acc<24, 10>, memref<8x!fixed.q<8, 4>, #scratch.flash>, memref<22x!fixed.q<8, 6>>) -> !fixed.acc<24, 10>
  %r = num.finish %s : !fixed.acc<24, 10> -> !fixed.q<8, 2>
  func.return %r : !fixed.q<8, 2>
}
// CHECK-LABEL: func.func @column
// CHECK: num.call #num.strided_dot<3>(%{{.*}}, %w, %x) by #num.kernel<"tm_dot_strided_s8_s8_s32"> : (!fixed.acc<32, 10>,
// HOST-LABEL: func.func @column
// HOST: num.reduce
// HOST-NEXT: ^bb0(%[[K:.*]]: index, %{{.*}}: !fixed.acc<24, 10>):
// HOST-NEXT: memref.load %w[%[[K]]]
// HOST: %[[AT:.*]] = affine.apply affine_map<(d0) -> ((d0 * 3))> (%[[K]])
// HOST-NEXT: memref.load %x[%[[AT]]]
// HOST-NEXT: num.mac
// HOST-LABEL: func.func @outer(

// -----

// One product is faster without a call.
func.func @outer(%w: memref<1x!fixed.q<8, 4>, #scratch.flash>, %x: memref<1x!fixed.q<8, 6>>) -> !fixed.q<8, 2> {
  %zero = num.zero : !fixed.acc<16, 10>
  %s = num.call #num.strided_dot<3>(%zero, %w, %x) : (!fixed.acc<16, 10>, memref<1x!fixed.q<8, 4>, #scratch.flash>, memref<1x!fixed.q<8, 6>>) -> !fixed.acc<16, 10>
  %r = num.finish %s : !fixed.acc<16, 10> -> !fixed.q<8, 2>
  func.return %r : !fixed.q<8, 2>
}
// CHECK-LABEL: func.func @outer
// CHECK-NOT: num.call #num.strided_dot
// CHECK: num.mac

// -----

// Packed working memory is unpacked a block at a time; the last block is what is left.
func.func @unpacked(%w: memref<37x!fixed.q<16, 12>, #scratch.flash>, %x: memref<37x!fixed.q<9, 8>, #scratch.packed_ram<9>>) -> !fixed.acc<32, 20> {
  %zero = num.zero : !fixed.acc<32, 20>
  %sum = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<32, 20>, memref<37x!fixed.q<16, 12>, #scratch.flash>, memref<37x!fixed.q<9, 8>, #scratch.packed_ram<9>>) -> !fixed.acc<32, 20>
  func.return %sum : !fixed.acc<32, 20>
}
// CHECK-LABEL: func.func @unpacked
// CHECK: %unpacked = memref.alloca() : memref<8xi16>
// CHECK: [[blocks:%.*]] = scf.for {{.*}} iter_args([[sum:%.*]] = %zero) -> (!fixed.acc<32, 20>)
// CHECK: [[packed:%.*]] = scratch.slice %x[{{.*}}] : {{.*}} to memref<8x!fixed.q<9, 8>, #scratch.packed_ram<9>>
// CHECK: [[whole:%.*]] = scratch.slice %unpacked[{{.*}}] : {{.*}} to memref<8x!fixed.q<9, 8>>
// CHECK: "memref.copy"([[packed]], [[whole]])
// CHECK: num.call #num.dot([[sum]], {{.*}}, [[whole]]) by #num.kernel<"tm_dot_s16_s16_s32">
// CHECK: "memref.copy"({{.*}}) : (memref<5x!fixed.q<9, 8>, #scratch.packed_ram<9>>, memref<5x!fixed.q<9, 8>>) -> ()
// CHECK: num.call #num.dot([[blocks]], {{.*}}) by #num.kernel<"tm_dot_s16_s16_s32">
// HOST-LABEL: func.func @unpacked
// HOST: memref.load %x
// HOST-LABEL: func.func @decoded(

// -----

// A vector of posits becomes integers before the loop over rows, each of which would decode it again.
func.func @decoded(%w: memref<2x9x!posit.p<16, 1, -28, 1>, #scratch.flash>, %x: memref<9x!posit.p<16, 0, -14, 1>>, %y: memref<2x!posit.p<16, 0, -14, 1>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %at = arith.muli %i, %c9 : index
    %row = scratch.slice %w[%at] : memref<2x9x!posit.p<16, 1, -28, 1>, #scratch.flash> to memref<9x!posit.p<16, 1, -28, 1>, #scratch.flash>
    %zero = num.zero : !fixed.acc<64, 42>
    %sum = num.call #num.dot(%zero, %row, %x) : (!fixed.acc<64, 42>, memref<9x!posit.p<16, 1, -28, 1>, #scratch.flash>, memref<9x!posit.p<16, 0, -14, 1>>) -> !fixed.acc<64, 42>
    %r = num.finish %sum : !fixed.acc<64, 42> -> !posit.p<16, 0, -14, 1>
    memref.store %r, %y[%i] : memref<2x!posit.p<16, 0, -14, 1>>
  }
  func.return
}
// CORTEX-LABEL: func.func @decoded
// CORTEX: %decoded = memref.alloca() : memref<9xi16>
// CORTEX: [[whole:%.*]] = scratch.slice %decoded[{{.*}}] : memref<9xi16> to memref<9x!fixed.q<16, 14>>
// CORTEX: num.nest %{{.*}} to 9
// CORTEX: num.convert {{.*}} : !posit.p<16, 0, -14, 1> -> !fixed.q<16, 14>
// CORTEX: scf.for
// CORTEX: num.call #num.dot(%zero, %row, [[whole]]) by #num.kernel<"tm_cm_dot_r16_s16_s64">
// CHECK-LABEL: func.func @decoded
// CHECK: num.convert {{.*}} : !posit.p<16, 0, -14, 1> -> !fixed.q<16, 14>
// CHECK: num.call #num.dot(%zero, %row, {{.*}}) by #num.kernel<"tm_dot_r16_s16_s64">

// A vector that a copy in the loop changes is decoded behind it.
func.func @copied(%w: memref<9x!posit.p<16, 1, -28, 1>, #scratch.flash>, %image: memref<2x9x!posit.p<16, 0, -14, 1>>, %x: memref<9x!posit.p<16, 0, -14, 1>>, %y: memref<2x!posit.p<16, 0, -14, 1>>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %at = arith.muli %i, %c9 : index
    %window = scratch.slice %image[%at] : memref<2x9x!posit.p<16, 0, -14, 1>> to memref<9x!posit.p<16, 0, -14, 1>>
    "memref.copy"(%window, %x) : (memref<9x!posit.p<16, 0, -14, 1>>, memref<9x!posit.p<16, 0, -14, 1>>) -> ()
    %zero = num.zero : !fixed.acc<64, 42>
    %sum = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<64, 42>, memref<9x!posit.p<16, 1, -28, 1>, #scratch.flash>, memref<9x!posit.p<16, 0, -14, 1>>) -> !fixed.acc<64, 42>
    %v = num.finish %sum : !fixed.acc<64, 42> -> !posit.p<16, 0, -14, 1>
    memref.store %v, %y[%i] : memref<2x!posit.p<16, 0, -14, 1>>
  }
  func.return
}
// CORTEX-LABEL: func.func @copied
// CORTEX: "memref.copy"(%window, %x)
// CORTEX: num.convert {{.*}} : !posit.p<16, 0, -14, 1> -> !fixed.q<16, 14>
// CORTEX: num.call #num.dot(%zero, {{.*}}) by #num.kernel<"tm_cm_dot_r16_s16_s64">
// CHECK-LABEL: func.func @copied
// CHECK: "memref.copy"(%window, %x)
// CHECK: num.convert {{.*}} : !posit.p<16, 0, -14, 1> -> !fixed.q<16, 14>
// CHECK: num.call #num.dot(%zero, {{.*}}) by #num.kernel<"tm_dot_r16_s16_s64">

// Several windows at once: the chip composes kernels for them, if each sum is proven to be small enough and is finished by
// a factor below 1/2; what belongs to rows is then a stream. Another result becomes loops of dot products.
func.func @tiles(%x: memref<8x!zeroskew.q<8, 1.0, 0>>, %y: memref<4x!zeroskew.q<8, 4.0, -3>>, %z: memref<4x!zeroskew.q<8, 1.0, -3>>) {
  %w = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8> -> memref<8x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  %s = scratch.constant dense<[1, 2]> : tensor<2xi32> -> memref<2x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
  %at0 = arith.constant 0 : index
  %y0 = scratch.slice %y[%at0] : memref<4x!zeroskew.q<8, 4.0, -3>> to memref<2x2x!zeroskew.q<8, 4.0, -3>>
  %w0 = scratch.slice %w[%at0] : memref<8x!zeroskew.q<8, 1.0, 0>, #scratch.flash> to memref<2x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  num.contract %window, %row to 2, 2 by #num.tile_kernel<"DOTS", rows = 2, runs = 1, length = 4, pitch = 0, step = 4, count = 2, zero = -3> {
    %n = memref.load %s[%row] : memref<2x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %w0, %x {spacing = array<i64: 1, 0, 4>} : !zeroskew.acc<32, 1.0>, memref<2x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<8x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 4.0, -3>
    memref.store %result, %y0[%window, %row] : memref<2x2x!zeroskew.q<8, 4.0, -3>>
  }
  %at1 = arith.constant 0 : index
  %y1 = scratch.slice %z[%at1] : memref<4x!zeroskew.q<8, 1.0, -3>> to memref<2x2x!zeroskew.q<8, 1.0, -3>>
  %w1 = scratch.slice %w[%at1] : memref<8x!zeroskew.q<8, 1.0, 0>, #scratch.flash> to memref<2x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  num.contract %window, %row to 2, 2 {
    %n = memref.load %s[%row] : memref<2x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %w1, %x {spacing = array<i64: 2, 3, 1>} : !zeroskew.acc<32, 1.0>, memref<2x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<8x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 1.0, -3>
    memref.store %result, %y1[%window, %row] : memref<2x2x!zeroskew.q<8, 1.0, -3>>
  }
  func.return
}
// CORTEX-LABEL: func.func @tiles
// CORTEX: [[stream:%.*]] = scratch.constant dense<[1, 0, 0, 0, 2, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, -128, 0, 0, 0, -128, 0, 0, 0, -128]> : tensor<28xi8>
// CORTEX: num.call #num.tiles<16>({{%.*}}, [[stream]], %x) by #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 2, runs = 1, length = 4, pitch = 0, step = 4, count = 2, zero = -3>
// CORTEX-NOT: num.contract
// CORTEX: num.call #num.dot({{.*}}) by #num.kernel<"tm_cm_dot_s8_s8_s32">
// CORTEX: [[second:%.*]] = scratch.slice %x
// CORTEX-NEXT: num.call #num.dot({{.*}}, {{.*}}, [[second]]) by #num.kernel<"tm_cm_dot_s8_s8_s32">
// CORTEX-NEXT: num.finish
// SMALL-LABEL: func.func @tiles
// SMALL: [[stream:%.*]] = scratch.constant dense<[1, 0, 0, 0, 2, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 64, 0, 0, 0, 64, 1, 1, 0, 0]> : tensor<28xi8>
// SMALL: num.call #num.tiles<16>({{%.*}}, [[stream]], %x) by #num.tile_kernel<"tm_cm_small_dot_tile_s8", rows = 2, runs = 1, length = 4, pitch = 0, step = 4, count = 2, zero = -3>
// SMALL-LABEL: func.func @lines(
// RISCV-LABEL: func.func @tiles
// RISCV: [[stream:%.*]] = scratch.constant dense<[1, 0, 0, 0, 2, 0, 0, 0, 1, 5, 2, 6, 3, 7, 4, 8, 0, 0, 0, -128, 0, 0, 0, -128, 0, 0, 0, 0]> : tensor<28xi8>
// RISCV: num.call #num.tiles<16>({{%.*}}, [[stream]], %x) by #num.tile_kernel<"tm_rv_dot_tile_s8", rows = 2, runs = 1, length = 4, pitch = 0, step = 4, count = 2, zero = -3>
// RISCV-NOT: num.contract
// RISCV: num.call #num.dot({{.*}}) by #num.kernel<"tm_rv_dot_s8_s8_s32">
// RISCV-LABEL: func.func @lines(
// CHECK-LABEL: func.func @tiles
// CHECK-NOT: num.contract
// CHECK: num.call #num.dot({{.*}}) by #num.kernel<"tm_dot_s8_s8_s32_by4">
// CHECK-LABEL: func.func @lines(

// Two lines of two windows: a call for each, or loops around all of them.
func.func @lines(%x: memref<12x!zeroskew.q<8, 1.0, 0>>, %y: memref<8x!zeroskew.q<8, 4.0, -3>>) {
  %w = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8> -> memref<8x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  %s = scratch.constant dense<[1, 2]> : tensor<2xi32> -> memref<2x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
  %at2 = arith.constant 0 : index
  %y2 = scratch.slice %y[%at2] : memref<8x!zeroskew.q<8, 4.0, -3>> to memref<2x2x2x!zeroskew.q<8, 4.0, -3>>
  %w2 = scratch.slice %w[%at2] : memref<8x!zeroskew.q<8, 1.0, 0>, #scratch.flash> to memref<2x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  num.contract %line, %window, %row to 2, 2, 2 by #num.tile_kernel<"DOTS", rows = 2, runs = 1, length = 4, pitch = 0, step = 2, count = 2, zero = -3> {
    %n = memref.load %s[%row] : memref<2x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %w2, %x {spacing = array<i64: 1, 6, 2>} : !zeroskew.acc<32, 1.0>, memref<2x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<12x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 4.0, -3>
    memref.store %result, %y2[%line, %window, %row] : memref<2x2x2x!zeroskew.q<8, 4.0, -3>>
  }
  func.return
}
// CORTEX-LABEL: func.func @lines
// CORTEX: [[stream:%.*]] = scratch.constant dense<{{.*}}> : tensor<28xi8>
// CORTEX: [[results:%.*]] = scratch.slice %y{{.*}} : memref<2x2x2x!zeroskew.q<8, 4.0, -3>> to memref<4x!zeroskew.q<8, 4.0, -3>>
// CORTEX: [[windows:%.*]] = scratch.slice %x[{{.*}}] : memref<12x!zeroskew.q<8, 1.0, 0>> to memref<6x!zeroskew.q<8, 1.0, 0>>
// CORTEX: num.call #num.tiles<{{.*}}>([[results]], [[stream]], [[windows]]) by #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 2, runs = 1, length = 4, pitch = 0, step = 2, count = 2, zero = -3>
// CORTEX: num.call #num.tiles<{{.*}}>({{%.*}}, [[stream]], {{%.*}}) by #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 2, runs = 1, length = 4, pitch = 0, step = 2, count = 2, zero = -3>
// HOST-LABEL: func.func @lines
// HOST: scf.for
// HOST: scf.for
// HOST: scf.for
// HOST: num.mac
// HOST-LABEL: func.func @channels(

// Channels with a filter each, over two windows of an input of two rows and three columns. A stream has pairs of weights
// below each other.
func.func @channels(%x: memref<12x!zeroskew.q<8, 1.0, 0>>, %y: memref<4x!zeroskew.q<8, 4.0, -3>>) {
  %w = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8> -> memref<8x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  %s = scratch.constant dense<[1, 2]> : tensor<2xi32> -> memref<2x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
  %at3 = arith.constant 0 : index
  %y3 = scratch.slice %y[%at3] : memref<4x!zeroskew.q<8, 4.0, -3>> to memref<2x2x!zeroskew.q<8, 4.0, -3>>
  %w3 = scratch.slice %w[%at3] : memref<8x!zeroskew.q<8, 1.0, 0>, #scratch.flash> to memref<2x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>
  num.contract %window, %row to 2, 2 by #num.tile_kernel<"CHANNELS", rows = 2, runs = 2, length = 4, pitch = 6, step = 2, count = 2, zero = -3> {
    %n = memref.load %s[%row] : memref<2x!zeroskew.q<32, 1.0, 0>, #scratch.flash>
    %start = num.start %n : !zeroskew.q<32, 1.0, 0> -> !zeroskew.acc<32, 1.0>
    %sum = num.products %start, %w3, %x {spacing = array<i64: 2, 6, 2>, channels} : !zeroskew.acc<32, 1.0>, memref<2x4x!zeroskew.q<8, 1.0, 0>, #scratch.flash>, memref<12x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 1.0>
    %result = num.finish %sum : !zeroskew.acc<32, 1.0> -> !zeroskew.q<8, 4.0, -3>
    memref.store %result, %y3[%window, %row] : memref<2x2x!zeroskew.q<8, 4.0, -3>>
  }
  func.return
}
// CORTEX-LABEL: func.func @channels
// CORTEX: [[stream:%.*]] = scratch.constant dense<[1, 2, 3, 4, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, -128, 5, 6, 7, 8, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, -128]> : tensor<32xi8>
// CORTEX: num.call #num.tiles<16>({{%.*}}, [[stream]], %x) by #num.tile_kernel<"tm_cm_channel_tile_s8", rows = 2, runs = 2, length = 4, pitch = 6, step = 2, count = 2, zero = -3>
// SMALL-LABEL: func.func @channels
// SMALL: [[stream:%.*]] = scratch.constant dense<[1, 0, 0, 0, 0, 0, 0, 64, 1, 1, 2, 3, 4, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 64, 1, 5, 6, 7, 8, 0, 0, 0]> : tensor<32xi8>
// SMALL: num.call #num.tiles<16>({{%.*}}, [[stream]], %x) by #num.tile_kernel<"tm_cm_small_channel_tile_s8", rows = 2, runs = 2, length = 4, pitch = 6, step = 2, count = 2, zero = -3>
// SMALL-LABEL: func.func @part(
// RISCV-LABEL: func.func @channels
// RISCV: [[stream:%.*]] = scratch.constant dense<[1, 0, 0, 0, 0, 0, 0, -128, 0, 1, 2, 3, 4, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, -128, 0, 5, 6, 7, 8, 0, 0, 0]> : tensor<32xi8>
// RISCV: num.call #num.tiles<16>({{%.*}}, [[stream]], %x) by #num.tile_kernel<"tm_rv_channel_tile_s8", rows = 2, runs = 2, length = 4, pitch = 6, step = 2, count = 2, zero = -3>
// RISCV-LABEL: func.func @part(
// CHECK-LABEL: func.func @channels
// CHECK: [[stream:%.*]] = scratch.constant dense<[1, 0, 0, 1, 2, 3, 4, 0, 0, 0, -128, -128, 0, 125, 2, 0, 0, 5, 6, 7, 8, 0, 0, 0, -128, -128, 0, 125]> : tensor<28xi8>
// CHECK: num.call #num.tiles<16>({{%.*}}, [[stream]], %x) by #num.tile_kernel<"tm_channel_requantised_s8", rows = 2, runs = 2, length = 4, pitch = 6, step = 2, count = 2, zero = -3>
// CHECK-LABEL: func.func @part(

// A part of a sum is computed in the register of the kernel, and joins the sum in its own.
func.func @part(%s: !fixed.acc<24, 14>, %n: i8, %w: memref<8x!fixed.q<8, 7>, #scratch.flash>, %x: memref<8x!fixed.q<8, 7>>) -> !fixed.acc<24, 14> {
  %zero = num.zero : !fixed.acc<24, 14>
  %part = num.call #num.dot(%zero, %w, %x) : (!fixed.acc<24, 14>, memref<8x!fixed.q<8, 7>, #scratch.flash>, memref<8x!fixed.q<8, 7>>) -> !fixed.acc<24, 14>
  %sum = num.add_shifted %s, %part, %n : !fixed.acc<24, 14>, !fixed.acc<24, 14> -> !fixed.acc<24, 14>
  func.return %sum : !fixed.acc<24, 14>
}
// CORTEX-LABEL: func.func @part
// CORTEX: num.call #num.dot({{.*}}) by #num.kernel<"tm_cm_dot_s8_s8_s32"> {{.*}} -> !fixed.acc<32, 14>
// CORTEX: num.add_shifted %s, %part, %n : !fixed.acc<24, 14>, !fixed.acc<32, 14> -> !fixed.acc<24, 14>
