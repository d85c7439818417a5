// RUN: tinyml-opt %s -p lower-num-to-exact,lower-exact-to-arith --split-input-file | filecheck %s

// Exact products in a wide register; the sum is rounded in the narrower one that its bound proves to be enough: half is
// added before the shift; only limits that can bind are computed.
func.func @fixed(%X: memref<2x!fixed.q<16, 12>>, %i: index, %sum: !fixed.acc<32, 24>) -> !fixed.acc<32, 24> {
  %a = memref.load %X[%i] : memref<2x!fixed.q<16, 12>>
  %next = num.mac %sum, %a, %a : !fixed.acc<32, 24>, !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.acc<32, 24>
  %y = num.finish %next {bound = array<i64: -100000, 100000>} : !fixed.acc<32, 24> -> !fixed.q<16, 12>
  memref.store %y, %X[%i] : memref<2x!fixed.q<16, 12>>
  func.return %next : !fixed.acc<32, 24>
}
// CHECK-LABEL: func.func @fixed(%X: memref<2xi16> {{.*}}, %i: index, %sum: i32)
// CHECK-NEXT: %a = memref.load %X[%i] : memref<2xi16>
// CHECK-NEXT: [[x:%.*]] = arith.extsi %a : i16 to i32
// CHECK-NEXT: [[y:%.*]] = arith.extsi %a : i16 to i32
// CHECK-NEXT: [[product:%.*]] = arith.muli [[x]], [[y]] : i32
// CHECK-NEXT: %next = arith.addi %sum, [[product]] : i32
// CHECK: [[narrow:%.*]] = arith.trunci %next : i32 to i24
// CHECK: [[half:%.*]] = arith.constant 2048 : i24
// CHECK-NEXT: arith.addi [[narrow]], [[half]] : i24
// CHECK-NOT: arith.{{max|min}}si
// CHECK: [[shifted:%.*]] = arith.shrsi
// CHECK-NEXT: %y = arith.trunci [[shifted]] : i24 to i16
// CHECK-NEXT: memref.store %y, %X[%i]

// -----

// A row's own scale.
func.func @row(%sum: !fixed.acc<32, 24>, %places: i8) -> !fixed.acc<32, 24> {
  %y = num.shift %sum, %places : !fixed.acc<32, 24> -> !fixed.acc<32, 24>
  func.return %y : !fixed.acc<32, 24>
}
// CHECK-LABEL: func.func @row
// CHECK-NEXT: [[wide:%.*]] = arith.extsi %places : i8 to i32
// CHECK-NEXT: %y = arith.shrsi %sum, [[wide]] : i32

// -----

// Without a proof the result saturates: one function shifts and limits.
func.func @saturates(%sum: !fixed.acc<32, 24>) -> !fixed.q<16, 12> {
  %y = num.finish %sum : !fixed.acc<32, 24> -> !fixed.q<16, 12>
  func.return %y : !fixed.q<16, 12>
}
// CHECK-LABEL: func.func @saturates
// CHECK: [[sum:%.*]] = arith.addi
// CHECK-NEXT: [[shift:%.*]] = arith.constant 12 : i8
// CHECK-NEXT: [[bits:%.*]] = arith.constant 16 : i8
// CHECK-NEXT: %y = func.call @tm_limit_i32_i16([[sum]], [[shift]], [[bits]]) : (i32, i8, i8) -> i16
// CHECK-LABEL: func.func private @tm_limit_i32_i16(i32, i8, i8) -> i16

// -----

// One limit is computed by itself.
func.func @saturates_above(%sum: !fixed.acc<32, 24>) -> !fixed.q<16, 12> {
  %y = num.finish %sum {bound = array<i64: 0, 2000000000>} : !fixed.acc<32, 24> -> !fixed.q<16, 12>
  func.return %y : !fixed.q<16, 12>
}
// CHECK-LABEL: func.func @saturates_above
// CHECK-NOT: arith.maxsi
// CHECK: arith.minsi
// CHECK: %y = arith.trunci {{.*}} : i32 to i16

// -----

// A product that needs no limit is rounded by the function that multiplies.
func.func @product(%a: !fixed.q<16, 15>, %b: !fixed.q<16, 12>) -> !fixed.q<16, 12> {
  %y = num.mul %a, %b : !fixed.q<16, 15>, !fixed.q<16, 12> -> !fixed.q<16, 12>
  func.return %y : !fixed.q<16, 12>
}
// CHECK-LABEL: func.func @product
// CHECK-NEXT: [[shift:%.*]] = arith.constant 15 : i8
// CHECK-NEXT: %y = func.call @tm_multiply_i16(%a, %b, [[shift]]) : (i16, i16, i8) -> i16

// -----

// Floats stay floats; what has no instruction is a call, declared once.
func.func @floats(%x: f32, %sum: f32) -> (f32, f32, i1) {
  %next = num.mac %sum, %x, %x : f32, f32, f32 -> f32
  %e = num.exp %next : f32 -> f32
  %f = num.exp %e : f32 -> f32
  %c = num.clamp %f {low = 0.0 : f64} : f32 -> f32
  %g = num.greater %c, %e : f32, f32
  func.return %c, %e, %g : f32, f32, i1
}
// CHECK-LABEL: func.func @floats
// CHECK-NEXT: [[p:%.*]] = arith.mulf %x, %x : f32
// CHECK-NEXT: %next = arith.addf %sum, [[p]] : f32
// CHECK-NEXT: func.call @tm_expf(%next) : (f32) -> f32
// CHECK-NEXT: func.call @tm_expf
// CHECK: arith.cmpf oge
// CHECK: arith.select
// CHECK: arith.cmpf ogt
// CHECK-LABEL: func.func private @tm_expf(f32) -> f32
// CHECK-NOT: func.func private

// -----

// A function of a few arguments is one table in flash, which equal uses share; the index cannot leave it.
func.func @tables(%x: !fixed.q<8, 4>) -> (!fixed.q<8, 7>, !fixed.q<8, 7>) {
  %a = num.exp %x : !fixed.q<8, 4> -> !fixed.q<8, 7>
  %b = num.exp %x : !fixed.q<8, 4> -> !fixed.q<8, 7>
  func.return %a, %b : !fixed.q<8, 7>, !fixed.q<8, 7>
}
// CHECK-LABEL: func.func @tables(%x: i8) -> (i8, i8)
// CHECK-NEXT: %exp_table = scratch.constant {{.*}} #scratch.flash>
// CHECK-NOT: scratch.constant
// CHECK: arith.minsi
// CHECK: arith.index_cast
// CHECK-NEXT: memref.load %exp_table

// -----

// Of more arguments, a function is interpolated between entries; sigmoid is one half plus an odd function, and the
// interval of tanh makes limits behind it unnecessary.
func.func @interpolated(%x: !fixed.q<16, 10>) -> (!fixed.q<16, 15>, !fixed.q<16, 13>) {
  %a = num.sigmoid %x : !fixed.q<16, 10> -> !fixed.q<16, 15>
  %b = num.tanh %x : !fixed.q<16, 10> -> !fixed.q<16, 14>
  %c = num.add %b, %b : !fixed.q<16, 14>, !fixed.q<16, 14> -> !fixed.q<16, 13>
  func.return %a, %c : !fixed.q<16, 15>, !fixed.q<16, 13>
}
// CHECK-LABEL: func.func @interpolated(%x: i16) -> (i16, i16)
// CHECK-NEXT: %tanh_table = scratch.constant {{.*}} #scratch.flash>
// CHECK-NEXT: %sigmoid_table = scratch.constant
// CHECK-NEXT: [[last:%.*]] = arith.constant 12067 : i16
// CHECK-NEXT: [[scale:%.*]] = arith.constant {{[0-9]+}} : i8
// CHECK-NEXT: [[table:%.*]] = "memref.cast"(%sigmoid_table) : (memref<{{.*}}>) -> memref<?xi16>
// CHECK-NEXT: [[odd:%.*]] = func.call @tm_interpolate_odd_s16([[table]], %x, [[last]], [[scale]])
// CHECK-NEXT: [[half:%.*]] = arith.constant 16384 : i16
// CHECK-NEXT: %a = arith.addi [[odd]], [[half]] : i16
// CHECK: %b = func.call @tm_interpolate_odd_s16
// CHECK: arith.addi %b, %b : i16
// CHECK-NOT: arith.{{min|max}}si
// CHECK: func.return

// -----

// Between families by way of a float.
func.func @families(%x: !fixed.q<16, 12>) -> f32 {
  %f = num.convert %x : !fixed.q<16, 12> -> f32
  func.return %f : f32
}
// CHECK-LABEL: func.func @families(%x: i16)
// CHECK: func.call @tm_int_to_f32
// CHECK: arith.mulf

// -----

// Accumulators and formats inside carried values become what holds them.
func.func @carried(%n: index, %x: !fixed.q<8, 4>) -> !fixed.acc<64, 8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = num.zero : !fixed.acc<64, 8>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (!fixed.acc<64, 8>) {
    %b = num.mac %a, %x, %x : !fixed.acc<64, 8>, !fixed.q<8, 4>, !fixed.q<8, 4> -> !fixed.acc<64, 8>
    scf.yield %b : !fixed.acc<64, 8>
  }
  func.return %s : !fixed.acc<64, 8>
}
// CHECK-LABEL: func.func @carried(%n: index, %x: i8)
// CHECK: %zero = arith.constant 0 : i64
// CHECK-NEXT: scf.for {{.*}} iter_args(%a = %zero) -> (i64)
// CHECK: [[p:%.*]] = arith.muli {{.*}} : i16
// CHECK-NEXT: [[w:%.*]] = arith.extsi [[p]] : i16 to i64
// CHECK-NEXT: arith.addi %a, [[w]] : i64

// -----

// A power of two only changes the scale: into the format whose scale differs by it, nothing is computed.
func.func @doubled(%x: !fixed.q<16, 12>) -> (!fixed.q<16, 11>, !fixed.q<16, 12>) {
  %two = num.constant {value = 2.0 : f64} -> !fixed.q<16, 13>
  %y = num.mul %two, %x : !fixed.q<16, 13>, !fixed.q<16, 12> -> !fixed.q<16, 11>
  %z = num.mul %x, %two : !fixed.q<16, 12>, !fixed.q<16, 13> -> !fixed.q<16, 12>
  func.return %y, %z : !fixed.q<16, 11>, !fixed.q<16, 12>
}
// CHECK-LABEL: func.func @doubled(%x: i16
// CHECK-NOT: arith.shrsi
// CHECK: func.return %x, %z : i16, i16

// -----

// A posit of 8 bits is an integer by a table, one of 16 by a routine; their product with fixed point is one of integers.
func.func @posits(%s: !fixed.acc<64, 40>, %w: !posit.p<8, 0, -6, 7>, %v: !posit.p<16, 1, -28, 1>, %x: !fixed.q<16, 12>) -> !fixed.acc<64, 40> {
  %a = num.mul %w, %x : !posit.p<8, 0, -6, 7>, !fixed.q<16, 12> -> !fixed.q<16, 12>
  %b = num.mac %s, %v, %a : !fixed.acc<64, 40>, !posit.p<16, 1, -28, 1>, !fixed.q<16, 12> -> !fixed.acc<64, 40>
  func.return %b : !fixed.acc<64, 40>
}
// CHECK-LABEL: func.func @posits(%s: i64, %w: i8, %v: i16, %x: i16)
// CHECK-NEXT: %decoding_table = scratch.constant {{.*}} -> memref<255xi16, #scratch.flash>
// CHECK: [[w:%.*]] = memref.load %decoding_table
// CHECK: arith.muli
// CHECK: func.call @tm_posit_to_s32
// CHECK-NOT: call
// CHECK: arith.addi %s

// -----

// The standard's operations are emulated.
func.func @standard(%x: !posit.p<16, 1>) -> !posit.p<16, 1> {
  %y = num.add %x, %x : !posit.p<16, 1>, !posit.p<16, 1> -> !posit.p<16, 1>
  func.return %y : !posit.p<16, 1>
}
// CHECK-LABEL: func.func @standard(%x: i16)
// CHECK: func.call @tm_posit_add
// CHECK: arith.trunci

// -----

// A sum of 16 bits where both limits can bind is aligned, rounded and limited by one function, in either order.
func.func @aligned(%x: !fixed.q<16, 10>, %y: !fixed.q<15, 11>) -> (!fixed.q<16, 11>, !fixed.q<15, 10>) {
  %a = num.add %x, %y : !fixed.q<16, 10>, !fixed.q<15, 11> -> !fixed.q<16, 11>
  %b = num.add %y, %x : !fixed.q<15, 11>, !fixed.q<16, 10> -> !fixed.q<15, 10>
  func.return %a, %b : !fixed.q<16, 11>, !fixed.q<15, 10>
}
// CHECK-LABEL: func.func @aligned(%x: i16, %y: i16) -> (i16, i16)
// CHECK: %a = func.call @tm_add_i16(%x, %y, {{.*}}) : (i16, i16, i8, i8, i8) -> i16
// CHECK: [[half:%.*]] = arith.constant 1 : i16
// CHECK-NEXT: [[rounded:%.*]] = arith.addi %y, [[half]] : i16
// CHECK: %b = func.call @tm_add_i16(%x, [[rounded]], {{.*}}) : (i16, i16, i8, i8, i8) -> i16

// -----

// Packed constants are bytes, 3 for 4 elements of 6 bits. Kernels take runs of bytes, single elements are read by a call.
builtin.module attributes {tinyml.target = "uno"} {
  func.func @packed(%X: memref<8x!fixed.q<16, 12>>, %i: index, %sum: !fixed.acc<32, 15>) -> (!fixed.acc<32, 15>, !fixed.q<16, 3>) {
    %W = scratch.constant dense<[[1, 2, 3, 4, 5, 6, 7, 8], [-1, -2, -3, -4, -5, -6, -7, -31]]> : tensor<2x8xi16> -> memref<2x8x!fixed.q<16, 3>, #scratch.packed<6>>
    %eight = arith.constant 8 : index
    %one = arith.constant 1 : index
    %at = arith.muli %i, %eight : index
    %row = scratch.slice %W[%at] : memref<2x8x!fixed.q<16, 3>, #scratch.packed<6>> to memref<8x!fixed.q<16, 3>, #scratch.packed<6>>
    %next = num.call #num.dot(%sum, %row, %X) by #num.composed_kernel<num.dot, integer 6, integer 16, sum = 32> : (!fixed.acc<32, 15>, memref<8x!fixed.q<16, 3>, #scratch.packed<6>>, memref<8x!fixed.q<16, 12>>) -> !fixed.acc<32, 15>
    %a = memref.load %W[%one, %i] : memref<2x8x!fixed.q<16, 3>, #scratch.packed<6>>
    func.return %next, %a : !fixed.acc<32, 15>, !fixed.q<16, 3>
  }
}
// CHECK-LABEL: func.func @packed
// CHECK: %W = scratch.constant dense<[4, 9, 12, 20, 26, 28, -4, -5, -9, -19, -24, -26]> : tensor<12xi8> {tinyml.format = "!fixed.q<16, 3>"} -> memref<12xi8, #scratch.flash>
// CHECK: [[six:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[place:%.*]] = arith.muli %i, [[six]] : index
// CHECK-NEXT: [[bytes:%.*]] = scratch.slice %W[[[place]]] : memref<12xi8, #scratch.flash> to memref<6xi8, #scratch.flash>
// CHECK: func.call @tm_dot_s6_s16_s32({{.*}}) : (memref<?xi8>, memref<?xi16>, index, i32) -> i32
// CHECK: [[number:%.*]] = arith.index_cast {{%.*}} : index to i16
// CHECK: [[element:%.*]] = func.call @tm_packed_s6({{%.*}}, [[number]]) : (memref<?xi8>, i16) -> i8
// CHECK: arith.extsi [[element]] : i8 to i16

// -----

// No number of the format reaches the threshold, 4 (raw 128): the comparison is a constant, since C compilers warn of
// one that the type of its operand decides. At 2 it is a comparison in the number's own width.
func.func @beyond(%x: !fixed.q<8, 5>) -> (i1, i1, i1) {
  %never = num.at_least %x {threshold = 4.0 : f64} : !fixed.q<8, 5>
  %always = num.at_least %x {threshold = -4.0 : f64} : !fixed.q<8, 5>
  %some = num.at_least %x {threshold = 2.0 : f64} : !fixed.q<8, 5>
  func.return %never, %always, %some : i1, i1, i1
}
// CHECK-LABEL: func.func @beyond
// CHECK: %never = arith.constant false
// CHECK: %always = arith.constant true
// CHECK: [[two:%.*]] = arith.constant 64 : i8
// CHECK-NEXT: %some = arith.cmpi sge, %x, [[two]] : i8
