"""The composer of kernels for RISC-V: fragments, and the kernels that consist of them."""
