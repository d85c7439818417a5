"""Replacement of sums, tiles and nests by calls of kernels, and the preparation of operands for these calls."""
