"""Dialects of MLIR and CIRCT with what xDSL 0.74 lacks of them."""
