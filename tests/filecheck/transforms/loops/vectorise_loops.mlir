// RUN: tinyml-opt %s -p 'lower-tdsl-to-loops,vectorise-loops{target=cortex-m55}' | filecheck %s
// RUN: tinyml-opt %s -p 'lower-tdsl-to-loops,vectorise-loops{target=cortex-m4}' | filecheck %s --check-prefix=M4
// RUN: tinyml-opt %s -p 'lower-tdsl-to-loops,vectorise-loops{target=cortex-m55}' --remarks-filter=vect 2>&1 | filecheck %s --check-prefix=REMARKS
// REMARKS: [passed] vectorise-loops: scf.for 'out = add(x, z)': becomes code for vectors, which takes {{[0-9]+}}, plain code about {{[0-9]+}}
// REMARKS: [missed] vectorise-loops: scf.for 'for i': stays a loop: an iteration may read what another stores
// REMARKS: [missed] vectorise-loops: scf.for 'x = relu(x) #2': stays a loop: code for vectors takes {{[0-9]+}}, plain code about {{[0-9]+}}
// REMARKS: [missed] vectorise-loops: scf.for 'f = relu(f)': stays a loop: it computes on floats

!a = !zeroskew.q<8, 0.5, 3>
!b = !zeroskew.q<8, 0.125, -4>
!y = !zeroskew.q<8, 1.0, -128>
!f = !fixed.q<8, 4>

// All loops over one run are joined; the steps are those of the format, with its constants.
func.func @sum(%x: memref<2x3x8x!a>, %z: memref<2x3x8x!b>, %out: memref<2x3x8x!y>) {
  tdsl.add %x, %z : memref<2x3x8x!a>, memref<2x3x8x!b> into %out : memref<2x3x8x!y>
  func.return
}
// CHECK-LABEL: func.func @sum
// CHECK-NOT: scf.for
// CHECK: scratch.slice %out[%{{.*}}] : memref<2x3x8x!zeroskew.q<8, 1.0, -128>> to memref<48x!zeroskew.q<8, 1.0, -128>>
// CHECK-NEXT: num.call #num.coded_loop<{count = 48 : i64, widths = array<i64: 8, 8, 8>, steps = ["load 0 0", "load 1 0", "sub %0 #3", {{.*}}, "store %{{[0-9]+}}"]}, time = {{[0-9]+}}
// CHECK-SAME: by #num.code_kernel<"tm_mve_elements", "{{[0-9a-f]+}}">
// M4-LABEL: func.func @sum
// M4: scf.for
// M4: num.add
// M4-LABEL: func.func @broadcast(

// An operand that is the same in every row does not visit the run of the others: each row is a line.
func.func @broadcast(%x: memref<3x16x!a>, %z: memref<16x!b>, %out: memref<3x16x!y>) {
  tdsl.add %x, %z : memref<3x16x!a>, memref<16x!b> into %out : memref<3x16x!y>
  func.return
}
// CHECK-LABEL: func.func @broadcast
// CHECK-NOT: scf.for
// CHECK: num.call #num.coded_loop<{count = 16 : i64, widths = array<i64: 8, 8, 8>, steps = [{{.*}}], lines = array<i64: 3, 16, 0, 16>}

// The window of a pool is a loop that carries the total.
func.func @pool(%x: memref<1x4x4x32x!a>, %out: memref<1x1x1x32x!a>) {
  tdsl.average_pool %x {kernel = array<i64: 4, 4>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 4, 4>} : memref<1x4x4x32x!a> into %out : memref<1x1x1x32x!a>
  func.return
}
// CHECK-LABEL: func.func @pool
// CHECK-NOT: scf.for
// CHECK: steps = ["carry #0", "loop 4", "carry %0", "loop 4", "load 0 0 128 32", "add %2 %4", "next %2 %5", "end", "next %0 %2", "end"

// The greater of two numbers is one step, without the comparison that chose it.
func.func @greatest(%x: memref<1x4x4x32x!a>, %out: memref<1x1x1x32x!a>) {
  tdsl.max_pool %x {kernel = array<i64: 4, 4>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 4, 4>} : memref<1x4x4x32x!a> into %out : memref<1x1x1x32x!a>
  func.return
}
// CHECK-LABEL: func.func @greatest
// CHECK: steps = ["load 0 0", "carry %0", "loop 4", "carry %1", "loop 4", "load 0 0 128 32", "max %5 %3", "next %3 %6", "end"

// The windows of a row of a pool are lines; those at the margins have fewer elements. The results overwrite the image,
// each in front of what later windows read.
func.func @margins(%arena: memref<2048xi8>) {
  %zero = arith.constant 0 : index
  %x = memref.view %arena[%zero][] : memref<2048xi8> to memref<1x8x8x32x!f>
  %out = memref.view %arena[%zero][] : memref<2048xi8> to memref<1x3x3x32x!f>
  tdsl.max_pool %x {kernel = array<i64: 3, 3>, padding = array<i64: 0, 1, 0, 1>, strides = array<i64: 3, 3>} : memref<1x8x8x32x!f> into %out : memref<1x3x3x32x!f>
  func.return
}
// CHECK-LABEL: func.func @margins
// CHECK: scf.for
// CHECK: "loop 3"{{.*}}"loop 3", "load 0 0 256 32", {{.*}}"max %{{[0-9]+}} %{{[0-9]+}}", {{.*}}lines = array<i64: 2, 96, 32>
// CHECK: "loop 3"{{.*}}"loop 2", "load 0 0 256 32"
// CHECK: "loop 2"{{.*}}"loop 3", "load 0 0 256 32"
// CHECK: "loop 2"{{.*}}"loop 2", "load 0 0 256 32"
// CHECK-NOT: num.greater

// Each pass of a softmax is a call, whose single result the next one takes from an array of one element.
func.func @softmax(%x: memref<1x64x!a>, %out: memref<1x64x!zeroskew.q<8, 0.00390625, -128>>) {
  tdsl.softmax %x : memref<1x64x!a> into %out : memref<1x64x!zeroskew.q<8, 0.00390625, -128>>
  func.return
}
// CHECK-LABEL: func.func @softmax
// CHECK: count = 63 : i64, widths = array<i64: 8, 8, 8>, steps = ["shared 0", "load 1 0", "greatest %0 %1"]
// CHECK: memref.load %greatest
// CHECK: steps = ["load 0 0", "shared 1", "sub %1 %0", "max %2 #0", {{.*}}"lookup {{.*}}"sum #0 %{{[0-9]+}}"]
// CHECK: "reciprocal %{{[0-9]+}}", {{.*}}"requantise_by {{.*}}"store

// The first of the greatest elements, from the second on, or else the first one.
func.func @argmax(%x: memref<64x!f>) -> index {
  %label = tdsl.argmax %x : memref<64x!f>
  func.return %label : index
}
// CHECK-LABEL: func.func @argmax
// CHECK: count = 63 : i64, widths = array<i64: 8, 8, 32>, steps = ["shared 0", "load 1 0", "place %0 %1 1 0"]
// CHECK: arith.index_cast

// Overwritten where it lies: each element is read before the iteration writes it.
func.func @in_place(%x: memref<32x!a>) {
  tdsl.relu %x : memref<32x!a> into %x : memref<32x!a>
  func.return
}
// CHECK-LABEL: func.func @in_place
// CHECK: num.call #num.coded_loop

// Written in front of what later iterations read: the order of iterations counts.
func.func @shifted(%x: memref<32x!a>) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %end = arith.constant 31 : index
  scf.for %i = %zero to %end step %one {
    %next = arith.addi %i, %one : index
    %a = memref.load %x[%i] : memref<32x!a>
    %b = num.clamp %a {low = 0.0 : f64} : !a -> !a
    memref.store %b, %x[%next] : memref<32x!a>
  }
  func.return
}
// CHECK-LABEL: func.func @shifted
// CHECK: num.clamp

// Three elements take plain code less time; copies are left to the compiler; floats have no steps.
func.func @others(%x: memref<3x!a>, %y: memref<64x!a>, %z: memref<64x!a>, %f: memref<64xf32>) {
  tdsl.relu %x : memref<3x!a> into %x : memref<3x!a>
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %end = arith.constant 64 : index
  scf.for %i = %zero to %end step %one {
    %a = memref.load %y[%i] : memref<64x!a>
    memref.store %a, %z[%i] : memref<64x!a>
  }
  tdsl.relu %f : memref<64xf32> into %f : memref<64xf32>
  func.return
}
// CHECK-LABEL: func.func @others
// CHECK-NOT: num.call

// An iteration that reads what the one before wrote stays in order, also where the load follows the store.
func.func @reloaded(%x: memref<32x!a>, %z: memref<64x!a>) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %end = arith.constant 32 : index
  scf.for %i = %zero to %end step %one {
    %a = memref.load %x[%i] : memref<32x!a>
    %b = num.clamp %a {low = 0.0 : f64} : !a -> !a
    memref.store %b, %z[%i] : memref<64x!a>
    %c = memref.load %z[%i] : memref<64x!a>
    %d = num.add %b, %c : !a, !a -> !a
  }
  func.return
}
// CHECK-LABEL: func.func @reloaded
// CHECK: num.clamp

// Carried values that change places: after the first replacement, the second would read it; also where it is widened.
func.func @exchanged(%x: memref<32x!f>, %z: memref<32x!f>) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %end = arith.constant 32 : index
  scf.for %i = %zero to %end step %one {
    %a = memref.load %x[%i] : memref<32x!f>
    %b = num.clamp %a {low = 0.0 : f64} : !f -> !f
    %sum = num.start %b : !f -> !fixed.acc<32, 4>
    %c, %d = scf.for %k = %zero to %end step %one iter_args(%m = %a, %n = %sum) -> (!f, !fixed.acc<32, 4>) {
      %rounded = num.finish %n : !fixed.acc<32, 4> -> !f
      %widened = num.start %m : !f -> !fixed.acc<32, 4>
      scf.yield %rounded, %widened : !f, !fixed.acc<32, 4>
    }
    memref.store %c, %z[%i] : memref<32x!f>
  }
  func.return
}
// CHECK-LABEL: func.func @exchanged
// CHECK: num.start

// A comparison that decides between comparisons has no steps, as vectors have one predicate.
func.func @compared_twice(%x: memref<32x!f>, %z: memref<32x!f>) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %end = arith.constant 32 : index
  scf.for %i = %zero to %end step %one {
    %a = memref.load %x[%i] : memref<32x!f>
    %b = num.clamp %a {low = 0.0 : f64} : !f -> !f
    %high = num.at_least %a {threshold = 1.0 : f64} : !f
    %low = num.at_least %b {threshold = 2.0 : f64} : !f
    %either = arith.select %high, %low, %high : i1
    %c = arith.select %either, %a, %b : !f
    memref.store %c, %z[%i] : memref<32x!f>
  }
  func.return
}
// CHECK-LABEL: func.func @compared_twice
// CHECK: num.at_least

// Rows that meet a vector, with what follows their sums; the function that reads a table gathers from it.
func.func @rows(%w: memref<12x9x!f>, %v: memref<9x!f>, %b: memref<12x!f>, %out: memref<12x!f>) {
  num.contract %r to 12 {
    %zero = num.zero : !fixed.acc<24, 8>
    %sum = num.products %zero, %w, %v : !fixed.acc<24, 8>, memref<12x9x!f>, memref<9x!f> -> !fixed.acc<24, 8>
    %rounded = num.finish %sum : !fixed.acc<24, 8> -> !f
    %bias = memref.load %b[%r] : memref<12x!f>
    %both = num.add %rounded, %bias : !f, !f -> !f
    %y = num.tanh %both : !f -> !f
    memref.store %y, %out[%r] : memref<12x!f>
  }
  func.return
}
// CHECK-LABEL: func.func @rows
// CHECK-NOT: num.contract
// CHECK: [[TABLE:%.*]] = scratch.constant {{.*}} -> memref<{{.*}}xi8, #scratch.flash>
// CHECK: num.call #num.coded_loop<{count = 12 : i64, widths = array<i64: 8, 8, 8, 8, 8>, steps = ["dot 0 9 1 9", {{.*}}"load 2 0", {{.*}}"lookup %{{[0-9]+}} 3 {{[0-9]+}}", "store %{{[0-9]+}}"]}
// M4-LABEL: func.func @rows
// M4: num.contract
// M4-LABEL: func.func @distances(

// Distances from one vector; what an iteration stores for itself alone is not stored.
func.func @distances(%w: memref<12x8x!f>, %v: memref<8x!f>, %out: memref<12x!f>) {
  %arena = scratch.arena {alignment = 1 : i64, lower_bound = 1 : i64} : memref<1xi8>
  %cell = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<1xi8> to memref<1x!f>
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %end = arith.constant 12 : index
  scf.for %i = %zero to %end step %one {
    %at = arith.muli %i, %eight : index
    %row = scratch.slice %w[%at] : memref<12x8x!f> to memref<8x!f>
    %none = num.zero : !fixed.acc<24, 8>
    %sum = num.call #num.distance(%none, %v, %row) : (!fixed.acc<24, 8>, memref<8x!f>, memref<8x!f>) -> !fixed.acc<24, 8>
    %rounded = num.finish %sum : !fixed.acc<24, 8> -> !f
    memref.store %rounded, %cell[%zero] : memref<1x!f>
    %again = memref.load %cell[%zero] : memref<1x!f>
    %y = num.clamp %again {low = 0.0 : f64} : !f -> !f
    memref.store %y, %out[%i] : memref<12x!f>
  }
  func.return
}
// CHECK-LABEL: func.func @distances
// CHECK-NOT: memref.store
// CHECK: steps = ["distance 0 8 1 8"

// The cell is read outside, too.
func.func @kept(%w: memref<12x!f>, %out: memref<12x!f>) -> !f {
  %arena = scratch.arena {alignment = 1 : i64, lower_bound = 1 : i64} : memref<1xi8>
  %cell = scratch.view %arena[0 : i64] {live = [0 : i64, 1 : i64]} : memref<1xi8> to memref<1x!f>
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %end = arith.constant 12 : index
  scf.for %i = %zero to %end step %one {
    %a = memref.load %w[%i] : memref<12x!f>
    memref.store %a, %cell[%zero] : memref<1x!f>
    %b = memref.load %cell[%zero] : memref<1x!f>
    %y = num.clamp %b {low = 0.0 : f64} : !f -> !f
    memref.store %y, %out[%i] : memref<12x!f>
  }
  %last = memref.load %cell[%zero] : memref<1x!f>
  func.return %last : !f
}
// CHECK-LABEL: func.func @kept
// CHECK: memref.store

// The vector lies where results are written.
func.func @overwritten(%w: memref<12x12x!f>, %v: memref<12x!f>) {
  num.contract %r to 12 {
    %zero = num.zero : !fixed.acc<24, 8>
    %sum = num.products %zero, %w, %v : !fixed.acc<24, 8>, memref<12x12x!f>, memref<12x!f> -> !fixed.acc<24, 8>
    %rounded = num.finish %sum : !fixed.acc<24, 8> -> !f
    memref.store %rounded, %v[%r] : memref<12x!f>
  }
  func.return
}
// CHECK-LABEL: func.func @overwritten
// CHECK: num.contract

// A constant that the loop around the rows makes is in front of the call that replaces both.
func.func @made_inside(%x: memref<4x16x!f>, %out: memref<4x16x!f>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %sixteen = arith.constant 16 : index
  scf.for %i = %zero to %four step %one {
    %at = arith.muli %i, %sixteen : index
    %row = scratch.slice %x[%at] : memref<4x16x!f> to memref<16x!f>
    %b = scratch.constant dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<16xi8> -> memref<16x!f, #scratch.flash>
    %to = scratch.slice %out[%at] : memref<4x16x!f> to memref<16x!f>
    scf.for %j = %zero to %sixteen step %one {
      %a = memref.load %row[%j] : memref<16x!f>
      %c = memref.load %b[%j] : memref<16x!f, #scratch.flash>
      %y = num.add %a, %c : !f, !f -> !f
      memref.store %y, %to[%j] : memref<16x!f>
    }
  }
  func.return
}
// CHECK-LABEL: func.func @made_inside
// CHECK-NOT: scf.for
// CHECK: %b = scratch.constant dense<[1, 2,
// CHECK: scratch.slice %b[
// CHECK: lines = array<i64: 4, 16, 0, 16>

// A value that the loop around the rows makes differs from row to row: the call stays in that loop.
func.func @differs(%x: memref<4x16x!f>, %scale: !f, %out: memref<4x16x!f>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %sixteen = arith.constant 16 : index
  scf.for %i = %zero to %four step %one {
    %at = arith.muli %i, %sixteen : index
    %row = scratch.slice %x[%at] : memref<4x16x!f> to memref<16x!f>
    %to = scratch.slice %out[%at] : memref<4x16x!f> to memref<16x!f>
    %minus = num.neg %scale : !f -> !f
    scf.for %j = %zero to %sixteen step %one {
      %a = memref.load %row[%j] : memref<16x!f>
      %y = num.add %a, %minus : !f, !f -> !f
      memref.store %y, %to[%j] : memref<16x!f>
    }
  }
  func.return
}
// CHECK-LABEL: func.func @differs
// CHECK: scf.for
// CHECK: [[MINUS:%.*]] = num.neg
// CHECK: memref.store [[MINUS]],
// CHECK: num.call #num.coded_loop<{count = 16 : i64
