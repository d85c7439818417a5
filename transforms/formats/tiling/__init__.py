"""Loops on tensors: what tiling an op into pixels, or a segment of ops into rows, has in common."""
