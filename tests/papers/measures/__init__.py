"""Measurements for single rows, a file for each kind."""
