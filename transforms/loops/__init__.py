"""Passes on loops over scalars (L3)."""
