"""The fixed-point arithmetic of the papers SeeDot and Shiftry, which reproduces their published tables for
comparison.
"""
