// RUN: tinyml-opt %s -p inline-runtime,expand-nests,lower-scratch-to-memref,simplify --split-input-file | filecheck %s

// Arrays lie in one dimension: constants in globals, of which equal ones are one, and buffers in an arena of bytes.
// A slice is an offset. No attribute of ours is left.
builtin.module attributes {tinyml.target = "uno"} {
  func.func @model(%x: memref<1x2xi8> {tinyml.format = "!fixed.q<8, 7>"}) -> (index, memref<3xi16>) {
    %arena = scratch.arena {alignment = 2 : i64, lower_bound = 8 : i64} : memref<8xi8>
    %a = scratch.view %arena[2 : i64] : memref<8xi8> to memref<3xi16>
    %w = scratch.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi16> -> memref<2x2xi16, #scratch.flash>
    %again = scratch.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi16> -> memref<2x2xi16, #scratch.flash>
    %zero = arith.constant 0 : index
    %i = arith.constant 1 : index
    %two = arith.constant 2 : index
    %row = scratch.slice %w[%two] : memref<2x2xi16, #scratch.flash> to memref<2xi16, #scratch.flash>
    %v = memref.load %row[%i] : memref<2xi16, #scratch.flash>
    %u = memref.load %again[%zero, %i] : memref<2x2xi16, #scratch.flash>
    %sum = arith.addi %v, %u : i16
    memref.store %sum, %a[%i] : memref<3xi16>
    %t = memref.load %x[%zero, %i] : memref<1x2xi8>
    %label = arith.index_cast %t : i8 to index
    func.return %label, %a : index, memref<3xi16>
  }
}
// CHECK-LABEL: func.func @model_predict(%x: memref<2xi8>) -> i32 {
// CHECK-NEXT: %arena = memref.get_global @arena : memref<8xi8>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 2 : index
// CHECK-NEXT: %a = memref.view %arena{{\[}}[[v0]]][] : memref<8xi8> to memref<3xi16>
// CHECK-NEXT: %w = memref.get_global @w : memref<4xi16>
// CHECK-NEXT: [[v1:%.*]] = arith.constant 3 : index
// CHECK-NEXT: %v = memref.load %w{{\[}}[[v1]]] : memref<4xi16>
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %u = memref.load %w{{\[}}[[v2]]] : memref<4xi16>
// CHECK-NEXT: %sum = arith.addi %v, %u : i16
// CHECK-NEXT: memref.store %sum, %a{{\[}}[[v2]]] : memref<3xi16>
// CHECK-NEXT: %t = memref.load %x{{\[}}[[v2]]] : memref<2xi8>
// CHECK-NEXT: %label = arith.index_cast %t : i8 to index
// CHECK-NEXT: [[v3:%.*]] = arith.index_cast %label : index to i32
// CHECK-NEXT: func.return [[v3]] : i32
// CHECK-LABEL: func.func @model_scores() -> index {
// CHECK-NEXT: [[v0:%.*]] = memref.get_global @arena : memref<8xi8>
// CHECK-NEXT: [[v1:%.*]] = "memref.extract_aligned_pointer_as_index"([[v0]]) : (memref<8xi8>) -> index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v3:%.*]] = arith.addi [[v1]], [[v2]] : index
// CHECK-NEXT: func.return [[v3]] : index
// CHECK: "memref.global"() <{sym_name = "arena", type = memref<2xi8>, initial_value = dense<0> : tensor<2xi8>, sym_visibility = "private", alignment = 8 : i64}> : () -> ()
// CHECK: "memref.global"() <{sym_name = "table", type = memref<3xi16>, initial_value = dense<[1, 2, 3]> : tensor<3xi16>, sym_visibility = "private", constant, alignment = 2 : i64}> : () -> ()

// -----

// A function that is not an integer program is C's: it takes integers as C passes them, and arrays by their addresses.
func.func @calls(%x: memref<4xi16>) -> memref<1xi16> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<2xi8>
  %y = scratch.view %arena[0 : i64] : memref<2xi8> to memref<1xi16>
  %table = scratch.constant dense<[1, 2, 3]> : tensor<3xi16> -> memref<3xi16, #scratch.flash>
  %any = "memref.cast"(%table) : (memref<3xi16, #scratch.flash>) -> memref<?xi16>
  %zero = arith.constant 0 : index
  %a = memref.load %x[%zero] : memref<4xi16>
  %f = func.call @tm_bf16_to_f32(%a) : (i16) -> f32
  %b = func.call @tm_f32_to_bf16(%f) : (f32) -> i16
  %wide = arith.extsi %b : i16 to i32
  %c = func.call @tm_log_s32(%any, %wide) : (memref<?xi16>, i32) -> i32
  %d = arith.trunci %c : i32 to i16
  memref.store %d, %y[%zero] : memref<1xi16>
  func.return %y : memref<1xi16>
}
// CHECK-LABEL: func.func @calls_predict(%x: memref<4xi16>) {
// CHECK-NEXT: %arena = memref.get_global @arena : memref<2xi8>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: %y = memref.view %arena{{\[}}[[v0]]][] : memref<2xi8> to memref<1xi16>
// CHECK-NEXT: %table = memref.get_global @table : memref<3xi16>
// CHECK-NEXT: %a = memref.load %x{{\[}}[[v0]]] : memref<4xi16>
// CHECK-NEXT: [[v1:%.*]] = arith.extsi %a : i16 to i32
// CHECK-NEXT: %f = func.call @calls_tm_bf16_to_f32([[v1]]) : (i32) -> f32
// CHECK-NEXT: [[v2:%.*]] = func.call @calls_tm_f32_to_bf16(%f) : (f32) -> i32
// CHECK-NEXT: %b = arith.trunci [[v2]] : i32 to i16
// CHECK-NEXT: %wide = arith.extsi %b : i16 to i32
// CHECK-NEXT: [[v3:%.*]] = "memref.extract_aligned_pointer_as_index"(%table) : (memref<3xi16>) -> index
// CHECK-NEXT: %c = func.call @calls_tm_log_s32([[v3]], %wide) : (index, i32) -> i32
// CHECK-NEXT: %d = arith.trunci %c : i32 to i16
// CHECK-NEXT: memref.store %d, %y{{\[}}[[v0]]] : memref<1xi16>
// CHECK-NEXT: func.return
// CHECK-LABEL: func.func @calls_scores() -> index {
// CHECK-NEXT: [[v0:%.*]] = memref.get_global @arena : memref<2xi8>
// CHECK-NEXT: [[v1:%.*]] = "memref.extract_aligned_pointer_as_index"([[v0]]) : (memref<2xi8>) -> index
// CHECK-NEXT: func.return [[v1]] : index
// CHECK-LABEL: func.func private @calls_tm_bf16_to_f32
// CHECK-LABEL: func.func private @calls_tm_f32_to_bf16
// CHECK-LABEL: func.func private @calls_tm_log_s32
// CHECK: "memref.global"() <{sym_name = "arena", type = memref<4xi8>, initial_value = dense<0> : tensor<4xi8>, sym_visibility = "private", alignment = 8 : i64}> : () -> ()
func.func private @tm_bf16_to_f32(i16) -> f32
func.func private @tm_f32_to_bf16(f32) -> i16
func.func private @tm_log_s32(memref<?xi16>, i32) -> i32

// -----

// The caller writes the input to an address, or supplies its rows.
func.func @own() -> index {
  %arena = scratch.arena {alignment = 1 : i64} : memref<4xi8>
  %x = scratch.view %arena[1 : i64] {input} : memref<4xi8> to memref<2xi8>
  %zero = arith.constant 0 : index
  %v = memref.load %x[%zero] : memref<2xi8>
  %label = arith.index_cast %v : i8 to index
  func.return %label : index
}
// CHECK-LABEL: func.func @own_predict() -> i32 {
// CHECK-NEXT: %arena = memref.get_global @arena : memref<4xi8>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 1 : index
// CHECK-NEXT: %x = memref.view %arena{{\[}}[[v0]]][] : memref<4xi8> to memref<2xi8>
// CHECK-NEXT: [[v1:%.*]] = arith.constant 0 : index
// CHECK-NEXT: %v = memref.load %x{{\[}}[[v1]]] : memref<2xi8>
// CHECK-NEXT: %label = arith.index_cast %v : i8 to index
// CHECK-NEXT: [[v2:%.*]] = arith.index_cast %label : index to i32
// CHECK-NEXT: func.return [[v2]] : i32
// CHECK-LABEL: func.func @own_input() -> index {
// CHECK-NEXT: [[v0:%.*]] = memref.get_global @arena : memref<4xi8>
// CHECK-NEXT: [[v1:%.*]] = "memref.extract_aligned_pointer_as_index"([[v0]]) : (memref<4xi8>) -> index
// CHECK-NEXT: [[v2:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v3:%.*]] = arith.addi [[v1]], [[v2]] : index
// CHECK-NEXT: func.return [[v3]] : index

// -----

// The address of a slice is that of its array plus bytes: two rows of two bytes, and two
// elements of two bytes.
func.func @offsets(%x: memref<4x2xi8>, %a: memref<1xi32>) -> index {
  %arena = scratch.arena {alignment = 1 : i64} : memref<8xi8>
  %rows = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4x2xi8>
  %table = scratch.constant dense<[1, 2, 3, 4]> : tensor<4xi16> -> memref<4xi16, #scratch.flash>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4 : index
  %row = scratch.slice %rows[%four] : memref<4x2xi8> to memref<2xi8>
  scratch.receive %x[%two] to %row : memref<4x2xi8> to memref<2xi8>
  %part = scratch.slice %table[%two] : memref<4xi16, #scratch.flash> to memref<2xi16, #scratch.flash>
  %any = "memref.cast"(%part) : (memref<2xi16, #scratch.flash>) -> memref<?xi16>
  %v = memref.load %a[%zero] : memref<1xi32>
  %c = func.call @tm_log_s32(%any, %v) : (memref<?xi16>, i32) -> i32
  %label = arith.index_cast %c : i32 to index
  func.return %label : index
}
func.func private @tm_log_s32(memref<?xi16>, i32) -> i32
// CHECK-LABEL: func.func @offsets_predict
// CHECK: [[rows:%.*]] = "memref.extract_aligned_pointer_as_index"(%rows)
// CHECK-NEXT: [[bytes:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[row:%.*]] = arith.addi [[rows]], [[bytes]] : index
// CHECK-NEXT: func.call @offsets_row([[row]],
// CHECK: [[table:%.*]] = "memref.extract_aligned_pointer_as_index"(%table)
// CHECK-NEXT: [[part:%.*]] = arith.addi [[table]], [[bytes]] : index
// CHECK-NEXT: %c = func.call @offsets_tm_log_s32([[part]],
// CHECK: "memref.global"() <{sym_name = "arena", type = memref<2xi8>, initial_value = dense<0> : tensor<2xi8>, sym_visibility = "private", alignment = 8 : i64}> : () -> ()

// -----

func.func @rows(%x: memref<4x2xi8>) -> index attributes {tdsl.interface = #tdsl.interface<input = <received = 2>>} {
  %arena = scratch.arena {alignment = 1 : i64} : memref<2xi8>
  %row = scratch.view %arena[0 : i64] : memref<2xi8> to memref<2xi8>
  %one = arith.constant 1 : index
  scratch.receive %x[%one] to %row : memref<4x2xi8> to memref<2xi8>
  %v = memref.load %row[%one] : memref<2xi8>
  %label = arith.index_cast %v : i8 to index
  func.return %label : index
}
// CHECK-LABEL: func.func @rows_predict() -> i32 {
// CHECK-NEXT: %arena = memref.get_global @arena : memref<2xi8>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: %row = memref.view %arena{{\[}}[[v0]]][] : memref<2xi8> to memref<2xi8>
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: [[v1:%.*]] = arith.index_cast %one : index to i32
// CHECK-NEXT: [[v2:%.*]] = "memref.extract_aligned_pointer_as_index"(%row) : (memref<2xi8>) -> index
// CHECK-NEXT: func.call @rows_row([[v2]], [[v1]]) : (index, i32) -> ()
// CHECK-NEXT: %v = memref.load %row[%one] : memref<2xi8>
// CHECK-NEXT: %label = arith.index_cast %v : i8 to index
// CHECK-NEXT: [[v3:%.*]] = arith.index_cast %label : index to i32
// CHECK-NEXT: func.return [[v3]] : i32
// CHECK-LABEL: func.func private @rows_row
