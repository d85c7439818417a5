"""The stages of a segment, and the computation of their slices (rows or pixels) for each kind of op."""
