"""8-bit AVR: constants in program memory, an 8-bit multiplier, no division instruction."""
