"""A folder is a chip: what it is, its kernels, its boards, its measured costs.

To add a chip, copy `host/`. `c/` prints the `c` dialect for any of them.
"""
