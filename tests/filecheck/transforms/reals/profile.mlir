// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/two.npz}" | filecheck %s
// RUN: tinyml-opt %s -p "profile{data=%S/../Inputs/sparse.npz}" | filecheck %s --check-prefix=ZEROS
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/wrong.npz}" 2>&1 | filecheck %s --check-prefix=SHAPE
// RUN: not tinyml-opt %s -p "profile{data=%S/../Inputs/absent.npz}" 2>&1 | filecheck %s --check-prefix=ABSENT
// RUN: not tinyml-opt %s -p profile 2>&1 | filecheck %s --check-prefix=OPTION

// The inputs are (1, -2) and (0.5, 3): each value's extremes over both, beside percentiles; the declared range stays.
// What a loop carries is profiled over all iterations: -2, -4, ... -16.
func.func @f(%X: tensor<2x1xf32>) -> (index, tensor<2x1xf32>) attributes {tdsl.interface = #tdsl.interface<input = <range = [-10.0, 10.0]>>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %W = tdsl.const dense<[[1.0, 1.0]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %p = tdsl.matmul %W, %X : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %n, %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%k = %c0, %a = %X) -> (index, tensor<2x1xf32>) {
    %b = tdsl.add %a, %a : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
    scf.yield %i, %b : index, tensor<2x1xf32>
  }
  func.return %n, %s : index, tensor<2x1xf32>
}
// CHECK-LABEL: func.func @f(%X: tensor<2x1xf32> {tdsl.profile = #tdsl.profile<-2.0, 3.0, [{{.*}}, 0.75, {{.*}}]>}) -> {{.*}}#tdsl.interface<input = <range = [-10.0, 10.0]>>
// CHECK-NEXT: arith.constant 0 : index
// CHECK: %W = tdsl.const {{.*}} {tdsl.profile = [#tdsl.profile<1.0, 1.0, [1.0, 1.0, 1.0, 1.0, 1.0]>]}
// CHECK-NEXT: tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<-1.0, 3.5, [{{.*}}, 1.25, {{.*}}]>]}
// CHECK: scf.for
// CHECK-NEXT: tdsl.add %a, %a {tdsl.profile = [#tdsl.profile<-16.0, 24.0, [
// CHECK: } {tdsl.profile = [unit, #tdsl.profile<-16.0, 24.0, [
// One of the four numbers of these inputs is zero.
// ZEROS: #tdsl.interface<input = <range = [-10.0, 10.0], zeros = 0.25>>
// SHAPE: error: {{.*}}: pass 'profile': samples of `x` have 3 values, the program expects 2
// ABSENT: error: {{.*}}absent.npz: {{.*}}cannot read the data: No such file or directory
// OPTION: error: pass 'profile': {{.*}}data
