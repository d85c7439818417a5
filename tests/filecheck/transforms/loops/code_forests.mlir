// RUN: tinyml-opt %s -p 'code-forests{target=uno}' | filecheck %s --check-prefix=REGISTERS
// RUN: tinyml-opt %s -p 'code-forests{target=uno flash=1000}' | filecheck %s --check-prefix=CODE
// RUN: tinyml-opt %s -p 'code-forests{target=uno flash=1}' | filecheck %s --check-prefix=TABLES
// RUN: tinyml-opt %s -p 'code-forests{target=uno flash=917}' | filecheck %s --check-prefixes=SPENT,CODE
// RUN: tinyml-opt %s -p 'code-forests{target=uno flash=917 ram=25}' | filecheck %s --check-prefix=CODE
// RUN: tinyml-opt %s -p 'code-forests{target=uno flash=917 ram=24}' | filecheck %s --check-prefix=TABLES
// RUN: tinyml-opt %s -p 'code-forests{target=uno flash=916}' | filecheck %s --check-prefixes=UNSPENT,TABLES
// RUN: tinyml-opt %s -p 'code-forests{target=uno flash=1},lower-num-to-exact,lower-exact-to-arith' | filecheck %s --check-prefix=CALL
// RUN: tinyml-opt %s -p 'code-forests{target=uno flash=1000},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t c | filecheck %s --check-prefix=ASSEMBLY
// RUN: tinyml-opt %s -p 'code-forests{target=uno flash=1},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t c | filecheck %s --check-prefix=BYTES
// RUN: tinyml-opt %s -p 'code-forests{target=cortex-m0 flash=1},lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c' -t c | filecheck %s --check-prefix=PLAIN
// RUN: tinyml-opt %s -p 'code-forests{target=host flash=1462}' | filecheck %s --check-prefix=EXACT
// RUN: tinyml-opt %s -p 'code-forests{target=host flash=1461}' | filecheck %s --check-prefix=LESS
// RUN: not tinyml-opt %s -p 'code-forests{target=toaster}' 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: unknown target 'toaster'

// A list of sixty nodes takes less flash in tables. Leaf 0 adds 7 to the first result, leaf 1 to the second one; leaf 2 has a record.
func.func @forest(%x: memref<2x!fixed.q<8, 4>>) -> memref<4x!fixed.q<16, 7>> {
  %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
  %sums = scratch.view %arena[0 : i64] : memref<8xi8> to memref<4x!fixed.q<16, 7>>
  num.forest %sums, %x {features = dense<1> : tensor<60xi32>, thresholds = dense<5> : tensor<60xi8>, children = dense<[[1, -1], [2, -2], [3, -3], [4, -1], [5, -2], [6, -3], [7, -1], [8, -2], [9, -3], [10, -1], [11, -2], [12, -3], [13, -1], [14, -2], [15, -3], [16, -1], [17, -2], [18, -3], [19, -1], [20, -2], [21, -3], [22, -1], [23, -2], [24, -3], [25, -1], [26, -2], [27, -3], [28, -1], [29, -2], [30, -3], [31, -1], [32, -2], [33, -3], [34, -1], [35, -2], [36, -3], [37, -1], [38, -2], [39, -3], [40, -1], [41, -2], [42, -3], [43, -1], [44, -2], [45, -3], [46, -1], [47, -2], [48, -3], [49, -1], [50, -2], [51, -3], [52, -1], [53, -2], [54, -3], [55, -1], [56, -2], [57, -3], [58, -1], [59, -2], [-2, -3]]> : tensor<60x2xi32>, roots = dense<0> : tensor<1xi32>, votes = dense<[[7, 0, 0, 0], [0, 7, 0, 0], [0, 0, 1, 2]]> : tensor<3x4xi16>} : memref<4x!fixed.q<16, 7>>, memref<2x!fixed.q<8, 4>>
  func.return %sums : memref<4x!fixed.q<16, 7>>
}
// Code takes 917 bytes in all, which are noted for later passes; of one byte less tables are what fits.
// SPENT: tinyml.spent_flash = 917 : i64
// UNSPENT-NOT: spent_flash
// REGISTERS: by #num.code_kernel<"tm_avr_forest_registers", "{{[0-9a-f]+}}">
// CODE: num.call #num.coded_forest
// CODE-SAME: by #num.code_kernel<"tm_avr_forest_code", "{{[0-9a-f]+}}">
// TABLES: num.call #num.coded_forest
// TABLES-SAME: by #num.code_kernel<"tm_avr_forest_tables", "{{[0-9a-f]+}}">
// Beside a program of unknown size, code of just the limit fits.
// EXACT: by #num.code_kernel<"tm_forest_code", "{{[0-9a-f]+}}">
// LESS: by #num.code_kernel<"tm_forest_tables", "{{[0-9a-f]+}}">
// CALL: func.call @tm_avr_forest_tables
// CALL-LABEL: func.func private @tm_avr_forest_tables
// CALL-SAME: tinyml.forest = {
// ASSEMBLY: ldd r24,Y+1{{.*}}cpi r24,6
// ASSEMBLY: .byte 12,1,2,0
// BYTES: .byte
// BYTES-SAME: 65,5,0,65,5,1,65,5,32,12,1,2,65,5,0
// PLAIN: thresholds[60]
// PLAIN: while (node >= 0)
