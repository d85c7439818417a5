"""Execution of programs.

`evaluator/` interprets IR, `devices/` runs compiled models on simulators and the host, `harness/` contains the headers
of the C programs that call models there, `include/` contains the C runtime for chips, `model/` contains the interface
between models and their callers, `readers/` reads user files, and `training/` trains constants.
"""
