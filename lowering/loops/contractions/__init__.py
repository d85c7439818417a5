"""Loops of contractions: sums of matrix products, convolutions, and loop-carried sums."""
