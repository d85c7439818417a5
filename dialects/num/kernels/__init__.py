"""Ops that kernels of chips compute, and the attributes that identify the kernels."""
