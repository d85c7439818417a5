// RUN: tinyml-opt %s -p lower-stablehlo-to-tdsl --print-debuginfo | filecheck %s

// Ops keep the locations of those that they come from: their lines here, or what the module says, with its names.

// CHECK: tdsl.const {{.*}} loc("{{.*}}stablehlo_to_tdsl_locations.mlir":16:5)
// CHECK: tdsl.add {{.*}} loc("{{.*}}stablehlo_to_tdsl_locations.mlir":16:5)
// CHECK: tdsl.mul {{.*}} loc("layer.py":7:3)
// CHECK: tdsl.tanh {{.*}} loc("jit(f)/tanh"("net.py":2:1))
// The label is a part of the layer of the scores.
// CHECK: tdsl.argmax {{.*}} loc("jit(f)/tanh"("net.py":2:1))

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x4xf32>) -> tensor<1x4xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<1x4xf32>):
    %c = "stablehlo.constant"() <{value = dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>}> : () -> tensor<1x4xf32>
    %0 = "stablehlo.add"(%x, %c) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %1 = "stablehlo.multiply"(%0, %0) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> loc("layer.py":7:3)
    %2 = "stablehlo.tanh"(%1) : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("jit(f)/tanh"("net.py":2:1))
    "func.return"(%2) : (tensor<1x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
