"""Evaluation of candidates on a data set: the values that a candidate computes, and their differences from a
reference.
"""
