// RUN: tinyml-opt %s | filecheck %s
// RUN: sed 's/dense<2.0>/dense<3.0>/' %s | not tinyml-opt 2>&1 | filecheck %s --check-prefix=CUBES

// A row divided by its norm with p = 2, and by the root of its mean square, which the module writes as a sum times 1/4.

// CHECK: %[[root:.*]] = tdsl.const dense<2.000000e+00> : tensor<f32>
// CHECK: %[[x:.*]] = tdsl.slice %{{.*}}[%{{.*}}, %{{.*}}] : tensor<1x8xf32> -> tensor<1x4xf32>
// CHECK: %[[y:.*]] = tdsl.slice %{{.*}}[%{{.*}}, %{{.*}}] : tensor<1x8xf32> -> tensor<1x4xf32>
// CHECK: tdsl.normalise %[[x]] : tensor<1x4xf32> -> tensor<1x4xf32>
// CHECK: %[[unit:.*]] = tdsl.normalise %[[y]] : tensor<1x4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: tdsl.mul %[[unit]], %[[root]]

// The norm with p = 3 is no norm that the program has.

// CUBES: tosa.rsqrt: the op is not supported

"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x4xf32>, tensor<1x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>), sym_name = "main"}> ({
  ^bb0(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>):
    %shift = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %p = "tosa.const"() <{values = dense<2.0> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %powers = "tosa.pow"(%x, %p) : (tensor<1x4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>
    %sum = "tosa.reduce_sum"(%powers) <{axis = 1 : i32}> : (tensor<1x4xf32>) -> tensor<1x1xf32>
    %inverse = "tosa.rsqrt"(%sum) : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %unit = "tosa.mul"(%x, %inverse, %shift) : (tensor<1x4xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x4xf32>
    %quarter = "tosa.const"() <{values = dense<0.25> : tensor<1x1xf32>}> : () -> tensor<1x1xf32>
    %squares = "tosa.mul"(%y, %y, %shift) : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1xi8>) -> tensor<1x4xf32>
    %total = "tosa.reduce_sum"(%squares) <{axis = 1 : i32}> : (tensor<1x4xf32>) -> tensor<1x1xf32>
    %mean = "tosa.mul"(%total, %quarter, %shift) : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x1xf32>
    %root = "tosa.rsqrt"(%mean) : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %rows = "tosa.mul"(%y, %root, %shift) : (tensor<1x4xf32>, tensor<1x1xf32>, tensor<1xi8>) -> tensor<1x4xf32>
    "func.return"(%unit, %rows) : (tensor<1x4xf32>, tensor<1x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
