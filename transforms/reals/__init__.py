"""Passes on reals (L0)."""
