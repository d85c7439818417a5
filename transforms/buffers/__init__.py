"""Passes on buffers (L2): order, in-place updates, packing into one arena."""
