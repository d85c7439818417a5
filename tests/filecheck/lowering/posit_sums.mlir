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
// ARITH-NEXT: %9 = memref.load %parts_table_1[%8] : memref<256xi16, #scratch.flash>
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
// ARITH-NEXT: %22 = arith.index_cast %19 : i8 to index
// ARITH-NEXT: %23 = arith.extsi %12 : i8 to i16
// ARITH-NEXT: %24 = arith.extsi %21 : i8 to i16
// ARITH-NEXT: %25 = arith.shli %23, %24 : i16
// ARITH-NEXT: %26 = arith.extsi %25 : i16 to i32
// ARITH-NEXT: %27 = memref.load %quire[%22] : memref<12xi32>
// ARITH-NEXT: %28 = arith.addi %27, %26 : i32
// ARITH-NEXT: memref.store %28, %quire[%22] : memref<12xi32>
// ARITH-NEXT: %29 = arith.constant 16 : i8
// ARITH-NEXT: %30 = arith.constant 1 : i8
// ARITH-NEXT: %31 = arith.constant 28 : i16
// ARITH-NEXT: %32 = arith.constant 16 : i32
// ARITH-NEXT: %33 = arith.constant 127 : i16
// ARITH-NEXT: %34 = arith.constant 7 : i16
// ARITH-NEXT: scf.for %k = %0 to %2 step %1 {
// ARITH-NEXT: %p = memref.load %w[%k] : memref<3xi8, #scratch.flash>
// ARITH-NEXT: %q = memref.load %x[%k] : memref<3xi16>
// ARITH-NEXT: %35 = arith.extui %p : i8 to i16
// ARITH-NEXT: %36 = arith.index_cast %35 : i16 to index
// ARITH-NEXT: %37 = memref.load %parts_table[%36] : memref<256xi16, #scratch.flash>
// ARITH-NEXT: %38 = arith.shrsi %37, %10 : i16
// ARITH-NEXT: %39 = arith.trunci %38 {wraps} : i16 to i8
// ARITH-NEXT: %40 = arith.trunci %37 {wraps} : i16 to i8
// ARITH-NEXT: %41 = memref.load %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %42 = arith.ori %41, %40 : i8
// ARITH-NEXT: memref.store %42, %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %43 = func.call @tm_posit_parts_s16(%q, %29, %30, %31) : (i16, i8, i8, i16) -> i32
// ARITH-NEXT: %44 = arith.shrsi %43, %32 : i32
// ARITH-NEXT: %45 = arith.trunci %44 {wraps} : i32 to i16
// ARITH-NEXT: %46 = arith.trunci %43 {wraps} : i32 to i16
// ARITH-NEXT: %47 = arith.shrsi %46, %10 : i16
// ARITH-NEXT: %48 = arith.trunci %47 {wraps} : i16 to i8
// ARITH-NEXT: %49 = memref.load %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %50 = arith.ori %49, %48 : i8
// ARITH-NEXT: memref.store %50, %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %51 = arith.extsi %39 : i8 to i32
// ARITH-NEXT: %52 = arith.extsi %45 : i16 to i32
// ARITH-NEXT: %53 = arith.muli %51, %52 : i32
// ARITH-NEXT: %54 = arith.extsi %40 : i8 to i16
// ARITH-NEXT: %55 = arith.addi %54, %46 : i16
// ARITH-NEXT: %56 = arith.andi %55, %33 : i16
// ARITH-NEXT: %57 = arith.trunci %56 : i16 to i8
// ARITH-NEXT: %58 = arith.shrsi %57, %18 : i8
// ARITH-NEXT: %59 = arith.andi %56, %34 : i16
// ARITH-NEXT: %60 = arith.index_cast %58 : i8 to index
// ARITH-NEXT: %61 = arith.extsi %59 : i16 to i32
// ARITH-NEXT: %62 = arith.shli %53, %61 : i32
// ARITH-NEXT: %63 = memref.load %quire[%60] : memref<12xi32>
// ARITH-NEXT: %64 = arith.addi %63, %62 : i32
// ARITH-NEXT: memref.store %64, %quire[%60] : memref<12xi32>
// ARITH-NEXT: }
// ARITH-NEXT: %65 = memref.load %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %66 = arith.cmpi sgt, %3, %65 : i8
// ARITH-NEXT: %67 = arith.constant 11 : index
// ARITH-NEXT: %68 = arith.constant 255 : i32
// ARITH-NEXT: %69 = arith.constant 8 : i32
// ARITH-NEXT: %70 = scf.for %71 = %0 to %67 step %1 iter_args(%72 = %5) -> (i32) {
// ARITH-NEXT: %73 = memref.load %quire[%71] : memref<12xi32>
// ARITH-NEXT: %74 = arith.addi %73, %72 : i32
// ARITH-NEXT: %75 = arith.andi %74, %68 : i32
// ARITH-NEXT: memref.store %75, %quire[%71] : memref<12xi32>
// ARITH-NEXT: %76 = arith.shrsi %74, %69 : i32
// ARITH-NEXT: scf.yield %76 : i32
// ARITH-NEXT: }
// ARITH-NEXT: %77 = memref.load %quire[%67] : memref<12xi32>
// ARITH-NEXT: %78 = arith.addi %77, %70 : i32
// ARITH-NEXT: memref.store %78, %quire[%67] : memref<12xi32>
// ARITH-NEXT: %79 = memref.load %quire[%67] : memref<12xi32>
// ARITH-NEXT: %80 = arith.extsi %79 : i32 to i64
// ARITH-NEXT: %81 = arith.constant 0 : i16
// ARITH-NEXT: %82 = arith.constant 10 : index
// ARITH-NEXT: %83 = arith.constant 0 : i64
// ARITH-NEXT: %84 = arith.constant 4503599627370496 : i64
// ARITH-NEXT: %85 = arith.constant -4503599627370496 : i64
// ARITH-NEXT: %86 = arith.constant 8 : i64
// ARITH-NEXT: %87, %88, %89 = scf.for %90 = %0 to %67 step %1 iter_args(%91 = %80, %92 = %5, %93 = %81) -> (i64, i32, i16) {
// ARITH-NEXT: %94 = arith.subi %82, %90 : index
// ARITH-NEXT: %95 = memref.load %quire[%94] : memref<12xi32>
// ARITH-NEXT: %96 = arith.cmpi sge, %91, %83 : i64
// ARITH-NEXT: %97 = arith.cmpi sgt, %84, %91 : i64
// ARITH-NEXT: %98 = arith.cmpi sge, %91, %85 : i64
// ARITH-NEXT: %99 = arith.select %96, %97, %98 : i1
// ARITH-NEXT: %100 = arith.extsi %95 : i32 to i64
// ARITH-NEXT: %101 = arith.shli %91, %86 : i64
// ARITH-NEXT: %102 = arith.addi %101, %100 : i64
// ARITH-NEXT: %103 = arith.select %99, %102, %91 : i64
// ARITH-NEXT: %104 = arith.addi %92, %95 : i32
// ARITH-NEXT: %105 = arith.select %99, %92, %104 : i32
// ARITH-NEXT: %106 = arith.addi %93, %10 : i16
// ARITH-NEXT: %107 = arith.select %99, %93, %106 : i16
// ARITH-NEXT: scf.yield %103, %105, %107 : i64, i32, i16
// ARITH-NEXT: }
// ARITH-NEXT: %108 = arith.cmpi ne, %88, %5 : i32
// ARITH-NEXT: %109 = arith.constant 1 : i64
// ARITH-NEXT: %110 = arith.shli %87, %109 : i64
// ARITH-NEXT: %111 = arith.addi %110, %109 : i64
// ARITH-NEXT: %112 = arith.select %108, %111, %110 : i64
// ARITH-NEXT: %113 = arith.constant 67 : i16
// ARITH-NEXT: %114 = arith.subi %113, %89 : i16
// ARITH-NEXT: %115 = arith.constant 8 : i8
// ARITH-NEXT: %116 = arith.constant 2 : i8
// ARITH-NEXT: %117 = arith.constant -32768 : i16
// ARITH-NEXT: %118 = arith.constant 127 : i32
// ARITH-NEXT: %119 = func.call @tm_posit_of_s64(%112, %114, %115, %116, %117, %118) : (i64, i16, i8, i8, i16, i32) -> i32
// ARITH-NEXT: %120 = arith.trunci %119 : i32 to i8
// ARITH-NEXT: %121 = arith.constant -128 : i8
// ARITH-NEXT: %y = arith.select %66, %121, %120 : i8
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
