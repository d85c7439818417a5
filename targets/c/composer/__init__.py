"""The composer of kernels in plain C, for every chip: fetches, sums and loops, one file each."""
