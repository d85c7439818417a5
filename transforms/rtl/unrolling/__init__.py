"""The choice of how many elements loops process at once, by the number of cells that this needs."""
