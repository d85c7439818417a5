"""The choice of how many elements loops process at once, depending on the number of cells that this requires."""
