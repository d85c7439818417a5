"""Rounding of constants that minimises the errors of the results computed from them."""
