// RUN: tinyml-opt %s -p lower-stablehlo-to-tdsl --split-input-file --parsing-diagnostics --verify-diagnostics | filecheck %s

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
  "func.func"() <{function_type = (tensor<1x2xf32>) -> tensor<1x2xbf16>, sym_name = "main"}> ({
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
// CHECK: invalid.mlir:47:5
// CHECK: Operation stablehlo.tangh is not registered, did you mean 'stablehlo.tanh'?

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x2xf32>) -> tensor<1x2xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<1x2xf32>):
    %w = "stablehlo.constant"() <{value = dense_resource<__elided__> : tensor<1x2xf32>}> : () -> tensor<1x2xf32>
    %y = "stablehlo.add"(%x, %w) : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
    "func.return"(%y) : (tensor<1x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:59:5: stablehlo.constant: the resource '__elided__' is not in the file: it was printed without its constants

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x2xf32>) -> tensor<1x2xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<1x2xf32>):
    %y = "stablehlo.rsqrt"(%x) : (tensor<1x2xf32>) -> tensor<1x2xf32>
    "func.return"(%y) : (tensor<1x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:71:5: stablehlo.rsqrt: the op is not supported: write what it computes with other ops, or end the model before it

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
// CHECK: invalid.mlir:83:5: stablehlo.while: the condition of the loop is not a comparison: its iterations cannot be counted

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<f32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<4xf32>):
    %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %r = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = "stablehlo.add"(%p, %p) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    "func.return"(%r) : (tensor<f32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:102:5: stablehlo.reduce: reduces by other than a sum, a maximum or a minimum, which is not supported

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<f32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<4xf32>):
    %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %r = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%q) : (tensor<f32>) -> ()
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    "func.return"(%r) : (tensor<f32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:118:5: stablehlo.reduce: reduces by other than a sum, a maximum or a minimum, which is not supported

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<i32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<4xf32>):
    %l = "stablehlo.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %z = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %n = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<4xi32>
    %r:2 = "stablehlo.reduce"(%x, %n, %l, %z) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
      %g = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %s = "stablehlo.select"(%g, %a, %b) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %t = "stablehlo.select"(%g, %i, %j) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%s, %t) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    "func.return"(%r#1) : (tensor<i32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:136:5: stablehlo.reduce: reduces two tensors other than to a maximum and its index, which is not supported

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<2xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<4xf32>):
    %y = "tensor.extract_slice"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 3>, static_sizes = array<i64: 2>, static_strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<2xf32>
    %t = "tosa.tanh"(%y) : (tensor<2xf32>) -> tensor<2xf32>
    "func.return"(%t) : (tensor<2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:153:5: tensor.extract_slice: 2 elements from 3 on do not lie in the 4 along axis 0

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xi32>) -> tensor<4xi32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<4xi32>):
    %y = "tosa.identity"(%x) : (tensor<4xi32>) -> tensor<4xi32>
    "func.return"(%y) : (tensor<4xi32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:163:3: func.func: its argument is tensor<4xi32>, expected floats: export the model with inputs in f32

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xi1>) -> tensor<4xi1>, sym_name = "main"}> ({
  ^bb0(%x: tensor<4xi1>):
    %y = "tosa.identity"(%x) : (tensor<4xi1>) -> tensor<4xi1>
    "func.return"(%y) : (tensor<4xi1>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:174:3: func.func: its argument is tensor<4xi1>, expected floats: export the model with inputs in f32

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<i32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<4xf32>):
    %i = "tosa.argmax"(%x) <{axis = 0 : i32}> : (tensor<4xf32>) -> tensor<i32>
    %c = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %y = "stablehlo.divide"(%i, %c) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "func.return"(%y) : (tensor<i32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:189:5: stablehlo.divide: a quotient of computed integers is not supported

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<0x3xf32>) -> tensor<3x0xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<0x3xf32>):
    %y = "stablehlo.reshape"(%x) : (tensor<0x3xf32>) -> tensor<3x0xf32>
    "func.return"(%y) : (tensor<3x0xf32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:198:3: func.func: tensor<0x3xf32> has an extent of 0, expected at least one element

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3xf32>) -> tensor<3xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<3xf32>):
    %y = "stablehlo.tanh"(%x) : (tensor<3xf32>) -> tensor<3xf32>
    "cf.br"(%y)[^bb1] : (tensor<3xf32>) -> ()
  ^bb1(%z: tensor<3xf32>):
    "func.return"(%z) : (tensor<3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:209:3: 'lower-stablehlo-to-tdsl' takes a program on tensors: the function 'main' has 2 blocks, expected one

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3xf32>) -> tensor<3xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<3xf32>):
    %c = "stablehlo.constant"() <{value = dense<1.0> : tensor<3xf32>}> : () -> tensor<3xf32>
    %n = "stablehlo.not"(%c) : (tensor<3xf32>) -> tensor<3xf32>
    %y = "stablehlo.add"(%x, %n) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    "func.return"(%y) : (tensor<3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:225:5: stablehlo.not: is not defined on elements of float32

// -----

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<5xf32>) -> tensor<4xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<5xf32>):
    %z = "arith.constant"() <{value = dense<0.0> : tensor<4xf32>}> : () -> tensor<4xf32>
    %w = "tensor.empty"() : () -> tensor<2xf32>
    %y = "linalg.generic"(%x, %w, %z) <{indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = "arith.minimumf"(%c, %a) : (f32, f32) -> f32
      "linalg.yield"(%m) : (f32) -> ()
    }) : (tensor<5xf32>, tensor<2xf32>, tensor<4xf32>) -> tensor<4xf32>
    %t = "tosa.tanh"(%y) : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%t) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
// CHECK: invalid.mlir:239:5: linalg.generic: the minimum of each window is not supported

// -----

func.func @main(%x: tensor<4xf32>) {
  %y = "stablehlo.tanh"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return
}
// CHECK: func.func: returns no tensor
