// RUN: tinyml-opt %s -p tabulate-maps | filecheck %s

// Twice the logistic function of half of each raw: 2, 4 or 8 bits have a table with one entry for every raw.
func.func @table(%x: tensor<2x3x!fixed.q<2, 0>>) -> tensor<2x3x!fixed.q<8, 6>> {
  %half = tdsl.const dense<1> : tensor<i8> -> tensor<!fixed.q<2, 1>>
  %y = tdsl.map %x, %half : tensor<2x3x!fixed.q<2, 0>>, tensor<!fixed.q<2, 1>> -> tensor<2x3x!fixed.q<8, 6>> {
  ^bb0(%a: !fixed.q<2, 0>, %h: !fixed.q<2, 1>):
    %m = num.mul %a, %h : !fixed.q<2, 0>, !fixed.q<2, 1> -> !fixed.q<8, 6>
    %s = num.sigmoid %m : !fixed.q<8, 6> -> !fixed.q<8, 7>
    %t = num.add %s, %s : !fixed.q<8, 7>, !fixed.q<8, 7> -> !fixed.q<8, 6>
    tdsl.yield %t : !fixed.q<8, 6>
  }
  func.return %y : tensor<2x3x!fixed.q<8, 6>>
}
// The results are 2 / (1 + exp(-x / 2)) for x = -1, 0 and 1.
// CHECK-LABEL: func.func @table
// CHECK: %y = tdsl.map %x : tensor<2x3x!fixed.q<2, 0>> -> tensor<2x3x!fixed.q<8, 6>> {
// CHECK-NEXT: ^bb0([[a:%.*]]: !fixed.q<2, 0>):
// CHECK-NEXT: [[t:%.*]] = num.lookup [[a]] {table = array<i8: 48, 64, 80>} : !fixed.q<2, 0> -> !fixed.q<8, 6>
// CHECK-NEXT: tdsl.yield [[t]] : !fixed.q<8, 6>

// An argument or a result of more than 8 bits has no table.
func.func @wide(%x: tensor<4x!fixed.q<9, 4>>, %z: tensor<4x!fixed.q<8, 4>>) -> (tensor<4x!fixed.q<8, 6>>, tensor<4x!fixed.q<9, 6>>) {
  %y = tdsl.map %x : tensor<4x!fixed.q<9, 4>> -> tensor<4x!fixed.q<8, 6>> {
  ^bb0(%a: !fixed.q<9, 4>):
    %e = num.convert %a : !fixed.q<9, 4> -> !fixed.q<8, 4>
    %s = num.sigmoid %e : !fixed.q<8, 4> -> !fixed.q<8, 6>
    tdsl.yield %s : !fixed.q<8, 6>
  }
  %w = tdsl.map %z : tensor<4x!fixed.q<8, 4>> -> tensor<4x!fixed.q<9, 6>> {
  ^bb0(%a: !fixed.q<8, 4>):
    %s = num.sigmoid %a : !fixed.q<8, 4> -> !fixed.q<8, 6>
    %t = num.add %s, %s : !fixed.q<8, 6>, !fixed.q<8, 6> -> !fixed.q<9, 6>
    tdsl.yield %t : !fixed.q<9, 6>
  }
  func.return %y, %w : tensor<4x!fixed.q<8, 6>>, tensor<4x!fixed.q<9, 6>>
}
// CHECK-LABEL: func.func @wide
// CHECK-NOT: num.lookup
// CHECK: func.return

// A second tensor, numbers for each column, a single function, and steps without one.
func.func @others(%x: tensor<4x!fixed.q<8, 4>>, %z: tensor<4x!fixed.q<8, 4>>) -> (tensor<4x!fixed.q<8, 6>>, tensor<4x!fixed.q<8, 6>>, tensor<4x!fixed.q<8, 6>>, tensor<4x!fixed.q<8, 4>>) {
  %c = tdsl.const dense<[1, 2, 3, 4]> : tensor<4xi8> -> tensor<4x!fixed.q<8, 4>>
  %gated = tdsl.map %x, %z : tensor<4x!fixed.q<8, 4>>, tensor<4x!fixed.q<8, 4>> -> tensor<4x!fixed.q<8, 6>> {
  ^bb0(%a: !fixed.q<8, 4>, %b: !fixed.q<8, 4>):
    %s = num.sigmoid %a : !fixed.q<8, 4> -> !fixed.q<8, 7>
    %t = num.mul %s, %b : !fixed.q<8, 7>, !fixed.q<8, 4> -> !fixed.q<8, 6>
    tdsl.yield %t : !fixed.q<8, 6>
  }
  %columns = tdsl.map %x, %c : tensor<4x!fixed.q<8, 4>>, tensor<4x!fixed.q<8, 4>> -> tensor<4x!fixed.q<8, 6>> {
  ^bb0(%a: !fixed.q<8, 4>, %b: !fixed.q<8, 4>):
    %s = num.sigmoid %a : !fixed.q<8, 4> -> !fixed.q<8, 7>
    %t = num.mul %s, %b : !fixed.q<8, 7>, !fixed.q<8, 4> -> !fixed.q<8, 6>
    tdsl.yield %t : !fixed.q<8, 6>
  }
  %alone = tdsl.map %x : tensor<4x!fixed.q<8, 4>> -> tensor<4x!fixed.q<8, 6>> {
  ^bb0(%a: !fixed.q<8, 4>):
    %s = num.sigmoid %a : !fixed.q<8, 4> -> !fixed.q<8, 6>
    tdsl.yield %s : !fixed.q<8, 6>
  }
  %square = tdsl.map %x : tensor<4x!fixed.q<8, 4>> -> tensor<4x!fixed.q<8, 4>> {
  ^bb0(%a: !fixed.q<8, 4>):
    %s = num.mul %a, %a : !fixed.q<8, 4>, !fixed.q<8, 4> -> !fixed.q<8, 4>
    %t = num.add %s, %a : !fixed.q<8, 4>, !fixed.q<8, 4> -> !fixed.q<8, 4>
    tdsl.yield %t : !fixed.q<8, 4>
  }
  func.return %gated, %columns, %alone, %square : tensor<4x!fixed.q<8, 6>>, tensor<4x!fixed.q<8, 6>>, tensor<4x!fixed.q<8, 6>>, tensor<4x!fixed.q<8, 4>>
}
// CHECK-LABEL: func.func @others
// CHECK-NOT: num.lookup
// CHECK: func.return

// A chain that ends in another family of formats has no table.
func.func @families(%x: tensor<4x!fixed.q<8, 4>>) -> tensor<4x!zeroskew.q<8, 0.00390625, -128>> {
  %y = tdsl.map %x : tensor<4x!fixed.q<8, 4>> -> tensor<4x!zeroskew.q<8, 0.00390625, -128>> {
  ^bb0(%a: !fixed.q<8, 4>):
    %s = num.sigmoid %a : !fixed.q<8, 4> -> !fixed.q<8, 7>
    %t = num.convert %s : !fixed.q<8, 7> -> !zeroskew.q<8, 0.00390625, -128>
    tdsl.yield %t : !zeroskew.q<8, 0.00390625, -128>
  }
  func.return %y : tensor<4x!zeroskew.q<8, 0.00390625, -128>>
}
// CHECK-LABEL: func.func @families
// CHECK-NOT: num.lookup
// CHECK: func.return

// Two steps are the fewest that have a table.
func.func @two_steps(%x: tensor<2x3x!fixed.q<2, 0>>) -> tensor<2x3x!fixed.q<8, 6>> {
  %y = tdsl.map %x : tensor<2x3x!fixed.q<2, 0>> -> tensor<2x3x!fixed.q<8, 6>> {
  ^bb0(%a: !fixed.q<2, 0>):
    %s = num.sigmoid %a : !fixed.q<2, 0> -> !fixed.q<8, 7>
    %t = num.add %s, %s : !fixed.q<8, 7>, !fixed.q<8, 7> -> !fixed.q<8, 6>
    tdsl.yield %t : !fixed.q<8, 6>
  }
  func.return %y : tensor<2x3x!fixed.q<8, 6>>
}
// CHECK-LABEL: func.func @two_steps(%x: tensor<2x3x!fixed.q<2, 0>>) -> tensor<2x3x!fixed.q<8, 6>> {
// CHECK-NEXT: %y = tdsl.map %x : tensor<2x3x!fixed.q<2, 0>> -> tensor<2x3x!fixed.q<8, 6>> {
// CHECK-NEXT: ^bb0(%a: !fixed.q<2, 0>):
// CHECK-NEXT: %t = num.lookup %a {table = array<i8: 34, 64, 94>} : !fixed.q<2, 0> -> !fixed.q<8, 6>
// CHECK-NEXT: tdsl.yield %t : !fixed.q<8, 6>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y : tensor<2x3x!fixed.q<8, 6>>
// CHECK-NEXT: }
