"""Kernels for AVR that compute a single sum, or go along a run of memory."""
