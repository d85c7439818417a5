"""Overlaps of results with operands that are read for the last time: their safe distances on L2."""
