"""Passes that say what a program takes on a device."""
