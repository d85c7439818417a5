"""The composer of kernels for Cortex-M: fragments, and a file for each kind of kernel."""
