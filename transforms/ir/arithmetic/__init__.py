"""Lowering of single num ops to arithmetic on bits."""
