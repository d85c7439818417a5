"""Loops over pixels and rows of tensors, for `tile-windows` and for the tilings of segments."""
