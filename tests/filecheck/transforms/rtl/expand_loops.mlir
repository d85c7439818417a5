// RUN: tinyml-opt %s -p expand-loops,canonicalize | filecheck %s

// Two iterations of an inner loop follow each other, the loop of eight and one with products stay.
func.func @maximum(%x: !rtl.memory<16, 8>, %y: !rtl.memory<8, 8>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : index
  %least = arith.constant -128 : i8
  scf.for %i = %zero to %eight step %one {
    %m = scf.for %k = %zero to %two step %one iter_args(%c = %least) -> (i8) {
      %row = arith.muli %k, %eight : index
      %at = arith.addi %row, %i : index
      %a = rtl.load %x[%at] : !rtl.memory<16, 8> -> i8
      %n = arith.maxsi %a, %c : i8
      scf.yield %n : i8
    }
    %p = scf.for %k = %zero to %two step %one iter_args(%c = %m) -> (i8) {
      %n = arith.muli %m, %c : i8
      scf.yield %n : i8
    }
    rtl.store %p, %y[%i] : i8, !rtl.memory<8, 8>
  }
  func.return %zero : index
}
// CHECK: scf.for %i
// CHECK: rtl.load %x[%i]
// CHECK: arith.maxsi
// CHECK: rtl.load %x
// CHECK: [[m:%.*]] = arith.maxsi
// CHECK: scf.for {{.*}} iter_args(%c = [[m]])

// Four iterations are expanded, five stay; a loop that is in no other stays.
func.func @limit(%x: !rtl.memory<16, 8>, %y: !rtl.memory<8, 8>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %five = arith.constant 5 : index
  %least = arith.constant -128 : i8
  scf.for %i = %zero to %five step %one {
    %m = scf.for %k = %zero to %four step %one iter_args(%c = %least) -> (i8) {
      %a = rtl.load %x[%k] : !rtl.memory<16, 8> -> i8
      %n = arith.maxsi %a, %c : i8
      scf.yield %n : i8
    }
    %p = scf.for %k = %zero to %five step %one iter_args(%c = %m) -> (i8) {
      %a = rtl.load %x[%k] : !rtl.memory<16, 8> -> i8
      %n = arith.minsi %a, %c : i8
      scf.yield %n : i8
    }
    rtl.store %p, %y[%i] : i8, !rtl.memory<8, 8>
  }
  scf.for %k = %zero to %four step %one {
    rtl.store %least, %y[%k] : i8, !rtl.memory<8, 8>
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @limit
// CHECK: scf.for %i
// CHECK-COUNT-4: arith.maxsi
// CHECK-NOT: arith.maxsi
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.minsi
// CHECK-NOT: arith.minsi
// CHECK: scf.for %k
// CHECK-NEXT: rtl.store
// CHECK-NEXT: }

// Iterations of nested loops multiply: 2 of 2 are 4, which 2 more loops around would make 8.
func.func @nested(%x: !rtl.memory<16, 8>, %y: !rtl.memory<8, 8>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : index
  scf.for %i = %zero to %eight step %one {
    scf.for %j = %zero to %two step %one {
      scf.for %k = %zero to %two step %one {
        scf.for %l = %zero to %two step %one {
          %a = rtl.load %x[%l] : !rtl.memory<16, 8> -> i8
          rtl.store %a, %y[%i] : i8, !rtl.memory<8, 8>
        }
      }
    }
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @nested
// CHECK: scf.for %i
// CHECK-NEXT: scf.for %j
// CHECK-COUNT-4: rtl.store
// CHECK-NOT: rtl.store
// CHECK-NOT: scf.for

// So do those of loops that follow each other: 3 and 2 of them are 6, with the loop around.
func.func @after(%x: !rtl.memory<16, 8>, %y: !rtl.memory<8, 8>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %eight = arith.constant 8 : index
  scf.for %i = %zero to %eight step %one {
    scf.for %j = %zero to %two step %one {
      scf.for %k = %zero to %three step %one {
        %a = rtl.load %x[%k] : !rtl.memory<16, 8> -> i8
        rtl.store %a, %y[%i] : i8, !rtl.memory<8, 8>
      }
    }
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @after
// CHECK: scf.for %i
// CHECK-NEXT: scf.for %j
// CHECK-COUNT-3: rtl.store
// CHECK-NOT: rtl.store

// And those of loops beside each other, of 2 and 2.
func.func @beside(%x: !rtl.memory<16, 8>, %y: !rtl.memory<8, 8>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %eight = arith.constant 8 : index
  scf.for %i = %zero to %eight step %one {
    scf.for %j = %zero to %two step %one {
      scf.for %k = %zero to %two step %one {
        %a = rtl.load %x[%k] : !rtl.memory<16, 8> -> i8
        rtl.store %a, %y[%i] : i8, !rtl.memory<8, 8>
      }
      scf.for %k = %zero to %two step %one {
        %a = rtl.load %x[%k] : !rtl.memory<16, 8> -> i8
        rtl.store %a, %y[%j] : i8, !rtl.memory<8, 8>
      }
    }
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @beside
// CHECK: scf.for %i
// CHECK-NEXT: scf.for %j
// CHECK-COUNT-4: rtl.store
// CHECK-NOT: rtl.store

// One iteration is none: around it, four of the loop around are expanded.
func.func @single(%x: !rtl.memory<16, 8>, %y: !rtl.memory<8, 8>) -> index {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %eight = arith.constant 8 : index
  scf.for %i = %zero to %eight step %one {
    scf.for %j = %zero to %four step %one {
      scf.for %k = %zero to %one step %one {
        %a = rtl.load %x[%k] : !rtl.memory<16, 8> -> i8
        rtl.store %a, %y[%j] : i8, !rtl.memory<8, 8>
      }
    }
  }
  func.return %zero : index
}
// CHECK-LABEL: func.func @single
// CHECK: scf.for %i
// CHECK-NOT: scf.for
// CHECK-COUNT-4: rtl.store
// CHECK-NOT: rtl.store

// The last axis of a nest and a reduction in it are expanded to at most four iterations: two of two elements, not five.
func.func @nest(%x: !rtl.memory<64, 8>, %y: !rtl.memory<64, 8>) {
  %four = arith.constant 4 : index
  num.nest %i, %j to 8, 2 {
    %row = arith.muli %i, %four : index
    %first = arith.addi %row, %j : index
    %a = rtl.load %x[%first] : !rtl.memory<64, 8> -> i8
    %m = num.reduce %a {first = 1 : i64, extent = 3 : i64, kinds = ["greatest"]} : i8 -> i8 {
    ^bb0(%k: index, %c: i8):
      %at = arith.addi %first, %k : index
      %b = rtl.load %x[%at] : !rtl.memory<64, 8> -> i8
      %n = arith.maxsi %b, %c : i8
      num.next %n : i8
    }
    rtl.store %m, %y[%first] : i8, !rtl.memory<64, 8>
  }
  num.nest %i, %j to 8, 5 {
    %at = arith.addi %i, %j : index
    %a = rtl.load %x[%at] : !rtl.memory<64, 8> -> i8
    rtl.store %a, %y[%at] : i8, !rtl.memory<64, 8>
  }
  func.return
}
// CHECK-LABEL: func.func @nest
// CHECK: num.nest %i to 8 {
// CHECK-COUNT-4: arith.maxsi
// CHECK-NOT: arith.maxsi
// CHECK: num.nest {{.*}} to 8, 5 {

// A nest inside a loop becomes a part of the loop; one that is in no loop stays, and so does a reduction of products.
func.func @inside(%x: !rtl.memory<64, 8>, %y: !rtl.memory<64, 8>, %e: i8) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  scf.for %i = %zero to %eight step %one {
    num.nest %j to 4 {
      %at = arith.addi %i, %j : index
      rtl.store %e, %y[%at] : i8, !rtl.memory<64, 8>
    }
    %p = num.reduce %e {first = 0 : i64, extent = 2 : i64, kinds = ["sum"]} : i8 -> i8 {
    ^bb0(%k: index, %s: i8):
      %a = rtl.load %x[%k] : !rtl.memory<64, 8> -> i8
      %b = arith.muli %a, %e : i8
      %t = arith.addi %s, %b : i8
      num.next %t : i8
    }
    rtl.store %p, %x[%i] : i8, !rtl.memory<64, 8>
  }
  num.nest %j to 4 {
    rtl.store %e, %y[%j] : i8, !rtl.memory<64, 8>
  }
  func.return
}
// CHECK-LABEL: func.func @inside
// CHECK: scf.for %i
// CHECK-COUNT-4: rtl.store %e, %y
// CHECK-NOT: rtl.store
// CHECK: num.reduce
// CHECK: num.nest %j to 4 {

// A reduction of a single element is no loop, so that the one in it stays.
func.func @one_element(%x: !rtl.memory<64, 8>, %e: i8) -> i8 {
  %m = num.reduce %e {first = 0 : i64, extent = 1 : i64, kinds = ["greatest"]} : i8 -> i8 {
  ^bb0(%i: index, %c: i8):
    %n = num.reduce %c {first = 0 : i64, extent = 4 : i64, kinds = ["greatest"]} : i8 -> i8 {
    ^bb0(%k: index, %d: i8):
      %a = rtl.load %x[%k] : !rtl.memory<64, 8> -> i8
      %f = arith.maxsi %a, %d : i8
      num.next %f : i8
    }
    num.next %n : i8
  }
  func.return %m : i8
}
// CHECK-LABEL: func.func @one_element
// CHECK-NEXT: {{%.*}} = num.reduce %e {first = 0 : i64, extent = 4 : i64

// A reduction around an expanded one joins several terms in each iteration: it becomes a loop.
func.func @around(%x: !rtl.memory<64, 8>, %e: i8) -> i8 {
  %m = num.reduce %e {first = 0 : i64, extent = 5 : i64, kinds = ["greatest"]} : i8 -> i8 {
  ^bb0(%i: index, %c: i8):
    %n = num.reduce %c {first = 0 : i64, extent = 4 : i64, kinds = ["greatest"]} : i8 -> i8 {
    ^bb0(%k: index, %d: i8):
      %at = arith.addi %i, %k : index
      %a = rtl.load %x[%at] : !rtl.memory<64, 8> -> i8
      %f = arith.maxsi %a, %d : i8
      num.next %f : i8
    }
    num.next %n : i8
  }
  func.return %m : i8
}
// CHECK-LABEL: func.func @around
// CHECK: scf.for
// CHECK-COUNT-4: arith.maxsi
// CHECK-NOT: num.reduce
