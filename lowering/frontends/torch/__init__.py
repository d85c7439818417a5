"""The frontend for modules of PyTorch, which become ONNX models in memory (the extra `torch`)."""
