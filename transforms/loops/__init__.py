"""Passes on loops over scalars (level L3)."""
