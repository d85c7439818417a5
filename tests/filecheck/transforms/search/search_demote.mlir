// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-demote{data=%S/../Inputs/linear.npz metric=error loss=0.1}" | filecheck %s
// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-demote{data=%S/../Inputs/linear.npz metric=error ram=8 target=host}" | filecheck %s --check-prefix=RAM
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-demote{data=%S/../Inputs/linear.npz metric=error ram=16 target=host}" | filecheck %s --check-prefix=HIDDEN16
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-demote{data=%S/../Inputs/linear.npz metric=error ram=10 target=host}" | filecheck %s --check-prefix=HIDDEN10
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-demote{data=%S/../Inputs/linear.npz metric=error ram=8 target=host}" | filecheck %s --check-prefix=HIDDEN8
// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-demote{data=%S/../Inputs/linear.npz metric=error loss=0.1 format=shiftry}" | filecheck %s --check-prefix=SHIFTRY
// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-demote{data=%S/../Inputs/linear.npz metric=error flash=14 ram=8 format=shiftry target=host}" | filecheck %s --check-prefix=SHIFTRY
// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-demote{data=%S/../Inputs/linear.npz metric=error flash=15 format=shiftry target=host}" | filecheck %s --check-prefix=FIFTEEN
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-demote{data=%S/../Inputs/linear.npz metric=error flash=8 format=shiftry target=host}" 2>&1 | filecheck %s --check-prefix=FLASH
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-demote{data=%S/../Inputs/linear.npz metric=error ram=3}" 2>&1 | filecheck %s --check-prefix=SMALL
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-demote{data=%S/../Inputs/linear.npz metric=accuracy}" 2>&1 | filecheck %s --check-prefix=LABELS
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-demote{data=%S/../Inputs/linear.npz metric=nonsense}" 2>&1 | filecheck %s --check-prefix=METRIC
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-demote{data=%S/../Inputs/linear.npz backend=nonsense}" 2>&1 | filecheck %s --check-prefix=BACKEND
// RUN: not tinyml-opt %s -p "search-demote{data=%S/../Inputs/linear.npz}" 2>&1 | filecheck %s --check-prefix=PROFILE

// SMALL: pass 'search-demote': no program works in 3 bytes of RAM, even with all tensors demoted: the least that was found takes {{[0-9]+}} bytes of RAM
// FLASH: pass 'search-demote': no program works in 8 bytes of flash, even with all tensors demoted: the least that was found takes 9 bytes of flash
// LABELS: pass 'search-demote': the metric 'accuracy' needs data with labels, or targets, `y`
// METRIC: pass 'search-demote': unknown metric 'nonsense' (one of disagreement, accuracy, error
// BACKEND: pass 'search-demote': unknown backend 'nonsense' (one of local, dask, ray)
// PROFILE: pass 'search-demote': %X has no profile: run the profile pass first

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
// CHECK-LABEL: func.func @linear(%X: tensor<2x1x!fixed.q<8, 5>>
// CHECK-SAME: tdsl.search = [{name = "X", range = #tdsl.range<-3.583, 2.391>, format = !fixed.q<8, 5>, error = {{[^,]*}}, why = "demoted: 0.0241 mean error with it alone demoted"},
// CHECK-NEXT: %W1 = tdsl.const dense<{{\[\[}}2, 12], [65, -53]]> : tensor<2x2xi8> {{.*}} -> tensor<2x2x!fixed.q<8, 6>>
// CHECK: %t3 = {{.*}} -> tensor<1x1x!fixed.q<16, 12>>
// CHECK-NEXT: %t4 = {{.*}} -> tensor<1x1x!fixed.q<8, 4>>

// With a limit of RAM no more is demoted than has to be.
// RAM-LABEL: func.func @linear(%X: tensor<2x1x!fixed.q<16, 13>>
// RAM-SAME: {name = "t4", {{.*}} why = "kept: 0.0133 mean error with it alone demoted"}]

// Two numbers and six in between: wide they need 16 bytes. In less the six are narrow, then the input as well; a weight
// that lies in flash and loses more stays wide.
// HIDDEN16-LABEL: func.func @hidden(%X: tensor<2x1x!fixed.q<16, 13>>
// HIDDEN16: %t1 = {{.*}} -> tensor<6x1x!fixed.q<16, 12>>
// HIDDEN10-LABEL: func.func @hidden(%X: tensor<2x1x!fixed.q<16, 13>>
// HIDDEN10: %t1 = {{.*}} -> tensor<6x1x!fixed.q<8, 4>>
// HIDDEN8-LABEL: func.func @hidden(%X: tensor<2x1x!fixed.q<8, 5>>
// HIDDEN8-NEXT: %W1 = {{.*}} -> tensor<6x2x!fixed.q<16, 14>>
// HIDDEN8: %t1 = {{.*}} -> tensor<6x1x!fixed.q<8, 4>>

// In the paper's arithmetic it is the paper's program, pseudocode 4, by a permitted loss of 0.1, and by the fewest
// demotions that fit 14 bytes of flash. In 15 the second one suffices.
// FIFTEEN: {name = "X", {{.*}} why = "kept: {{.*}} {name = "W1", {{.*}} why = "kept: {{.*}} {name = "B1", {{.*}} why = "demoted: {{.*}} {name = "B2", {{.*}} why = "demoted:
// SHIFTRY-LABEL: func.func @linear(%X: tensor<2x1x!shiftry.q<8, 5>>
// SHIFTRY: %W1 = tdsl.const dense<{{\[\[}}2, 12], [65, -52]]> : tensor<2x2xi8>
// SHIFTRY-NEXT: %B1 = tdsl.const dense<{{\[\[}}-4], [79]]> : tensor<2x1xi8>
// SHIFTRY-NEXT: %W2 = tdsl.const dense<{{\[\[}}-6586, -16596]]> : tensor<1x2xi16>
// SHIFTRY-NEXT: %B2 = tdsl.const dense<94> : tensor<1x1xi8>
// SHIFTRY-NEXT: %t1 = tdsl.matmul {{.*}} -> tensor<2x1x!shiftry.q<16, 11>>
// SHIFTRY-NEXT: %t2 = tdsl.add {{.*}} -> tensor<2x1x!shiftry.q<16, 7>>
// SHIFTRY-NEXT: %t3 = tdsl.matmul {{.*}} -> tensor<1x1x!shiftry.q<16, 12>>
// SHIFTRY-NEXT: %t4 = tdsl.add {{.*}} -> tensor<1x1x!shiftry.q<16, 7>>
