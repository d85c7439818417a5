"""Execution of programs.

`evaluator/` interprets IR, `devices/` runs compiled models on simulators and the host, `include/` contains the C
runtime for chips, and `model/` is the interface between models and their callers.
"""
