"""The arithmetic of SeeDot and Shiftry, which reproduces the published tables for comparison."""
