"""8-bit AVR chips. Constants are in program memory. Most of the chips have an 8-bit multiplier, and none can divide."""
