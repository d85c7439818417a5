"""A RISC-V core with the vector extension: its description (`chip`), its kernels, and its runner in QEMU."""
