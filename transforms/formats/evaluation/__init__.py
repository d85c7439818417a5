"""Evaluation of candidates on a data set: the values that a candidate computes, and how they differ from the
reference.
"""
