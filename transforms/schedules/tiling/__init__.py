"""Loops on tensors, which the tiling of ops into pixels and the tiling of segments into rows have in common."""
