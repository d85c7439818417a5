"""Parsing of text that a user wrote."""
