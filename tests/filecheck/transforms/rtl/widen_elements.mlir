// RUN: tinyml-opt %s -p widen-elements,canonicalize --split-input-file | filecheck %s

// Two of six elements in each iteration, from rows that begin at even addresses.
func.func @maxima(%row: index) -> index {
  %x = rtl.memory : !rtl.memory<24, 8>
  %y = rtl.memory : !rtl.memory<6, 8>
  %zero = arith.constant 0 : index
  %six = arith.constant 6 : index
  %none = arith.constant 0 : i8
  %base = arith.muli %row, %six : index
  num.nest %i to 6 {
    %at = arith.addi %base, %i : index
    %a = rtl.load %x[%at] : !rtl.memory<24, 8> -> i8
    %m = arith.maxsi %a, %none : i8
    rtl.store %m, %y[%i] : i8, !rtl.memory<6, 8>
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @maxima(%row: index) -> index {
// CHECK-NEXT: %x = rtl.memory : !rtl.memory<12, 16>
// CHECK-NEXT: %y = rtl.memory : !rtl.memory<3, 16>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %none = arith.constant 0 : i8
// CHECK-NEXT: [[v0:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v1:%.*]] = arith.constant 8 : i16
// CHECK-NEXT: num.nest %i to 3 {
// CHECK-NEXT: [[v2:%.*]] = arith.muli %row, [[v0]] : index
// CHECK-NEXT: [[v3:%.*]] = arith.addi %i, [[v2]] : index
// CHECK-NEXT: [[v4:%.*]] = rtl.load %x{{\[}}[[v3]]] : !rtl.memory<12, 16> -> i16
// CHECK-NEXT: [[v5:%.*]] = arith.trunci [[v4]] : i16 to i8
// CHECK-NEXT: [[v6:%.*]] = arith.shrui [[v4]], [[v1]] : i16
// CHECK-NEXT: [[v7:%.*]] = arith.trunci [[v6]] : i16 to i8
// CHECK-NEXT: %m = arith.maxsi [[v5]], %none : i8
// CHECK-NEXT: [[vm_1:%.*]] = arith.maxsi [[v7]], %none : i8
// CHECK-NEXT: [[v8:%.*]] = arith.extui %m : i8 to i16
// CHECK-NEXT: [[v9:%.*]] = arith.extui [[vm_1]] : i8 to i16
// CHECK-NEXT: [[v10:%.*]] = arith.shli [[v9]], [[v1]] : i16
// CHECK-NEXT: [[v11:%.*]] = arith.ori [[v8]], [[v10]] : i16
// CHECK-NEXT: rtl.store [[v11]], %y[%i] : i16, !rtl.memory<3, 16>
// CHECK-NEXT: } {rtl.lanes = 2 : i64}
// CHECK-NEXT: func.return %zero : index

// -----

// Rows at odd addresses, and products, which `unroll-loops` has a budget for.
func.func @others(%x: !rtl.memory<24, 8>, %y: !rtl.memory<24, 8>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  num.nest %i to 6 {
    %at = arith.addi %i, %one : index
    %a = rtl.load %x[%at] : !rtl.memory<24, 8> -> i8
    rtl.store %a, %y[%i] : i8, !rtl.memory<24, 8>
  }
  num.nest %i to 6 {
    %a = rtl.load %x[%i] : !rtl.memory<24, 8> -> i8
    %p = arith.muli %a, %a : i8
    rtl.store %p, %y[%i] : i8, !rtl.memory<24, 8>
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @others(%x: !rtl.memory<24, 8>, %y: !rtl.memory<24, 8>) -> index {
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: num.nest %i to 6 {
// CHECK-NEXT: %at = arith.addi %i, %one : index
// CHECK-NEXT: %a = rtl.load %x[%at] : !rtl.memory<24, 8> -> i8
// CHECK-NEXT: rtl.store %a, %y[%i] : i8, !rtl.memory<24, 8>
// CHECK-NEXT: }
// CHECK-NEXT: num.nest [[vi_1:%.*]] to 6 {
// CHECK-NEXT: [[va_1:%.*]] = rtl.load %x{{\[}}[[vi_1]]] : !rtl.memory<24, 8> -> i8
// CHECK-NEXT: %p = arith.muli [[va_1]], [[va_1]] : i8
// CHECK-NEXT: rtl.store %p, %y{{\[}}[[vi_1]]] : i8, !rtl.memory<24, 8>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %zero : index

// -----

// At most eight elements of sixteen; four from rows that begin at multiples of four, by their factor or by a constant.
func.func @most(%row: index, %e: i8) -> index {
  %x = rtl.memory : !rtl.memory<16, 8>
  %y = rtl.memory : !rtl.memory<16, 8>
  %z = rtl.memory : !rtl.memory<16, 8>
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  num.nest %i to 16 {
    rtl.store %e, %x[%i] : i8, !rtl.memory<16, 8>
  }
  %base = arith.muli %row, %four : index
  num.nest %i to 8 {
    %at = arith.addi %base, %i : index
    rtl.store %e, %y[%at] : i8, !rtl.memory<16, 8>
  }
  num.nest %i to 8 {
    %at = arith.addi %i, %four : index
    rtl.store %e, %z[%at] : i8, !rtl.memory<16, 8>
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @most
// CHECK: num.nest %i to 2 {
// CHECK: } {rtl.lanes = 8 : i64}
// CHECK: num.nest {{.*}} to 2 {
// CHECK: } {rtl.lanes = 4 : i64}
// CHECK: num.nest {{.*}} to 2 {
// CHECK: } {rtl.lanes = 4 : i64}

// -----

// Every second element, a store on a condition, a sum that is carried, numbers that are indices, addresses that are no sums
// of the counter, and a loop around another.
func.func @one_by_one(%n: index, %e: i8, %c: i1) -> i8 {
  %y = rtl.memory : !rtl.memory<32, 8>
  %zeros = arith.constant 0 : i8
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : index
  %sixteen = arith.constant 16 : index
  num.nest %i to 16 {
    %at = arith.muli %i, %two : index
    rtl.store %e, %y[%at] : i8, !rtl.memory<32, 8>
  }
  num.nest %i to 16 {
    rtl.store %e, %y[%i] if %c : i8, !rtl.memory<32, 8>
  }
  %t = scf.for %i = %zero to %sixteen step %one iter_args(%s = %e) -> (i8) {
    rtl.store %s, %y[%i] : i8, !rtl.memory<32, 8>
    scf.yield %s : i8
  }
  num.nest %i to 16 {
    %number = arith.index_cast %i : index to i8
    rtl.store %number, %y[%i] : i8, !rtl.memory<32, 8>
  }
  num.nest %i to 16 {
    %least = arith.minsi %i, %two : index
    %further = arith.muli %least, %eight : index
    %at = arith.addi %i, %further : index
    rtl.store %e, %y[%at] : i8, !rtl.memory<32, 8>
  }
  num.nest %i to 16 {
    %number = arith.index_cast %i : index to i8
    %sum = arith.addi %number, %e : i8
    %chosen = arith.select %c, %sum, %e : i8
    rtl.store %chosen, %y[%i] : i8, !rtl.memory<32, 8>
  }
  num.nest %i to 16 {
    rtl.store %e, %y[%zero] : i8, !rtl.memory<32, 8>
  }
  num.nest %i to 16 {
    %before = arith.cmpi slt, %i, %two : index
    %chosen = arith.select %before, %e, %zeros : i8
    rtl.store %chosen, %y[%i] : i8, !rtl.memory<32, 8>
  }
  scf.for %i = %zero to %n step %one {
    rtl.store %e, %y[%i] : i8, !rtl.memory<32, 8>
  }
  scf.for %i = %zero to %sixteen step %one {
    num.nest %j to 2 {
      rtl.store %e, %y[%i] : i8, !rtl.memory<32, 8>
    }
  }
  func.return %t : i8
}
// CHECK-LABEL: func.func @one_by_one
// CHECK-NOT: rtl.lanes

// -----

// None of nine elements, two of ten, four of twelve.
func.func @divisors(%e: i8) -> index {
  %x = rtl.memory : !rtl.memory<16, 8>
  %y = rtl.memory : !rtl.memory<16, 8>
  %z = rtl.memory : !rtl.memory<16, 8>
  %zero = arith.constant 0 : index
  num.nest %i to 9 {
    rtl.store %e, %x[%i] : i8, !rtl.memory<16, 8>
  }
  num.nest %i to 10 {
    rtl.store %e, %y[%i] : i8, !rtl.memory<16, 8>
  }
  num.nest %i to 12 {
    rtl.store %e, %z[%i] : i8, !rtl.memory<16, 8>
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @divisors
// CHECK: rtl.store %e, %x[%i] : i8
// CHECK: } {rtl.lanes = 2 : i64}
// CHECK: } {rtl.lanes = 4 : i64}

// -----

// A value that is the same for all elements is computed once.
func.func @invariant(%p: i8, %q: i8) -> index {
  %x = rtl.memory : !rtl.memory<6, 8>
  %y = rtl.memory : !rtl.memory<6, 8>
  %zero = arith.constant 0 : index
  num.nest %i to 6 {
    %a = rtl.load %x[%i] : !rtl.memory<6, 8> -> i8
    %limit = arith.addi %p, %q : i8
    %m = arith.maxsi %a, %limit : i8
    rtl.store %m, %y[%i] : i8, !rtl.memory<6, 8>
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @invariant(%p: i8, %q: i8) -> index {
// CHECK-NEXT: %x = rtl.memory : !rtl.memory<3, 16>
// CHECK-NEXT: %y = rtl.memory : !rtl.memory<3, 16>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %0 = arith.constant 8 : i16
// CHECK-NEXT: num.nest %i to 3 {
// CHECK-NEXT: %limit = arith.addi %p, %q : i8
// CHECK-NEXT: %1 = rtl.load %x[%i] : !rtl.memory<3, 16> -> i16
// CHECK-NEXT: %2 = arith.trunci %1 : i16 to i8
// CHECK-NEXT: %3 = arith.shrui %1, %0 : i16
// CHECK-NEXT: %4 = arith.trunci %3 : i16 to i8
// CHECK-NEXT: %m = arith.maxsi %2, %limit : i8
// CHECK-NEXT: %m_1 = arith.maxsi %4, %limit : i8
// CHECK-NEXT: %5 = arith.extui %m : i8 to i16
// CHECK-NEXT: %6 = arith.extui %m_1 : i8 to i16
// CHECK-NEXT: %7 = arith.shli %6, %0 : i16
// CHECK-NEXT: %8 = arith.ori %5, %7 : i16
// CHECK-NEXT: rtl.store %8, %y[%i] : i16, !rtl.memory<3, 16>
// CHECK-NEXT: } {rtl.lanes = 2 : i64}
// CHECK-NEXT: func.return %zero : index
// CHECK-NEXT: }

// -----

// Of a nest of two axes, the last one is widened, here to a single word in each row; a nest that contains a reduction
// stays, and so does a loop that is no nest.
func.func @axes(%e: i8) -> index {
  %x = rtl.memory : !rtl.memory<24, 8>
  %y = rtl.memory : !rtl.memory<8, 8>
  %z = rtl.memory : !rtl.memory<8, 8>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %eight = arith.constant 8 : index
  num.nest %i, %j to 6, 4 {
    %row = arith.muli %i, %four : index
    %at = arith.addi %row, %j : index
    rtl.store %e, %x[%at] : i8, !rtl.memory<24, 8>
  }
  num.nest %i to 8 {
    %total = num.reduce %e {first = 0 : i64, extent = 5 : i64, kinds = ["sum"]} : i8 -> i8 {
    ^bb0(%k: index, %s: i8):
      %t = arith.addi %s, %e : i8
      num.next %t : i8
    }
    rtl.store %total, %y[%i] : i8, !rtl.memory<8, 8>
  }
  scf.for %i = %zero to %eight step %one {
    rtl.store %e, %z[%i] : i8, !rtl.memory<8, 8>
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @axes
// CHECK: %x = rtl.memory : !rtl.memory<6, 32>
// CHECK-NEXT: %y = rtl.memory : !rtl.memory<8, 8>
// CHECK-NEXT: %z = rtl.memory : !rtl.memory<8, 8>
// CHECK: num.nest %i to 6 {
// CHECK: rtl.store {{.*}} : i32, !rtl.memory<6, 32>
// CHECK-NEXT: } {rtl.lanes = 4 : i64}
// CHECK-NOT: rtl.lanes
