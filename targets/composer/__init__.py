"""Fragments that the composers of several chips share: lines of assembly, and kernels for tiles."""
