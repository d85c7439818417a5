"""Rounding of constants so that the results computed from them have the least errors."""
