"""Readers of user files, which check the kind and the declared size of a file before reading it."""
