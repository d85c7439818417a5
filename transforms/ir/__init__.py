"""Builders and matchers for passes of all levels."""
