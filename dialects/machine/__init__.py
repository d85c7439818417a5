"""One arithmetic, two machines.

Write an operation once over `Machine`; `NumpyMachine` computes it, `Emitter` writes it down.
"""
