"""Builders and matchers for the passes of all levels."""
