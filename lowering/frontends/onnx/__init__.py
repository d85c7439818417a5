"""The frontend for ONNX models, which requires the package `onnx` (the extra `onnx`).

`reader.py` parses a file into the checked graph of `graph.py`. `importer.py` runs the handlers in `ops/` on the nodes
through `builder.py`, computes constants (`folding.py`), and simplifies the program (`rewrites.py`, `prototypes.py`).
"""
