"""Evaluating candidates on a data set: the values that they compute, and how far these are from the reference."""
