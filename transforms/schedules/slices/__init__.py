"""Slices: the stages of a segment, and the computation of a row or pixel for each kind of op."""
