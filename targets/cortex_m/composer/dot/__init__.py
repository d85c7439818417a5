"""Kernels for sums over runs of memory."""
