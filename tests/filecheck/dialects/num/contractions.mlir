// A contraction reads what it prints: rows of weights by a vector and by channels, and compressed rows.

// RUN: %roundtrip
// RUN: %generic

func.func @rows(%w: memref<3x4x!fixed.q<8, 4>>, %x: memref<4x!fixed.q<8, 6>>, %y: memref<3x!fixed.q<8, 2>>) {
  num.contract %row to 3 {
    %zero = num.zero : !fixed.acc<24, 10>
    %sum = num.products %zero, %w, %x : !fixed.acc<24, 10>, memref<3x4x!fixed.q<8, 4>>, memref<4x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
    %z = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
    memref.store %z, %y[%row] : memref<3x!fixed.q<8, 2>>
  }
  func.return
}
// CHECK: num.contract %row to 3 {
// CHECK: num.products %zero, %w, %x : !fixed.acc<24, 10>, memref<3x4x!fixed.q<8, 4>>, memref<4x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
// CHECK: memref.store %z, %y[%row]
// GENERIC: "num.contract"() <{extents = array<i64: 3>}> ({
// GENERIC-NEXT: ^{{.*}}(%row: index):

// Rows are padded to four elements; each is multiplied by three elements of its channel.
func.func @channels(%w: memref<2x4x!fixed.q<8, 4>>, %x: memref<6x!fixed.q<8, 6>>, %sums: memref<2x!fixed.acc<24, 10>>) {
  num.contract %row to 2 {
    %sum = memref.load %sums[%row] : memref<2x!fixed.acc<24, 10>>
    %next = num.products %sum, %w, %x {channels} : !fixed.acc<24, 10>, memref<2x4x!fixed.q<8, 4>>, memref<6x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
    memref.store %next, %sums[%row] : memref<2x!fixed.acc<24, 10>>
  } {note = "kept"}
  func.return
}
// CHECK: num.contract %row to 2 {
// CHECK: num.products %sum, %w, %x {channels} :
// CHECK: } {note = "kept"}

// Each of two channels has two filters.
func.func @filters(%w: memref<4x3x!fixed.q<8, 4>>, %x: memref<6x!fixed.q<8, 6>>, %sums: memref<4x!fixed.acc<24, 10>>) {
  num.contract %row to 4 {
    %sum = memref.load %sums[%row] : memref<4x!fixed.acc<24, 10>>
    %next = num.products %sum, %w, %x {channels, filters = 2 : i64} : !fixed.acc<24, 10>, memref<4x3x!fixed.q<8, 4>>, memref<6x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
    memref.store %next, %sums[%row] : memref<4x!fixed.acc<24, 10>>
  }
  func.return
}
// CHECK: num.products %sum, %w, %x {channels, filters = 2 : i64} :

func.func @sparse(%v: memref<5xf32>, %gaps: memref<5xi8>, %lengths: memref<2xi8>, %x: memref<8xf32>, %y: memref<2xf32>) {
  num.contract %row to 2 {
    %zero = num.zero : f32
    %sum = num.sparse_products %zero, %v, %gaps, %lengths, %x : f32, memref<5xf32>, memref<5xi8>, memref<2xi8>, memref<8xf32> -> f32
    memref.store %sum, %y[%row] : memref<2xf32>
  }
  func.return
}
// CHECK: num.sparse_products %zero, %v, %gaps, %lengths, %x : f32, memref<5xf32>, memref<5xi8>, memref<2xi8>, memref<8xf32> -> f32

// Three lines of two windows, which have two runs a pitch of five elements apart and share elements.
func.func @windows(%w: memref<3x4x!fixed.q<8, 4>>, %x: memref<20x!fixed.q<8, 6>>, %y: memref<3x2x3x!fixed.q<8, 2>>) {
  num.contract %line, %window, %row to 3, 2, 3 {
    %zero = num.zero : !fixed.acc<24, 10>
    %sum = num.products %zero, %w, %x {spacing = array<i64: 2, 5, 1>} : !fixed.acc<24, 10>, memref<3x4x!fixed.q<8, 4>>, memref<20x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
    %z = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
    memref.store %z, %y[%line, %window, %row] : memref<3x2x3x!fixed.q<8, 2>>
  }
  func.return
}
// CHECK: num.contract %line, %window, %row to 3, 2, 3 {
// CHECK: num.products %zero, %w, %x {spacing = array<i64: 2, 5, 1>} :

// A kernel computes a line of windows in each of three calls.
func.func @tile(%w: memref<3x4x!fixed.q<8, 4>>, %x: memref<20x!fixed.q<8, 6>>, %y: memref<3x2x3x!fixed.q<8, 2>>) {
  num.contract %line, %window, %row to 3, 2, 3 by #num.tile_kernel<"tm_tile", rows = 3, runs = 2, length = 2, pitch = 5, step = 1, count = 2, zero = 0> {
    %zero = num.zero : !fixed.acc<24, 10>
    %sum = num.products %zero, %w, %x {spacing = array<i64: 2, 5, 1>} : !fixed.acc<24, 10>, memref<3x4x!fixed.q<8, 4>>, memref<20x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
    %z = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
    memref.store %z, %y[%line, %window, %row] : memref<3x2x3x!fixed.q<8, 2>>
  } {name = "kept"}
  num.contract %line, %window, %row to 3, 2, 3 by #num.code_kernel<"tm_code", "4f"> {
    %zero = num.zero : !fixed.acc<24, 10>
    %sum = num.products %zero, %w, %x {spacing = array<i64: 2, 5, 1>} : !fixed.acc<24, 10>, memref<3x4x!fixed.q<8, 4>>, memref<20x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
    %z = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
    memref.store %z, %y[%line, %window, %row] : memref<3x2x3x!fixed.q<8, 2>>
  }
  func.return
}
// CHECK: num.contract %line, %window, %row to 3, 2, 3 by #num.tile_kernel<"tm_tile", rows = 3, runs = 2, length = 2, pitch = 5, step = 1, count = 2, zero = 0> {
// CHECK: } {name = "kept"}
// CHECK-NEXT: num.contract %line_1, %window_1, %row_1 to 3, 2, 3 by #num.code_kernel<"tm_code", "4f"> {
// GENERIC: <{extents = array<i64: 3, 2, 3>, tile = #num.tile_kernel<"tm_tile", {{.*}}>}>

// Two sums of a row, the first of two terms and rounded twice, scalar ops and a store for each result.
func.func @epilogue(%w: memref<3x4x!fixed.q<8, 4>>, %x: memref<4x!fixed.q<8, 6>>, %b: memref<3x!fixed.q<16, 8>>, %n: memref<3xi8>, %y: memref<3x!fixed.q<8, 2>>, %z: memref<3x!fixed.q<8, 4>>) {
  num.contract %row to 3 {
    %bias = memref.load %b[%row] : memref<3x!fixed.q<16, 8>>
    %start = num.start %bias : !fixed.q<16, 8> -> !fixed.acc<24, 10>
    %first = num.products %start, %w, %x : !fixed.acc<24, 10>, memref<3x4x!fixed.q<8, 4>>, memref<4x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
    %both = num.products %first, %w, %x : !fixed.acc<24, 10>, memref<3x4x!fixed.q<8, 4>>, memref<4x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
    %gate = num.finish %both : !fixed.acc<24, 10> -> !fixed.q<8, 2>
    %fine = num.finish %both : !fixed.acc<24, 10> -> !fixed.q<8, 4>
    memref.store %fine, %z[%row] : memref<3x!fixed.q<8, 4>>
    %zero = num.zero : !fixed.acc<24, 10>
    %other = num.products %zero, %w, %x : !fixed.acc<24, 10>, memref<3x4x!fixed.q<8, 4>>, memref<4x!fixed.q<8, 6>> -> !fixed.acc<24, 10>
    %places = memref.load %n[%row] : memref<3xi8>
    %shifted = num.shift %other, %places : !fixed.acc<24, 10> -> !fixed.acc<24, 10>
    %value = num.finish %shifted : !fixed.acc<24, 10> -> !fixed.q<8, 2>
    %gated = num.mul %gate, %value : !fixed.q<8, 2>, !fixed.q<8, 2> -> !fixed.q<8, 2>
    memref.store %gated, %y[%row] : memref<3x!fixed.q<8, 2>>
  }
  func.return
}
// CHECK: %gate = num.finish %both
// CHECK-NEXT: %fine = num.finish %both
// CHECK-NEXT: memref.store %fine, %z[%row]
// CHECK: %shifted = num.shift %other, %places
// CHECK: memref.store %gated, %y[%row]

// Entries one by one, as hardware keeps them.
func.func @entries(%v: memref<5x!fixed.q<8, 4>>, %gaps: memref<5xi8>, %lengths: memref<2xi8>, %x: memref<8x!fixed.q<8, 6>>, %y: memref<2x!fixed.q<8, 2>>) {
  num.contract %row to 2 {
    %zero = num.zero : !fixed.acc<24, 10>
    %sum = num.entries %zero, %gaps, %lengths : !fixed.acc<24, 10>, memref<5xi8>, memref<2xi8> -> !fixed.acc<24, 10> {
    ^bb0(%s: !fixed.acc<24, 10>, %entry: index, %column: index):
      %a = memref.load %v[%entry] : memref<5x!fixed.q<8, 4>>
      %b = memref.load %x[%column] : memref<8x!fixed.q<8, 6>>
      %t = num.mac %s, %a, %b : !fixed.acc<24, 10>, !fixed.q<8, 4>, !fixed.q<8, 6> -> !fixed.acc<24, 10>
      num.next %t : !fixed.acc<24, 10>
    }
    %z = num.finish %sum : !fixed.acc<24, 10> -> !fixed.q<8, 2>
    memref.store %z, %y[%row] : memref<2x!fixed.q<8, 2>>
  }
  func.return
}
// CHECK-LABEL: func.func @entries
// CHECK: %sum{{[_0-9]*}} = num.entries %zero{{[_0-9]*}}, %gaps{{[_0-9]*}}, %lengths{{[_0-9]*}} : !fixed.acc<24, 10>, memref<5xi8>, memref<2xi8> -> !fixed.acc<24, 10> {
// CHECK-NEXT: ^bb0(%s: !fixed.acc<24, 10>, %entry: index, %column: index):
// CHECK: num.next %t : !fixed.acc<24, 10>
