"""Slices: the stages of a segment, and the computation of a row or a pixel of each kind of op."""
