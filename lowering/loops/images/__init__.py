"""Loops over images: windows, pools, averages, and rows from the caller."""
