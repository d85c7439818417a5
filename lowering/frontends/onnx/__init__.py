"""The frontend for ONNX models, which needs the package `onnx` (the extra `onnx`)."""
