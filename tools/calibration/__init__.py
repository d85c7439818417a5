"""Calibration: measurements of kernels (`make kernels`), the fit of the cost tables of chips (`make costs`), and placed
and routed figures of FPGAs.
"""
