"""Machines: interpreters of the programs by which number formats define their arithmetic.

An operation of a format is one program over the methods of `Machine`. `NumpyMachine` computes its result, `Emitter`
emits IR for it, and `Bounds` computes the interval of its result. `tinyml.dialects.exact.recorder` inserts an op of the
`exact` dialect for it.
"""
