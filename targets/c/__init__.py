"""The C printer, which converts the `c` dialect to C source for any chip."""
