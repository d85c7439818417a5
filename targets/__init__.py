"""Target chips, one folder each: description, boards, kernels and measured costs.

To add a chip, copy `host/`. `c/` prints the `c` dialect for all chips.
"""
