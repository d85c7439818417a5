"""Operands prepared for kernels."""
