"""Passes on buffers (L2): the order of ops, in-place updates, and packing into an arena."""
