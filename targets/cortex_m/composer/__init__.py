"""The composer of kernels for Cortex-M: shared fragments, one file each, and a room for each kind of kernel."""
