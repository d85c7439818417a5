// RUN: tinyml-opt %s -p 'unroll-loops{factor=4},canonicalize' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'unroll-loops{luts=1000 dsps=2},canonicalize' --split-input-file | filecheck %s --check-prefix=BUDGET
// RUN: tinyml-opt %s -p 'unroll-loops,canonicalize' --split-input-file | filecheck %s --check-prefix=NONE
// RUN: tinyml-opt %s -p 'unroll-loops{luts=1000 dsps=2 order=sequential},canonicalize' --split-input-file | filecheck %s --check-prefix=BUDGET
// RUN: tinyml-opt %s -p 'unroll-loops{luts=9000 dsps=2 brams=1},canonicalize' --split-input-file | filecheck %s --check-prefix=BRAMS
// RUN: tinyml-opt %s -p 'unroll-loops{luts=313 dsps=0 order=sequential},canonicalize' --split-input-file | filecheck %s --check-prefix=SEEDOT
// RUN: tinyml-opt %s -p 'unroll-loops{luts=312 dsps=0 order=sequential},canonicalize' --split-input-file | filecheck %s --check-prefix=LESS
// RUN: not tinyml-opt %s -p 'unroll-loops{factor=0}' 2>&1 | filecheck %s --check-prefix=FACTOR
// RUN: not tinyml-opt %s -p 'unroll-loops{cells=101}' 2>&1 | filecheck %s --check-prefix=PERCENT
// RUN: not tinyml-opt %s -p 'unroll-loops{cells=-1}' 2>&1 | filecheck %s --check-prefix=PERCENT
// RUN: tinyml-opt %s -p 'unroll-loops{factor=1},canonicalize' --split-input-file | filecheck %s --check-prefix=NONE
// RUN: tinyml-opt %s -p 'unroll-loops{cells=0},canonicalize' --split-input-file | filecheck %s --check-prefix=NONE

// FACTOR: unroll-loops: a factor of 0
// PERCENT: percent of the cells

// Four elements of two memories in each iteration, added as a tree; rows of 8 elements begin at whole words.
func.func @sum(%row: index) -> i24 {
  %w = rtl.memory dense<1> : tensor<24xi8> : !rtl.memory<24, 8>
  %x = rtl.memory : !rtl.memory<8, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 8 : index
  %start = arith.constant 5 : i24
  %base = arith.muli %row, %n : index
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (i24) {
    %j = arith.addi %base, %i : index
    %a = rtl.load %w[%j] : !rtl.memory<24, 8> -> i8
    %b = rtl.load %x[%i] : !rtl.memory<8, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %d = arith.extsi %b : i8 to i24
    %p = arith.muli %c, %d : i24
    %t = arith.addi %s, %p : i24
    scf.yield %t : i24
  }
  func.return %sum : i24
}
// CHECK-LABEL: func.func @sum
// CHECK: %w = rtl.memory dense<1> : tensor<24xi8> : !rtl.memory<6, 32>
// CHECK: %x = rtl.memory : !rtl.memory<2, 32>
// CHECK: [[n:%.*]] = arith.constant 2 : index
// CHECK: scf.for %i = %zero to [[n]] step %one iter_args(%s = %start) -> (i24) {
// CHECK: [[a:%.*]] = rtl.load %w{{.*}} -> i32
// CHECK: [[b:%.*]] = rtl.load %x{{.*}} -> i32
// CHECK: arith.trunci [[a]] : i32 to i8
// CHECK: arith.muli {{.*}} : i24
// CHECK: arith.muli {{.*}} : i24
// CHECK: arith.muli {{.*}} : i24
// CHECK: arith.muli {{.*}} : i24
// CHECK: arith.addi {{.*}} : i24
// CHECK: arith.addi {{.*}} : i24
// CHECK: [[tree:%.*]] = arith.addi {{.*}} : i24
// CHECK: [[total:%.*]] = arith.addi %s, [[tree]] : i24
// CHECK: scf.yield [[total]] : i24
// CHECK-NEXT: } {rtl.lanes = 4 : i64}

// -----

// The last iteration of an odd length leaves out what is too many; a length below a power of two is one iteration.
func.func @odd() -> (i24, i24) {
  %x = rtl.memory dense<1> : tensor<9xi8> : !rtl.memory<9, 8>
  %y = rtl.memory : !rtl.memory<3, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 9 : index
  %three = arith.constant 3 : index
  %start = arith.constant 5 : i24
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (i24) {
    %a = rtl.load %x[%i] : !rtl.memory<9, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %t = arith.addi %s, %c : i24
    scf.yield %t : i24
  }
  %short = scf.for %i = %zero to %three step %one iter_args(%s = %sum) -> (i24) {
    %a = rtl.load %y[%i] : !rtl.memory<3, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %t = arith.addi %s, %c : i24
    scf.yield %t : i24
  }
  func.return %sum, %short : i24, i24
}
// CHECK-LABEL: func.func @odd
// CHECK: [[last:%.*]] = arith.constant 2 : index
// CHECK: scf.for %i
// CHECK: rtl.load {{.*}} -> i32
// CHECK: [[further:%.*]] = arith.cmpi ne, %i
// CHECK: arith.select [[further]], {{.*}} : i24
// CHECK: arith.select [[further]], {{.*}} : i24
// CHECK: arith.select [[further]], {{.*}} : i24
// CHECK-NOT: arith.select
// CHECK: rtl.load %y{{.*}} -> i32
// CHECK-NOT: arith.select

// -----

// A product of sums and elements at odd addresses remain as they are.
func.func @others(%m: index) -> (i24, i24) {
  %x = rtl.memory dense<1> : tensor<9xi8> : !rtl.memory<9, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = arith.constant 8 : index
  %start = arith.constant 5 : i24
  %sum = scf.for %i = %zero to %e step %one iter_args(%s = %start) -> (i24) {
    %j = arith.addi %i, %one : index
    %a = rtl.load %x[%j] : !rtl.memory<9, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %t = arith.addi %s, %c : i24
    scf.yield %t : i24
  }
  %product = scf.for %i = %zero to %e step %one iter_args(%s = %start) -> (i24) {
    %a = rtl.load %x[%i] : !rtl.memory<9, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %t = arith.muli %s, %c : i24
    scf.yield %t : i24
  }
  func.return %sum, %product : i24, i24
}
// CHECK-LABEL: func.func @others
// CHECK: rtl.memory dense<1> : tensor<9xi8> : !rtl.memory<9, 8>
// CHECK: rtl.load {{.*}} -> i8
// CHECK: rtl.load {{.*}} -> i8

// -----

// Rows of 5 weights become rows of 8: what is read behind the end of %x is multiplied by 0.
func.func @padded(%row: index) -> i24 {
  %w = rtl.memory dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]> : tensor<10xi8> : !rtl.memory<10, 8>
  %x = rtl.memory : !rtl.memory<5, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 5 : index
  %start = arith.constant 0 : i24
  %base = arith.muli %row, %n : index
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (i24) {
    %j = arith.addi %base, %i : index
    %a = rtl.load %w[%j] : !rtl.memory<10, 8> -> i8
    %b = rtl.load %x[%i] : !rtl.memory<5, 8> -> i8
    %c = arith.extsi %a : i8 to i24
    %d = arith.extsi %b : i8 to i24
    %p = arith.muli %c, %d : i24
    %t = arith.addi %s, %p : i24
    scf.yield %t : i24
  }
  func.return %sum : i24
}
// CHECK-LABEL: func.func @padded
// CHECK: %w = rtl.memory dense<[1, 2, 3, 4, 5, 0, 0, 0, 6, 7, 8, 9, 10, 0, 0, 0]> : tensor<16xi8> : !rtl.memory<4, 32>
// CHECK: %x = rtl.memory : !rtl.memory<2, 32>
// CHECK: [[two:%.*]] = arith.constant 2 : index
// CHECK: scf.for %i = %zero to [[two]] step %one
// CHECK: arith.muli %row, {{%.*}} : index
// A budget of 2 multipliers: of 4 products in each row, the others are logic.
// BUDGET-LABEL: func.func @padded
// BUDGET: arith.muli {{%.*}}, {{%.*}} : i24
// BUDGET: arith.muli {{%.*}}, {{%.*}} : i24
// BUDGET: arith.muli {{.*}} {rtl.logic} : i24
// BUDGET: arith.muli {{.*}} {rtl.logic} : i24
// BUDGET-LABEL: func.func @brams(
// Without any cells to spare nothing is unrolled.
// NONE-LABEL: func.func @padded
// NONE: !rtl.memory<10, 8>
// NONE-LABEL: func.func @brams(

// -----

// Words of four elements take two block RAMs for %w.
func.func @brams() -> i24 {
  %w = rtl.memory : !rtl.memory<1024, 16>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 1024 : index
  %start = arith.constant 5 : i24
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> (i24) {
    %a = rtl.load %w[%i] : !rtl.memory<1024, 16> -> i16
    %c = arith.extsi %a : i16 to i24
    %t = arith.addi %s, %c : i24
    scf.yield %t : i24
  }
  func.return %sum : i24
}
// CHECK-LABEL: func.func @brams
// CHECK: !rtl.memory<256, 64>
// CHECK-LABEL: func.func @seedot(
// BRAMS-LABEL: func.func @brams
// BRAMS: !rtl.memory<512, 32>
// BRAMS-LABEL: func.func @seedot(

// -----

// SeeDot, section 6.2.2: A - B takes 0.4 of the budget R for each of 10 elements, the sum with C 0.1 of it. Here these
// are 100 and 20 LUTs beside 193 of the rolled loops: in turn both loops get a factor of 2, 5 iterations.
func.func @seedot() -> (i20, i8) {
  %A = rtl.memory : !rtl.memory<10, 20>
  %B = rtl.memory : !rtl.memory<10, 20>
  %C = rtl.memory : !rtl.memory<10, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 10 : index
  %difference = arith.constant 0 : i20
  %sum = arith.constant 0 : i8
  %temp = scf.for %i = %zero to %n step %one iter_args(%s = %difference) -> (i20) {
    %a = rtl.load %A[%i] : !rtl.memory<10, 20> -> i20
    %b = rtl.load %B[%i] : !rtl.memory<10, 20> -> i20
    %t = arith.subi %a, %b : i20
    %u = arith.addi %s, %t : i20
    scf.yield %u : i20
  }
  %D = scf.for %i = %zero to %n step %one iter_args(%s = %sum) -> (i8) {
    %c = rtl.load %C[%i] : !rtl.memory<10, 8> -> i8
    %u = arith.addi %s, %c : i8
    scf.yield %u : i8
  }
  func.return %temp, %D : i20, i8
}
// SEEDOT-LABEL: func.func @seedot
// SEEDOT: %A = rtl.memory : !rtl.memory<5, 40>
// SEEDOT: %C = rtl.memory : !rtl.memory<5, 16>
// SEEDOT: [[factor2:%.*]] = arith.constant 5 : index
// SEEDOT: scf.for %i = %zero to [[factor2]]
// SEEDOT: arith.subi
// SEEDOT: arith.subi
// SEEDOT-NOT: arith.subi
// SEEDOT-LABEL: func.func @elementwise
// One LUT less than R leaves the second loop as it is.
// LESS-LABEL: func.func @seedot
// LESS: %A = rtl.memory : !rtl.memory<5, 40>
// LESS: %C = rtl.memory : !rtl.memory<10, 8>
// LESS-LABEL: func.func @elementwise(

// -----

// A - B + C as the paper writes it: loops that store elements keep one element in each iteration, whatever there is.
func.func @elementwise() {
  %A = rtl.memory : !rtl.memory<10, 8>
  %B = rtl.memory : !rtl.memory<10, 8>
  %temp = rtl.memory : !rtl.memory<10, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 10 : index
  scf.for %i = %zero to %n step %one {
    %a = rtl.load %A[%i] : !rtl.memory<10, 8> -> i8
    %b = rtl.load %B[%i] : !rtl.memory<10, 8> -> i8
    %t = arith.subi %a, %b : i8
    rtl.store %t, %temp[%i] : i8, !rtl.memory<10, 8>
  }
  func.return
}
// CHECK-LABEL: func.func @elementwise
// CHECK: rtl.memory<10, 8>
// CHECK: arith.subi
// CHECK-NOT: arith.subi
