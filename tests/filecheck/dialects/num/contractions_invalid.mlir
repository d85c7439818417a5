// What the verifiers of contractions say.

// RUN: %invalid

num.contract %row to 0 {
}
// CHECK: needs at least 1 row, window and line, got (0,)

// -----

"num.contract"() <{extents = array<i64: 2>}> ({
^bb0(%row: i16):
}) : () -> ()
// CHECK: the body takes an index for each extent of (2,)

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 17>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>>)
num.contract %row to 3 {
  %next = num.products %sum, %w, %x : !fixed.acc<32, 17>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>> -> !fixed.acc<32, 17>
}
// CHECK: !fixed.acc<32, 17> does not sum products of !fixed.q<16, 9> and !fixed.q<16, 9>

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>>)
%next = num.products %sum, %w, %x : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
// CHECK: 'num.products' expects parent op 'num.contract'

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>>)
num.contract %row to 2 {
  %next = num.products %sum, %w, %x : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: needs weights of 2 rows, got shape (3, 4)

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<5x!fixed.q<16, 9>>)
num.contract %row to 3 {
  %next = num.products %sum, %w, %x : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<5x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: rows of 4 weights do not meet a vector of 5

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<10x!fixed.q<16, 9>>)
num.contract %row to 3 {
  %next = num.products %sum, %w, %x {channels} : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<10x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: rows of 4 weights do not meet a vector of 10

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>>)
num.contract %row to 3 {
  %next = num.products %sum, %w, %x {channels, filters = 2 : i64} : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: 3 rows do not consist of 2 filters for each of several channels

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<4x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>>)
num.contract %row to 4 {
  %next = num.products %sum, %w, %x {filters = 2 : i64} : !fixed.acc<32, 18>, memref<4x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: 4 rows do not consist of 2 filters for each of several channels

// -----

%sum, %w, %all, %zero = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<12x!fixed.q<16, 9>>, index)
num.contract %row to 3 {
  %x = scratch.slice %all[%row] : memref<12x!fixed.q<16, 9>> to memref<4x!fixed.q<16, 9>>
  %next = num.products %sum, %w, %x : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: what is multiplied is defined outside of the contraction

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!zeroskew.q<8, 1.0, 0>>)
num.contract %row to 3 {
  %next = num.products %sum, %w, %x : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!zeroskew.q<8, 1.0, 0>> -> !fixed.acc<32, 18>
}
// CHECK: num.products mixes the families

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>>)
num.contract %row to 3 {
  %next = num.products %sum, %w, %x : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>> -> !fixed.acc<24, 18>
}
// CHECK: the sum changes its type from !fixed.acc<32, 18> to !fixed.acc<24, 18>

// -----

%sum, %v, %gaps, %lengths, %x = "test.op"() : () -> (f32, memref<5xf32>, memref<5xi8>, memref<2xi8>, memref<8xf32>)
num.contract %row to 3 {
  %next = num.sparse_products %sum, %v, %gaps, %lengths, %x : f32, memref<5xf32>, memref<5xi8>, memref<2xi8>, memref<8xf32> -> f32
}
// CHECK: needs 2 rows and one window, got (3,)

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x3x!fixed.q<16, 9>>, memref<7x!fixed.q<16, 9>>)
num.contract %window, %row to 2, 3 {
  %next = num.products %sum, %w, %x : !fixed.acc<32, 18>, memref<3x3x!fixed.q<16, 9>>, memref<7x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: several windows need a spacing

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x3x!fixed.q<16, 9>>, memref<7x!fixed.q<16, 9>>)
num.contract %window, %row to 2, 3 {
  %next = num.products %sum, %w, %x {spacing = array<i64: 1, 0, 5>} : !fixed.acc<32, 18>, memref<3x3x!fixed.q<16, 9>>, memref<7x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: windows reach over 8 elements, got 7

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x3x!fixed.q<16, 9>>, memref<7x!fixed.q<16, 9>>)
num.contract %line, %window, %row to 2, 1, 3 {
  %next = num.products %sum, %w, %x {spacing = array<i64: 1, 5, 1>} : !fixed.acc<32, 18>, memref<3x3x!fixed.q<16, 9>>, memref<7x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: windows reach over 8 elements, got 7

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x3x!fixed.q<16, 9>>, memref<9x!fixed.q<16, 9>>)
num.contract %window, %row to 2, 3 {
  %next = num.products %sum, %w, %x {spacing = array<i64: 0, 0, 5>} : !fixed.acc<32, 18>, memref<3x3x!fixed.q<16, 9>>, memref<9x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: spacing needs runs, at least 1, a pitch and a step, got [0, 0, 5]

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x3x!fixed.q<16, 9>>, memref<9x!fixed.q<16, 9>>)
num.contract %window, %row to 2, 3 {
  %next = num.products %sum, %w, %x {spacing = array<i64: 2, 1, 1>} : !fixed.acc<32, 18>, memref<3x3x!fixed.q<16, 9>>, memref<9x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: rows of 3 weights have no 2 runs

// -----

num.contract %a, %b, %c, %d to 1, 1, 1, 1 {
}
// CHECK: needs at least 1 row, window and line, got (1, 1, 1, 1)

// -----

// The products inside are verified before the extents around them.
%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>>)
"num.contract"() ({
^bb0(%row: index):
  %next = num.products %sum, %w, %x : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}) : () -> ()
// CHECK: property 'extents' expected in operation 'num.contract'

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>>)
"num.contract"() <{extents}> ({
^bb0(%row: index):
  %next = num.products %sum, %w, %x : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}) : () -> ()
// CHECK: unit should be of base attribute array

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<8x!fixed.q<16, 9>>)
num.contract %window, %row to 1, 3 by #num.tile_kernel<"tm_tile", rows = 3, runs = 1, length = 4, pitch = 0, step = 4, count = 2, zero = 0> {
  %next = num.products %sum, %w, %x {spacing = array<i64: 1, 0, 4>} : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<8x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: lines, windows and rows (1, 1, 3) do not consist of tiles of (1, 2, 3)

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<8x!fixed.q<16, 9>>)
num.contract %line, %window, %row to 1, 2, 3 by #num.tile_kernel<"tm_tile", rows = 3, runs = 1, length = 4, pitch = 0, step = 4, count = 2, zero = 0, lines = 2> {
  %next = num.products %sum, %w, %x {spacing = array<i64: 1, 0, 4>} : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<8x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: lines, windows and rows (1, 2, 3) do not consist of tiles of (2, 2, 3)

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<8x!fixed.q<16, 9>>)
num.contract %window, %row to 2, 3 by #num.tile_kernel<"tm_tile", rows = 3, runs = 1, length = 4, pitch = 0, step = 4, count = 2, zero = 0> {
}
// CHECK: a tile has one sum of dense products

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<8x!fixed.q<16, 9>>)
num.contract %window, %row to 2, 3 by #num.tile_kernel<"tm_tile", rows = 3, runs = 1, length = 4, pitch = 0, step = 4, count = 2, zero = 0> {
  %next = num.products %sum, %w, %x {spacing = array<i64: 2, 2, 4>} : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<8x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: runs, their length, pitch and step are (2, 2, 2, 4), those of the tile (1, 4, 0, 4)

// -----

%sum, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<8x!fixed.q<16, 9>>)
num.contract %window, %row to 2, 3 by "tile" {
  %next = num.products %sum, %w, %x {spacing = array<i64: 1, 0, 4>} : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<8x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: expected the kernel of a tile, as in #num.tile_kernel<...>

// -----

%n, %x = "test.op"() : () -> (index, memref<3xf32>)
num.contract %row to 3 {
  scf.for %i = %row to %n step %n {
    %y = memref.load %x[%i] : memref<3xf32>
  }
}
// CHECK: a body consists of loads, sums, scalar ops and stores, got scf.for

// -----

%x, %y = "test.op"() : () -> (memref<3xf32>, memref<3xf32>)
num.contract %row to 3 {
  "memref.copy"(%x, %y) : (memref<3xf32>, memref<3xf32>) -> ()
}
// CHECK: a body consists of loads, sums, scalar ops and stores, got memref.copy

// -----

num.contract %row to 3 {
  "test.op"(%row) : (index) -> ()
}
// CHECK: a body consists of loads, sums, scalar ops and stores, got test.op

// -----

%sum, %n, %w, %x = "test.op"() : () -> (!fixed.acc<32, 18>, i8, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>>)
num.contract %row to 3 {
  %less = num.shift %sum, %n : !fixed.acc<32, 18> -> !fixed.acc<32, 18>
  %next = num.products %less, %w, %x : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: products are added before a sum is shifted or levelled

// -----

// So they are if the shifted sum is aligned in between.
%sum, %n, %w, %x = "test.op"() : () -> (!fixed.acc<32, 16>, i8, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>>)
num.contract %row to 3 {
  %less = num.shift %sum, %n : !fixed.acc<32, 16> -> !fixed.acc<32, 16>
  %fine = num.align %less : !fixed.acc<32, 16> -> !fixed.acc<32, 18>
  %next = num.products %fine, %w, %x : !fixed.acc<32, 18>, memref<3x4x!fixed.q<16, 9>>, memref<4x!fixed.q<16, 9>> -> !fixed.acc<32, 18>
}
// CHECK: products are added before a sum is shifted or levelled

// -----

%sum, %w, %x = "test.op"() : () -> (!zeroskew.acc<32, [0.5, 1.0, 2.0]>, memref<3x4x!zeroskew.q<8, 0.5, 0>>, memref<4x!zeroskew.q<8, 1.0, 0>>)
num.contract %row to 3 {
  %level = num.level %sum row %row : !zeroskew.acc<32, [0.5, 1.0, 2.0]> -> !zeroskew.acc<32, 0.5>
  %next = num.products %level, %w, %x : !zeroskew.acc<32, 0.5>, memref<3x4x!zeroskew.q<8, 0.5, 0>>, memref<4x!zeroskew.q<8, 1.0, 0>> -> !zeroskew.acc<32, 0.5>
}
// CHECK: products are added before a sum is shifted or levelled

// -----

%start, %gaps, %lengths = "test.op"() : () -> (i16, memref<4xi8>, memref<3xi8>)
num.contract %row to 2 {
  %sum = num.entries %start, %gaps, %lengths : i16, memref<4xi8>, memref<3xi8> -> i16 {
  ^bb0(%s: i16, %entry: index, %column: index):
    num.next %s : i16
  }
}
// CHECK: needs 3 rows and one window, got (2,)

// -----

%start, %gaps, %lengths = "test.op"() : () -> (i16, memref<4xi8>, memref<3xi8>)
num.contract %row to 3 {
  %sum = num.entries %start, %gaps, %lengths : i16, memref<4xi8>, memref<3xi8> -> i16 {
  ^bb0(%s: i16, %column: index):
    num.next %s : i16
  }
}
// CHECK: the body expects a sum, an entry and a column, i16, index, index
