"""8-bit AVR: constants in program memory, products of 8 bits, no division."""
