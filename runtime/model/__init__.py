"""The interface between a compiled model and its callers: data sets, C functions, and headers."""
