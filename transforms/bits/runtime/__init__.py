"""Functions of the C runtime as integer programs."""
