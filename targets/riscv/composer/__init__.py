"""The composer of kernels for RISC-V: fragments of assembly, and the kernels that they make."""
