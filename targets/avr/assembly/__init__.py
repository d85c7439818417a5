"""AVR assembly: instructions and their costs, loops, and functions."""
