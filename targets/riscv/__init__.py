"""32-bit RISC-V with multiplication and compressed instructions (rv32imc), without a C library."""
