// Softmax in exact formats: terms from one table or two, and a single division for each total.

// RUN: tinyml-opt %s -p lower-num-to-exact | filecheck %s

// Differences have an entry each: at 10.5, a term is less than half a unit.
func.func @narrow(%x: !fixed.q<8, 1>, %most: !fixed.q<8, 1>, %total: i32) -> !fixed.q<8, 7> {
  %term = num.softmax_term %x, %most {into = !fixed.q<8, 7>} : !fixed.q<8, 1>, !fixed.q<8, 1> -> i32
  %sum = num.softmax_add %total, %term {into = !fixed.q<8, 7>} : i32, i32 -> i32
  %share = num.softmax_share %term, %sum : i32, i32 -> !fixed.q<8, 7>
  func.return %share : !fixed.q<8, 7>
}
// CHECK-LABEL: func.func @narrow(%x: i8, %most: i8, %total: i32) -> (i8) {
// CHECK-NEXT: %exp_table = scratch.constant dense<[16384, 9937, 6027, 3656, 2217, 1345, 816, 495, 300, 182, 110, 67, 41, 25, 15, 9, 5, 3, 2, 1, 1, 0]> : tensor<22xi16> -> memref<22xi16, #scratch.flash>
// CHECK-NEXT: [[vmost_1:%.*]] = exact.within %most : i8 in [-127, 127]
// CHECK-NEXT: [[vx_1:%.*]] = exact.within %x : i8 in [-127, 127]
// CHECK-NEXT: [[v0:%.*]] = exact.sub [[vmost_1]], [[vx_1]] : i8, i8 -> i16 in [-254, 254]
// CHECK-NEXT: [[v1:%.*]] = exact.within [[v0]] : i16 in [0, 254]
// CHECK-NEXT: [[v2:%.*]] = exact.clamp [[v1]] : i16 -> i16 in [0, 21]
// CHECK-NEXT: [[v3:%.*]] = arith.trunci [[v2]] : i16 to i8
// CHECK-NEXT: [[v4:%.*]] = arith.index_cast [[v3]] : i8 to index
// CHECK-NEXT: [[v5:%.*]] = memref.load %exp_table{{\[}}[[v4]]] : memref<22xi16, #scratch.flash>
// CHECK-NEXT: %term = arith.extsi [[v5]] : i16 to i32
// CHECK-NEXT: %sum = arith.addi %total, %term : i32
// CHECK-NEXT: [[v6:%.*]] = arith.constant 536870912 : i32
// CHECK-NEXT: [[vsum_1:%.*]] = exact.within %sum : i32 in [16384, 2147483647]
// CHECK-NEXT: [[v7:%.*]] = exact.divide [[v6]], [[vsum_1]] : i32, i32 -> i32 in [0, 32768]
// CHECK-NEXT: [[v8:%.*]] = exact.clamp [[v7]] : i32 -> i32 in [0, 32767]
// CHECK-NEXT: [[v9:%.*]] = arith.trunci [[v8]] : i32 to i16
// CHECK-NEXT: [[vterm_1:%.*]] = exact.within %term : i32 in [0, 16384]
// CHECK-NEXT: [[v10:%.*]] = exact.within [[v9]] : i16 in [0, 32767]
// CHECK-NEXT: [[v11:%.*]] = exact.product_to [[vterm_1]], [[v10]] right 22 to [-127, 127] : i32, i16 -> i32 in [0, 127]
// CHECK-NEXT: %share = arith.trunci [[v11]] : i32 to i8
// CHECK-NEXT: func.return %share : i8

// A step of Newton's method follows the division; the tables are those of the upper and the lower bits.
func.func @wide(%x: !fixed.q<16, 5>, %most: !fixed.q<16, 5>, %total: i32) -> !fixed.q<16, 15> {
  %term = num.softmax_term %x, %most {into = !fixed.q<16, 15>} : !fixed.q<16, 5>, !fixed.q<16, 5> -> i32
  %sum = num.softmax_add %total, %term {into = !fixed.q<16, 15>} : i32, i32 -> i32
  %share = num.softmax_share %term, %sum : i32, i32 -> !fixed.q<16, 15>
  func.return %share : !fixed.q<16, 15>
}
// CHECK-LABEL: func.func @wide(%x: i16, %most: i16, %total: i32) -> (i16) {
// CHECK-NEXT: %exp_rest_table = scratch.constant dense<[0, 2016, 3971, 5865]> : tensor<4xi16> -> memref<4xi16, #scratch.flash>
// CHECK-NEXT: %exp_table = scratch.constant dense<"0x00000400AD8703007E1D0300C9BF0200166D02001C240200B4E30100DEAA0100B5780100724C010061250100E80201007CE40000A3C90000F2B10000099D0000958A00004D7A0000EE6B00003F5F00000E5400002E4A000076410000C5390000FB320000FE2C0000B42700000A230000EC1E00004A1B00001518000041150000C11200008D1000009B0E0000E40C0000600B00000A0A0000DC080000D1070000E6060000170600005F050000BE0400002F040000B103000042030000E00200008A0200003D020000FA010000BF0100008A0100005C010000330100000F010000EF000000D3000000BA000000A400000091000000800000007100000064000000580000004E000000440000003C000000350000002F0000002A00000025000000200000001D000000190000001600000014000000110000000F0000000D0000000C0000000B000000090000000800000007000000060000000500000005000000040000000400000003000000030000000300000002000000020000000200000002000000010000000100000001000000010000000100000001000000010000000100000000000000"> : tensor<106xi32> -> memref<106xi32, #scratch.flash>
// CHECK-NEXT: [[vmost_1:%.*]] = exact.within %most : i16 in [-32767, 32767]
// CHECK-NEXT: [[vx_1:%.*]] = exact.within %x : i16 in [-32767, 32767]
// CHECK-NEXT: [[v0:%.*]] = exact.sub [[vmost_1]], [[vx_1]] : i16, i16 -> i24 in [-65534, 65534]
// CHECK-NEXT: [[v1:%.*]] = exact.within [[v0]] : i24 in [0, 65534]
// CHECK-NEXT: [[v2:%.*]] = exact.clamp [[v1]] : i24 -> i24 in [0, 422]
// CHECK-NEXT: [[v3:%.*]] = arith.trunci [[v2]] : i24 to i16
// CHECK-NEXT: [[v4:%.*]] = exact.within [[v3]] : i16 in [0, 422]
// CHECK-NEXT: [[v5:%.*]] = exact.shift_right [[v4]] by 2 : i16 -> i16 in [0, 105]
// CHECK-NEXT: [[v6:%.*]] = arith.index_cast [[v5]] : i16 to index
// CHECK-NEXT: [[v7:%.*]] = memref.load %exp_table{{\[}}[[v6]]] : memref<106xi32, #scratch.flash>
// CHECK-NEXT: [[v8:%.*]] = exact.within [[v3]] : i16 in [0, 422]
// CHECK-NEXT: [[v9:%.*]] = exact.low_bits [[v8]] bits 2 : i16 -> i16 in [0, 3]
// CHECK-NEXT: [[v10:%.*]] = arith.index_cast [[v9]] : i16 to index
// CHECK-NEXT: [[v11:%.*]] = memref.load %exp_rest_table{{\[}}[[v10]]] : memref<4xi16, #scratch.flash>
// CHECK-NEXT: [[v12:%.*]] = exact.within [[v7]] : i32 in [0, 262144]
// CHECK-NEXT: [[v13:%.*]] = exact.within [[v11]] : i16 in [0, 5865]
// CHECK-NEXT: [[v14:%.*]] = exact.product_to [[v12]], [[v13]] right 16 to [-2147483648, 2147483647] : i32, i16 -> i32 in [0, 23460]
// CHECK-NEXT: [[v15:%.*]] = exact.within [[v7]] : i32 in [0, 262144]
// CHECK-NEXT: [[v16:%.*]] = exact.sub [[v15]], [[v14]] : i32, i32 -> i24 in [-23460, 262144]
// CHECK-NEXT: %term = arith.extsi [[v16]] : i24 to i32
// CHECK-NEXT: %sum = arith.addi %total, %term : i32
// CHECK-NEXT: [[v17:%.*]] = arith.constant 1073741824 : i32
// CHECK-NEXT: [[vsum_1:%.*]] = exact.within %sum : i32 in [262144, 2147483647]
// CHECK-NEXT: [[v18:%.*]] = exact.shift_right [[vsum_1]] by 9 : i32 -> i24 in [512, 4194303]
// CHECK-NEXT: [[v19:%.*]] = exact.divide [[v17]], [[v18]] : i32, i24 -> i32 in [256, 2097152]
// CHECK-NEXT: [[v20:%.*]] = arith.constant 549755813888 : i64
// CHECK-NEXT: [[vsum_2:%.*]] = exact.within %sum : i32 in [262144, 2147483647]
// CHECK-NEXT: [[v21:%.*]] = exact.mul [[vsum_2]], [[v19]] : i32, i32 -> i64 in [67108864, 4503599625273344]
// CHECK-NEXT: [[v22:%.*]] = exact.sub [[v20]], [[v21]] : i64, i64 -> i64 in [-4503049869459456, 549688705024]
// CHECK-NEXT: [[v23:%.*]] = exact.within [[v22]] : i64 in [-1073741824, 2147483647]
// CHECK-NEXT: [[v24:%.*]] = exact.shift_right [[v23]] by 8 : i64 -> i32 in [-4194304, 8388607]
// CHECK-NEXT: [[v25:%.*]] = exact.mul [[v19]], [[v24]] : i32, i32 -> i64 in [-8796093022208, 17592183947264]
// CHECK-NEXT: [[v26:%.*]] = exact.shift_right [[v25]] by 24 : i64 -> i64 in [-524288, 1048575]
// CHECK-NEXT: [[v27:%.*]] = arith.trunci [[v26]] : i64 to i24
// CHECK-NEXT: [[v28:%.*]] = exact.shift_left [[v19]] by 7 : i32 -> i32 in [32768, 268435456]
// CHECK-NEXT: [[v29:%.*]] = exact.within [[v27]] : i24 in [-524288, 1048575]
// CHECK-NEXT: [[v30:%.*]] = exact.add [[v28]], [[v29]] : i32, i24 -> i32 in [-491520, 269484031]
// CHECK-NEXT: [[vterm_1:%.*]] = exact.within %term : i32 in [0, 262144]
// CHECK-NEXT: [[v31:%.*]] = exact.within [[v30]] : i32 in [0, 268435456]
// CHECK-NEXT: [[v32:%.*]] = exact.mul [[vterm_1]], [[v31]] : i32, i32 -> i64 in [0, 70368744177664]
// CHECK-NEXT: [[v33:%.*]] = exact.shift_right [[v32]] by 16 : i64 -> i64 in [0, 1073741824]
// CHECK-NEXT: [[v34:%.*]] = arith.trunci [[v33]] : i64 to i32
// CHECK-NEXT: [[v35:%.*]] = arith.constant 1 : i8
// CHECK-NEXT: [[v36:%.*]] = exact.within [[v34]] : i32 in [0, 1073741824]
// CHECK-NEXT: [[v37:%.*]] = exact.product_to [[v36]], [[v35]] right 15 to [-32767, 32767] : i32, i8 -> i32 in [0, 32767]
// CHECK-NEXT: %share = arith.trunci [[v37]] : i32 to i16
// CHECK-NEXT: func.return %share : i16

// Results of 32 bits are computed in floats.
func.func @floats(%term: f32, %total: f32) -> !fixed.q<32, 31> {
  %share = num.softmax_share %term, %total : f32, f32 -> !fixed.q<32, 31>
  func.return %share : !fixed.q<32, 31>
}
// CHECK-LABEL: func.func @floats(%term: f32, %total: f32) -> (i32) {
// CHECK-NEXT: [[v0:%.*]] = func.call @tm_inversef(%total) : (f32) -> f32
// CHECK-NEXT: [[v1:%.*]] = arith.mulf %term, [[v0]] : f32
// CHECK-NEXT: [[v2:%.*]] = arith.constant 31 : i8
// CHECK-NEXT: [[v3:%.*]] = arith.constant -2147483647 : i32
// CHECK-NEXT: [[v4:%.*]] = arith.constant 2147483647 : i32
// CHECK-NEXT: %share = func.call @tm_f32_to_s32([[v1]], [[v2]], [[v3]], [[v4]]) : (f32, i8, i32, i32) -> i32
// CHECK-NEXT: func.return %share : i32
