"""The evaluator, which executes programs in numpy on whole data sets, at any level above loops.

Its results are equal to those of devices in every bit.
"""
