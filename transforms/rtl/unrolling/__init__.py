"""The choice of the elements that loops take at once, by the cells that they need."""
