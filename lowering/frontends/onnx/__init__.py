"""The frontend for ONNX models, which needs the package `onnx` (the extra `onnx`).

`reader.py` reads a file into the checked `graph.py`; `importer.py` runs the handlers of `ops/` on its nodes through
`builder.py`, computes constants (`folding.py`), and simplifies the program (`rewrites.py`, `prototypes.py`).
"""
