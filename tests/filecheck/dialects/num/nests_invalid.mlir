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
// CHECK: memref.load takes a buffer from outside, and indices that are numbers of axes, constants, values from outside, or sums, multiples and an 'affine.apply' of these

// -----

%x = "test.op"() : () -> memref<6xf32>
num.nest %i to 2 {
  %next = arith.divsi %i, %i : index
  %a = memref.load %x[%next] : memref<6xf32>
}
// CHECK: memref.load takes a buffer from outside, and indices that are numbers of axes, constants, values from outside, or sums, multiples and an 'affine.apply' of these

// -----

%x, %n = "test.op"() : () -> (memref<6xf32>, index)
num.nest %i to 2 {
  %next = affine.apply affine_map<(d0) -> (d0 + 1)> (%n)
  %a = memref.load %x[%next] : memref<6xf32>
}
// CHECK: memref.load takes a buffer from outside, and indices that are numbers of axes, constants, values from outside, or sums, multiples and an 'affine.apply' of these

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

// -----

// The numbers of a reduction are in the maps: the last element of a window lies in the buffer.
%x, %total = "test.op"() : () -> (memref<4xf32>, f32)
num.nest %i to 3 {
  %sum = num.reduce %total {first = 0 : i64, extent = 3 : i64, kinds = ["sum"]} : f32 -> f32 {
  ^bb0(%k: index, %before: f32):
    %at = affine.apply affine_map<(d0, d1) -> (d0 + d1)> (%i, %k)
    %a = memref.load %x[%at] : memref<4xf32>
    %next = num.tally %before, %a : f32, f32 -> f32
    num.next %next : f32
  }
}
// CHECK: memref.load reaches elements 0 to 4 of axis 0 of 4

// -----

// Where numbers are divided, they are those of axes, whose ends are known.
%x = "test.op"() : () -> memref<4xf32>
num.nest %i to 3 {
  %back = affine.apply affine_map<(d0) -> (1 - d0)> (%i)
  %at = affine.apply affine_map<(d0) -> (d0 mod 4)> (%back)
  %a = memref.load %x[%at] : memref<4xf32>
}
// CHECK: memref.load takes a buffer from outside, and indices that are numbers of axes, constants, values from outside, or sums, multiples and an 'affine.apply' of these

// -----

%total = "test.op"() : () -> f32
%sum = num.reduce %total {first = 2 : i64, extent = 1 : i64, kinds = ["sum"]} : f32 -> f32 {
^bb0(%k: index, %before: f32):
  num.next %before : f32
}
// CHECK: counts up from at least 0, got 2 to 1

// -----

%total = "test.op"() : () -> f32
%sum = num.reduce %total {first = 0 : i64, extent = 1 : i64, kinds = ["sum"]} : f32 -> f32 {
^bb0(%before: f32):
  num.next %before : f32
}
// CHECK: the body takes an index, and a value for each start

// -----

%total = "test.op"() : () -> f32
%sum = num.reduce %total {first = 0 : i64, extent = 1 : i64, kinds = ["sum"]} : f32 -> f32 {
^bb0(%k: index, %before: f32):
  num.next %k : index
}
// CHECK: the body ends in 'num.next' with a value for each start, which are also the results

// -----

%total = "test.op"() : () -> f32
%sum = num.reduce %total {first = 0 : i64, extent = 2 : i64, kinds = ["sum", "sum"]} : f32 -> f32 {
^bb0(%k: index, %before: f32):
  %next = num.tally %before, %before : f32, f32 -> f32
  num.next %next : f32
}
// CHECK: needs a kind for each of 1 values, got 2

// -----

%total, %y = "test.op"() : () -> (f32, memref<2xf32>)
%sum = num.reduce %total {first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : f32 -> f32 {
^bb0(%k: index, %before: f32):
  memref.store %before, %y[%k] : memref<2xf32>
  %next = num.tally %before, %before : f32, f32 -> f32
  num.next %next : f32
}
// CHECK: a body consists of loads and scalar ops, got memref.store

// -----

// The value that is kept is the one before, and the new one has to be greater.
%total, %x = "test.op"() : () -> (f32, memref<2xf32>)
%sum = num.reduce %total {first = 0 : i64, extent = 2 : i64, kinds = ["greatest"]} : f32 -> f32 {
^bb0(%k: index, %before: f32):
  %a = memref.load %x[%k] : memref<2xf32>
  %greater = num.greater %before, %a : f32, f32
  %next = arith.select %greater, %a, %before : f32
  num.next %next : f32
}
// CHECK: value 0 is not joined as 'greatest'

// -----

%total, %x = "test.op"() : () -> (f32, memref<2xf32>)
%sum = num.reduce %total {first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : f32 -> f32 {
^bb0(%k: index, %before: f32):
  %a = memref.load %x[%k] : memref<2xf32>
  num.next %a : f32
}
// CHECK: value 0 is not joined as 'sum'

// -----

// A term that depends on the sum.
%total = "test.op"() : () -> i32
%sum = num.reduce %total {first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : i32 -> i32 {
^bb0(%k: index, %before: i32):
  %a = arith.muli %before, %before : i32
  %next = arith.addi %before, %a : i32
  num.next %next : i32
}
// CHECK: value 0 is not joined as 'sum'

// -----

// A table has integers as indices, a buffer does not.
%table, %y, %v = "test.op"() : () -> (memref<4xi8, #scratch.flash>, memref<4xi8>, i8)
num.nest %i to 4 {
  %at = arith.index_cast %v : i8 to index
  %a = memref.load %table[%at] : memref<4xi8, #scratch.flash>
  memref.store %a, %y[%at] : memref<4xi8>
}
// CHECK-NOT: memref.load takes
// CHECK: memref.store takes a buffer from outside
