// Every op reads what it prints; its interval is that of the result.

// RUN: %roundtrip
// RUN: %generic

func.func @steps(%a: i16, %b: i8, %c: i1, %raw: i8) {
  %x = exact.within %a : i16 in [-300, 300]
// CHECK: %x = exact.within %a : i16 in [-300, 300]
  %n = exact.within %b : i8 in [1, 100]
// CHECK: %n = exact.within %b : i8 in [1, 100]
  %add = exact.add %x, %b : i16, i8 -> i16 in [-428, 427]
// CHECK: %add = exact.add %x, %b : i16, i8 -> i16 in [-428, 427]
  %sub = exact.sub %x, %b : i16, i8 -> i16 in [-427, 428]
// CHECK: %sub = exact.sub %x, %b : i16, i8 -> i16 in [-427, 428]
  %mul = exact.mul %x, %b : i16, i8 -> i32 in [-38400, 38400]
// CHECK: %mul = exact.mul %x, %b : i16, i8 -> i32 in [-38400, 38400]
  %divide = exact.divide %n, %n : i8, i8 -> i8 in [0, 100]
// CHECK: %divide = exact.divide %n, %n : i8, i8 -> i8 in [0, 100]
  %third = exact.nearest_quotient %x by 3 : i16 -> i16 in [-100, 100]
// CHECK: %third = exact.nearest_quotient %x by 3 : i16 -> i16 in [-100, 100]
  %left = exact.shift_left %x by 4 : i16 -> i16 in [-4800, 4800]
// CHECK: %left = exact.shift_left %x by 4 : i16 -> i16 in [-4800, 4800]
  %right = exact.shift_right %x by 4 : i16 -> i16 in [-19, 18]
// CHECK: %right = exact.shift_right %x by 4 : i16 -> i16 in [-19, 18]
  %low = exact.low_bits %x bits 4 : i16 -> i16 in [0, 15]
// CHECK: %low = exact.low_bits %x bits 4 : i16 -> i16 in [0, 15]
  %quotient = exact.quotient %x right 4 : i16 -> i16 in [-18, 18]
// CHECK: %quotient = exact.quotient %x right 4 : i16 -> i16 in [-18, 18]
  %wrapped = exact.wrapped %x to 8 : i16 -> i8 in [-128, 127]
// CHECK: %wrapped = exact.wrapped %x to 8 : i16 -> i8 in [-128, 127]
  %turned = exact.add_wrapped %x, %b to 8 : i16, i8 -> i8 in [-128, 127]
// CHECK: %turned = exact.add_wrapped %x, %b to 8 : i16, i8 -> i8 in [-128, 127]
  %rescale = exact.rescale %x right 4 : i16 -> i16 in [-19, 19]
// CHECK: %rescale = exact.rescale %x right 4 : i16 -> i16 in [-19, 19]
  %limited = exact.rescale_to %x right 1 to [-127, 127] : i16 -> i8 in [-127, 127]
// CHECK: %limited = exact.rescale_to %x right 1 to [-127, 127] : i16 -> i8 in [-127, 127]
  %sum = exact.sum_to %b left 2, %x right 3 to [-127, 127] : i8, i16 -> i16 in [-101, 101]
// CHECK: %sum = exact.sum_to %b left 2, %x right 3 to [-127, 127] : i8, i16 -> i16 in [-101, 101]
  %product = exact.product_to %x, %b right 9 to [-127, 127] : i16, i8 -> i32 in [-75, 75]
// CHECK: %product = exact.product_to %x, %b right 9 to [-127, 127] : i16, i8 -> i32 in [-75, 75]
  %clamp = exact.clamp %x : i16 -> i16 in [0, 255]
// CHECK: %clamp = exact.clamp %x : i16 -> i16 in [0, 255]
  %least = exact.at_least %x, 5 : i16
// CHECK: %least = exact.at_least %x, 5 : i16
  %choose = exact.choose %c, %x, %b : i16, i8 -> i16 in [-300, 300]
// CHECK: %choose = exact.choose %c, %x, %b : i16, i8 -> i16 in [-300, 300]
  %table = scratch.constant dense<[-12, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 12]> : tensor<15xi16> -> memref<15xi16, #scratch.flash>
// CHECK: %table = scratch.constant dense<[-12, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 12]> : tensor<15xi16> -> memref<15xi16, #scratch.flash>
  %known = exact.within %raw : i8 in [-7, 7]
// CHECK: %known = exact.within %raw : i8 in [-7, 7]
  %decode = exact.decode %known from %table : memref<15xi16, #scratch.flash> as !minifloat.f<2, 1, 0> : i8 -> i16 in [-12, 12]
// CHECK: %decode = exact.decode %known from %table : memref<15xi16, #scratch.flash> as !minifloat.f<2, 1, 0> : i8 -> i16 in [-12, 12]
  %encode = exact.encode %x scale 20 as !posit.p<8, 2, -10, 3> : i16 -> i32 in [-87, 87]
// CHECK: %encode = exact.encode %x scale 20 as !posit.p<8, 2, -10, 3> : i16 -> i32 in [-87, 87]
  func.return
}
// GENERIC: "exact.rescale_to"(%x) <{right = 1 : i64, limits = #exact.interval[-127, 127], interval = #exact.interval[-127, 127]}> : (i16) -> i8
