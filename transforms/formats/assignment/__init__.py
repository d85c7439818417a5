"""Giving every tensor of a program a format."""
