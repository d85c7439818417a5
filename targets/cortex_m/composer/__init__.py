"""The composer of kernels for Cortex-M: fetches, multiplications, loops and epilogues, one file each."""
