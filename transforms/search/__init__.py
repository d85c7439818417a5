"""Searches for formats (L0 to L1, by trying).

`engine/` is what all searches share, `moves/` how a candidate leads to another, `evaluation/` and `costs/` how good
and how expensive it is.
"""
