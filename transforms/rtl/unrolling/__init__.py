"""The choice of how many elements loops process at once, by the cells that they need."""
