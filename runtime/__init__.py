"""Execution of programs.

`evaluator/` interprets them, `devices/` runs compiled models on simulators and the host, `include/` is the C runtime on
the chip, and `model/` is the interface between models and their callers.
"""
