"""The frontends, which convert models, in files or Python objects, to programs: on reals or, for quantised models, in
the number formats of the model.

`importers.py` is the table of frontends by suffix. `layers/` contains what all of them share: the builder of a program,
layers of networks, trees and kernels of support vectors, and rewrites of imported programs. Some frontends import a
model through another:

| frontend | model | imported by |
|---|---|---|
| `onnx/` | ONNX files | a handler for each op |
| `qonnx/` | ONNX files of networks for few bits | quantiser nodes in place of the file's, then `onnx/` |
| `torch.py`, `pt2e.py` | PyTorch modules and PT2E exports | PyTorch's exporter to ONNX, then `onnx/` |
| `mlir/`, `jax.py` | modules in `linalg`, `stablehlo` and `tosa`, JAX functions | an ONNX graph, then `onnx/` |
| `tflite/` | .tflite files | a function for each operator; operators on floats that ONNX has, by `onnx/` |
| `keras.py`, `keras_files.py` | Keras models and files | Keras's converter, then `tflite/` |
| `sklearn/` | scikit-learn's estimators | a handler for each class |
| `boosted/` | XGBoost, LightGBM, CatBoost | trees; CatBoost by `onnx/` |
| `seedot/` | programs in SeeDot's language | the syntax tree |
| `signals/` | parameters of front ends, wake words | generated programs, with networks by `tflite/` |

`model_ops.py` contains the tables of ops that other packages import, `model_predictions.py` the original model for
comparisons, and `child_process.py` runs libraries that may crash.
"""
