"""Passes on integer arithmetic (level L4)."""
