"""Affine maps by element, `factors * u + addends`, and the layers with weights that absorb them."""
