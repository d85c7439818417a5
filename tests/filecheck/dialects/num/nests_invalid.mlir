// What the verifier of nests says.

// RUN: %invalid

"num.nest"() <{extents = array<i64>}> ({
^bb0:
}) : () -> ()
// CHECK: needs axes of at least 2 elements each, got ()

// -----

num.nest %i, %j to 3, 1 {
}
// CHECK: needs axes of at least 2 elements each, got (3, 1)

// -----

"num.nest"() <{extents = array<i64: 2>}> ({
^bb0(%i: i16):
}) : () -> ()
// CHECK: the body takes an index for each extent of (2,)

// -----

%zero, %two, %one = "test.op"() : () -> (index, index, index)
num.nest %i to 2 {
  scf.for %j = %zero to %two step %one {
  }
}
// CHECK: a body consists of loads, scalar ops and stores, got scf.for

// -----

%x, %y = "test.op"() : () -> (memref<2xf32>, memref<2xf32>)
num.nest %i to 2 {
  "memref.copy"(%x, %y) : (memref<2xf32>, memref<2xf32>) -> ()
}
// CHECK: a body consists of loads, scalar ops and stores, got memref.copy

// -----

%x = "test.op"() : () -> memref<6xf32>
num.nest %i to 2 {
  %row = scratch.slice %x[%i] : memref<6xf32> to memref<2xf32>
  %a = memref.load %row[%i] : memref<2xf32>
}
// CHECK: memref.load takes a buffer from outside, and indices that are numbers of axes, constants, values from outside or an 'affine.apply' of these

// -----

%x = "test.op"() : () -> memref<6xf32>
num.nest %i to 2 {
  %next = arith.addi %i, %i : index
  %a = memref.load %x[%next] : memref<6xf32>
}
// CHECK: memref.load takes a buffer from outside, and indices that are numbers of axes, constants, values from outside or an 'affine.apply' of these

// -----

%x, %n = "test.op"() : () -> (memref<6xf32>, index)
num.nest %i to 2 {
  %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%n)
  %a = memref.load %x[%next] : memref<6xf32>
}
// CHECK: memref.load takes a buffer from outside, and indices that are numbers of axes, constants, values from outside or an 'affine.apply' of these

// -----

// The divisor of a remainder is a positive constant.
%x = "test.op"() : () -> memref<6xf32>
num.nest %i, %j to 2, 3 {
  %at = affine.apply affine_map<(d0, d1) -> (d0 mod -2)> (%i, %j)
  %a = memref.load %x[%at] : memref<6xf32>
}
// CHECK: memref.load has the index (d0 mod -2), which no loop computes

// -----

// What is divided has a least value: that of a difference from a value from outside is unknown.
%x, %n = "test.op"() : () -> (memref<6xf32>, index)
num.nest %i to 2 {
  %at = affine.apply affine_map<(d0)[s0] -> ((d0 - s0) mod 6)> (%i)[%n]
  %a = memref.load %x[%at] : memref<6xf32>
}
// CHECK: memref.load has the index ((d0 + (s0 * -1)) mod 6), which no loop computes

// -----

// An access may reach the last element, and none behind it.
%x, %y, %a = "test.op"() : () -> (memref<2x4xf32>, memref<2x5xf32>, f32)
num.nest %i, %j to 2, 3 {
  %at = affine.apply affine_map<(d0, d1) -> (d0 + d1 + 1)> (%i, %j)
  memref.store %a, %y[%i, %at] : memref<2x5xf32>
  memref.store %a, %x[%i, %at] : memref<2x4xf32>
}
// CHECK: memref.store reaches elements 1 to 4 of axis 1 of 4

// -----

%x = "test.op"() : () -> memref<3xf32>
num.nest %i to 4 {
  %at = affine.apply affine_map<(d0) -> (2 - d0)> (%i)
  %a = memref.load %x[%at] : memref<3xf32>
}
// CHECK: memref.load reaches elements -1 to 2 of axis 0 of 3

// -----

// The entries of a row are those of a contraction.
%start, %gaps, %lengths = "test.op"() : () -> (i16, memref<4xi8>, memref<3xi8>)
num.nest %i to 3 {
  %sum = num.entries %start, %gaps, %lengths : i16, memref<4xi8>, memref<3xi8> -> i16 {
  ^bb0(%s: i16, %entry: index, %column: index):
    num.next %s : i16
  }
}
// CHECK: 'num.entries' expects parent op 'num.contract'
