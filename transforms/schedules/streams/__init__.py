"""Conversion of programs over a whole sequence to steps in time: the readers of a sequence, and the function of a
step.
"""
