"""Passes on integer arithmetic (L4)."""
