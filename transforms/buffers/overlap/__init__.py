"""Overlaps of results with operands that are read for the last time, and their safe distances (L2)."""
