"""Prints the `c` dialect for any chip."""
