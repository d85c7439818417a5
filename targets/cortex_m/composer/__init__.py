"""The composer of kernels for Cortex-M: fragments that kernels share, one file each, and a room for each kind of kernel."""
