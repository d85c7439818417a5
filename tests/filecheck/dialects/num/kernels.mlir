// Every kind of kernel reads what it prints, without the numbers that are usual, and in any order.

// RUN: %roundtrip

"test.op"() {listed = #num.kernel<"tm_cm_dot4_s8_s8_s32">} : () -> ()
// CHECK: listed = #num.kernel<"tm_cm_dot4_s8_s8_s32">

"test.op"() {far = #num.far_kernel<#num.kernel<"tm_dot_s8_s8_s24">>} : () -> ()
// CHECK: far = #num.far_kernel<#num.kernel<"tm_dot_s8_s8_s24">>

"test.op"() {
  dense = #num.composed_kernel<num.dot, table 4, integer 8, sum = 32, gaps = 0>,
  sparse = #num.composed_kernel<num.sparse_dot, integer 11, integer 16, gaps = 4, sum = 32>,
  ram = #num.composed_kernel<num.dot, integer 4, integer 8, ram = 1, sum = 16>
} : () -> ()
// CHECK: dense = #num.composed_kernel<num.dot, table 4, integer 8, sum = 32>,
// CHECK-SAME: sparse = #num.composed_kernel<num.sparse_dot, integer 11, integer 16, sum = 32, gaps = 4>,
// CHECK-SAME: ram = #num.composed_kernel<num.dot, integer 4, integer 8, sum = 16, ram = 1>

"test.op"() {
  tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 4, runs = 3, length = 48, pitch = 96, step = 16, count = 8, zero = -5>,
  shifted = #num.tile_kernel<"tm_dot_tile_s8", zero = 0, right = 9, rows = 4, runs = 1, length = 48, pitch = 0, step = 16, count = 8>,
  square = #num.tile_kernel<"tm_cm_winograd_2d_s8", rows = 8, runs = 3, length = 48, pitch = 96, step = 16, count = 4, zero = -3, lines = 2>
} : () -> ()
// CHECK: tile = #num.tile_kernel<"tm_cm_dot_tile_s8", rows = 4, runs = 3, length = 48, pitch = 96, step = 16, count = 8, zero = -5>,
// CHECK-SAME: shifted = #num.tile_kernel<"tm_dot_tile_s8", rows = 4, runs = 1, length = 48, pitch = 0, step = 16, count = 8, zero = 0, right = 9>,
// CHECK-SAME: square = #num.tile_kernel<"tm_cm_winograd_2d_s8", rows = 8, runs = 3, length = 48, pitch = 96, step = 16, count = 4, zero = -3, lines = 2>

"test.op"() {code = #num.code_kernel<"tm_cm_channels", "e45d5e1250c043d8">} : () -> ()
// CHECK: code = #num.code_kernel<"tm_cm_channels", "e45d5e1250c043d8">
