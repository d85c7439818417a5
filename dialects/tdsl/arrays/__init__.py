"""Tensor ops on numpy arrays: what they compute in reals and in bits, and their derivatives."""
