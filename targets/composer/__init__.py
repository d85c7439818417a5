"""Fragments that the composers of several chips share: lines of assembly, and tile kernels."""
