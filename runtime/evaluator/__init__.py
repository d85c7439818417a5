"""The evaluator, which executes programs in numpy on whole data sets, at any level above loops.

The results are bit-identical to those of devices.
"""
