// RUN: tinyml-opt %s -p lower-num-to-exact,lower-exact-to-arith,lower-scratch-to-memref --split-input-file | filecheck %s

// Four elements of 6 bits are 3 bytes. A table has the place of each bit: byte 0 has bits 2 to 7 from the first element.
// An element is gathered bit by bit, and its sign is spread from bit 5: 32 - 6 places up and down. One is stored bit by
// bit, each in the place of a bit that is cleared first.
func.func @six(%X: memref<8xi16>, %Y: memref<8xi16>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %W = scratch.constant dense<[1, -2, 3, 4, 5, 6, 7, -31]> : tensor<8xi8> -> memref<8x!fixed.q<6, 3>, #scratch.packed<6>>
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %a = scratch.view %arena[0 : i64] : memref<16xi8> to memref<8x!fixed.q<6, 3>, #scratch.packed_ram<6>>
  scf.for %i = %zero to %eight step %one {
    %w = memref.load %W[%i] : memref<8x!fixed.q<6, 3>, #scratch.packed<6>>
    memref.store %w, %a[%i] : memref<8x!fixed.q<6, 3>, #scratch.packed_ram<6>>
  }
  func.return
}
// CHECK-LABEL: func.func @six_predict(%X: memref<8xi16>, %Y: memref<8xi16>) {
// CHECK-NEXT: %W = memref.get_global @W : memref<6xi8>
// CHECK-NEXT: %arena = memref.get_global @arena : memref<16xi8>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: %a = memref.view %arena{{\[}}[[v0]]][] : memref<16xi8> to memref<6xi8>
// CHECK-NEXT: %bits_of_s6 = memref.get_global @bits_of_s6 : memref<24xi8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: %eight = arith.constant 8 : index
// CHECK-NEXT: scf.for %i = %zero to %eight step %one {
// CHECK-NEXT: [[v1:%.*]] = arith.index_cast %i : index to i16
// CHECK-NEXT: [[v2:%.*]] = arith.extui [[v1]] : i16 to i32
// CHECK-NEXT: [[v3:%.*]] = arith.index_cast [[v2]] : i32 to index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 0 : i32
// CHECK-NEXT: [[v6:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v7:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v8:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v9:%.*]] = arith.constant 3 : i32
// CHECK-NEXT: [[v10:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v11:%.*]] = arith.constant 7 : i32
// CHECK-NEXT: [[v12:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: [[v13:%.*]] = scf.for [[v14:%.*]] = [[v6]] to [[v4]] step [[v7]] iter_args([[v15:%.*]] = [[v5]]) -> (i32) {
// CHECK-NEXT: [[v16:%.*]] = arith.divui [[v3]], [[v8]] : index
// CHECK-NEXT: [[v17:%.*]] = arith.remui [[v3]], [[v8]] : index
// CHECK-NEXT: [[v18:%.*]] = arith.muli [[v17]], [[v4]] : index
// CHECK-NEXT: [[v19:%.*]] = arith.addi [[v18]], [[v14]] : index
// CHECK-NEXT: [[v20:%.*]] = memref.load %bits_of_s6{{\[}}[[v19]]] : memref<24xi8>
// CHECK-NEXT: [[v21:%.*]] = arith.extsi [[v20]] : i8 to i32
// CHECK-NEXT: [[v22:%.*]] = arith.shrsi [[v21]], [[v9]] : i32
// CHECK-NEXT: [[v23:%.*]] = arith.index_cast [[v22]] : i32 to index
// CHECK-NEXT: [[v24:%.*]] = arith.muli [[v16]], [[v10]] : index
// CHECK-NEXT: [[v25:%.*]] = arith.addi [[v24]], [[v23]] : index
// CHECK-NEXT: [[v26:%.*]] = arith.andi [[v21]], [[v11]] : i32
// CHECK-NEXT: [[v27:%.*]] = memref.load %W{{\[}}[[v25]]] : memref<6xi8>
// CHECK-NEXT: [[v28:%.*]] = arith.extui [[v27]] : i8 to i32
// CHECK-NEXT: [[v29:%.*]] = arith.shrui [[v28]], [[v26]] : i32
// CHECK-NEXT: [[v30:%.*]] = arith.andi [[v29]], [[v12]] : i32
// CHECK-NEXT: [[v31:%.*]] = arith.index_cast [[v14]] : index to i32
// CHECK-NEXT: [[v32:%.*]] = arith.shli [[v30]], [[v31]] : i32
// CHECK-NEXT: [[v33:%.*]] = arith.ori [[v15]], [[v32]] : i32
// CHECK-NEXT: scf.yield [[v33]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: [[v34:%.*]] = arith.constant 26 : i32
// CHECK-NEXT: [[v35:%.*]] = arith.shli [[v13]], [[v34]] : i32
// CHECK-NEXT: [[v36:%.*]] = arith.shrsi [[v35]], [[v34]] : i32
// CHECK-NEXT: %w = arith.trunci [[v36]] : i32 to i8
// CHECK-NEXT: [[v37:%.*]] = arith.index_cast %i : index to i16
// CHECK-NEXT: [[v38:%.*]] = arith.extui [[v37]] : i16 to i32
// CHECK-NEXT: [[v39:%.*]] = arith.index_cast [[v38]] : i32 to index
// CHECK-NEXT: [[v40:%.*]] = arith.extsi %w : i8 to i32
// CHECK-NEXT: [[v41:%.*]] = arith.constant 6 : index
// CHECK-NEXT: [[v42:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v43:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v44:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v45:%.*]] = arith.constant 3 : i32
// CHECK-NEXT: [[v46:%.*]] = arith.constant 3 : index
// CHECK-NEXT: [[v47:%.*]] = arith.constant 7 : i32
// CHECK-NEXT: [[v48:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: [[v49:%.*]] = arith.constant 255 : i32
// CHECK-NEXT: scf.for [[v50:%.*]] = [[v42]] to [[v41]] step [[v43]] {
// CHECK-NEXT: [[v51:%.*]] = arith.divui [[v39]], [[v44]] : index
// CHECK-NEXT: [[v52:%.*]] = arith.remui [[v39]], [[v44]] : index
// CHECK-NEXT: [[v53:%.*]] = arith.muli [[v52]], [[v41]] : index
// CHECK-NEXT: [[v54:%.*]] = arith.addi [[v53]], [[v50]] : index
// CHECK-NEXT: [[v55:%.*]] = memref.load %bits_of_s6{{\[}}[[v54]]] : memref<24xi8>
// CHECK-NEXT: [[v56:%.*]] = arith.extsi [[v55]] : i8 to i32
// CHECK-NEXT: [[v57:%.*]] = arith.shrsi [[v56]], [[v45]] : i32
// CHECK-NEXT: [[v58:%.*]] = arith.index_cast [[v57]] : i32 to index
// CHECK-NEXT: [[v59:%.*]] = arith.muli [[v51]], [[v46]] : index
// CHECK-NEXT: [[v60:%.*]] = arith.addi [[v59]], [[v58]] : index
// CHECK-NEXT: [[v61:%.*]] = arith.andi [[v56]], [[v47]] : i32
// CHECK-NEXT: [[v62:%.*]] = arith.index_cast [[v50]] : index to i32
// CHECK-NEXT: [[v63:%.*]] = arith.shrui [[v40]], [[v62]] : i32
// CHECK-NEXT: [[v64:%.*]] = arith.andi [[v63]], [[v48]] : i32
// CHECK-NEXT: [[v65:%.*]] = arith.shli [[v64]], [[v61]] : i32
// CHECK-NEXT: [[v66:%.*]] = arith.shli [[v48]], [[v61]] : i32
// CHECK-NEXT: [[v67:%.*]] = arith.xori [[v66]], [[v49]] : i32
// CHECK-NEXT: [[v68:%.*]] = memref.load %a{{\[}}[[v60]]] : memref<6xi8>
// CHECK-NEXT: [[v69:%.*]] = arith.extui [[v68]] : i8 to i32
// CHECK-NEXT: [[v70:%.*]] = arith.andi [[v69]], [[v67]] : i32
// CHECK-NEXT: [[v71:%.*]] = arith.ori [[v70]], [[v65]] : i32
// CHECK-NEXT: [[v72:%.*]] = arith.trunci [[v71]] : i32 to i8
// CHECK-NEXT: memref.store [[v72]], %a{{\[}}[[v60]]] : memref<6xi8>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK: "memref.global"() <{sym_name = "W", type = memref<5xi8>, initial_value = dense<[-43, 120, -87, -70, 11]> : tensor<5xi8>, sym_visibility = "private", constant, alignment = 1 : i64}> : () -> ()
// CHECK: "memref.global"() <{sym_name = "arena", type = memref<16xi8>, initial_value = dense<0> : tensor<16xi8>, sym_visibility = "private", alignment = 8 : i64}> : () -> ()
// CHECK: "memref.global"() <{sym_name = "bits_of_s5", type = memref<40xi8>, initial_value = dense<[0, 8, 9, 10, 11, 1, 12, 13, 14, 15, 2, 16, 17, 18, 19, 3, 20, 21, 22, 23, 4, 24, 25, 26, 27, 5, 28, 29, 30, 31, 6, 32, 33, 34, 35, 7, 36, 37, 38, 39]> : tensor<40xi8>, sym_visibility = "private", constant, alignment = 1 : i64}> : () -> ()

// -----

// Elements of 5 bits are stored 16 too great, from 0 to 31, so that no sign is spread.
func.func @five(%X: memref<8xi16>, %Y: memref<8xi16>) {
  %zero = arith.constant 0 : index
  %W = scratch.constant dense<[1, -2, 3, 4, 5, 6, 7, -15]> : tensor<8xi8> -> memref<8x!fixed.q<5, 3>, #scratch.packed<5>>
  %arena = scratch.arena {alignment = 2 : i64} : memref<16xi8>
  %a = scratch.view %arena[0 : i64] : memref<16xi8> to memref<8x!fixed.q<5, 3>, #scratch.packed_ram<5>>
  %w = memref.load %W[%zero] : memref<8x!fixed.q<5, 3>, #scratch.packed<5>>
  memref.store %w, %a[%zero] : memref<8x!fixed.q<5, 3>, #scratch.packed_ram<5>>
  func.return
}
// CHECK-LABEL: func.func @five_predict(%X: memref<8xi16>, %Y: memref<8xi16>) {
// CHECK-NEXT: %W = memref.get_global @W : memref<5xi8>
// CHECK-NEXT: %arena = memref.get_global @arena : memref<16xi8>
// CHECK-NEXT: [[v0:%.*]] = arith.constant 0 : index
// CHECK-NEXT: %a = memref.view %arena{{\[}}[[v0]]][] : memref<16xi8> to memref<5xi8>
// CHECK-NEXT: %bits_of_s5 = memref.get_global @bits_of_s5 : memref<40xi8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: [[v1:%.*]] = arith.index_cast %zero : index to i16
// CHECK-NEXT: [[v2:%.*]] = arith.extui [[v1]] : i16 to i32
// CHECK-NEXT: [[v3:%.*]] = arith.index_cast [[v2]] : i32 to index
// CHECK-NEXT: [[v4:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[v5:%.*]] = arith.constant 0 : i32
// CHECK-NEXT: [[v6:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v7:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v8:%.*]] = arith.constant 8 : index
// CHECK-NEXT: [[v9:%.*]] = arith.constant 3 : i32
// CHECK-NEXT: [[v10:%.*]] = arith.constant 7 : i32
// CHECK-NEXT: [[v11:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: [[v12:%.*]] = scf.for [[v13:%.*]] = [[v6]] to [[v4]] step [[v7]] iter_args([[v14:%.*]] = [[v5]]) -> (i32) {
// CHECK-NEXT: [[v15:%.*]] = arith.divui [[v3]], [[v8]] : index
// CHECK-NEXT: [[v16:%.*]] = arith.remui [[v3]], [[v8]] : index
// CHECK-NEXT: [[v17:%.*]] = arith.muli [[v16]], [[v4]] : index
// CHECK-NEXT: [[v18:%.*]] = arith.addi [[v17]], [[v13]] : index
// CHECK-NEXT: [[v19:%.*]] = memref.load %bits_of_s5{{\[}}[[v18]]] : memref<40xi8>
// CHECK-NEXT: [[v20:%.*]] = arith.extsi [[v19]] : i8 to i32
// CHECK-NEXT: [[v21:%.*]] = arith.shrsi [[v20]], [[v9]] : i32
// CHECK-NEXT: [[v22:%.*]] = arith.index_cast [[v21]] : i32 to index
// CHECK-NEXT: [[v23:%.*]] = arith.muli [[v15]], [[v4]] : index
// CHECK-NEXT: [[v24:%.*]] = arith.addi [[v23]], [[v22]] : index
// CHECK-NEXT: [[v25:%.*]] = arith.andi [[v20]], [[v10]] : i32
// CHECK-NEXT: [[v26:%.*]] = memref.load %W{{\[}}[[v24]]] : memref<5xi8>
// CHECK-NEXT: [[v27:%.*]] = arith.extui [[v26]] : i8 to i32
// CHECK-NEXT: [[v28:%.*]] = arith.shrui [[v27]], [[v25]] : i32
// CHECK-NEXT: [[v29:%.*]] = arith.andi [[v28]], [[v11]] : i32
// CHECK-NEXT: [[v30:%.*]] = arith.index_cast [[v13]] : index to i32
// CHECK-NEXT: [[v31:%.*]] = arith.shli [[v29]], [[v30]] : i32
// CHECK-NEXT: [[v32:%.*]] = arith.ori [[v14]], [[v31]] : i32
// CHECK-NEXT: scf.yield [[v32]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: [[v33:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v34:%.*]] = arith.subi [[v12]], [[v33]] : i32
// CHECK-NEXT: %w = arith.trunci [[v34]] : i32 to i8
// CHECK-NEXT: [[v35:%.*]] = arith.index_cast %zero : index to i16
// CHECK-NEXT: [[v36:%.*]] = arith.extui [[v35]] : i16 to i32
// CHECK-NEXT: [[v37:%.*]] = arith.index_cast [[v36]] : i32 to index
// CHECK-NEXT: [[v38:%.*]] = arith.extsi %w : i8 to i32
// CHECK-NEXT: [[v39:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v40:%.*]] = arith.addi [[v38]], [[v39]] : i32
// CHECK-NEXT: [[v41:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[v42:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v43:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v44:%.*]] = arith.constant 8 : index
// CHECK-NEXT: [[v45:%.*]] = arith.constant 3 : i32
// CHECK-NEXT: [[v46:%.*]] = arith.constant 7 : i32
// CHECK-NEXT: [[v47:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: [[v48:%.*]] = arith.constant 255 : i32
// CHECK-NEXT: scf.for [[v49:%.*]] = [[v42]] to [[v41]] step [[v43]] {
// CHECK-NEXT: [[v50:%.*]] = arith.divui [[v37]], [[v44]] : index
// CHECK-NEXT: [[v51:%.*]] = arith.remui [[v37]], [[v44]] : index
// CHECK-NEXT: [[v52:%.*]] = arith.muli [[v51]], [[v41]] : index
// CHECK-NEXT: [[v53:%.*]] = arith.addi [[v52]], [[v49]] : index
// CHECK-NEXT: [[v54:%.*]] = memref.load %bits_of_s5{{\[}}[[v53]]] : memref<40xi8>
// CHECK-NEXT: [[v55:%.*]] = arith.extsi [[v54]] : i8 to i32
// CHECK-NEXT: [[v56:%.*]] = arith.shrsi [[v55]], [[v45]] : i32
// CHECK-NEXT: [[v57:%.*]] = arith.index_cast [[v56]] : i32 to index
// CHECK-NEXT: [[v58:%.*]] = arith.muli [[v50]], [[v41]] : index
// CHECK-NEXT: [[v59:%.*]] = arith.addi [[v58]], [[v57]] : index
// CHECK-NEXT: [[v60:%.*]] = arith.andi [[v55]], [[v46]] : i32
// CHECK-NEXT: [[v61:%.*]] = arith.index_cast [[v49]] : index to i32
// CHECK-NEXT: [[v62:%.*]] = arith.shrui [[v40]], [[v61]] : i32
// CHECK-NEXT: [[v63:%.*]] = arith.andi [[v62]], [[v47]] : i32
// CHECK-NEXT: [[v64:%.*]] = arith.shli [[v63]], [[v60]] : i32
// CHECK-NEXT: [[v65:%.*]] = arith.shli [[v47]], [[v60]] : i32
// CHECK-NEXT: [[v66:%.*]] = arith.xori [[v65]], [[v48]] : i32
// CHECK-NEXT: [[v67:%.*]] = memref.load %a{{\[}}[[v59]]] : memref<5xi8>
// CHECK-NEXT: [[v68:%.*]] = arith.extui [[v67]] : i8 to i32
// CHECK-NEXT: [[v69:%.*]] = arith.andi [[v68]], [[v66]] : i32
// CHECK-NEXT: [[v70:%.*]] = arith.ori [[v69]], [[v64]] : i32
// CHECK-NEXT: [[v71:%.*]] = arith.trunci [[v70]] : i32 to i8
// CHECK-NEXT: memref.store [[v71]], %a{{\[}}[[v59]]] : memref<5xi8>
// CHECK-NEXT: }
// CHECK-NEXT: func.return
// CHECK: "memref.global"() <{sym_name = "T", type = memref<2xi8>, initial_value = dense<[-45, -13]> : tensor<2xi8>, sym_visibility = "private", constant, alignment = 1 : i64}> : () -> ()

// -----

// Five ternary numbers are a byte: the fraction of 256 that three times the rest exceeds 256 by is the next rest, and
// what overflows, from 0 to 2, is the number plus 1.
func.func @trits(%X: memref<8xi16>, %Y: memref<9xi8>) {
  %zero = arith.constant 0 : index
  %T = scratch.constant dense<[1, 0, 0, -1, 1, 1, 1, 0, 0]> : tensor<9xi8> -> memref<9x!fixed.q<2, 0>, #scratch.packed<2, trits>>
  %t = memref.load %T[%zero] : memref<9x!fixed.q<2, 0>, #scratch.packed<2, trits>>
  %y = num.neg %t : !fixed.q<2, 0> -> !fixed.q<8, 0>
  func.return
}
// CHECK-LABEL: func.func @trits_predict(%X: memref<8xi16>, %Y: memref<9xi8>) {
// CHECK-NEXT: %T = memref.get_global @T : memref<2xi8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: [[v0:%.*]] = arith.index_cast %zero : index to i16
// CHECK-NEXT: [[v1:%.*]] = arith.extui [[v0]] : i16 to i32
// CHECK-NEXT: [[v2:%.*]] = arith.index_cast [[v1]] : i32 to index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: [[v4:%.*]] = arith.constant 5 : index
// CHECK-NEXT: [[v5:%.*]] = arith.divui [[v2]], [[v4]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.remui [[v2]], [[v4]] : index
// CHECK-NEXT: [[v7:%.*]] = memref.load %T{{\[}}[[v5]]] : memref<2xi8>
// CHECK-NEXT: [[v8:%.*]] = arith.extui [[v7]] : i8 to i32
// CHECK-NEXT: [[v9:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v10:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v11:%.*]] = arith.constant 3 : i32
// CHECK-NEXT: [[v12:%.*]] = arith.constant 255 : i32
// CHECK-NEXT: [[v13:%.*]] = scf.for [[v14:%.*]] = [[v9]] to [[v6]] step [[v10]] iter_args([[v15:%.*]] = [[v8]]) -> (i32) {
// CHECK-NEXT: [[v16:%.*]] = arith.muli [[v15]], [[v11]] : i32
// CHECK-NEXT: [[v17:%.*]] = arith.andi [[v16]], [[v12]] : i32
// CHECK-NEXT: scf.yield [[v17]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: [[v18:%.*]] = arith.muli [[v13]], [[v11]] : i32
// CHECK-NEXT: [[v19:%.*]] = arith.constant 8 : i32
// CHECK-NEXT: [[v20:%.*]] = arith.shrui [[v18]], [[v19]] : i32
// CHECK-NEXT: [[v21:%.*]] = arith.subi [[v20]], [[v3]] : i32
// CHECK-NEXT: %t = arith.trunci [[v21]] : i32 to i8
// CHECK-NEXT: [[v22:%.*]] = arith.constant 0 : i8
// CHECK-NEXT: %y = arith.subi [[v22]], %t : i8
// CHECK-NEXT: func.return

// -----

// Elements of 4 bits change places: both are read before either is written.
func.func @nibbles() {
  %rows = arith.constant 2 : index
  %columns = arith.constant 3 : index
  %first = arith.constant 1 : index
  %arena = scratch.arena {alignment = 1 : i64} : memref<12xi8>
  %a = scratch.view %arena[4 : i64] : memref<12xi8> to memref<16x!fixed.u<4, 2>, #scratch.packed_ram<4>>
  scratch.turn %a[%first] : %rows x %columns {pixel = 2 : i64, bits = 4 : i64} : memref<16x!fixed.u<4, 2>, #scratch.packed_ram<4>>
  func.return
}

// CHECK-LABEL: func.func @nibbles_predict
// CHECK: [[start:%.*]] = arith.muli %first
// CHECK: [[a:%.*]] = arith.addi [[start]], {{%.*}} : index
// CHECK-NEXT: [[b:%.*]] = arith.addi [[start]], {{%.*}} : index
// CHECK-NEXT: scf.for
// CHECK-NEXT: arith.divui [[a]]
// CHECK: scf.for
// CHECK-NEXT: arith.divui [[b]]
// CHECK: scf.for
// CHECK-NEXT: arith.divui [[a]]
// CHECK: scf.for
// CHECK-NEXT: arith.divui [[b]]

// -----

// Of eight odd numbers of two bits a byte has the bits of one place: a bit of 1 adds its power of two, a bit of 0
// subtracts it.
func.func @odd(%X: memref<8xi16>, %Y: memref<9xi8>) {
  %zero = arith.constant 0 : index
  %T = scratch.constant dense<[1, -3, 3, -1, 1, 1, 1, 3, 3]> : tensor<9xi8> -> memref<9x!midrise.q<2, 0>, #scratch.packed<2, odd>>
  %t = memref.load %T[%zero] : memref<9x!midrise.q<2, 0>, #scratch.packed<2, odd>>
  %y = num.neg %t : !midrise.q<2, 0> -> !fixed.q<8, 0>
  func.return
}
// CHECK-LABEL: func.func @odd_predict(%X: memref<8xi16>, %Y: memref<9xi8>) {
// CHECK-NEXT: %T = memref.get_global @T : memref<4xi8>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: [[v0:%.*]] = arith.index_cast %zero : index to i16
// CHECK-NEXT: [[v1:%.*]] = arith.extui [[v0]] : i16 to i32
// CHECK-NEXT: [[v2:%.*]] = arith.index_cast [[v1]] : i32 to index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: [[v4:%.*]] = arith.constant 8 : index
// CHECK-NEXT: [[v5:%.*]] = arith.divui [[v2]], [[v4]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.remui [[v2]], [[v4]] : index
// CHECK-NEXT: [[v7:%.*]] = arith.index_cast [[v6]] : index to i32
// CHECK-NEXT: [[v8:%.*]] = arith.constant 2 : index
// CHECK-NEXT: [[v9:%.*]] = arith.constant 0 : i32
// CHECK-NEXT: [[v10:%.*]] = arith.constant 0 : index
// CHECK-NEXT: [[v11:%.*]] = arith.constant 1 : index
// CHECK-NEXT: [[v12:%.*]] = scf.for [[v13:%.*]] = [[v10]] to [[v8]] step [[v11]] iter_args([[v14:%.*]] = [[v9]]) -> (i32) {
// CHECK-NEXT: [[v15:%.*]] = arith.muli [[v5]], [[v8]] : index
// CHECK-NEXT: [[v16:%.*]] = arith.addi [[v15]], [[v13]] : index
// CHECK-NEXT: [[v17:%.*]] = memref.load %T{{\[}}[[v16]]] : memref<4xi8>
// CHECK-NEXT: [[v18:%.*]] = arith.extui [[v17]] : i8 to i32
// CHECK-NEXT: [[v19:%.*]] = arith.shrui [[v18]], [[v7]] : i32
// CHECK-NEXT: [[v20:%.*]] = arith.andi [[v19]], [[v3]] : i32
// CHECK-NEXT: [[v21:%.*]] = arith.shli [[v20]], [[v3]] : i32
// CHECK-NEXT: [[v22:%.*]] = arith.subi [[v21]], [[v3]] : i32
// CHECK-NEXT: [[v23:%.*]] = arith.index_cast [[v13]] : index to i32
// CHECK-NEXT: [[v24:%.*]] = arith.shli [[v22]], [[v23]] : i32
// CHECK-NEXT: [[v25:%.*]] = arith.addi [[v14]], [[v24]] : i32
// CHECK-NEXT: scf.yield [[v25]] : i32
// CHECK-NEXT: }
// CHECK-NEXT: %t = arith.trunci [[v12]] : i32 to i8
// CHECK-NEXT: [[v26:%.*]] = arith.constant 0 : i8
// CHECK-NEXT: %y = arith.subi [[v26]], %t : i8
// CHECK-NEXT: func.return

// -----

// Of sixteen elements of two bits, element 5 is in the fourth field of the lower half: the fours of the index count two
// fields each, its lowest bit one, and the bit between selects the half.
func.func @pairs(%X: memref<8xi16>, %Y: memref<16xi8>) {
  %five = arith.constant 5 : index
  %T = scratch.constant dense<[1, -2, 0, -1, 1, 1, 1, 0, 0, 1, -2, 0, -1, 1, 0, 1]> : tensor<16xi8> -> memref<16x!fixed.q<8, 0>, #scratch.packed<2, pairs>>
  %t = memref.load %T[%five] : memref<16x!fixed.q<8, 0>, #scratch.packed<2, pairs>>
  %y = num.neg %t : !fixed.q<8, 0> -> !fixed.q<8, 0>
  func.return
}
// CHECK-LABEL: func.func @pairs_predict(%X: memref<8xi16>, %Y: memref<16xi8>) {
// CHECK-NEXT: %T = memref.get_global @T : memref<4xi8>
// CHECK-NEXT: %five = arith.constant 5 : index
// CHECK-NEXT: [[v0:%.*]] = arith.index_cast %five : index to i16
// CHECK-NEXT: [[v1:%.*]] = arith.extui [[v0]] : i16 to i32
// CHECK-NEXT: [[v2:%.*]] = arith.index_cast [[v1]] : i32 to index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: [[v4:%.*]] = arith.constant 16 : index
// CHECK-NEXT: [[v5:%.*]] = arith.divui [[v2]], [[v4]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.remui [[v2]], [[v4]] : index
// CHECK-NEXT: [[v7:%.*]] = arith.index_cast [[v6]] : index to i32
// CHECK-NEXT: [[v8:%.*]] = arith.constant 2 : i32
// CHECK-NEXT: [[v9:%.*]] = arith.shrui [[v7]], [[v8]] : i32
// CHECK-NEXT: [[v10:%.*]] = arith.constant 7 : i32
// CHECK-NEXT: [[v11:%.*]] = arith.andi [[v9]], [[v10]] : i32
// CHECK-NEXT: [[v12:%.*]] = arith.constant 4 : i32
// CHECK-NEXT: [[v13:%.*]] = arith.muli [[v11]], [[v12]] : i32
// CHECK-NEXT: [[v14:%.*]] = arith.constant 0 : i32
// CHECK-NEXT: [[v15:%.*]] = arith.shrui [[v7]], [[v14]] : i32
// CHECK-NEXT: [[v16:%.*]] = arith.andi [[v15]], [[v3]] : i32
// CHECK-NEXT: [[v17:%.*]] = arith.muli [[v16]], [[v8]] : i32
// CHECK-NEXT: [[v18:%.*]] = arith.addi [[v13]], [[v17]] : i32
// CHECK-NEXT: [[v19:%.*]] = arith.shrui [[v7]], [[v3]] : i32
// CHECK-NEXT: [[v20:%.*]] = arith.andi [[v19]], [[v3]] : i32
// CHECK-NEXT: [[v21:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v22:%.*]] = arith.muli [[v20]], [[v21]] : i32
// CHECK-NEXT: [[v23:%.*]] = arith.addi [[v18]], [[v22]] : i32
// CHECK-NEXT: [[v24:%.*]] = arith.constant 3 : i32
// CHECK-NEXT: [[v25:%.*]] = arith.shrui [[v23]], [[v24]] : i32
// CHECK-NEXT: [[v26:%.*]] = arith.index_cast [[v25]] : i32 to index
// CHECK-NEXT: [[v27:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v28:%.*]] = arith.muli [[v5]], [[v27]] : index
// CHECK-NEXT: [[v29:%.*]] = arith.addi [[v28]], [[v26]] : index
// CHECK-NEXT: [[v30:%.*]] = memref.load %T{{\[}}[[v29]]] : memref<4xi8>
// CHECK-NEXT: [[v31:%.*]] = arith.extui [[v30]] : i8 to i32
// CHECK-NEXT: [[v32:%.*]] = arith.andi [[v23]], [[v10]] : i32
// CHECK-NEXT: [[v33:%.*]] = arith.shrui [[v31]], [[v32]] : i32
// CHECK-NEXT: [[v34:%.*]] = arith.andi [[v33]], [[v24]] : i32
// CHECK-NEXT: [[v35:%.*]] = arith.subi [[v34]], [[v8]] : i32
// CHECK-NEXT: %t = arith.trunci [[v35]] : i32 to i8
// CHECK-NEXT: [[v36:%.*]] = arith.constant 0 : i8
// CHECK-NEXT: %y = arith.subi [[v36]], %t : i8
// CHECK-NEXT: func.return

// -----

// A field of one bit is 0 or 1 for -1 or 1.
func.func @signs(%X: memref<8xi16>, %Y: memref<2xi8>) {
  %one = arith.constant 1 : index
  %T = scratch.constant dense<[1, -1]> : tensor<2xi8> -> memref<2x!midrise.q<1, 0>, #scratch.packed<1, pairs>>
  %t = memref.load %T[%one] : memref<2x!midrise.q<1, 0>, #scratch.packed<1, pairs>>
  %y = num.neg %t : !midrise.q<1, 0> -> !fixed.q<8, 0>
  func.return
}
// CHECK-LABEL: func.func @signs_predict(%X: memref<8xi16>, %Y: memref<2xi8>) {
// CHECK-NEXT: %T = memref.get_global @T : memref<4xi8>
// CHECK-NEXT: %one = arith.constant 1 : index
// CHECK-NEXT: [[v0:%.*]] = arith.index_cast %one : index to i16
// CHECK-NEXT: [[v1:%.*]] = arith.extui [[v0]] : i16 to i32
// CHECK-NEXT: [[v2:%.*]] = arith.index_cast [[v1]] : i32 to index
// CHECK-NEXT: [[v3:%.*]] = arith.constant 1 : i32
// CHECK-NEXT: [[v4:%.*]] = arith.constant 32 : index
// CHECK-NEXT: [[v5:%.*]] = arith.divui [[v2]], [[v4]] : index
// CHECK-NEXT: [[v6:%.*]] = arith.remui [[v2]], [[v4]] : index
// CHECK-NEXT: [[v7:%.*]] = arith.index_cast [[v6]] : index to i32
// CHECK-NEXT: [[v8:%.*]] = arith.constant 2 : i32
// CHECK-NEXT: [[v9:%.*]] = arith.shrui [[v7]], [[v8]] : i32
// CHECK-NEXT: [[v10:%.*]] = arith.constant 7 : i32
// CHECK-NEXT: [[v11:%.*]] = arith.andi [[v9]], [[v10]] : i32
// CHECK-NEXT: [[v12:%.*]] = arith.muli [[v11]], [[v8]] : i32
// CHECK-NEXT: [[v13:%.*]] = arith.constant 0 : i32
// CHECK-NEXT: [[v14:%.*]] = arith.shrui [[v7]], [[v13]] : i32
// CHECK-NEXT: [[v15:%.*]] = arith.andi [[v14]], [[v3]] : i32
// CHECK-NEXT: [[v16:%.*]] = arith.muli [[v15]], [[v3]] : i32
// CHECK-NEXT: [[v17:%.*]] = arith.addi [[v12]], [[v16]] : i32
// CHECK-NEXT: [[v18:%.*]] = arith.shrui [[v7]], [[v3]] : i32
// CHECK-NEXT: [[v19:%.*]] = arith.andi [[v18]], [[v3]] : i32
// CHECK-NEXT: [[v20:%.*]] = arith.constant 16 : i32
// CHECK-NEXT: [[v21:%.*]] = arith.muli [[v19]], [[v20]] : i32
// CHECK-NEXT: [[v22:%.*]] = arith.addi [[v17]], [[v21]] : i32
// CHECK-NEXT: [[v23:%.*]] = arith.constant 3 : i32
// CHECK-NEXT: [[v24:%.*]] = arith.shrui [[v22]], [[v23]] : i32
// CHECK-NEXT: [[v25:%.*]] = arith.index_cast [[v24]] : i32 to index
// CHECK-NEXT: [[v26:%.*]] = arith.constant 4 : index
// CHECK-NEXT: [[v27:%.*]] = arith.muli [[v5]], [[v26]] : index
// CHECK-NEXT: [[v28:%.*]] = arith.addi [[v27]], [[v25]] : index
// CHECK-NEXT: [[v29:%.*]] = memref.load %T{{\[}}[[v28]]] : memref<4xi8>
// CHECK-NEXT: [[v30:%.*]] = arith.extui [[v29]] : i8 to i32
// CHECK-NEXT: [[v31:%.*]] = arith.andi [[v22]], [[v10]] : i32
// CHECK-NEXT: [[v32:%.*]] = arith.shrui [[v30]], [[v31]] : i32
// CHECK-NEXT: [[v33:%.*]] = arith.andi [[v32]], [[v3]] : i32
// CHECK-NEXT: [[v34:%.*]] = arith.addi [[v33]], [[v33]] : i32
// CHECK-NEXT: [[v35:%.*]] = arith.subi [[v34]], [[v3]] : i32
// CHECK-NEXT: %t = arith.trunci [[v35]] : i32 to i8
// CHECK-NEXT: [[v36:%.*]] = arith.constant 0 : i8
// CHECK-NEXT: %y = arith.subi [[v36]], %t : i8
// CHECK-NEXT: func.return
