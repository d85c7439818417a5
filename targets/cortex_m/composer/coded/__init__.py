"""Kernels that hold their weights as instructions."""
