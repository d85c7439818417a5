"""Dialects of MLIR and CIRCT, completed by ops that xDSL 0.74 lacks."""
