"""Kernels for rows of a matrix by windows, with Winograd's transformations."""
