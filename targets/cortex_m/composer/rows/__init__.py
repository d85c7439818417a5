"""Kernels for rows of a matrix by windows."""
