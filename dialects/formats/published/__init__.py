"""The arithmetic of SeeDot and Shiftry, so that their tables can be rebuilt and compared with in the same run."""
