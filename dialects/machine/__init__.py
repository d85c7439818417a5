"""Machines: interpretations of the arithmetic of number formats.

An operation is defined once over `Machine`. `NumpyMachine` computes it, `Emitter` emits it on registers, and `Bounds`
computes its interval. `tinyml.dialects.exact.recorder` records it as ops.
"""
