// RUN: tinyml-opt %s -p lower-num-to-exact,lower-exact-to-arith,lower-scratch-to-memref --split-input-file | filecheck %s

// Four elements of 6 bits are 3 bytes. A table has the place of each bit: byte 0 has bits 2 to 7 from the first element.
// An element is gathered bit by bit, and its sign is spread from bit 5: 32 - 6 places up and down. One is stored bit by
// bit, each in the place of a bit that is cleared first.
func.func @six(%X: memref<8xi16>, %Y: memref<8xi16>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %W = scratch.constant dense<[1, -2, 3, 4, 5, 6, 7, -31]> : tensor<8xi8> -> memref<8x!fixed.q<6, 3>, #scratch.packed<6>>
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %a = scratch.view %arena[0 : i64] : memref<16xi8> to memref<8x!fixed.q<6, 3>, #scratch.packed_ram<6>>
  scf.for %i = %zero to %eight step %one {
    %w = memref.load %W[%i] : memref<8x!fixed.q<6, 3>, #scratch.packed<6>>
    memref.store %w, %a[%i] : memref<8x!fixed.q<6, 3>, #scratch.packed_ram<6>>
  }
  func.return
}
// CHECK: sym_name = "W", type = memref<6xi8>, initial_value = dense<[4, -7, 12, 21, 24, 30]>
// CHECK: sym_name = "bits_of_s6", type = memref<24xi8>, initial_value = dense<[2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 18, 19, 20, 21, 22, 23, 0, 1, 8, 9, 16, 17]>
// CHECK: [[six:%.*]] = arith.constant 6 : index
// CHECK: [[none:%.*]] = arith.constant 0 : i32
// CHECK: [[low:%.*]] = arith.constant 0 : index
// CHECK: [[step:%.*]] = arith.constant 1 : index
// CHECK: [[four:%.*]] = arith.constant 4 : index
// CHECK: [[three:%.*]] = arith.constant 3 : i32
// CHECK: [[bytes:%.*]] = arith.constant 3 : index
// CHECK: [[seven:%.*]] = arith.constant 7 : i32
// CHECK: [[one:%.*]] = arith.constant 1 : i32
// CHECK: [[raw:%.*]] = scf.for [[bit:%.*]] = [[low]] to [[six]] step [[step]] iter_args([[so_far:%.*]] = [[none]]) -> (i32) {
// CHECK: [[group:%.*]] = arith.divui {{.*}}, [[four]]
// CHECK: [[element:%.*]] = arith.remui {{.*}}, [[four]]
// CHECK: [[first:%.*]] = arith.muli [[element]], [[six]]
// CHECK: [[number:%.*]] = arith.addi [[first]], [[bit]]
// CHECK: [[place:%.*]] = arith.extsi {{.*}} : i8 to i32
// CHECK: [[of_group:%.*]] = arith.shrsi [[place]], [[three]]
// CHECK: [[here:%.*]] = arith.index_cast [[of_group]]
// CHECK: [[start:%.*]] = arith.muli [[group]], [[bytes]]
// CHECK: [[at:%.*]] = arith.addi [[start]], [[here]]
// CHECK: [[shift:%.*]] = arith.andi [[place]], [[seven]]
// CHECK: memref.load %W[[[at]]]
// CHECK: [[moved:%.*]] = arith.shrui {{.*}}, [[shift]]
// CHECK: [[lowest:%.*]] = arith.andi [[moved]], [[one]]
// CHECK: [[up:%.*]] = arith.index_cast [[bit]] : index to i32
// CHECK: [[added:%.*]] = arith.shli [[lowest]], [[up]]
// CHECK: arith.ori [[so_far]], [[added]]
// CHECK: [[above:%.*]] = arith.constant 26 : i32
// CHECK: [[left:%.*]] = arith.shli [[raw]], [[above]]
// CHECK: arith.shrsi [[left]], [[above]]
// CHECK: [[wide:%.*]] = arith.extsi %w : i8 to i32
// CHECK: [[one:%.*]] = arith.constant 1 : i32
// CHECK: [[all:%.*]] = arith.constant 255 : i32
// CHECK: scf.for [[bit:%.*]] =
// CHECK: [[shift:%.*]] = arith.andi {{.*}} : i32
// CHECK: [[down:%.*]] = arith.index_cast [[bit]] : index to i32
// CHECK: [[moved:%.*]] = arith.shrui [[wide]], [[down]]
// CHECK: [[lowest:%.*]] = arith.andi [[moved]], [[one]]
// CHECK: [[new:%.*]] = arith.shli [[lowest]], [[shift]]
// CHECK: [[mask:%.*]] = arith.shli [[one]], [[shift]]
// CHECK: [[others:%.*]] = arith.xori [[mask]], [[all]]
// CHECK: [[kept:%.*]] = arith.andi {{.*}}, [[others]]
// CHECK: arith.ori [[kept]], [[new]]
// CHECK: memref.store

// -----

// Elements of 5 bits are stored 16 too great, from 0 to 31, so that no sign is spread.
func.func @five(%X: memref<8xi16>, %Y: memref<8xi16>) {
  %zero = arith.constant 0 : index
  %W = scratch.constant dense<[1, -2, 3, 4, 5, 6, 7, -15]> : tensor<8xi8> -> memref<8x!fixed.q<5, 3>, #scratch.packed<5>>
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %a = scratch.view %arena[0 : i64] : memref<16xi8> to memref<8x!fixed.q<5, 3>, #scratch.packed_ram<5>>
  %w = memref.load %W[%zero] : memref<8x!fixed.q<5, 3>, #scratch.packed<5>>
  memref.store %w, %a[%zero] : memref<8x!fixed.q<5, 3>, #scratch.packed_ram<5>>
  func.return
}
// CHECK-LABEL: func.func @five
// CHECK: [[raw:%.*]] = scf.for
// CHECK: [[half:%.*]] = arith.constant 16 : i32
// CHECK: [[signed:%.*]] = arith.subi [[raw]], [[half]]
// CHECK: %w = arith.trunci [[signed]] : i32 to i8
// CHECK: [[wide:%.*]] = arith.extsi %w : i8 to i32
// CHECK: [[half:%.*]] = arith.constant 16 : i32
// CHECK: [[stored:%.*]] = arith.addi [[wide]], [[half]]
// CHECK: scf.for
// CHECK: arith.shrui [[stored]],

// -----

// Five ternary numbers are a byte: the fraction of 256 that three times the rest exceeds 256 by is the next rest, and
// what overflows, from 0 to 2, is the number plus 1.
func.func @trits(%X: memref<8xi16>, %Y: memref<9xi8>) {
  %zero = arith.constant 0 : index
  %T = scratch.constant dense<[1, 0, 0, -1, 1, 1, 1, 0, 0]> : tensor<9xi8> -> memref<9x!fixed.q<2, 0>, #scratch.packed<2, trits>>
  %t = memref.load %T[%zero] : memref<9x!fixed.q<2, 0>, #scratch.packed<2, trits>>
  %y = num.neg %t : !fixed.q<2, 0> -> !fixed.q<8, 0>
  func.return
}
// CHECK-LABEL: func.func @trits
// CHECK: [[one:%.*]] = arith.constant 1 : i32
// CHECK: [[five:%.*]] = arith.constant 5 : index
// CHECK: [[group:%.*]] = arith.divui {{.*}}, [[five]]
// CHECK: [[element:%.*]] = arith.remui {{.*}}, [[five]]
// CHECK: memref.load %T[[[group]]]
// CHECK: [[three:%.*]] = arith.constant 3 : i32
// CHECK: [[most:%.*]] = arith.constant 255 : i32
// CHECK: [[rest:%.*]] = scf.for {{.*}} to [[element]] step {{.*}} iter_args([[before:%.*]] = %{{.*}})
// CHECK: [[again:%.*]] = arith.muli [[before]], [[three]]
// CHECK: arith.andi [[again]], [[most]]
// CHECK: [[thrice:%.*]] = arith.muli [[rest]], [[three]]
// CHECK: [[eight:%.*]] = arith.constant 8 : i32
// CHECK: [[over:%.*]] = arith.shrui [[thrice]], [[eight]]
// CHECK: arith.subi [[over]], [[one]]
