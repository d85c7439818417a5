"""Shared parts of the kernel generators (composers) of several chips: instructions, weight streams and tile kernels."""
