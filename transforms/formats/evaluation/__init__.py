"""Evaluation of candidates on a data set: the values that they compute, and their differences from the reference."""
