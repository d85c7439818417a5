// What the verifiers of the scalar ops say.

// RUN: %invalid

%a = "test.op"() : () -> (i16)
%r = num.neg %a : i16 -> i16
// CHECK: expected a scalar of a number format, got i16

// -----

%a = "test.op"() : () -> (tensor<2xf32>)
%r = num.exp %a : tensor<2xf32> -> tensor<2xf32>
// CHECK: expected a scalar of a number format, got tensor<2xf32>

// -----

%a = "test.op"() : () -> (f32)
%r = num.exp %a : f32 -> !fixed.q<16, 12>
// CHECK: invalid.mlir:18:1: mixes the families exact, float; convert first

// -----

%a, %b = "test.op"() : () -> (f32, !fixed.q<16, 12>)
%r = num.add %a, %b : f32, !fixed.q<16, 12> -> !fixed.q<16, 12>
// CHECK: invalid.mlir:24:1: mixes the families exact, float; convert first

// -----

%a = "test.op"() : () -> (f32)
%r = num.convert %a : f32 -> i8
// CHECK: expected a scalar of a number format, got i8

// -----

%r = num.constant {value = 1.0 : f64} -> i32
// CHECK: expected a scalar of a number format, got i32

// -----

%r = num.zero : !fixed.q<16, 12>
// CHECK: expected an accumulator, got !fixed.q<16, 12>

// -----

%a, %b = "test.op"() : () -> (i32, !fixed.q<16, 12>)
%r = num.mac %a, %b, %b : i32, !fixed.q<16, 12>, !fixed.q<16, 12> -> i32
// CHECK: expected an accumulator, got i32

// -----

%a, %b = "test.op"() : () -> (f32, !fixed.q<16, 12>)
%r = num.mac %a, %b, %b : f32, !fixed.q<16, 12>, !fixed.q<16, 12> -> f32
// CHECK: f32 does not sum products of !fixed.q<16, 12> and !fixed.q<16, 12>: FAMILY of the accumulator is 'float', that of !fixed.q<16, 12> is 'exact'

// -----

%a, %b = "test.op"() : () -> (!fixed.acc<32, 23>, !fixed.q<16, 12>)
%r = num.mac %a, %b, %b : !fixed.acc<32, 23>, !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.acc<32, 23>
// CHECK: !fixed.acc<32, 23> does not sum products of !fixed.q<16, 12> and !fixed.q<16, 12>

// -----

%a, %b = "test.op"() : () -> (!fixed.acc<32, 24>, !fixed.q<16, 12>)
%r = num.mac %a, %b, %b : !fixed.acc<32, 24>, !fixed.q<16, 12>, !fixed.q<16, 12> -> !fixed.acc<64, 24>
// CHECK: the sum changes its type from !fixed.acc<32, 24> to !fixed.acc<64, 24>

// -----

%a = "test.op"() : () -> (!fixed.q<16, 12>)
%r = num.finish %a : !fixed.q<16, 12> -> !fixed.q<16, 12>
// CHECK: expected an accumulator, got !fixed.q<16, 12>

// -----

%a = "test.op"() : () -> (!fixed.acc<32, 24>)
%r = num.finish %a : !fixed.acc<32, 24> -> i16
// CHECK: expected a scalar of a number format, got i16

// -----

%a = "test.op"() : () -> (!fixed.acc<32, 24>)
%r = num.finish %a : !fixed.acc<32, 24> -> f32
// CHECK: a sum in !fixed.acc<32, 24> cannot be rounded into f32; convert first

// -----

%a = "test.op"() : () -> (!fixed.q<16, 12>)
%r = num.clamp %a {low = 0.0 : f64} : !fixed.q<16, 12> -> f32
// CHECK: a clamp keeps its format, got !fixed.q<16, 12> -> f32

// -----

%a = "test.op"() : () -> (i8)
%r = num.at_least %a {threshold = 0.0 : f64} : i8
// CHECK: expected a scalar of a number format, got i8

// -----

%a, %b = "test.op"() : () -> (f32, !fixed.q<16, 12>)
%r = num.greater %a, %b : f32, !fixed.q<16, 12>
// CHECK: compares one format, got f32 and !fixed.q<16, 12>

// -----

func.func @dot(%w: memref<8xf32>, %x: memref<7xf32>) {
  %zero = num.zero : f32
  %a = num.call #num.dot(%zero, %w, %x) : (f32, memref<8xf32>, memref<7xf32>) -> f32
  func.return
}
// CHECK: needs runs of equal length, got shapes (8,) and (7,)

// -----

%s, %w, %x = "test.op"() : () -> (f32, memref<8xf32>, memref<21xf32>)
%r = num.call #num.strided_dot<3>(%s, %w, %x) : (f32, memref<8xf32>, memref<21xf32>) -> f32
// CHECK: needs runs of n and (n - 1) * 3 + 1 elements, got shapes (8,) and (21,)

// -----

%s, %w, %x = "test.op"() : () -> (f32, memref<8xf32>, memref<1xf32>)
%r = num.call #num.strided_dot<0>(%s, %w, %x) : (f32, memref<8xf32>, memref<1xf32>) -> f32
// CHECK: needs runs of n and (n - 1) * 0 + 1 elements, got shapes (8,) and (1,)

// -----

%s, %w = "test.op"() : () -> (!fixed.acc<32, 17>, memref<3x!fixed.q<16, 9>>)
%r = num.call #num.dot(%s, %w, %w) : (!fixed.acc<32, 17>, memref<3x!fixed.q<16, 9>>, memref<3x!fixed.q<16, 9>>) -> !fixed.acc<32, 17>
// CHECK: !fixed.acc<32, 17> does not sum products of !fixed.q<16, 9> and !fixed.q<16, 9>

// -----

%s, %w = "test.op"() : () -> (!fixed.acc<32, 19>, memref<3x!fixed.q<16, 9>>)
%r = num.call #num.strided_dot<1>(%s, %w, %w) : (!fixed.acc<32, 19>, memref<3x!fixed.q<16, 9>>, memref<3x!fixed.q<16, 9>>) -> !fixed.acc<32, 19>
// CHECK: !fixed.acc<32, 19> does not sum products of !fixed.q<16, 9> and !fixed.q<16, 9>

// -----

%s, %w, %g, %i = "test.op"() : () -> (!fixed.acc<32, 17>, memref<3x!fixed.q<16, 9>>, memref<3xi8>, index)
%r = num.call #num.sparse_dot(%s, %w, %g, %g, %w, %i, %i) : (!fixed.acc<32, 17>, memref<3x!fixed.q<16, 9>>, memref<3xi8>, memref<3xi8>, memref<3x!fixed.q<16, 9>>, index, index) -> !fixed.acc<32, 17>
// CHECK: !fixed.acc<32, 17> does not sum products of !fixed.q<16, 9> and !fixed.q<16, 9>

// -----

%s, %a, %b = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x!fixed.q<14, 9>>, memref<4x!fixed.q<14, 9>>)
%r = num.call #num.distance(%s, %a, %b) : (!fixed.acc<32, 18>, memref<3x!fixed.q<14, 9>>, memref<4x!fixed.q<14, 9>>) -> !fixed.acc<32, 18>
// CHECK: needs runs of equal length, got shapes (3,) and (4,)

// -----

%s, %a, %f = "test.op"() : () -> (memref<3x!fixed.acc<32, 17>>, memref<3x!fixed.q<14, 9>>, !fixed.q<16, 9>)
num.call #num.axpy(%s, %a, %f) : (memref<3x!fixed.acc<32, 17>>, memref<3x!fixed.q<14, 9>>, !fixed.q<16, 9>) -> ()
// CHECK: !fixed.acc<32, 17> does not sum products of !fixed.q<14, 9> and !fixed.q<16, 9>

// -----

%s, %n = "test.op"() : () -> (f32, i8)
%r = num.shift %s, %n : f32 -> f32
// CHECK: f32 is not an integer that could be shifted

// -----

func.func @finish_beyond_the_sum(%s: !fixed.acc<16, 8>) {
  %y = num.finish %s {bound = array<i64: -40000, 0>} : !fixed.acc<16, 8> -> !fixed.q<8, 4>
  func.return
}
// CHECK: !fixed.acc<16, 8> cannot hold sums from -40000 to 0 and round them into !fixed.q<8, 4>

// -----

%x = "test.op"() : () -> f32
%r = num.tanh %x {scheme = "seedot"} : f32 -> f32
// CHECK: f32 has no scheme 'seedot' for functions

// -----

%x = "test.op"() : () -> f32
%r = num.leaky_relu %x {slope = 0x7FF0000000000000 : f64} : f32 -> f32
// CHECK: the slope must be finite, got inf

// -----

%x = "test.op"() : () -> !fixed.q<9, 4>
%r = num.lookup %x {table = array<i8: 0>} : !fixed.q<9, 4> -> !fixed.q<8, 4>
// CHECK: tables have at most 8 bits, got !fixed.q<9, 4> and !fixed.q<8, 4>

// -----

%x = "test.op"() : () -> !fixed.q<2, 0>
%r = num.lookup %x {table = array<i8: 0, 1, 2>} : !fixed.q<2, 0> -> !fixed.q<9, 4>
// CHECK: tables have at most 8 bits, got !fixed.q<2, 0> and !fixed.q<9, 4>

// -----

%x = "test.op"() : () -> !fixed.q<2, 0>
%r = num.lookup %x {table = array<i8: 0, 1, 2, 3>} : !fixed.q<2, 0> -> !fixed.q<8, 4>
// CHECK: !fixed.q<2, 0> has 3 numbers, the table has 4

// -----

%x = "test.op"() : () -> !fixed.q<2, 0>
%r = num.lookup %x {table = array<i8: 0, 1, -128>} : !fixed.q<2, 0> -> !fixed.q<8, 4>
// CHECK: -128 is not the raw value of any !fixed.q<8, 4>

// -----

%s, %m, %x = "test.op"() : () -> (memref<3x!fixed.acc<32, 18>>, memref<10x!fixed.q<16, 9>>, memref<3x!fixed.q<16, 9>>)
num.call #num.dot_rows(%s, %s, %m, %x) by #num.kernel<"k"> : (memref<3x!fixed.acc<32, 18>>, memref<3x!fixed.acc<32, 18>>, memref<10x!fixed.q<16, 9>>, memref<3x!fixed.q<16, 9>>) -> ()
// CHECK: 3 rows of 3 elements are not 10

// -----

func.func @start(%a: !fixed.q<8, 9>) {
  %s = num.start %a : !fixed.q<8, 9> -> !fixed.acc<16, 8>
  func.return
}
// CHECK: a sum in !fixed.acc<16, 8> does not start from !fixed.q<8, 9>

// -----

func.func @align(%s: !fixed.acc<16, 8>) {
  %t = num.align %s : !fixed.acc<16, 8> -> !fixed.acc<16, 7>
  func.return
}
// CHECK: a sum in !fixed.acc<16, 8> does not go on in !fixed.acc<16, 7>

// -----

%s, %w, %x, %i = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3xi8>, memref<3x!fixed.q<14, 9>>, index)
%r = num.call #num.sparse_dot(%s, %w, %w, %w, %x, %i, %i) : (!fixed.acc<32, 18>, memref<3xi8>, memref<3xi8>, memref<3xi8>, memref<3x!fixed.q<14, 9>>, index, index) -> !fixed.acc<32, 18>
// CHECK: elements must be of a number format, got i8

// -----

%y, %x = "test.op"() : () -> (memref<2x!fixed.q<8, 5>>, memref<3x!fixed.q<8, 6>>)
num.call #num.coded_rows<{weights = [dense<1> : tensor<2x4xi8>], aligns = array<i64: 0>, starts = dense<0> : tensor<2xi32>, right = 8 : i64}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<2x!fixed.q<8, 5>>, memref<3x!fixed.q<8, 6>>) -> ()
// CHECK: 2 rows of [4] elements do not give 2 results of [3]

// -----

%y, %x = "test.op"() : () -> (memref<2x!fixed.q<8, 5>>, memref<4x!fixed.q<8, 6>>)
num.call #num.coded_rows<{weights = [dense<1> : tensor<3x4xi8>], aligns = array<i64: 0>, starts = dense<0> : tensor<2xi32>, right = 8 : i64}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<2x!fixed.q<8, 5>>, memref<4x!fixed.q<8, 6>>) -> ()
// CHECK: matrices of shapes (3, 4) have no rows for starts of shape (2,)

// -----

%y, %x = "test.op"() : () -> (memref<2x!fixed.q<8, 5>>, memref<4x!fixed.q<8, 6>>)
num.call #num.coded_rows<{weights = [dense<1> : tensor<2x4xi8>], aligns = array<i64: 1>, starts = dense<0> : tensor<2xi32>, right = 8 : i64}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<2x!fixed.q<8, 5>>, memref<4x!fixed.q<8, 6>>) -> ()
// CHECK: sums are shifted to the left by [1] and to the right by 8

// -----

%y, %x = "test.op"() : () -> (memref<2x!fixed.q<8, 5>>, memref<4x!fixed.q<8, 6>>)
num.call #num.coded_rows<{weights = [dense<1> : tensor<2x4xi16>], aligns = array<i64: 0>, starts = dense<0> : tensor<2xi32>, right = 8 : i64}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<2x!fixed.q<8, 5>>, memref<4x!fixed.q<8, 6>>) -> ()
// CHECK: expected elements of i8

// -----

%y, %x = "test.op"() : () -> (memref<2x!fixed.q<8, 5>>, memref<4x!fixed.q<8, 6>>)
num.call #num.coded_rows<{right = 8 : i64}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<2x!fixed.q<8, 5>>, memref<4x!fixed.q<8, 6>>) -> ()
// CHECK: coded rows have weights, starts, aligns, right, got

// -----

%y, %x = "test.op"() : () -> (memref<2x!fixed.q<8, 5>>, memref<4x!fixed.q<8, 6>>)
num.call #num.coded_rows<{weights = [dense<1> : tensor<2x4xi8>], aligns = array<i64: 0>, starts = dense<0> : tensor<2xi32>, right = 8 : i64}, time = 1, once = 2>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<2x!fixed.q<8, 5>>, memref<4x!fixed.q<8, 6>>) -> ()
// CHECK: expected call, stack

// -----

%y, %x = "test.op"() : () -> (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>)
num.call #num.coded_tile<{weights = dense<7> : tensor<1x1x2xi8>, starts = dense<4> : tensor<1xi32>, multipliers = dense<1073741824> : tensor<1xi32>, shifts = dense<-3> : tensor<1xi8>, places = array<i64: 0, 1, 2, -5, 1>}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>) -> ()
// CHECK: 2 results of 3 elements are not 1 of 2

// -----

%y, %x = "test.op"() : () -> (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>)
num.call #num.coded_tile<{weights = dense<7> : tensor<1x1x2xi8>, starts = dense<4> : tensor<1xi32>, multipliers = dense<1073741824> : tensor<1xi32>, shifts = dense<-3> : tensor<1xi8>, places = array<i64: 0, 1, 1>}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>) -> ()
// CHECK: coded tiles have weights, starts, multipliers, shifts, places, got

// -----

%y, %x = "test.op"() : () -> (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>)
num.call #num.coded_tile<{weights = dense<7> : tensor<2x1x1xi8>, starts = dense<4> : tensor<1xi32>, multipliers = dense<1073741824> : tensor<1xi32>, shifts = dense<-3> : tensor<1xi8>, places = array<i64: 0, 1, 1, -5, 1>}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>) -> ()
// CHECK: weights of shape (2, 1, 1) have no numbers of shapes (1,), (1,), (1,)

// -----

%y, %x = "test.op"() : () -> (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>)
num.call #num.coded_tile<{weights = dense<7> : tensor<1x1x2xi8>, starts = dense<4> : tensor<1xi32>, multipliers = dense<1073741824> : tensor<1xi32>, shifts = dense<3> : tensor<1xi8>, places = array<i64: 0, 1, 1, -5, 1>}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>) -> ()
// CHECK: sums are multiplied by [1073741824] and shifted by [3]

// -----

%y, %x = "test.op"() : () -> (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>)
num.call #num.coded_tile<{weights = dense<7> : tensor<1x1x2xi8>, starts = dense<4> : tensor<1xi32>, multipliers = dense<1073741824> : tensor<1xi32>, shifts = dense<-3> : tensor<1xi8>, places = array<i64: 0, 1, 1, 200, 1>}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>) -> ()
// CHECK: 1 windows lie 1 elements apart, runs 0, zero at 200

// -----

%y, %x = "test.op"() : () -> (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>)
num.call #num.coded_tile<{weights = dense<> : tensor<1x0x2xi8>, starts = dense<4> : tensor<1xi32>, multipliers = dense<1073741824> : tensor<1xi32>, shifts = dense<-3> : tensor<1xi8>, places = array<i64: 0, 1, 1, -5, 1>}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>) -> ()
// CHECK: needs at least one weight, got the shape (1, 0, 2)

// -----

%y, %x = "test.op"() : () -> (memref<1x!fixed.q<16, 5>>, memref<2x!fixed.q<8, 6>>)
num.call #num.coded_tile<{weights = dense<7> : tensor<1x1x2xi8>, starts = dense<4> : tensor<1xi32>, multipliers = dense<1073741824> : tensor<1xi32>, shifts = dense<-3> : tensor<1xi8>, places = array<i64: 0, 1, 1, -5, 1>}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<1x!fixed.q<16, 5>>, memref<2x!fixed.q<8, 6>>) -> ()
// CHECK: needs integers of one byte that are not packed, got memref<1x!fixed.q<16, 5>>

// -----

%y, %x = "test.op"() : () -> (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<6, 4>, #scratch.packed_ram<6>>)
num.call #num.coded_tile<{weights = dense<7> : tensor<1x1x2xi8>, starts = dense<4> : tensor<1xi32>, multipliers = dense<1073741824> : tensor<1xi32>, shifts = dense<-3> : tensor<1xi8>, places = array<i64: 0, 1, 1, -5, 1>}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<1x!fixed.q<8, 5>>, memref<2x!fixed.q<6, 4>, #scratch.packed_ram<6>>) -> ()
// CHECK: needs integers of one byte that are not packed, got memref<2x!fixed.q<6, 4>, #scratch.packed_ram<6>>

// -----

%y, %x = "test.op"() : () -> (memref<2x!fixed.q<8, 5>>, memref<4x!fixed.q<16, 6>>)
num.call #num.coded_rows<{weights = [dense<1> : tensor<2x4xi8>], aligns = array<i64: 0>, starts = dense<0> : tensor<2xi32>, right = 8 : i64}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<2x!fixed.q<8, 5>>, memref<4x!fixed.q<16, 6>>) -> ()
// CHECK: needs integers of one byte that are not packed, got memref<4x!fixed.q<16, 6>>

// -----

%t, %x = "test.op"() : () -> (index, !fixed.q<16, 12>)
%r = num.tally %t, %x : index, !fixed.q<16, 12> -> index
// CHECK: expected a total, an integer or f32

// -----

%t, %x = "test.op"() : () -> (i32, !fixed.q<16, 12>)
%r = num.tally %t, %x : i32, !fixed.q<16, 12> -> i64
// CHECK: the total changes its type from i32 to i64

// -----

%t = "test.op"() : () -> i32
%r = num.average %t {count = 3 : i64, of = f32} : i32 -> !fixed.q<16, 12>
// CHECK: mixes the families exact, float; convert first

// -----

%x, %y = "test.op"() : () -> (!fixed.q<16, 12>, !fixed.q<16, 11>)
%r = num.softmax_term %x, %y {into = !fixed.q<16, 12>} : !fixed.q<16, 12>, !fixed.q<16, 11> -> i32
// CHECK: compares one format, got !fixed.q<16, 12> and !fixed.q<16, 11>

// -----

%t, %x = "test.op"() : () -> (i32, !fixed.q<16, 12>)
%r = num.add_square %t, %x {into = i8} : i32, !fixed.q<16, 12> -> i32
// CHECK: expected a number format, got i8

// -----

num.lane_function @f(%x: memref<2xi8>, %y: memref<2xi8>) at %lane to 2 {
  %a = memref.load %x[%lane] : memref<2xi8>
}
// CHECK: ends in its only store, to the last run

// -----

num.lane_function @f(%x: memref<2xi8>, %y: memref<2xi8>) at %lane to 2 {
  %a = memref.load %y[%lane] : memref<2xi8>
  memref.store %a, %x[%lane] : memref<2xi8>
}
// CHECK: ends in its only store, to the last run

// -----

num.lane_function @f(%x: memref<2xi8>, %y: memref<2xi8>) at %lane to 2 {
  %a = memref.load %x[%lane] : memref<2xi8>
  "test.op"() : () -> ()
  memref.store %a, %y[%lane] : memref<2xi8>
}
// CHECK: consists of loads, arithmetic, reductions and a store, got test.op

// -----

num.lane_function @f(%x: memref<2xf32>, %y: memref<2xf32>) at %lane to 2 {
  %a = memref.load %x[%lane] : memref<2xf32>
  memref.store %a, %y[%lane] : memref<2xf32>
}
// CHECK: takes runs of memory of integers of 8, 16 or 32 bits

// -----

num.lane_function @f(%y: memref<2xi8>) at %line, %lane to 0, 2 {
  %a = memref.load %y[%lane] : memref<2xi8>
  memref.store %a, %y[%lane] : memref<2xi8>
}
// CHECK: needs a run and at most lines and lanes of at least 1, got (0, 2)

// -----

func.func @main() {
  %y, %x = "test.op"() : () -> (memref<2x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>)
  num.call #num.coded_loop<{function = @lanes}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<2x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>) -> ()
  func.return
}
// CHECK: there is no function of lanes 'lanes'

// -----

func.func @main() {
  %y, %x = "test.op"() : () -> (memref<2x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>)
  num.call #num.coded_loop<{}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<2x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>) -> ()
  func.return
}
// CHECK: num.coded_loop has the name of a function of lanes, got {}

// -----

func.func @main() {
  %y, %x = "test.op"() : () -> (memref<2x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>)
  num.call #num.coded_loop<{function = @lanes}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<2x!fixed.q<8, 5>>, memref<2x!fixed.q<8, 6>>) -> ()
  func.return
}
num.lane_function @lanes(%x: memref<3xi8>, %y: memref<2xi8>) at %lane to 2 {
  %a = memref.load %x[%lane] : memref<3xi8>
  memref.store %a, %y[%lane] : memref<2xi8>
}
// CHECK: runs have the widths and lengths {{.*}}(8, 3), (8, 2)], got [(8, 2), (8, 2)]

// -----

func.func @main() {
  %y, %x = "test.op"() : () -> (memref<2x!fixed.q<8, 5>>, memref<2x!fixed.q<6, 4>, #scratch.packed_ram<6>>)
  num.call #num.coded_loop<{function = @lanes}, time = 1, once = 2, call = 3, stack = 4>(%y, %x) by #num.code_kernel<"k", "0"> : (memref<2x!fixed.q<8, 5>>, memref<2x!fixed.q<6, 4>, #scratch.packed_ram<6>>) -> ()
  func.return
}
// CHECK: needs elements that are not packed, got memref<2x!fixed.q<6, 4>, #scratch.packed_ram<6>>

// -----

%s, %p, %n = "test.op"() : () -> (!fixed.acc<32, 16>, !fixed.acc<24, 16>, i8)
%r = num.add_shifted %s, %p, %n : !fixed.acc<32, 16>, !fixed.acc<24, 16> -> !fixed.acc<32, 16>
// CHECK: a part in !fixed.acc<24, 16> does not join a sum in !fixed.acc<32, 16>

// -----

%a = "test.op"() : () -> (!fixed.q<8, 4>)
%r = num.weighted_sum %a {weights = array<i32: 1, 1>, start = 0 : i64} : !fixed.q<8, 4> -> !fixed.q<8, 4>
// CHECK: num.weighted_sum has one or two operands, and a weight for each

// -----

%a = "test.op"() : () -> (!fixed.q<16, 12>)
%r = num.weighted_sum %a {weights = array<i32: 1>, start = 0 : i64} : !fixed.q<16, 12> -> !fixed.q<8, 4>
// CHECK: num.weighted_sum has operands and a result of bytes

// -----

%a = "test.op"() : () -> (!fixed.q<8, 4>)
%r = num.weighted_sum %a {weights = array<i32: -1>, start = 0 : i64} : !fixed.q<8, 4> -> !fixed.q<8, 4>
// CHECK: the weights of num.weighted_sum are not negative

// -----

// One more than the greatest start.
%a = "test.op"() : () -> (!fixed.q<8, 4>)
%r = num.weighted_sum %a {weights = array<i32: 2147483647>, start = 274877907072 : i64} : !fixed.q<8, 4> -> !fixed.q<8, 4>
// CHECK: the sums of num.weighted_sum can leave 40 bits
