// The types of zero-skew integers read what they print; a whole sum of a row is brought to the units of all rows.

// RUN: %roundtrip
// RUN: %generic
// RUN: tinyml-opt %s -p lower-num-to-exact,lower-exact-to-arith | filecheck %s --check-prefix=BITS

func.func @row(%sum: !zeroskew.acc<32, [0.015625, 0.1]>, %row: index, %w: !zeroskew.q<4, [0.5, 2.5e-05], 0>) -> !zeroskew.q<8, 0.1, -128> {
  %level = num.level %sum row %row : !zeroskew.acc<32, [0.015625, 0.1]> -> !zeroskew.acc<32, 0.10000000149011612>
  %y = num.finish %level : !zeroskew.acc<32, 0.10000000149011612> -> !zeroskew.q<8, 0.1, -128>
  func.return %y : !zeroskew.q<8, 0.1, -128>
}
// CHECK-LABEL: func.func @row(%sum: !zeroskew.acc<32, [0.015625, 0.1]>, %row: index, %w: !zeroskew.q<4, [0.5, 2.5e-05], 0>) -> !zeroskew.q<8, 0.1, -128>
// CHECK: num.level %sum row %row : !zeroskew.acc<32, [0.015625, 0.1]> -> !zeroskew.acc<32, 0.10000000149011612>
// GENERIC: "num.level"(%sum, %row) : (!zeroskew.acc<32, [0.015625, 0.1]>, index) -> !zeroskew.acc<32, 0.10000000149011612>

// Each row has a multiplier and a shift in flash.
// BITS-LABEL: func.func @row(%sum: i32
// BITS-DAG: dense<[1342177260, 2147483616]>
// BITS-DAG: dense<[-2, 0]>
// BITS-DAG: memref.load %multipliers_table[%row]
// BITS-DAG: memref.load %shifts_table[%row]
// BITS: func.call @tm_requantize_s32
// BITS-NOT: func.call @tm_requantize_s32
// BITS: func.return

// Numbers of one scale are added without guard bits.
func.func @one_scale(%a: !zeroskew.q<8, 0.5, 3>, %b: !zeroskew.q<8, 0.5, -2>) -> !zeroskew.q<8, 0.5, 1> {
  %y = num.add %a, %b : !zeroskew.q<8, 0.5, 3>, !zeroskew.q<8, 0.5, -2> -> !zeroskew.q<8, 0.5, 1>
  func.return %y : !zeroskew.q<8, 0.5, 1>
}
// BITS-LABEL: func.func @one_scale(%a: i8
// BITS-NOT: func.call @tm_requantize_s32
// BITS: func.return

// The result has another scale: the sum is brought to its units.
func.func @other_scale(%a: !zeroskew.q<8, 0.5, 3>, %b: !zeroskew.q<8, 0.5, -2>) -> !zeroskew.q<8, 0.25, 1> {
  %y = num.add %a, %b : !zeroskew.q<8, 0.5, 3>, !zeroskew.q<8, 0.5, -2> -> !zeroskew.q<8, 0.25, 1>
  func.return %y : !zeroskew.q<8, 0.25, 1>
}
// BITS-LABEL: func.func @other_scale(%a: i8
// BITS: func.call @tm_requantize_s32
// BITS-NOT: func.call @tm_requantize_s32
// BITS: func.return

// Numbers of single precision: a factor for each row, and halves to even.
func.func @float_row(%sum: !zeroskew.facc<32, [0.015625, 0.1]>, %row: index) -> !zeroskew.f<8, 0.1, -128> {
  %level = num.level %sum row %row : !zeroskew.facc<32, [0.015625, 0.1]> -> !zeroskew.facc<32, 0.10000000149011612>
  %y = num.finish %level : !zeroskew.facc<32, 0.10000000149011612> -> !zeroskew.f<8, 0.1, -128>
  func.return %y : !zeroskew.f<8, 0.1, -128>
}
// CHECK-LABEL: func.func @float_row(%sum: !zeroskew.facc<32, [0.015625, 0.1]>, %row: index) -> !zeroskew.f<8, 0.1, -128>
// BITS-LABEL: func.func @float_row(%sum: i32
// BITS: dense<[1042284544, 1065353216]>
// BITS: func.call @tm_scale_to_even
// BITS-NOT: func.call @tm_scale_to_even
// BITS: func.return

// Halves to even in integers: rows are rounded once, with a multiplier and a shift for each row.
func.func @even_row(%sum: !zeroskew.even_acc<32, [0.015625, 0.1]>, %row: index) -> !zeroskew.q<8, 0.1, -128, even> {
  %level = num.level %sum row %row : !zeroskew.even_acc<32, [0.015625, 0.1]> -> !zeroskew.even_acc<32, 0.10000000149011612>
  %y = num.finish %level : !zeroskew.even_acc<32, 0.10000000149011612> -> !zeroskew.q<8, 0.1, -128, even>
  func.return %y : !zeroskew.q<8, 0.1, -128, even>
}
// CHECK-LABEL: func.func @even_row(%sum: !zeroskew.even_acc<32, [0.015625, 0.1]>, %row: index) -> !zeroskew.q<8, 0.1, -128, even>
// BITS-LABEL: func.func @even_row(%sum: i32
// BITS-DAG: dense<[1342177260, 2147483616]>
// BITS-DAG: dense<[-2, 0]>
// BITS: func.call @tm_requantize_even_s32
// BITS-NOT: func.call @tm_requantize_even_s32
// BITS: func.return

// An average of numbers of one scale is an exact quotient, so that all halves are found: with 6 elements, too.
func.func @even_average(%total: i32) -> !zeroskew.q<8, 0.1, -3, even> {
  %y = num.average %total {count = 6 : i64, of = !zeroskew.q<8, 0.1, -3, even>} : i32 -> !zeroskew.q<8, 0.1, -3, even>
  func.return %y : !zeroskew.q<8, 0.1, -3, even>
}
// BITS-LABEL: func.func @even_average(%total: i32
// BITS-NOT: tm_requantize
// BITS: arith.select
// BITS: func.return
