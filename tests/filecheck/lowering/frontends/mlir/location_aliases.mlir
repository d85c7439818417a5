// Modules of other tools are read with locations that are defined at the end, as MLIR prints them; an error is where
// the op says that it is.

// RUN: tinyml-opt %s --split-input-file --parsing-diagnostics --verify-diagnostics | filecheck %s

#loc1 = loc("x")
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x4xf32>) -> tensor<1x4xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<1x4xf32> loc("x")):
    %0 = "tosa.tanh"(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32> loc(#loc7)
    "func.return"(%0) : (tensor<1x4xf32>) -> () loc(#loc)
  }) : () -> () loc(#loc)
}) : () -> () loc(#loc)
#loc = loc(unknown)
#loc2 = loc("net.py":12:8 to :19)
#loc3 = loc("f"(#loc2))
#loc4 = loc(callsite(#loc3 at #loc2))
#loc7 = loc("jit(f)/tanh"(#loc4))
// CHECK: tdsl.tanh

// -----

// CHECK: net.py:12:8: tosa.cos: the op is not supported
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<1x4xf32>) -> tensor<1x4xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<1x4xf32>):
    %0 = "tosa.cos"(%x) : (tensor<1x4xf32>) -> tensor<1x4xf32> loc(#loc7)
    "func.return"(%0) : (tensor<1x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
#loc2 = loc("net.py":12:8)
#loc7 = loc("jit(f)/cos"(#loc2))
