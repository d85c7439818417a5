// RUN: tinyml-opt %s -p 'take-profiles{weights_for="%S/Inputs/earlier"}' | filecheck %s
// RUN: sed 's/2\.0>/2.001>/; s/, 2\.0\([],]\)/, 2.001\1/g' %s | not tinyml-opt -p 'take-profiles{weights_for="%S/Inputs/earlier"}' 2>&1 | filecheck %s --check-prefix=BEYOND
// RUN: sed 's/, 2\.0\([],]\)/, 4.0\1/g' %s | tinyml-opt -p 'take-profiles{weights_for="%S/Inputs/earlier" weights_margin=2.0}' | filecheck %s
// RUN: sed 's/, 2\.0\([],]\)/, 4.001\1/g' %s | not tinyml-opt -p 'take-profiles{weights_for="%S/Inputs/earlier" weights_margin=2.0}' 2>&1 | filecheck %s --check-prefix=MARGIN
// RUN: sed 's/1x1xf32/2x2xf32/g' %s | not tinyml-opt -p 'take-profiles{weights_for="%S/Inputs/earlier"}' 2>&1 | filecheck %s --check-prefix=SHAPE
// RUN: sed 's/-> tensor<1x1xf32> {$/-> tensor<1x1xf32> attributes {tdsl.interface = #tdsl.interface<input = <zeros = 0.5>>} {/' %s | tinyml-opt -p 'take-profiles{weights_for="%S/Inputs/earlier"}' | filecheck %s
// RUN: sed 's/-> tensor<1x1xf32> {$/-> tensor<1x1xf32> attributes {tdsl.interface = #tdsl.interface<input = <missing, fills = [0.5]>, classes = ["no", "yes"]>} {/' %s | not tinyml-opt -p 'take-profiles{weights_for="%S/Inputs/earlier"}' 2>&1 | filecheck %s --check-prefix=INTERFACE
// RUN: mkdir -p %t/ir && sed 's/1\.5/0.0/g' %S/Inputs/earlier/ir/0-reals.mlir > %t/ir/0-reals.mlir
// RUN: sed 's/2\.0/0.0/g' %s | tinyml-opt -p 'take-profiles{weights_for="%t"}' | filecheck %s --check-prefix=ZEROS
// RUN: not tinyml-opt %s -p 'take-profiles{weights_for="%t"}' 2>&1 | filecheck %s --check-prefix=ABOVE

// The greatest earlier weight is 1.5, so 2 has room. The program gets the name and the ranges of the earlier one.
func.func @predict(%X: tensor<1x1xf32> {tdsl.profile = #tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 1.0]>}) -> tensor<1x1xf32> {
  %W = tdsl.const dense<2.0> : tensor<1x1xf32> {tdsl.profile = [#tdsl.profile<0.0, 2.0, [0.0, 0.0, 0.0, 0.0, 2.0]>]} -> tensor<1x1xf32>
  %p = tdsl.matmul %W, %X {tdsl.profile = [#tdsl.profile<0.0, 1.0, [0.0, 0.0, 0.0, 0.0, 1.0]>]} : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %p : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @earlier
// CHECK: tdsl.const {{.*}}#tdsl.profile<0.0, 1.5, [0.0, 0.0, 0.0, 0.0, 1.5]>
// CHECK: tdsl.matmul {{.*}}#tdsl.profile<0.0, 1.5, [0.0, 0.0, 0.0, 0.0, 1.5]>
// BEYOND: --weights-for: weights of up to 2.001, but the program has room for 2: compile the model anew
// MARGIN: --weights-for: weights of up to 4.001, but the program has room for 4: compile the model anew
// SHAPE: --weights-for: the model has other operations or shapes than the program of this folder
// INTERFACE: --weights-for: the model has another interface than the program of this folder (classes, input.missing, input.fills): compile the model anew

// Weights that were all zero have room for zeros alone.
// ZEROS-LABEL: func.func @earlier
// ZEROS: tdsl.const dense<0.000000e+00> {{.*}}#tdsl.profile<0.0, 0.0, [0.0, 0.0, 0.0, 0.0, 0.0]>
// ABOVE: --weights-for: weights of up to 2, but the program has room for 0: compile the model anew
