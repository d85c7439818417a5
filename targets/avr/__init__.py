"""8-bit AVR chips, which have constants in program memory, mostly an 8-bit multiplier, and no division instruction."""
