"""Kernels for AVR that compute several rows of weights and several windows."""
