// RUN: tinyml-opt %s --split-input-file -p lower-arith-to-c | filecheck %s

// A matrix times a vector: a pointer walks through the flash, the sum is a variable, products are wide.

func.func @matvec(%X: memref<4x1xi16> {tinyml.format = "!fixed.q<16, 12>"}) -> (index, memref<3x1xi16> {tinyml.format = "!fixed.q<16, 10>"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %W = scratch.constant dense<7> : tensor<3x4xi16> {tinyml.format = "!fixed.q<16, 12>"} -> memref<3x4xi16, #scratch.flash>
  %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
  %y = scratch.view %arena[2 : i64] : memref<8xi8> to memref<3x1xi16>
  %zero = arith.constant 0 : i32
  scf.for %i = %c0 to %c3 step %c1 {
    %o = arith.muli %i, %c4 : index
    %row = scratch.slice %W[%o] : memref<3x4xi16, #scratch.flash> to memref<4xi16, #scratch.flash>
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (i32) {
      %a = memref.load %row[%k] : memref<4xi16, #scratch.flash>
      %b = memref.load %X[%k, %c0] : memref<4x1xi16>
      %aw = arith.extsi %a : i16 to i32
      %bw = arith.extsi %b : i16 to i32
      %p = arith.muli %aw, %bw : i32
      %n = arith.addi %s, %p : i32
      scf.yield %n : i32
    }
    %t = arith.trunci %sum : i32 to i16
    memref.store %t, %y[%i, %c0] : memref<3x1xi16>
  }
  func.return %c1, %y : index, memref<3x1xi16>
}

// CHECK:      c.program @matvec
// CHECK:        c.define @matvec_INPUT_LENGTH 4 : i64
// CHECK-NEXT:   c.define @matvec_OUTPUT_LENGTH 3 : i64
// CHECK-NEXT:   c.verbatim "tinyml/from_float.h"
// CHECK:        c.constant @W dense<7> : tensor<3x4xi16> {doc = "3x4 int16_t, !fixed.q<16, 12>: real = raw * 2^-12"}
// CHECK:        c.arena @arena 8 {alignment = 2 : i64} : i16
// CHECK-NEXT:   c.func @matvec_predict(%X: !c.ptr<i16, const>) -> i16 attributes {tinyml.elements = {X = 4 : i64}, doc = "Runs the model on X: 4x1 int16_t, !fixed.q<16, 12>: real = raw * 2^-12.
// CHECK:          [[Y:%.*]] = c.view @arena[2] {length = 3 : i64, doc = "3x1 int16_t"} : !c.ptr<i16>
// CHECK:          c.for %i = %c0 to %c3 {
// CHECK:            [[ROW:%.*]] = c.address %W[{{%.*}}] : !c.ptr<i16, flash>
// CHECK-NEXT:       [[AT:%.*]] = c.variable = [[ROW]] : !c.var<!c.ptr<i16, flash>>
// CHECK-NEXT:       [[SUM:%.*]] = c.variable = %zero : !c.var<i32>
// CHECK-NEXT:       c.for %k = %c0 to %c4 {
// CHECK-NEXT:         [[OLD:%.*]] = c.read [[SUM]] : i32
// CHECK-NEXT:         %a = c.next [[AT]] : !c.var<!c.ptr<i16, flash>>
// CHECK-NEXT:         %b = c.load %X[%k] : !c.ptr<i16, const>
// CHECK-NEXT:         %p = c.multiply_wide %a, %b : i16, i16 -> i32
// CHECK-NEXT:         %n = c.binary [[OLD]] "+" %p : i32
// CHECK-NEXT:         c.assign [[SUM]] = %n : i32
// CHECK-NEXT:       }
// CHECK:            %t = c.cast {{%.*}} : i32 to i16
// CHECK-NEXT:       c.store %t, [[Y]][%i] : !c.ptr<i16>
// CHECK:          c.return {{%.*}} : i16
// CHECK-LABEL:  c.func @matvec_scores() -> !c.ptr<i16, const>
// CHECK-SAME:     3x1 int16_t, !fixed.q<16, 10>: real = raw * 2^-10
// CHECK-NEXT:     [[Y:%.*]] = c.view @arena[2]
// CHECK-NEXT:     c.return [[Y]]
// CHECK:        c.buffer @matvec_X 4 {doc = "The input of matvec_run."} : i16
// CHECK-LABEL:  c.func @matvec_set(%i: index, %value: f32)
// CHECK:          [[RAW:%.*]] = c.call @tm_f32_to_s16
// CHECK:          c.store {{%.*}}, {{%.*}}[%i] : !c.ptr<i16>
// CHECK:        c.define @matvec_INPUT_SCALE 0.000244140625 : f32 {doc = "real = (raw - matvec_INPUT_ZERO) * matvec_INPUT_SCALE"}
// CHECK-NEXT:   c.define @matvec_INPUT_ZERO 0 : i64
// CHECK-NEXT:   c.define @matvec_OUTPUT_SCALE

// -----

// The input lies in the arena, and a function says where.

func.func @inside() -> index {
  %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
  %X = scratch.view %arena[2 : i64] {input, tinyml.format = "!fixed.q<16, 12>"} : memref<8xi8> to memref<3xi16>
  %c0 = arith.constant 0 : index
  func.return %c0 : index
}
// CHECK:      c.program @inside
// CHECK:        c.define @inside_INPUT_LENGTH 3 : i64 {doc = "elements of X"}
// CHECK:        c.arena @arena 8
// CHECK-NEXT:   c.func @inside_input() -> !c.ptr<i16> attributes {tinyml.elements = {result = 3 : i64}, doc = "Where to write X: 3 int16_t, !fixed.q<16, 12>: real = raw * 2^-12. It lies in the arena: write all of it before each inside_predict."}
// CHECK-NEXT:     [[X:%.*]] = c.view @arena[2] {length = 3 : i64, doc = "3 int16_t"} : !c.ptr<i16>
// CHECK-NEXT:     c.return [[X]] : !c.ptr<i16>
// CHECK-LABEL:  c.func @inside_predict() -> i16 attributes {doc = "Runs the model on what inside_input() points to.

// -----

// Other programs store elements of other types in the arena.

func.func @shared(%X: memref<2xi16>) -> index {
  %c1 = arith.constant 1 : index
  %arena = scratch.arena {alignment = 2 : i64, shared} : memref<8xi8>
  %y = scratch.view %arena[2 : i64] : memref<8xi8> to memref<3xi16>
  %x = memref.load %X[%c1] : memref<2xi16>
  memref.store %x, %y[%c1] : memref<3xi16>
  func.return %c1 : index
}
// CHECK:      c.program @shared
// CHECK:        c.arena @arena 8
// CHECK:          %y = c.view @arena[2] {length = 3 : i64, doc = "3 int16_t"} : !c.ptr<i16, alias>

// -----

// The size of a shared arena may be a multiple of no type of this program.

func.func @shared_bytes(%X: memref<2xi16>) -> index {
  %c1 = arith.constant 1 : index
  %arena = scratch.arena {alignment = 2 : i64, shared} : memref<9xi8>
  %y = scratch.view %arena[2 : i64] : memref<9xi8> to memref<3xi16>
  %x = memref.load %X[%c1] : memref<2xi16>
  memref.store %x, %y[%c1] : memref<3xi16>
  func.return %c1 : index
}
// CHECK:      c.program @shared_bytes
// CHECK:        c.arena @arena 9 {alignment = 2 : i64} : i8

// -----

// Bytes that serve several types are reached through aliasing pointers; unsigned bytes; a function of the runtime;
// no label.

func.func private @tm_expf(f32) -> f32
func.func @mixed(%X: memref<2xi8>) -> memref<f32> {
  %c1 = arith.constant 1 : index
  %arena = scratch.arena {alignment = 4 : i64} : memref<4xi8>
  %b = scratch.view %arena[0 : i64] : memref<4xi8> to memref<4xi8>
  %e = scratch.view %arena[0 : i64] : memref<4xi8> to memref<f32>
  %x = memref.load %X[%c1] : memref<2xi8>
  %w = arith.extui %x : i8 to i16
  %at = arith.index_cast %w : i16 to index
  memref.store %x, %b[%at] : memref<4xi8>
  %half = arith.constant 5.000000e-01 : f32
  %v = func.call @tm_expf(%half) : (f32) -> f32
  memref.store %v, %e[] : memref<f32>
  func.return %e : memref<f32>
}

// CHECK:      c.program @mixed
// CHECK:        c.verbatim "tinyml/f32.h" provides ["tm_expf"] text
// CHECK-NEXT:   c.arena @arena 4 {alignment = 4 : i64} : f32
// CHECK-NEXT:   c.func @mixed_predict(%X: !c.ptr<i8, const>) attributes
// CHECK:          %b = c.view @arena[0] {length = 4 : i64, doc = "4 int8_t"} : !c.ptr<i8, alias>
// CHECK-NEXT:     %e = c.view @arena[0] {length = 1 : i64, doc = "scalar float"} : !c.ptr<f32, alias>
// CHECK:          %x = c.load %X[{{%.*}}] : !c.ptr<i8, const>
// CHECK:          [[U:%.*]] = c.cast %x : i8 to ui8
// CHECK-NEXT:     %w = c.cast [[U]] : ui8 to i16
// CHECK:          %v = c.call @tm_expf(%half) : (f32) -> f32
// CHECK:          c.return
// CHECK-NEXT:   }

// -----

// Rows of a sparse matrix follow each other: the pointer walks on through both loops, and its position needs no index.

func.func @rows(%X: memref<1xi32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %Z = scratch.constant dense<[1, 2, 3]> : tensor<3xi32> -> memref<3xi32, #scratch.flash>
  %end, %all = scf.for %i = %c0 to %c2 step %c1 iter_args(%at = %c0, %t = %zero) -> (index, i32) {
    %next, %sum = scf.for %k = %c0 to %i step %c1 iter_args(%a = %at, %s = %t) -> (index, i32) {
      %z = memref.load %Z[%a] : memref<3xi32, #scratch.flash>
      %n = arith.addi %s, %z : i32
      %b = arith.addi %a, %c1 : index
      scf.yield %b, %n : index, i32
    }
    scf.yield %next, %sum : index, i32
  }
  %label = arith.index_cast %all : i32 to index
  func.return %label : index
}

// CHECK:      c.program @rows
// CHECK:          [[AT:%.*]] = c.variable = %Z : !c.var<!c.ptr<i32, flash>>
// CHECK-NEXT:     [[T:%.*]] = c.variable = %zero : !c.var<i32>
// CHECK-NEXT:     c.for %i = %c0 to %c2 {
// CHECK-NEXT:       [[OLD:%.*]] = c.read [[T]] : i32
// CHECK-NEXT:       [[S:%.*]] = c.variable = [[OLD]] : !c.var<i32>
// CHECK-NEXT:       c.for %k = %c0 to %i {
// CHECK-NEXT:         c.read [[S]] : i32
// CHECK-NEXT:         %z = c.next [[AT]] : !c.var<!c.ptr<i32, flash>>

// -----

// Memory of a function's own is a local array.
func.func @own(%X: memref<2xi16>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %own = memref.alloca() : memref<2xi16>
  %x = memref.load %X[%c0] : memref<2xi16>
  memref.store %x, %own[%c1] : memref<2xi16>
  %y = memref.load %own[%c1] : memref<2xi16>
  %label = arith.index_cast %y : i16 to index
  func.return %label : index
}

// CHECK:      c.program @own
// CHECK:          %own = c.array 2 : !c.ptr<i16>
// CHECK:          c.store %x, %own[{{%.*}}] : !c.ptr<i16>

// -----

// Every comparison of floats; those that hold for NaN, too, are the others negated.
func.func @floats(%x: memref<2x1xf32> {tinyml.format = "f32"}) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.load %x[%c0, %c0] : memref<2x1xf32>
  %b = memref.load %x[%c1, %c0] : memref<2x1xf32>
  %oeq = arith.cmpf oeq, %a, %b : f32
  %s_oeq = arith.select %oeq, %c0, %c1 : index
  %ogt = arith.cmpf ogt, %a, %b : f32
  %s_ogt = arith.select %ogt, %s_oeq, %c1 : index
  %oge = arith.cmpf oge, %a, %b : f32
  %s_oge = arith.select %oge, %s_ogt, %c1 : index
  %olt = arith.cmpf olt, %a, %b : f32
  %s_olt = arith.select %olt, %s_oge, %c1 : index
  %ole = arith.cmpf ole, %a, %b : f32
  %s_ole = arith.select %ole, %s_olt, %c1 : index
  %ugt = arith.cmpf ugt, %a, %b : f32
  %s_ugt = arith.select %ugt, %s_ole, %c1 : index
  %uge = arith.cmpf uge, %a, %b : f32
  %s_uge = arith.select %uge, %s_ugt, %c1 : index
  %ult = arith.cmpf ult, %a, %b : f32
  %s_ult = arith.select %ult, %s_uge, %c1 : index
  %ule = arith.cmpf ule, %a, %b : f32
  %s_ule = arith.select %ule, %s_ult, %c1 : index
  %une = arith.cmpf une, %a, %b : f32
  %s_une = arith.select %une, %s_ule, %c1 : index
  func.return %s_une : index
}
// CHECK-LABEL: c.func @floats_predict(
// CHECK: c.compare %a "==" %b : f32
// CHECK: c.compare %a ">" %b : f32
// CHECK: c.compare %a ">=" %b : f32
// CHECK: c.compare %a "<" %b : f32
// CHECK: c.compare %a "<=" %b : f32
// CHECK: [[ugt:%.*]] = c.compare %a "<=" %b : f32
// CHECK-NEXT: %ugt = c.unary "!" [[ugt]]
// CHECK: [[uge:%.*]] = c.compare %a "<" %b : f32
// CHECK-NEXT: %uge = c.unary "!" [[uge]]
// CHECK: [[ult:%.*]] = c.compare %a ">=" %b : f32
// CHECK-NEXT: %ult = c.unary "!" [[ult]]
// CHECK: [[ule:%.*]] = c.compare %a ">" %b : f32
// CHECK-NEXT: %ule = c.unary "!" [[ule]]
// CHECK: %une = c.compare %a "!=" %b : f32
// CHECK-NEXT: %s_une = c.conditional %une, %s_ule, %c1 : index

// -----

// Products of 16 bits in a type of 24 may not fit: they are products of that type.
func.func @narrow(%X: memref<2xi16> {tinyml.format = "!fixed.q<16, 12>"}) -> (memref<1xi16> {tinyml.format = "!fixed.q<16, 10>"}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
  %Y = scratch.view %arena[2 : i64] : memref<8xi8> to memref<1xi16>
  %a = memref.load %X[%0] : memref<2xi16>
  %b = memref.load %X[%1] : memref<2xi16>
  %x = arith.extsi %a : i16 to i24
  %y = arith.extsi %b : i16 to i24
  %z = arith.muli %x, %y : i24
  %s = arith.trunci %z : i24 to i16
  memref.store %s, %Y[%0] : memref<1xi16>
  func.return %Y : memref<1xi16>
}
// CHECK-LABEL: c.func @narrow_predict(
// CHECK: %x = c.cast %a : i16 to i24
// CHECK-NEXT: %y = c.cast %b : i16 to i24
// CHECK-NEXT: %z = c.binary %x "*" %y : i24
