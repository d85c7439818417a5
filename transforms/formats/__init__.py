"""Passes that convert a program on reals (L0) to number formats (L1), and passes on programs in formats (L1)."""
