"""Import of modules on tensors in upstream dialects of MLIR."""
