"""The composer of kernels for Cortex-M: fragments, epilogues, and a file for each kind of kernel."""
