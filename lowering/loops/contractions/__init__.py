"""Loops of contractions: matrix products, convolutions, and loop-carried sums."""
