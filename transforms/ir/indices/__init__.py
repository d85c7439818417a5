"""Arithmetic on indices: offsets of elements, divisibility, values over all iterations of loops."""
