"""Readers of user files, which check the type and the declared size of a file before reading it."""
