"""One arithmetic, several machines.

An operation is written once over `Machine`: `NumpyMachine` computes it, `Emitter` emits it on registers, and `Bounds`
computes its interval. `tinyml.dialects.exact.recorder` is the machine that records it.
"""
