"""The arithmetic of SeeDot and Shiftry, which reproduces their tables for comparison in the same run."""
