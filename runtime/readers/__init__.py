"""Readers of the user's files, which check what a file is and how much it claims to hold before they read it."""
