"""Kernels as `riscv` IR: instructions and their costs, construction, register allocation and assembly text."""
