"""Attributes of modules with which `plan-execution` says how they are executed."""

PLAN = "tinyml.plan"
"""The segments of a plan that are not ordinary.

Each has its `first` and `last` op, and `by`, what it runs by; for patches also `more_macs`.
"""

SPARE = "tinyml.spare"
"""Bytes of RAM that a plan leaves for computing several pixels of a convolution at once."""
