// RUN: tinyml-opt %s -p expand-nests | filecheck %s

// Entries of a row become a loop that follows the gaps, which keeps the hints of the sum.
func.func @sparse(%x: memref<7xi8>) -> memref<3xi16> {
  %values = scratch.constant dense<[4, -5, 6, 7]> : tensor<4xi8> -> memref<4xi8, #scratch.flash>
  %gaps = scratch.constant dense<[1, 3, 2, 2]> : tensor<4xi8> -> memref<4xi8, #scratch.flash>
  %lengths = scratch.constant dense<[3, 0, 1]> : tensor<3xi8> -> memref<3xi8, #scratch.flash>
  %arena = scratch.arena {alignment = 2 : i64} : memref<6xi8>
  %y = scratch.view %arena[0 : i64] : memref<6xi8> to memref<3xi16>
  %start = arith.constant 0 : i16
  num.contract %row to 3 {
    %sum = num.entries %start, %gaps, %lengths {hls.pipeline}
      : i16, memref<4xi8, #scratch.flash>, memref<3xi8, #scratch.flash> -> i16 {
    ^bb0(%s: i16, %entry: index, %column: index):
      %v = memref.load %values[%entry] : memref<4xi8, #scratch.flash>
      %xe = memref.load %x[%column] : memref<7xi8>
      %vw = arith.extsi %v : i8 to i16
      %xw = arith.extsi %xe : i8 to i16
      %product = arith.muli %vw, %xw : i16
      %t = arith.addi %s, %product : i16
      num.next %t : i16
    }
    memref.store %sum, %y[%row] : memref<3xi16>
  }
  func.return %y : memref<3xi16>
}
// CHECK-NOT: num.
// CHECK: scf.for %row = {{.*}} iter_args([[first:%.*]] = {{.*}}) -> (index)
// CHECK: memref.load %lengths[%row]
// CHECK: %sum, {{.*}} = scf.for {{.*}} iter_args({{.*}} = %start, [[at:%.*]] = {{.*}}, [[entry:%.*]] = [[first]])
// CHECK: [[gap:%.*]] = memref.load %gaps[[[entry]]]
// CHECK: [[column:%.*]] = arith.addi [[at]],
// CHECK: memref.load %values[[[entry]]]
// CHECK: memref.load %x[[[column]]]
// CHECK: } {hls.pipeline}
// CHECK: memref.store %sum, %y[%row]

// Windows do not slide in C.
func.func @window(%w: memref<4xi8>, %F: memref<2x4xi8, #scratch.flash>) {
  scratch.slide %w against %F : memref<4xi8>, memref<2x4xi8, #scratch.flash>
  func.return
}
// CHECK-LABEL: func.func @window
// CHECK-NEXT: func.return
