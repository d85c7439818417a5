"""Target chips, one folder for each chip: its description, boards, kernels and measured costs.

To add a chip, copy `host/`. The code in `c/` prints the `c` dialect for all chips.
"""
