// The type of sums of products of standard posits, and the steps of such a sum in memory.
// RUN: tinyml-opt %s | tinyml-opt | filecheck %s

func.func @steps(%bins: memref<10xi32>, %one: memref<1xi64>, %weight: i8, %x: i16, %start: i16) -> (i8, i16) {
  posit.start %bins as !posit.quire<78, 44, 32, 8> : memref<10xi32>
  %s, %e = posit.decode %weight as !posit.p<8, 2> from -17 step 1 : i8 -> i8, i8
  %t, %f = posit.decode %x as !posit.p<16, 1> from -40 step 1 : i16 -> i16, i16
  posit.mark %bins as !posit.quire<78, 44, 32, 8> by %f : memref<10xi32>, i16
  posit.multiply_add %bins as !posit.quire<78, 44, 32, 8>, %s, %e, %t, %f bits 17 step 1 : memref<10xi32>, i8, i8, i16, i16
  posit.add %bins as !posit.quire<78, 44, 32, 8>, %t, %f bits 13 : memref<10xi32>, i16, i16
  %sum, %scale, %nar = posit.join %bins as !posit.quire<78, 44, 32, 8> : memref<10xi32> -> i64
  %y = posit.round %sum scale %scale, %nar to !posit.p<8, 2> : i64 -> i8
  posit.start %one as !posit.quire<64, 30, 64, 0> : memref<1xi64>
  %whole, %unit, %undefined = posit.join %one as !posit.quire<64, 30, 64, 0> : memref<1xi64> -> i64
  %z = posit.round %whole scale %unit, %undefined to !posit.p<16, 1> : i64 -> i16
  %fixed = posit.to_odd %sum scale %scale, %nar unit 9 from -512 to 508 : i64 -> i32
  func.return %y, %z : i8, i16
}
// CHECK-LABEL: func.func @steps(%bins: memref<10xi32>, %one: memref<1xi64>, %weight: i8, %x: i16, %start: i16) -> (i8, i16) {
// CHECK-NEXT: posit.start %bins as !posit.quire<78, 44, 32, 8> : memref<10xi32>
// CHECK-NEXT: %s, %e = posit.decode %weight as !posit.p<8, 2> from -17 step 1 : i8 -> i8, i8
// CHECK-NEXT: %t, %f = posit.decode %x as !posit.p<16, 1> from -40 step 1 : i16 -> i16, i16
// CHECK-NEXT: posit.mark %bins as !posit.quire<78, 44, 32, 8> by %f : memref<10xi32>, i16
// CHECK-NEXT: posit.multiply_add %bins as !posit.quire<78, 44, 32, 8>, %s, %e, %t, %f bits 17 step 1 : memref<10xi32>, i8, i8, i16, i16
// CHECK-NEXT: posit.add %bins as !posit.quire<78, 44, 32, 8>, %t, %f bits 13 : memref<10xi32>, i16, i16
// CHECK-NEXT: %sum, %scale, %nar = posit.join %bins as !posit.quire<78, 44, 32, 8> : memref<10xi32> -> i64
// CHECK-NEXT: %y = posit.round %sum scale %scale, %nar to !posit.p<8, 2> : i64 -> i8
// CHECK-NEXT: posit.start %one as !posit.quire<64, 30, 64, 0> : memref<1xi64>
// CHECK-NEXT: %whole, %unit, %undefined = posit.join %one as !posit.quire<64, 30, 64, 0> : memref<1xi64> -> i64
// CHECK-NEXT: %z = posit.round %whole scale %unit, %undefined to !posit.p<16, 1> : i64 -> i16
// CHECK-NEXT: %fixed = posit.to_odd %sum scale %scale, %nar unit 9 from -512 to 508 : i64 -> i32
// CHECK-NEXT: func.return %y, %z : i8, i16
