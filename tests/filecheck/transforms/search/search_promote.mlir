// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-promote{data=%S/../Inputs/linear.npz metric=error widths=6,16 ram=5 target=host}" | filecheck %s
// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-promote{data=%S/../Inputs/linear.npz metric=error}" | filecheck %s --check-prefix=PAIR
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-promote{data=%S/../Inputs/linear.npz metric=error widths=8,16 ram=16 target=host}" | filecheck %s --check-prefix=HIDDEN16
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-promote{data=%S/../Inputs/linear.npz metric=error widths=7,16 ram=10 target=host}" | filecheck %s --check-prefix=HIDDEN10
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-promote{data=%S/../Inputs/linear.npz metric=error widths=7,16 ram=9 target=host}" | filecheck %s --check-prefix=HIDDEN9
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-promote{data=%S/../Inputs/linear.npz metric=error ram=3}" 2>&1 | filecheck %s --check-prefix=SMALL
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-promote{data=%S/../Inputs/linear.npz widths=7,99}" 2>&1 | filecheck %s --check-prefix=WIDTH
// RUN: tinyml-opt %s -p 'profile{data=%S/../Inputs/linear.npz},search-promote{data=%S/../Inputs/linear.npz metric=error widths=6,16 ram=5 target=host formats="posit.p","codebook.c"}' | filecheck %s --check-prefix=FORMATS
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-promote{data=%S/../Inputs/linear.npz formats=nonsense}" 2>&1 | filecheck %s --check-prefix=NONSENSE
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-promote{data=%S/../Inputs/linear.npz metric=error widths=8,16 flash=30 target=host}" | filecheck %s --check-prefix=FLASH
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-promote{data=%S/../Inputs/linear.npz metric=error widths=8,16 flash=17 target=host}" 2>&1 | filecheck %s --check-prefix=NOFLASH

// SMALL: pass 'search-promote': no program works in 3 bytes of RAM at the tried widths 8, 9, 10, 12, 16 (--widths sets others): the least that was found takes {{[0-9]+}} bytes of RAM
// WIDTH: pass 'search-promote': fixed point has widths from 2 to 32, got 99

// The program of Shiftry, section 3.
func.func @linear(%X: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %W1 = tdsl.const dense<[[0.0421, 0.1948], [1.021, -0.827]]> : tensor<2x2xf32> -> tensor<2x2xf32>
  %B1 = tdsl.const dense<[[-0.032], [0.619]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %W2 = tdsl.const dense<[[-0.402, -1.013]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %B2 = tdsl.const dense<[[0.737]]> : tensor<1x1xf32> -> tensor<1x1xf32>
  %t1 = tdsl.matmul %W1, %X : tensor<2x2xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %t2 = tdsl.add %t1, %B1 : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  %t3 = tdsl.matmul %W2, %t2 : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %t4 = tdsl.add %t3, %B2 : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %t4 : tensor<1x1xf32>
}
// What lies in RAM at the same time as the input and as each other can be wide only in part.
// CHECK-LABEL: func.func @linear(%X: tensor<2x1x!fixed.q<6, 3>>
// CHECK-SAME: tdsl.search = [{name = "X", range = #tdsl.range<-3.583, 2.391>, format = !fixed.q<6, 3>, error = {{[^,]*}}, why = "kept: promotability 0.008, beyond the limit by itself"},
// CHECK-SAME: {name = "t4", {{.*}} format = !fixed.q<16, 12>, error = {{[^,]*}}, why = "promoted: promotability
// CHECK: %t2 = {{.*}} -> tensor<2x1x!fixed.q<6, 2>>
// CHECK-NEXT: %t3 = {{.*}} -> tensor<1x1x!fixed.q<16, 12>>

// No width is as accurate as the reals: the two best are taken.
// PAIR: format = !fixed.q<16, 13>, error = {{[^,]*}}, why = "promoted: promotability 0.000183"}

// Two numbers and six in between: wide they need 16 bytes, the two alone 10. Weights lie in flash.
// HIDDEN16-LABEL: func.func @hidden(%X: tensor<2x1x!fixed.q<16, 13>>
// HIDDEN16: %t1 = {{.*}} -> tensor<6x1x!fixed.q<16, 12>>
// HIDDEN10-LABEL: func.func @hidden(%X: tensor<2x1x!fixed.q<16, 13>>
// HIDDEN10-SAME: {name = "t1", {{.*}} why = "kept: promotability {{[^,]*}}, beyond the limit by itself"}
// HIDDEN10-NEXT: %W1 = {{.*}} -> tensor<6x2x!fixed.q<16, 14>>
// HIDDEN10: %t1 = {{.*}} -> tensor<6x1x!fixed.q<7, 3>>
// HIDDEN9-LABEL: func.func @hidden(%X: tensor<2x1x!fixed.q<7, 4>>
// HIDDEN9-NEXT: %W1 = {{.*}} -> tensor<6x2x!fixed.q<16, 14>>
// HIDDEN9: %t1 = {{.*}} -> tensor<6x1x!fixed.q<7, 3>>

// A tensor has another format of its width where that loses less; constants as small as these have no codebooks.
// FORMATS-NOT: codebook
// FORMATS: {name = "W2", {{.*}} format = !posit.p<16, 0, {{[^>]*}}>, error = {{[^,]*}}, why = "promoted: {{.*}}; in this format the program loses less"}
// FORMATS-NOT: codebook
// FORMATS: %W2 = tdsl.const {{.*}}!posit.p<16, 0,

// NONSENSE: unknown number format 'nonsense'

// Eighteen weights in 30 bytes: the twelve of the first product cannot be wide.
// FLASH: {name = "W1", {{.*}} format = !fixed.q<8, 6>, {{[^{]*}} beyond the limit by itself"}
// NOFLASH: no program works in 17 bytes of flash at the tried widths 8, 16 (--widths sets others): the least that was found takes 18 bytes of flash
