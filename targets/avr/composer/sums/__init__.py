"""Kernels for AVR that compute a single sum, or process a run of memory."""
