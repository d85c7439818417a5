"""Analyses for passes on reals: profiles, operation counts and affine functions."""
