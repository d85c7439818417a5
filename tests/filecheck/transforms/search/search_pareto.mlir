// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-pareto{data=%S/../Inputs/linear.npz metric=error loss=0.05 effort=60}" | filecheck %s
// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-pareto{data=%S/../Inputs/linear.npz metric=error loss=0.001 effort=60}" | filecheck %s --check-prefix=EXACT
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-pareto{data=%S/../Inputs/linear.npz metric=error ram=5}" 2>&1 | filecheck %s --check-prefix=SMALL
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-pareto{data=%S/../Inputs/linear.npz target=toaster}" 2>&1 | filecheck %s --check-prefix=TARGET
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/linear.npz},search-pareto{data=%S/../Inputs/linear.npz target=host}" 2>&1 | filecheck %s --check-prefix=HOST

// SMALL: pass 'search-pareto': no program within the limits was found: the least needs {{[0-9]+}} bytes of RAM and {{[0-9]+}} of flash
// TARGET: pass 'search-pareto': unknown target 'toaster'
// HOST: pass 'search-pareto': no costs are known of the target 'host'

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
// Of the candidates that lose no more than a twentieth the fastest is taken: 8 bits throughout.
// CHECK-LABEL: func.func @linear(%X: tensor<2x1x!fixed.q<8, 5>>
// CHECK-SAME: tdsl.front = [{loss = {{[^,]*}}, time = {{[^,]*}}, flash = {{[^,]*}}, ram = {{[^,]*}}, origin = "{{[a-z ]*}}"
// CHECK: %W1 = tdsl.const dense<{{\[\[}}2, 12], [65, -53]]> : tensor<2x2xi8> {{.*}} -> tensor<2x2x!fixed.q<8, 6>>

// Less may be lost: more bits.
// EXACT-LABEL: func.func @linear(%X: tensor<2x1x!fixed.q<{{12|16}}, {{[0-9]+}}>>
