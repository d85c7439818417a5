"""Readers of user files. They check the type and the declared size of a file before they read its content."""
