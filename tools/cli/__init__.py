"""Manners of a command line: one line per error, progress, files written whole."""
