"""Passes on buffers (level L2): the order of ops, updates in place, and packing into an arena."""
