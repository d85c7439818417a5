"""Dialects of MLIR and CIRCT, extended by ops that xDSL 0.74 does not contain."""
