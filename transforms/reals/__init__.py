"""Passes on reals (level L0)."""
