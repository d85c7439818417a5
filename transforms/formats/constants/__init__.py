"""Rounding constants so that what is computed from them stays right."""
