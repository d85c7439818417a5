"""The composer of kernels for RISC-V: fragments, and the kernels made of them."""
