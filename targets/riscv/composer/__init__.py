"""The kernel generator (composer) for RISC-V: fragments of code, and the kernels that consist of them."""
