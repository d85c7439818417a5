"""Calibration: measures kernels and fits the cost tables of chips (`make kernels`, `make costs`)."""
