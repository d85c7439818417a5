"""Readers of the user's files, which check a file's kind and declared size before they read it."""
