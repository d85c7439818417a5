// Sums of products of standard posits in memory: each begins in front of the loop that uses it, loops carry nothing.
// RUN: tinyml-opt %s -p lower-num-to-exact --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p lower-num-to-exact,lower-exact-to-arith,canonicalize,cse --split-input-file | filecheck %s --check-prefix=ARITH

// Weights, activations and the number that the sum starts from have formats of their own; each may be NaR.
func.func @sums(%w: memref<3x!posit.p<8, 2>, #scratch.flash>, %x: memref<3x!posit.p<16, 1>>, %b: !posit.p<8, 2>) -> !posit.p<8, 2> {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  %begun = num.start %b : !posit.p<8, 2> -> !posit.quire<96, 66, 32, 8>
  %sum = scf.for %k = %0 to %3 step %1 iter_args(%carried = %begun) -> (!posit.quire<96, 66, 32, 8>) {
    %p = memref.load %w[%k] : memref<3x!posit.p<8, 2>, #scratch.flash>
    %q = memref.load %x[%k] : memref<3x!posit.p<16, 1>>
    %next = num.mac %carried, %p, %q : !posit.quire<96, 66, 32, 8>, !posit.p<8, 2>, !posit.p<16, 1> -> !posit.quire<96, 66, 32, 8>
    scf.yield %next : !posit.quire<96, 66, 32, 8>
  }
  %y = num.finish %sum : !posit.quire<96, 66, 32, 8> -> !posit.p<8, 2>
  func.return %y : !posit.p<8, 2>
}
// CHECK-LABEL: func.func @sums(%w: memref<3xi8, #scratch.flash> {tinyml.format = "!posit.p<8, 2>"}, %x: memref<3xi16> {tinyml.format = "!posit.p<16, 1>"}, %b: i8) -> (i8) {
// CHECK-NEXT: %quire = memref.alloca() : memref<12xi32>
// CHECK-NEXT: %0 = arith.constant 0 : index
// CHECK-NEXT: %1 = arith.constant 1 : index
// CHECK-NEXT: %2 = arith.constant 3 : index
// CHECK-NEXT: posit.start %quire as !posit.quire<96, 66, 32, 8> : memref<12xi32>
// CHECK-NEXT: %3, %4 = posit.decode %b as !posit.p<8, 2> from -66 : i8 -> i8, i8
// CHECK-NEXT: posit.mark %quire as !posit.quire<96, 66, 32, 8> by %4 : memref<12xi32>, i8
// CHECK-NEXT: posit.add %quire as !posit.quire<96, 66, 32, 8>, %3, %4 bits 4 : memref<12xi32>, i8, i8
// CHECK-NEXT: scf.for %k = %0 to %2 step %1 {
// CHECK-NEXT: %p = memref.load %w[%k] : memref<3xi8, #scratch.flash>
// CHECK-NEXT: %q = memref.load %x[%k] : memref<3xi16>
// CHECK-NEXT: %5, %6 = posit.decode %p as !posit.p<8, 2> from -26 : i8 -> i8, i8
// CHECK-NEXT: posit.mark %quire as !posit.quire<96, 66, 32, 8> by %6 : memref<12xi32>, i8
// CHECK-NEXT: %7, %8 = posit.decode %q as !posit.p<16, 1> from -40 : i16 -> i16, i16
// CHECK-NEXT: posit.mark %quire as !posit.quire<96, 66, 32, 8> by %8 : memref<12xi32>, i16
// CHECK-NEXT: posit.multiply_add %quire as !posit.quire<96, 66, 32, 8>, %5, %6, %7, %8 bits 17 : memref<12xi32>, i8, i8, i16, i16
// CHECK-NEXT: }
// CHECK-NEXT: %9, %10, %11 = posit.join %quire as !posit.quire<96, 66, 32, 8> : memref<12xi32> -> i64
// CHECK-NEXT: %y = posit.round %9 scale %10, %11 to !posit.p<8, 2> : i64 -> i8
// CHECK-NEXT: func.return %y : i8
// ARITH-LABEL: func.func @sums(%w: memref<3xi8, #scratch.flash> {tinyml.format = "!posit.p<8, 2>"}, %x: memref<3xi16> {tinyml.format = "!posit.p<16, 1>"}, %b: i8) -> (i8) {
// ARITH: %undefined = memref.alloca() : memref<1xi8>
// ARITH-NEXT: %quire = memref.alloca() : memref<12xi32>
// ARITH-NEXT: %0 = arith.constant 0 : index
// ARITH-NEXT: %1 = arith.constant 1 : index
// ARITH-NEXT: %2 = arith.constant 3 : index
// ARITH-NEXT: %3 = arith.constant 0 : i8
// ARITH-NEXT: memref.store %3, %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %4 = arith.constant 12 : index
// ARITH-NEXT: %5 = arith.constant 0 : i32
// ARITH-NEXT: scf.for %6 = %0 to %4 step %1 {
// ARITH-NEXT: memref.store %5, %quire[%6] : memref<12xi32>
// ARITH-NEXT: }
// ARITH-NEXT: %7 = arith.extui %b : i8 to i16
// ARITH-NEXT: %8 = arith.index_cast %7 : i16 to index
// ARITH-NEXT: %9 = memref.load %parts_table[%8] : memref<256xi16, #scratch.flash>
// ARITH-NEXT: %10 = arith.constant 8 : i16
// ARITH-NEXT: %11 = arith.shrsi %9, %10 : i16
// ARITH-NEXT: %12 = arith.trunci %11 {wraps} : i16 to i8
// ARITH-NEXT: %13 = arith.trunci %9 {wraps} : i16 to i8
// ARITH-NEXT: %14 = memref.load %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %15 = arith.ori %14, %13 : i8
// ARITH-NEXT: memref.store %15, %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %16 = arith.constant 127 : i8
// ARITH-NEXT: %17 = arith.andi %13, %16 : i8
// ARITH-NEXT: %18 = arith.constant 3 : i8
// ARITH-NEXT: %19 = arith.shrsi %17, %18 : i8
// ARITH-NEXT: %20 = arith.constant 7 : i8
// ARITH-NEXT: %21 = arith.andi %17, %20 : i8
// ARITH-NEXT: %22 = arith.extsi %21 : i8 to i32
// ARITH-NEXT: %23 = arith.index_cast %19 : i8 to index
// ARITH-NEXT: %24 = arith.extsi %12 : i8 to i32
// ARITH-NEXT: %25 = arith.shli %24, %22 : i32
// ARITH-NEXT: %26 = memref.load %quire[%23] : memref<12xi32>
// ARITH-NEXT: %27 = arith.addi %26, %25 : i32
// ARITH-NEXT: memref.store %27, %quire[%23] : memref<12xi32>
// ARITH-NEXT: %28 = arith.constant 16 : i8
// ARITH-NEXT: %29 = arith.constant 1 : i8
// ARITH-NEXT: %30 = arith.constant 28 : i16
// ARITH-NEXT: %31 = arith.constant 16 : i32
// ARITH-NEXT: %32 = arith.constant 127 : i16
// ARITH-NEXT: %33 = arith.constant 7 : i16
// ARITH-NEXT: scf.for %k = %0 to %2 step %1 {
// ARITH-NEXT: %p = memref.load %w[%k] : memref<3xi8, #scratch.flash>
// ARITH-NEXT: %q = memref.load %x[%k] : memref<3xi16>
// ARITH-NEXT: %34 = arith.extui %p : i8 to i16
// ARITH-NEXT: %35 = arith.index_cast %34 : i16 to index
// ARITH-NEXT: %36 = memref.load %parts_table_1[%35] : memref<256xi16, #scratch.flash>
// ARITH-NEXT: %37 = arith.shrsi %36, %10 : i16
// ARITH-NEXT: %38 = arith.trunci %37 {wraps} : i16 to i8
// ARITH-NEXT: %39 = arith.trunci %36 {wraps} : i16 to i8
// ARITH-NEXT: %40 = memref.load %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %41 = arith.ori %40, %39 : i8
// ARITH-NEXT: memref.store %41, %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %42 = func.call @tm_posit_parts_s16(%q, %28, %29, %30) : (i16, i8, i8, i16) -> i32
// ARITH-NEXT: %43 = arith.shrsi %42, %31 : i32
// ARITH-NEXT: %44 = arith.trunci %43 {wraps} : i32 to i16
// ARITH-NEXT: %45 = arith.trunci %42 {wraps} : i32 to i16
// ARITH-NEXT: %46 = arith.shrsi %45, %10 : i16
// ARITH-NEXT: %47 = arith.trunci %46 {wraps} : i16 to i8
// ARITH-NEXT: %48 = memref.load %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %49 = arith.ori %48, %47 : i8
// ARITH-NEXT: memref.store %49, %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %50 = arith.extsi %38 : i8 to i32
// ARITH-NEXT: %51 = arith.extsi %44 : i16 to i32
// ARITH-NEXT: %52 = arith.muli %50, %51 : i32
// ARITH-NEXT: %53 = arith.extsi %39 : i8 to i16
// ARITH-NEXT: %54 = arith.addi %53, %45 : i16
// ARITH-NEXT: %55 = arith.andi %54, %32 : i16
// ARITH-NEXT: %56 = arith.trunci %55 : i16 to i8
// ARITH-NEXT: %57 = arith.shrsi %56, %18 : i8
// ARITH-NEXT: %58 = arith.andi %55, %33 : i16
// ARITH-NEXT: %59 = arith.extsi %58 : i16 to i32
// ARITH-NEXT: %60 = arith.index_cast %57 : i8 to index
// ARITH-NEXT: %61 = arith.shli %52, %59 : i32
// ARITH-NEXT: %62 = memref.load %quire[%60] : memref<12xi32>
// ARITH-NEXT: %63 = arith.addi %62, %61 : i32
// ARITH-NEXT: memref.store %63, %quire[%60] : memref<12xi32>
// ARITH-NEXT: }
// ARITH-NEXT: %64 = memref.load %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %65 = arith.cmpi sgt, %3, %64 : i8
// ARITH-NEXT: %66 = arith.constant 11 : index
// ARITH-NEXT: %67 = arith.constant 255 : i32
// ARITH-NEXT: %68 = arith.constant 8 : i32
// ARITH-NEXT: %69 = scf.for %70 = %0 to %66 step %1 iter_args(%71 = %5) -> (i32) {
// ARITH-NEXT: %72 = memref.load %quire[%70] : memref<12xi32>
// ARITH-NEXT: %73 = arith.addi %72, %71 : i32
// ARITH-NEXT: %74 = arith.andi %73, %67 : i32
// ARITH-NEXT: memref.store %74, %quire[%70] : memref<12xi32>
// ARITH-NEXT: %75 = arith.shrsi %73, %68 : i32
// ARITH-NEXT: scf.yield %75 : i32
// ARITH-NEXT: }
// ARITH-NEXT: %76 = memref.load %quire[%66] : memref<12xi32>
// ARITH-NEXT: %77 = arith.addi %76, %69 : i32
// ARITH-NEXT: memref.store %77, %quire[%66] : memref<12xi32>
// ARITH-NEXT: %78 = memref.load %quire[%66] : memref<12xi32>
// ARITH-NEXT: %79 = arith.extsi %78 : i32 to i64
// ARITH-NEXT: %80 = arith.constant 0 : i16
// ARITH-NEXT: %81 = arith.constant 10 : index
// ARITH-NEXT: %82 = arith.constant 0 : i64
// ARITH-NEXT: %83 = arith.constant 4503599627370496 : i64
// ARITH-NEXT: %84 = arith.constant -4503599627370496 : i64
// ARITH-NEXT: %85 = arith.constant 8 : i64
// ARITH-NEXT: %86, %87, %88 = scf.for %89 = %0 to %66 step %1 iter_args(%90 = %79, %91 = %5, %92 = %80) -> (i64, i32, i16) {
// ARITH-NEXT: %93 = arith.subi %81, %89 : index
// ARITH-NEXT: %94 = memref.load %quire[%93] : memref<12xi32>
// ARITH-NEXT: %95 = arith.cmpi sge, %90, %82 : i64
// ARITH-NEXT: %96 = arith.cmpi sgt, %83, %90 : i64
// ARITH-NEXT: %97 = arith.cmpi sge, %90, %84 : i64
// ARITH-NEXT: %98 = arith.select %95, %96, %97 : i1
// ARITH-NEXT: %99 = arith.extsi %94 : i32 to i64
// ARITH-NEXT: %100 = arith.shli %90, %85 : i64
// ARITH-NEXT: %101 = arith.addi %100, %99 : i64
// ARITH-NEXT: %102 = arith.select %98, %101, %90 : i64
// ARITH-NEXT: %103 = arith.addi %91, %94 : i32
// ARITH-NEXT: %104 = arith.select %98, %91, %103 : i32
// ARITH-NEXT: %105 = arith.addi %92, %10 : i16
// ARITH-NEXT: %106 = arith.select %98, %92, %105 : i16
// ARITH-NEXT: scf.yield %102, %104, %106 : i64, i32, i16
// ARITH-NEXT: }
// ARITH-NEXT: %107 = arith.cmpi ne, %87, %5 : i32
// ARITH-NEXT: %108 = arith.constant 1 : i64
// ARITH-NEXT: %109 = arith.shli %86, %108 : i64
// ARITH-NEXT: %110 = arith.addi %109, %108 : i64
// ARITH-NEXT: %111 = arith.select %107, %110, %109 : i64
// ARITH-NEXT: %112 = arith.constant 67 : i16
// ARITH-NEXT: %113 = arith.subi %112, %88 : i16
// ARITH-NEXT: %114 = arith.constant 8 : i8
// ARITH-NEXT: %115 = arith.constant 2 : i8
// ARITH-NEXT: %116 = arith.constant -32768 : i16
// ARITH-NEXT: %117 = arith.constant 127 : i32
// ARITH-NEXT: %118 = func.call @tm_posit_of_s64(%111, %113, %114, %115, %116, %117) : (i64, i16, i8, i8, i16, i32) -> i32
// ARITH-NEXT: %119 = arith.trunci %118 : i32 to i8
// ARITH-NEXT: %120 = arith.constant -128 : i8
// ARITH-NEXT: %y = arith.select %65, %120, %119 : i8
// ARITH-NEXT: func.return %y : i8

// -----

// One empty sum stands for two, which follow each other in one array. Fixed point is its own significand.
func.func @two(%a: !posit.p<8, 0>, %b: !posit.p<8, 0>, %c: !fixed.q<8, 4>) -> (!posit.p<8, 0>, !posit.p<8, 0>) {
  %zero = num.zero : !posit.quire<30, 22, 32, 0>
  %s = num.mac %zero, %a, %b : !posit.quire<30, 22, 32, 0>, !posit.p<8, 0>, !posit.p<8, 0> -> !posit.quire<30, 22, 32, 0>
  %x = num.finish %s : !posit.quire<30, 22, 32, 0> -> !posit.p<8, 0>
  %t = num.mac %zero, %a, %c : !posit.quire<30, 22, 32, 0>, !posit.p<8, 0>, !fixed.q<8, 4> -> !posit.quire<30, 22, 32, 0>
  %y = num.finish %t : !posit.quire<30, 22, 32, 0> -> !posit.p<8, 0>
  func.return %x, %y : !posit.p<8, 0>, !posit.p<8, 0>
}
// CHECK-LABEL: func.func @two(%a: i8, %b: i8, %c: i8) -> (i8, i8) {
// CHECK-NEXT: %quire = memref.alloca() : memref<1xi32>
// CHECK-NEXT: posit.start %quire as !posit.quire<30, 22, 32, 0> : memref<1xi32>
// CHECK-NEXT: %0, %1 = posit.decode %a as !posit.p<8, 0> from -11 : i8 -> i8, i8
// CHECK-NEXT: posit.mark %quire as !posit.quire<30, 22, 32, 0> by %1 : memref<1xi32>, i8
// CHECK-NEXT: %2, %3 = posit.decode %b as !posit.p<8, 0> from -11 : i8 -> i8, i8
// CHECK-NEXT: posit.mark %quire as !posit.quire<30, 22, 32, 0> by %3 : memref<1xi32>, i8
// CHECK-NEXT: posit.multiply_add %quire as !posit.quire<30, 22, 32, 0>, %0, %1, %2, %3 bits 12 : memref<1xi32>, i8, i8, i8, i8
// CHECK-NEXT: %4, %5, %6 = posit.join %quire as !posit.quire<30, 22, 32, 0> : memref<1xi32> -> i32
// CHECK-NEXT: %x = posit.round %4 scale %5, %6 to !posit.p<8, 0> : i32 -> i8
// CHECK-NEXT: posit.start %quire as !posit.quire<30, 22, 32, 0> : memref<1xi32>
// CHECK-NEXT: %7, %8 = posit.decode %a as !posit.p<8, 0> from -18 : i8 -> i8, i8
// CHECK-NEXT: posit.mark %quire as !posit.quire<30, 22, 32, 0> by %8 : memref<1xi32>, i8
// CHECK-NEXT: %9 = arith.constant 0 : i8
// CHECK-NEXT: posit.multiply_add %quire as !posit.quire<30, 22, 32, 0>, %7, %8, %c, %9 bits 13 : memref<1xi32>, i8, i8, i8, i8
// CHECK-NEXT: %10, %11, %12 = posit.join %quire as !posit.quire<30, 22, 32, 0> : memref<1xi32> -> i32
// CHECK-NEXT: %y = posit.round %10 scale %11, %12 to !posit.p<8, 0> : i32 -> i8
// CHECK-NEXT: func.return %x, %y : i8, i8
