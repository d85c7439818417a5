"""The composer of kernels in plain C for all chips: fetches, sums and loops, one file each."""
