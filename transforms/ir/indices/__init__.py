"""Arithmetic on indices: element offsets, divisibility, values over all iterations of loops."""
