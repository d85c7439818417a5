"""Xtensa cores."""
