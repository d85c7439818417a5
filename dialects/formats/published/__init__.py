"""The arithmetic of SeeDot and Shiftry, so that their tables can be rebuilt in the same run as ours."""
