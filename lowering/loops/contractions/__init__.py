"""Loops of contractions: sums of products of matrices, convolutions, and sums that loops carry."""
