// RUN: tinyml-opt %s -p canonicalize | filecheck %s

func.func @same_format(%x: !fixed.q<8, 4>) -> (!fixed.q<8, 4>, !fixed.q<8, 3>) {
  %a = num.convert %x : !fixed.q<8, 4> -> !fixed.q<8, 4>
  %b = num.convert %a : !fixed.q<8, 4> -> !fixed.q<8, 3>
  func.return %a, %b : !fixed.q<8, 4>, !fixed.q<8, 3>
}
// CHECK-LABEL: func.func @same_format(%x: !fixed.q<8, 4>) -> (!fixed.q<8, 4>, !fixed.q<8, 3>) {
// CHECK-NEXT: %b = num.convert %x : !fixed.q<8, 4> -> !fixed.q<8, 3>
// CHECK-NEXT: func.return %x, %b : !fixed.q<8, 4>, !fixed.q<8, 3>
