"""Kernels for channels that have a filter each."""
