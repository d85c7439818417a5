"""32-bit RISC-V chips with compressed instructions (rv32imc, rv32imac, rv32ec). Programs use no C library."""
