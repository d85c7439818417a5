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
// CHECK-LABEL: func.func @sums(%w: memref<3xi8, #scratch.flash> {tinyml.format = "!posit.p<8, 2>"}, %x: memref<3xi16> {tinyml.format = "!posit.p<16, 1>"}, %b: i8) -> (i8) attributes {tinyml.sums_in_memory} {
// CHECK-NEXT: %quire = memref.alloca() : memref<12xi32>
// CHECK-NEXT: %0 = arith.constant 0 : index
// CHECK-NEXT: %1 = arith.constant 1 : index
// CHECK-NEXT: %2 = arith.constant 3 : index
// CHECK-NEXT: posit.start %quire as !posit.quire<96, 66, 32, 8> : memref<12xi32>
// CHECK-NEXT: %3, %4 = posit.decode %b as !posit.p<8, 2> from -66 step 1 : i8 -> i8, i8
// CHECK-NEXT: posit.mark %quire as !posit.quire<96, 66, 32, 8> by %4 : memref<12xi32>, i8
// CHECK-NEXT: posit.add %quire as !posit.quire<96, 66, 32, 8>, %3, %4 bits 4 : memref<12xi32>, i8, i8
// CHECK-NEXT: scf.for %k = %0 to %2 step %1 {
// CHECK-NEXT: %p = memref.load %w[%k] : memref<3xi8, #scratch.flash>
// CHECK-NEXT: %q = memref.load %x[%k] : memref<3xi16>
// CHECK-NEXT: %5, %6 = posit.decode %p as !posit.p<8, 2> from -26 step 8 : i8 -> i16, i16
// CHECK-NEXT: posit.mark %quire as !posit.quire<96, 66, 32, 8> by %6 : memref<12xi32>, i16
// CHECK-NEXT: %7, %8 = posit.decode %q as !posit.p<16, 1> from -40 step 8 : i16 -> i32, i16
// CHECK-NEXT: posit.mark %quire as !posit.quire<96, 66, 32, 8> by %8 : memref<12xi32>, i16
// CHECK-NEXT: posit.multiply_add %quire as !posit.quire<96, 66, 32, 8>, %5, %6, %7, %8 bits 31 step 8 : memref<12xi32>, i16, i16, i32, i16
// CHECK-NEXT: }
// CHECK-NEXT: %9, %10, %11 = posit.join %quire as !posit.quire<96, 66, 32, 8> : memref<12xi32> -> i32
// CHECK-NEXT: %y = posit.round %9 scale %10, %11 to !posit.p<8, 2> : i32 -> i8
// CHECK-NEXT: func.return %y : i8
// ARITH-LABEL: func.func @sums(%w: memref<3xi8, #scratch.flash> {tinyml.format = "!posit.p<8, 2>"}, %x: memref<3xi16> {tinyml.format = "!posit.p<16, 1>"}, %b: i8) -> (i8) attributes {tinyml.sums_in_memory} {
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
// ARITH-NEXT: %10 = arith.trunci %9 {wraps} : i16 to i8
// ARITH-NEXT: %11 = func.call @tm_posit_upper_s16(%9) : (i16) -> i8
// ARITH-NEXT: %12 = memref.load %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %13 = func.call @tm_posit_mark(%12, %10) : (i8, i8) -> i8
// ARITH-NEXT: memref.store %13, %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %14 = arith.constant 127 : i8
// ARITH-NEXT: %15 = arith.andi %10, %14 : i8
// ARITH-NEXT: %16 = arith.constant 3 : i8
// ARITH-NEXT: %17 = arith.shrsi %15, %16 : i8
// ARITH-NEXT: %18 = arith.constant 7 : i8
// ARITH-NEXT: %19 = arith.andi %15, %18 : i8
// ARITH-NEXT: %20 = arith.extui %17 : i8 to i16
// ARITH-NEXT: %21 = arith.index_cast %20 : i16 to index
// ARITH-NEXT: %22 = arith.extsi %11 : i8 to i16
// ARITH-NEXT: %23 = arith.extsi %19 : i8 to i16
// ARITH-NEXT: %24 = arith.shli %22, %23 : i16
// ARITH-NEXT: %25 = arith.extsi %24 : i16 to i32
// ARITH-NEXT: %26 = memref.load %quire[%21] : memref<12xi32>
// ARITH-NEXT: %27 = arith.addi %26, %25 : i32
// ARITH-NEXT: memref.store %27, %quire[%21] : memref<12xi32>
// ARITH-NEXT: %28 = arith.constant 16 : i32
// ARITH-NEXT: %29 = arith.constant 8 : i16
// ARITH-NEXT: %30 = arith.constant 16 : i8
// ARITH-NEXT: %31 = arith.constant 1 : i8
// ARITH-NEXT: %32 = arith.constant 28 : i16
// ARITH-NEXT: %33 = arith.constant 65535 : i32
// ARITH-NEXT: %34 = arith.constant 2 : index
// ARITH-NEXT: scf.for %k = %0 to %2 step %1 {
// ARITH-NEXT: %p = memref.load %w[%k] : memref<3xi8, #scratch.flash>
// ARITH-NEXT: %q = memref.load %x[%k] : memref<3xi16>
// ARITH-NEXT: %35 = arith.extui %p : i8 to i16
// ARITH-NEXT: %36 = arith.index_cast %35 : i16 to index
// ARITH-NEXT: %37 = memref.load %parts_table[%36] : memref<256xi32, #scratch.flash>
// ARITH-NEXT: %38 = arith.trunci %37 {wraps} : i32 to i16
// ARITH-NEXT: %39 = arith.shrsi %37, %28 : i32
// ARITH-NEXT: %40 = arith.trunci %39 {wraps} : i32 to i16
// ARITH-NEXT: %41 = arith.shrsi %38, %29 : i16
// ARITH-NEXT: %42 = arith.trunci %41 {wraps} : i16 to i8
// ARITH-NEXT: %43 = memref.load %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %44 = func.call @tm_posit_mark(%43, %42) : (i8, i8) -> i8
// ARITH-NEXT: memref.store %44, %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %45 = arith.extsi %q : i16 to i32
// ARITH-NEXT: %46 = func.call @tm_posit_parts_s32(%45, %30, %31, %16, %32) : (i32, i8, i8, i8, i16) -> i64
// ARITH-NEXT: %47 = arith.trunci %46 {wraps} : i64 to i16
// ARITH-NEXT: %48 = func.call @tm_posit_upper_s64(%46) : (i64) -> i32
// ARITH-NEXT: %49 = arith.shrsi %47, %29 : i16
// ARITH-NEXT: %50 = arith.trunci %49 {wraps} : i16 to i8
// ARITH-NEXT: %51 = memref.load %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %52 = func.call @tm_posit_mark(%51, %50) : (i8, i8) -> i8
// ARITH-NEXT: memref.store %52, %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %53 = arith.extsi %40 : i16 to i32
// ARITH-NEXT: %54 = arith.muli %53, %48 : i32
// ARITH-NEXT: %55 = arith.trunci %38 {wraps} : i16 to i8
// ARITH-NEXT: %56 = arith.trunci %47 {wraps} : i16 to i8
// ARITH-NEXT: %57 = arith.addi %55, %56 : i8
// ARITH-NEXT: %58 = arith.extui %57 : i8 to i16
// ARITH-NEXT: %59 = arith.index_cast %58 : i16 to index
// ARITH-NEXT: %60 = scratch.slice %quire[%59] : memref<12xi32> to memref<3xi32>
// ARITH-NEXT: %61 = arith.andi %54, %33 : i32
// ARITH-NEXT: %62 = memref.load %60[%0] : memref<3xi32>
// ARITH-NEXT: %63 = arith.addi %62, %61 : i32
// ARITH-NEXT: memref.store %63, %60[%0] : memref<3xi32>
// ARITH-NEXT: %64 = arith.shrsi %54, %28 : i32
// ARITH-NEXT: %65 = memref.load %60[%34] : memref<3xi32>
// ARITH-NEXT: %66 = arith.addi %65, %64 : i32
// ARITH-NEXT: memref.store %66, %60[%34] : memref<3xi32>
// ARITH-NEXT: }
// ARITH-NEXT: %67 = memref.load %undefined[%0] : memref<1xi8>
// ARITH-NEXT: %68 = arith.cmpi sgt, %3, %67 : i8
// ARITH-NEXT: %69 = arith.constant 255 : i32
// ARITH-NEXT: %70 = arith.constant 8 : i32
// ARITH-NEXT: %71 = scf.for %72 = %0 to %4 step %1 iter_args(%73 = %5) -> (i32) {
// ARITH-NEXT: %74 = memref.load %quire[%72] : memref<12xi32>
// ARITH-NEXT: %75 = arith.addi %74, %73 : i32
// ARITH-NEXT: %76 = arith.andi %75, %69 : i32
// ARITH-NEXT: %77 = arith.shrsi %75, %70 : i32
// ARITH-NEXT: memref.store %76, %quire[%72] : memref<12xi32>
// ARITH-NEXT: scf.yield %77 : i32
// ARITH-NEXT: }
// ARITH-NEXT: %78 = arith.constant 0 : i16
// ARITH-NEXT: %79 = arith.constant 11 : index
// ARITH-NEXT: %80 = arith.constant 4194304 : i32
// ARITH-NEXT: %81 = arith.constant -4194304 : i32
// ARITH-NEXT: %82, %83, %84 = scf.for %85 = %0 to %4 step %1 iter_args(%86 = %71, %87 = %5, %88 = %78) -> (i32, i32, i16) {
// ARITH-NEXT: %89 = arith.subi %79, %85 : index
// ARITH-NEXT: %90 = memref.load %quire[%89] : memref<12xi32>
// ARITH-NEXT: %91 = arith.cmpi sge, %86, %5 : i32
// ARITH-NEXT: %92 = arith.cmpi sgt, %80, %86 : i32
// ARITH-NEXT: %93 = arith.cmpi sge, %86, %81 : i32
// ARITH-NEXT: %94 = arith.select %91, %92, %93 : i1
// ARITH-NEXT: %95 = arith.shli %86, %70 : i32
// ARITH-NEXT: %96 = arith.addi %95, %90 : i32
// ARITH-NEXT: %97 = arith.select %94, %96, %86 : i32
// ARITH-NEXT: %98 = arith.addi %87, %90 : i32
// ARITH-NEXT: %99 = arith.select %94, %87, %98 : i32
// ARITH-NEXT: %100 = arith.addi %88, %29 : i16
// ARITH-NEXT: %101 = arith.select %94, %88, %100 : i16
// ARITH-NEXT: scf.yield %97, %99, %101 : i32, i32, i16
// ARITH-NEXT: }
// ARITH-NEXT: %102 = arith.cmpi ne, %83, %5 : i32
// ARITH-NEXT: %103 = arith.constant 1 : i32
// ARITH-NEXT: %104 = arith.shli %82, %103 : i32
// ARITH-NEXT: %105 = arith.addi %104, %103 : i32
// ARITH-NEXT: %106 = arith.select %102, %105, %104 : i32
// ARITH-NEXT: %107 = arith.constant 67 : i16
// ARITH-NEXT: %108 = arith.subi %107, %84 : i16
// ARITH-NEXT: %109 = arith.constant 8 : i8
// ARITH-NEXT: %110 = arith.constant 2 : i8
// ARITH-NEXT: %111 = arith.constant -32768 : i16
// ARITH-NEXT: %112 = arith.constant 127 : i32
// ARITH-NEXT: %113 = func.call @tm_posit_of_s32(%106, %108, %109, %110, %111, %112) : (i32, i16, i8, i8, i16, i32) -> i32
// ARITH-NEXT: %114 = arith.trunci %113 : i32 to i8
// ARITH-NEXT: %115 = arith.constant -128 : i8
// ARITH-NEXT: %y = arith.select %68, %115, %114 : i8
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
// CHECK-LABEL: func.func @two(%a: i8, %b: i8, %c: i8) -> (i8, i8) attributes {tinyml.sums_in_memory} {
// CHECK-NEXT: %quire = memref.alloca() : memref<1xi32>
// CHECK-NEXT: posit.start %quire as !posit.quire<30, 22, 32, 0> : memref<1xi32>
// CHECK-NEXT: %0, %1 = posit.decode %a as !posit.p<8, 0> from -11 step 1 : i8 -> i8, i8
// CHECK-NEXT: posit.mark %quire as !posit.quire<30, 22, 32, 0> by %1 : memref<1xi32>, i8
// CHECK-NEXT: %2, %3 = posit.decode %b as !posit.p<8, 0> from -11 step 1 : i8 -> i8, i8
// CHECK-NEXT: posit.mark %quire as !posit.quire<30, 22, 32, 0> by %3 : memref<1xi32>, i8
// CHECK-NEXT: posit.multiply_add %quire as !posit.quire<30, 22, 32, 0>, %0, %1, %2, %3 bits 12 step 1 : memref<1xi32>, i8, i8, i8, i8
// CHECK-NEXT: %4, %5, %6 = posit.join %quire as !posit.quire<30, 22, 32, 0> : memref<1xi32> -> i32
// CHECK-NEXT: %x = posit.round %4 scale %5, %6 to !posit.p<8, 0> : i32 -> i8
// CHECK-NEXT: posit.start %quire as !posit.quire<30, 22, 32, 0> : memref<1xi32>
// CHECK-NEXT: %7, %8 = posit.decode %a as !posit.p<8, 0> from -18 step 1 : i8 -> i8, i8
// CHECK-NEXT: posit.mark %quire as !posit.quire<30, 22, 32, 0> by %8 : memref<1xi32>, i8
// CHECK-NEXT: %9 = arith.constant 0 : i8
// CHECK-NEXT: posit.multiply_add %quire as !posit.quire<30, 22, 32, 0>, %7, %8, %c, %9 bits 13 step 1 : memref<1xi32>, i8, i8, i8, i8
// CHECK-NEXT: %10, %11, %12 = posit.join %quire as !posit.quire<30, 22, 32, 0> : memref<1xi32> -> i32
// CHECK-NEXT: %y = posit.round %10 scale %11, %12 to !posit.p<8, 0> : i32 -> i8
// CHECK-NEXT: func.return %x, %y : i8, i8

// -----

// Two sums that are alive at the same time have an array each; one that begins after both shares one.
func.func @arrays(%w: memref<3x!posit.p<8, 2>, #scratch.flash>, %x: memref<3x!posit.p<8, 2>>) -> !posit.p<8, 2> {
  %0 = arith.constant 0 : index
  %p = memref.load %w[%0] : memref<3x!posit.p<8, 2>, #scratch.flash>
  %q = memref.load %x[%0] : memref<3x!posit.p<8, 2>>
  %a = num.zero : !posit.quire<63, 35, 32, 4>
  %b = num.zero : !posit.quire<63, 35, 32, 4>
  %c = num.mac %a, %p, %q : !posit.quire<63, 35, 32, 4>, !posit.p<8, 2>, !posit.p<8, 2> -> !posit.quire<63, 35, 32, 4>
  %d = num.mac %b, %q, %q : !posit.quire<63, 35, 32, 4>, !posit.p<8, 2>, !posit.p<8, 2> -> !posit.quire<63, 35, 32, 4>
  %e = num.finish %c : !posit.quire<63, 35, 32, 4> -> !posit.p<8, 2>
  %f = num.finish %d : !posit.quire<63, 35, 32, 4> -> !posit.p<8, 2>
  %g = num.zero : !posit.quire<63, 35, 32, 4>
  %h = num.mac %g, %e, %f : !posit.quire<63, 35, 32, 4>, !posit.p<8, 2>, !posit.p<8, 2> -> !posit.quire<63, 35, 32, 4>
  %y = num.finish %h : !posit.quire<63, 35, 32, 4> -> !posit.p<8, 2>
  func.return %y : !posit.p<8, 2>
}
// CHECK-LABEL: func.func @arrays
// CHECK: [[second:%.*]] = memref.alloca() : memref<16xi32>
// CHECK-NEXT: [[first:%.*]] = memref.alloca() : memref<16xi32>
// CHECK: posit.start [[first]]
// CHECK: posit.start [[second]]
// CHECK: posit.join [[first]]
// CHECK: posit.join [[second]]
// CHECK: posit.start [[first]]
// CHECK: posit.join [[first]]
