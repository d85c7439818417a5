"""Behaviour that all command lines share: one line per error, progress, files written whole."""
