"""A RISC-V core with the vector extension: what it is (`chip`), its kernels, and its runner in QEMU."""
