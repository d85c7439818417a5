"""Kernels for AVR for several rows of weights and several windows."""
