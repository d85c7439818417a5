"""32-bit RISC-V chips with multiplication and compressed instructions (rv32imc). Programs use no C library."""
