"""Import of tensor modules in upstream dialects of MLIR."""
