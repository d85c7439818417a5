"""The C printer: turns the `c` dialect into C source for any chip."""
