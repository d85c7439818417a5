"""Lowerings of sums of products to loops: matrix products, convolutions, and loop-carried sums."""
