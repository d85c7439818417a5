// RUN: tinyml-opt %s -p lower-num-to-exact --split-input-file | filecheck %s

// A product of 16 bits is rescaled from 2^-27 to 2^-12. Raws lie in the interval of their format, so no limit binds.
func.func @fixed(%a: !fixed.q<16, 15>, %b: !fixed.q<16, 12>) -> !fixed.q<16, 12> {
  %y = num.mul %a, %b : !fixed.q<16, 15>, !fixed.q<16, 12> -> !fixed.q<16, 12>
  func.return %y : !fixed.q<16, 12>
}
// CHECK-LABEL: func.func @fixed(%a: i16, %b: i16) -> (i16) {
// CHECK-NEXT: [[va_1:%.*]] = exact.within %a : i16 in [-32767, 32767]
// CHECK-NEXT: [[vb_1:%.*]] = exact.within %b : i16 in [-32767, 32767]
// CHECK-NEXT: %y = exact.product_to [[va_1]], [[vb_1]] right 15 to [-32767, 32767] : i16, i16 -> i16 in [-32766, 32766]
// CHECK-NEXT: func.return %y : i16

// -----

// A sum is clamped, then rounded: half a unit less one is added, and one more where the quotient is odd.
func.func @to_even(%s: !fixed.acc<32, 8>) -> !fixed.s<8, 4, even> {
  %y = num.finish %s {bound = array<i64: -9000, 9000>} : !fixed.acc<32, 8> -> !fixed.s<8, 4, even>
  func.return %y : !fixed.s<8, 4, even>
}
// CHECK-LABEL: func.func @to_even(%s: i32) -> (i8) {
// CHECK: [[inside:%.*]] = exact.clamp {{.*}} : i32 -> i32 in [-2048, 2032]
// CHECK: [[quotient:%.*]] = exact.shift_right {{.*}} by 4 : i16 -> i16 in [-128, 127]
// CHECK-NEXT: [[odd:%.*]] = exact.low_bits [[quotient]] bits 1 : i16 -> i16 in [0, 1]
// CHECK-NEXT: [[below:%.*]] = arith.constant 7 : i8
// CHECK: [[raised:%.*]] = exact.add {{.*}}, [[below]]
// CHECK-NEXT: [[rounded:%.*]] = exact.add [[raised]], [[odd]]
// CHECK-NEXT: exact.shift_right [[rounded]] by 4 : i16 -> i16 in [-128, 127]

// -----

// No number reaches more than half a unit, and half a unit is rounded to 0.
func.func @to_zero(%a: !fixed.q<8, 8>) -> !fixed.s<8, 0, even> {
  %y = num.convert %a : !fixed.q<8, 8> -> !fixed.s<8, 0, even>
  func.return %y : !fixed.s<8, 0, even>
}
// CHECK-LABEL: func.func @to_zero(%a: i8) -> (i8) {
// CHECK-NEXT: %y = arith.constant 0 : i8
// CHECK-NEXT: func.return %y : i8

// -----

// A posit is decoded, multiplied as an integer, and encoded: the only rounding. The table is that of its 175 raws.
func.func @posit(%a: !posit.p<8, 2, -10, 3>, %b: !posit.p<8, 2, -10, 3>) -> !posit.p<8, 2, -10, 3> {
  %y = num.mul %a, %b : !posit.p<8, 2, -10, 3>, !posit.p<8, 2, -10, 3> -> !posit.p<8, 2, -10, 3>
  func.return %y : !posit.p<8, 2, -10, 3>
}
// CHECK-LABEL: func.func @posit(%a: i8, %b: i8) -> (i8) {
// CHECK: [[a:%.*]] = exact.within %a : i8 in [-87, 87]
// CHECK-NEXT: [[x:%.*]] = exact.decode [[a]] from %decoding_table : memref<175xi16, #scratch.flash> as !posit.p<8, 2, -10, 3> : i8 -> i16 in [-7680, 7680]
// CHECK-NEXT: [[b:%.*]] = exact.within %b : i8 in [-87, 87]
// CHECK-NEXT: [[z:%.*]] = exact.decode [[b]] from %decoding_table : memref<175xi16, #scratch.flash> as !posit.p<8, 2, -10, 3> : i8 -> i16 in [-7680, 7680]
// CHECK-NEXT: [[product:%.*]] = exact.mul [[x]], [[z]] : i16, i16 -> i32 in [-58982400, 58982400]
// CHECK-NEXT: [[raw:%.*]] = exact.encode [[product]] scale 20 as !posit.p<8, 2, -10, 3> : i32 -> i32 in [-87, 87]
// CHECK-NEXT: %y = arith.trunci [[raw]] : i32 to i8

// -----

// A quire: the sum of products of posits is exact, in a register as wide as the bound on it needs.
func.func @quire(%sum: !fixed.acc<32, 20>, %a: !posit.p<8, 2, -10, 3>, %b: !fixed.q<8, 10>) -> !posit.p<8, 2, -10, 3> {
  %next = num.mac %sum, %a, %b : !fixed.acc<32, 20>, !posit.p<8, 2, -10, 3>, !fixed.q<8, 10> -> !fixed.acc<32, 20>
  %y = num.finish %next {bound = array<i64: -9000000, 9000000>} : !fixed.acc<32, 20> -> !posit.p<8, 2, -10, 3>
  func.return %y : !posit.p<8, 2, -10, 3>
}
// CHECK-LABEL: func.func @quire
// CHECK: [[x:%.*]] = exact.decode
// CHECK: [[product:%.*]] = exact.mul [[x]], {{.*}} : i16, i8 -> i32 in [-975360, 975360]
// CHECK-NEXT: %next = arith.addi %sum, [[product]] : i32
// CHECK-NEXT: [[sum:%.*]] = exact.within %next : i32 in [-9000000, 9000000]
// CHECK-NEXT: exact.encode [[sum]] scale 20 as !posit.p<8, 2, -10, 3> : i32 -> i32 in [-87, 87]

// -----

// A small float is rounded to the nearest of its numbers by a second table, of the borders between them.
func.func @minifloat(%a: !minifloat.f<2, 1, 0>, %b: !minifloat.f<2, 1, 0>) -> !minifloat.f<2, 1, 0> {
  %y = num.add %a, %b : !minifloat.f<2, 1, 0>, !minifloat.f<2, 1, 0> -> !minifloat.f<2, 1, 0>
  func.return %y : !minifloat.f<2, 1, 0>
}
// CHECK-LABEL: func.func @minifloat(%a: i8, %b: i8) -> (i8) {
// CHECK: %rounding_table = scratch.constant {{.*}} -> memref<14xi32, #scratch.flash>
// CHECK: %decoding_table = scratch.constant dense<[-12, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 12]>
// CHECK: [[x:%.*]] = exact.decode
// CHECK: [[z:%.*]] = exact.decode
// CHECK-NEXT: [[sum:%.*]] = exact.add [[x]], [[z]] : i16, i16 -> i8 in [-24, 24]
// CHECK-NEXT: exact.encode [[sum]] scale 1 from %rounding_table : memref<14xi32, #scratch.flash> as !minifloat.f<2, 1, 0> : i8 -> i16 in [-7, 7]

// -----

// What computes nothing leaves no op: a number of the same scale is converted by its limits alone, and those of a
// constant weight are known. What the pass learned of a value holds for all ops behind it.
func.func @known(%x: !fixed.q<16, 12>) -> !fixed.q<16, 12> {
  %half = num.constant {value = 0.5 : f64} -> !fixed.q<16, 12>
  %small = num.clamp %x {low = -1.0 : f64, high = 1.0 : f64} : !fixed.q<16, 12> -> !fixed.q<16, 12>
  %same = num.convert %small : !fixed.q<16, 12> -> !fixed.q<15, 12>
  %y = num.add %same, %half : !fixed.q<15, 12>, !fixed.q<16, 12> -> !fixed.q<16, 12>
  func.return %y : !fixed.q<16, 12>
}
// CHECK-LABEL: func.func @known(%x: i16) -> (i16) {
// CHECK-NEXT: %half = arith.constant 2048 : i16
// CHECK-NEXT: [[vx_1:%.*]] = exact.within %x : i16 in [-32767, 32767]
// CHECK-NEXT: %small = exact.clamp [[vx_1]] : i16 -> i16 in [-4096, 4096]
// CHECK-NEXT: %y = exact.sum_to %small left 0, %half right 0 to [-32767, 32767] : i16, i16 -> i16 in [-2048, 6144]
// CHECK-NEXT: func.return %y : i16

// -----

// What is loaded from a constant is between its least and its greatest number.
func.func @loaded(%i: index) -> !fixed.q<16, 8> {
  %w = scratch.constant dense<[-3, 5, 2]> : tensor<3xi8> -> memref<3x!fixed.q<8, 4>, #scratch.flash>
  %x = memref.load %w[%i] : memref<3x!fixed.q<8, 4>, #scratch.flash>
  %y = num.mul %x, %x : !fixed.q<8, 4>, !fixed.q<8, 4> -> !fixed.q<16, 8>
  func.return %y : !fixed.q<16, 8>
}
// CHECK-LABEL: func.func @loaded
// CHECK: exact.product_to {{.*}} in [-15, 25]

// -----

// A loaded constant lies between the least and the greatest element, unless the array is data.
func.func @loaded(%i: index) -> (!fixed.q<8, 6>, !fixed.q<8, 6>) {
  %w = scratch.constant dense<[1, 2]> : tensor<2xi8> -> memref<2x!fixed.q<8, 4>, #scratch.flash>
  %v = scratch.constant dense<[1, 2]> : tensor<2xi8> {tinyml.data} -> memref<2x!fixed.q<8, 4>, #scratch.flash>
  %a = memref.load %w[%i] : memref<2x!fixed.q<8, 4>, #scratch.flash>
  %b = memref.load %v[%i] : memref<2x!fixed.q<8, 4>, #scratch.flash>
  %x = num.mul %a, %a : !fixed.q<8, 4>, !fixed.q<8, 4> -> !fixed.q<8, 6>
  %y = num.mul %b, %b : !fixed.q<8, 4>, !fixed.q<8, 4> -> !fixed.q<8, 6>
  func.return %x, %y : !fixed.q<8, 6>, !fixed.q<8, 6>
}
// CHECK-LABEL: func.func @loaded
// CHECK-DAG: exact.within %a : i8 in [1, 2]
// CHECK-DAG: exact.within %b : i8 in [-127, 127]

// -----

// 16 bits index 65536 packed elements.
func.func @most(%i: index) -> !fixed.q<6, 3> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<49152xi8>
  %a = scratch.view %arena[0 : i64] : memref<49152xi8> to memref<65536x!fixed.q<6, 3>, #scratch.packed_ram<6>>
  %x = memref.load %a[%i] : memref<65536x!fixed.q<6, 3>, #scratch.packed_ram<6>>
  func.return %x : !fixed.q<6, 3>
}
// CHECK-LABEL: func.func @most(%i: index) -> (i8) {
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<49152xi8>
// CHECK-NEXT: %a = scratch.view %arena[0 : i64] {tinyml.format = "!fixed.q<6, 3>"} : memref<49152xi8> to memref<49152xi8>
// CHECK-NEXT: [[v0:%.*]] = "memref.cast"(%a) : (memref<49152xi8>) -> memref<?xi8>
// CHECK-NEXT: [[v1:%.*]] = arith.index_cast %i : index to i16
// CHECK-NEXT: %x = func.call @tm_packed_s6_ram([[v0]], [[v1]]) : (memref<?xi8>, i16) -> i8
// CHECK-NEXT: func.return %x : i8
// CHECK-LABEL: func.func private @tm_packed_s6_ram(memref<?xi8>, i16) -> i8
// CHECK-NEXT: }

// -----

// They do not index one group of four more: the bytes begin at the group that contains the element.
func.func @beyond(%i: index) -> !fixed.q<6, 3> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<49155xi8>
  %a = scratch.view %arena[0 : i64] : memref<49155xi8> to memref<65540x!fixed.q<6, 3>, #scratch.packed_ram<6>>
  %x = memref.load %a[%i] : memref<65540x!fixed.q<6, 3>, #scratch.packed_ram<6>>
  func.return %x : !fixed.q<6, 3>
}
// CHECK-LABEL: func.func @beyond(%i: index) -> (i8) {
// CHECK-NEXT: %arena = scratch.arena {alignment = 1 : i64} : memref<49155xi8>
// CHECK-NEXT: %a = scratch.view %arena[0 : i64] {tinyml.format = "!fixed.q<6, 3>"} : memref<49155xi8> to memref<49155xi8>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v1:%.*]] = arith.divsi %i, [[v0]] : index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v3:%.*]] = arith.muli [[v1]], [[v2]] : index
// CHECK-NEXT: [[v4:%.*]] = scratch.slice %a{{\[}}[[v3]]] : memref<49155xi8> to memref<3xi8>
// CHECK-NEXT: [[v5:%.*]] = arith.remsi %i, [[v0]] : index
// CHECK-NEXT: [[v6:%.*]] = "memref.cast"([[v4]]) : (memref<3xi8>) -> memref<?xi8>
// CHECK-NEXT: [[v7:%.*]] = arith.index_cast [[v5]] : index to i16
// CHECK-NEXT: %x = func.call @tm_packed_s6_ram([[v6]], [[v7]]) : (memref<?xi8>, i16) -> i8
// CHECK-NEXT: func.return %x : i8
// CHECK-LABEL: func.func private @tm_packed_s6_ram(memref<?xi8>, i16) -> i8
// CHECK-NEXT: }
