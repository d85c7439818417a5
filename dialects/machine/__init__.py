"""One arithmetic, several machines.

Write an operation once over `Machine`; `NumpyMachine` computes it, `Emitter` writes it down on registers, and `Bounds`
tells its interval. The machine that records it is `tinyml.dialects.exact.recorder`.
"""
