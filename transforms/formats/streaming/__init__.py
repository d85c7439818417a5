"""Streaming: segments of a network as one loop nest, whose inner values live in rings.

`stages` says which ops of a segment run together, `timing` when each computes a slice of its result and how many of
them its ring holds, `bodies` how a slice is computed, and `nest` builds the loops.
"""
