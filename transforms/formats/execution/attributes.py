"""The attribute with which `plan-execution` says how a module is executed."""

PLAN = "tinyml.plan"
"""The segments of a plan that are not ordinary.

Each has its `first` and `last` op, and `by`, what it runs by; for patches also `more_macs`.
"""
