"""Shared parts of the composers of several chips: instructions, weight streams and tile kernels."""
