"""The kernel generator (composer) for RISC-V: fragments, and the kernels that consist of fragments."""
