// RUN: tinyml-opt %s --split-input-file --parsing-diagnostics | filecheck %s

func.func @main(%x: tensor<1x2xf32>, %y: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %sum = stablehlo.add %x, %y : tensor<1x2xf32>
  return %sum : tensor<1x2xf32>
}
// CHECK: invalid.mlir:4:10: stablehlo.add stands in its own syntax: print the module with mlir-opt --mlir-print-op-generic

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<?x2xf32>) -> tensor<?x2xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<?x2xf32>):
    %y = "stablehlo.tanh"(%x) : (tensor<?x2xf32>) -> tensor<?x2xf32>
    "func.return"(%y) : (tensor<?x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:12:3: func.func: tensor<?x2xf32> has an open extent: export the model for one sample, with a batch of 1

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x2xf32>) -> tensor<1x2xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<1x2xf32>):
    %y = "stablehlo.convert"(%x) : (tensor<1x2xf32>) -> tensor<1x2xbf16>
    "func.return"(%y) : (tensor<1x2xbf16>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:25:5: stablehlo.convert: tensor<1x2xbf16> has elements of bf16, expected f32: export the model in single precision

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x2xi8>) -> tensor<1x2xi8>, sym_name = "main"}> ({
  ^bb0(%x: tensor<1x2xi8>):
    %y = "tosa.identity"(%x) : (tensor<1x2xi8>) -> tensor<1x2xi8>
    "func.return"(%y) : (tensor<1x2xi8>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:34:3: func.func: tensor<1x2xi8> is of quantised numbers, which are read from .tflite and .onnx files

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x2xf32>) -> tensor<1x2xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<1x2xf32>):
    %y = "stablehlo.tangh"(%x) : (tensor<1x2xf32>) -> tensor<1x2xf32>
    "func.return"(%y) : (tensor<1x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:47:5: stablehlo.tangh: the op is not supported, did you mean 'stablehlo.tanh'?

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x2xf32>) -> tensor<1x2xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<1x2xf32>):
    %w = "stablehlo.constant"() <{value = dense_resource<__elided__> : tensor<1x2xf32>}> : () -> tensor<1x2xf32>
    %y = "stablehlo.add"(%x, %w) : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    "func.return"(%y) : (tensor<1x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:58:5: stablehlo.constant: the resource '__elided__' is not in the file: it was printed without its constants

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x2xf32>) -> tensor<1x2xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<1x2xf32>):
    %y = "stablehlo.rsqrt"(%x) : (tensor<1x2xf32>) -> tensor<1x2xf32>
    "func.return"(%y) : (tensor<1x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:70:5: stablehlo.rsqrt: the op is not supported: write what it computes with other ops, or end the model before it

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x2xf32>) -> tensor<2x2xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<2x2xf32>):
    %one = "stablehlo.constant"() <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>
    %y = "stablehlo.while"(%x) ({
    ^bb0(%a: tensor<2x2xf32>):
      %c = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
      "stablehlo.return"(%c) : (tensor<i1>) -> ()
    }, {
    ^bb0(%a: tensor<2x2xf32>):
      "stablehlo.return"(%a) : (tensor<2x2xf32>) -> ()
    }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    "func.return"(%y) : (tensor<2x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:82:5: stablehlo.while: the condition of the loop is not a comparison: its iterations cannot be counted
