"""Preparation of operands for kernels."""
