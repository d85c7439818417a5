"""Machines: interpretations of the arithmetic of number formats.

An operation is defined once over `Machine`. `NumpyMachine` computes the operation, `Emitter` emits it on registers, and
`Bounds` computes the interval of its result. `tinyml.dialects.exact.recorder` records it as ops.
"""
