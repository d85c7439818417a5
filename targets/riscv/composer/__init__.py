"""The composer of kernels for RISC-V: fragments of assembly, and the kernels made of them."""
