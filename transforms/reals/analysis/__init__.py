"""Analyses for passes on reals: profiles, operation counts, affine functions."""
