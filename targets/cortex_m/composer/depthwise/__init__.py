"""Kernels of depthwise convolutions: each channel has a filter of its own."""
