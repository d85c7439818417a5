"""The composer of kernels in plain C for all chips."""
