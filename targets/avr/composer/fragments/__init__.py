"""Fragments of kernels for AVR: fetches, products and epilogues."""
