"""The evaluator, which executes programs at any level above loops on whole data sets in numpy, bit-identical to
devices.
"""
